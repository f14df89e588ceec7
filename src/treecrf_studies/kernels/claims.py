"""Measures for the claims of ``claims.yaml`` about kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.framework.comparisons import find_pair, measured_all
from treecrf_studies.kernels.methods import method_text


def accuracy_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of accuracy between two methods; nothing unless all `pairs` were run."""
    comparisons = results.frame("kernels", dataset, "comparisons")
    if comparisons is None:
        return []
    return measured_all((find_pair(comparisons, *pair) for pair in pairs), lambda pair: pair.measured(method_text))


def difference_of_objectives(
    results: Results, dataset: str, degree: int, solver: str, other: str
) -> Iterator[Measured[float]]:
    """By which part the objectives at the ends of two solvers differ."""
    solvers = results.frame("kernels", dataset, "solvers")
    if solvers is None:
        return
    ends = solvers[solvers["degree"] == degree].groupby("solver", sort=False)["objective"].last()
    if {solver, other} <= set(ends.index):
        part = float(ends[solver] / ends[other] - 1)
        text = f"the dual's objective is {abs(part):.1e} of the primal's {'above' if part > 0 else 'below'} it"
        yield Measured(abs(part), f"{dataset}: {text}", f"{text} on {dataset}")
