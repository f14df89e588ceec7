"""Measures for the claims of ``claims.yaml`` about kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treecrf.studies.claim_kinds import Measured
from treecrf.studies.claims import Results
from treecrf.studies.kernels.comparisons import find_pair
from treecrf.studies.kernels.methods import method_text


def accuracy_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of accuracy between two methods; nothing unless all `pairs` were run."""
    comparisons, lines = (results.frame("kernels", dataset, name) for name in ("comparisons", "lines"))
    if comparisons is None or lines is None:
        return []
    found = [find_pair(comparisons, lines, *pair) for pair in pairs]
    measured = [pair.measured(method_text) for pair in found if pair is not None]
    return measured if len(measured) == len(found) else []


def excess_of_dual(results: Results, dataset: str, degree: int, solver: str, other: str) -> Iterator[Measured[float]]:
    """By which part the objective at the end of one solver is above that of another."""
    solvers = results.frame("kernels", dataset, "solvers")
    if solvers is None:
        return
    ends = solvers[solvers["degree"] == degree].groupby("solver", sort=False)["objective"].last()
    if {solver, other} <= set(ends.index):
        excess = float(ends[solver] / ends[other] - 1)
        text = f"the dual's objective is {excess:.1e} of the primal's above it"
        yield Measured(excess, f"{dataset}: {text}", f"{text} on {dataset}")
