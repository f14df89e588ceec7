"""Measures for the claims of ``claims.yaml`` about ensembles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.ensembles.methods import VOTES
from treecrf_studies.framework.claims.judge import LEANS, Degrees, Results
from treecrf_studies.framework.claims.kinds import NO, YES, Kind, Measured
from treecrf_studies.rendering.cells import number


def loss(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """Mean Hamming loss of a row of table 1 over the samples of each pool."""
    for pool, means in _by_pool(results, dataset):
        text = f"{VOTES[method]} has the loss {number(means[method], 4)} on {dataset}, pool {pool}"
        yield Measured(float(means[method]), text)


def difference(results: Results, dataset: str, method: str, other: str) -> Iterator[Measured[float]]:
    """By how much the mean loss of one row is above that of another, on each pool."""
    for pool, means in _by_pool(results, dataset):
        losses = float(means[method] - means[other])
        text = (
            f"the losses of {VOTES[method]} and of {VOTES[other]} differ by {abs(losses):.4f} on {dataset}, pool {pool}"
        )
        yield Measured(losses, text)


def ratio(results: Results, dataset: str, method: str, others: Sequence[str]) -> Iterator[Measured[float]]:
    """How many times the mean loss of one row the least of some others is, on each pool."""
    for pool, means in _by_pool(results, dataset):
        best = min(others, key=lambda name: means[name])
        times = float(means[best] / means[method])
        text = f"the loss of {VOTES[best]} is {times:.1f} times that of {VOTES[method]} on {dataset}, pool {pool}"
        yield Measured(times, text)


def advantage(
    results: Results, dataset: str, pairs: Sequence[tuple[str, str]]
) -> Iterator[Measured[tuple[float, float]]]:
    """By how much the mean loss of a row is below another's, over all pools; then the same without runs of SLE that
    stick.

    Yields
    ------
    Measured
        Both differences; the second is the first where the other row is not SLE, and below any number if every run
        sticks.
    """
    losses = _losses(results, dataset)
    if losses is None:
        return
    by_method = {str(name): rows for name, rows in losses.groupby("method")}
    for method, other in pairs:
        loss, other_loss = (float(by_method[name]["loss"].mean()) for name in (method, other))
        text = f"{VOTES[method]} {number(loss, 4)}, {VOTES[other]} {number(other_loss, 4)}"
        moving = other_loss
        if other == "sle":
            sticks = by_method[other]["n_experts"] == 1
            moving = float(by_method[other]["loss"][~sticks].mean()) if (~sticks).any() else -float("inf")
            others = f"the others have {number(moving, 4)}" if moving > 0 else "no other one"
            text += f" ({sticks.sum()} of {len(sticks)} runs stick, {others})"
        differs = f"{VOTES[method]} is not below {VOTES[other]} on {dataset}"
        if other_loss > loss:
            differs += f" without the runs of {VOTES[other]} that stick"
        yield Measured((other_loss - loss, moving - loss), f"{dataset}: {text}", differs)


def below(measured: Measured[tuple[float, float]]) -> Degrees:
    """Both differences are above 0; the first alone leans to the claim."""
    of_all, of_moving = measured.value
    if of_all <= 0:
        return NO
    return YES if of_moving > 0 else (LEANS, LEANS)


CLAIM_KINDS = {"below": Kind(below)}


ROUNDING = 1e-12
"""Relative differences below it are those of sums on one processor and the next."""


def slack(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The least difference of the two sides of theorem 3 over all runs, rounds and margins."""
    runs = results.table("ensembles", "boosted.csv")
    if runs is not None and dataset in set(runs["dataset"]):
        of_set = runs[runs["dataset"] == dataset]
        text = (
            f"the bound is at least {number(of_set['slack'].min(), 3)} above the margin loss on {dataset} in "
            f"{counted(len(of_set), 'run')}"
        )
        yield Measured(float(of_set["slack"].min()), text)


def inequality(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """The largest relative difference of F and the product of Z over all runs and rounds."""
    runs = results.table("ensembles", "boosted.csv")
    if runs is not None and dataset in set(runs["dataset"]):
        largest = float(runs[runs["dataset"] == dataset]["difference"].max())
        shown = f"{largest:.0e}" if largest > ROUNDING else f"less than {ROUNDING:.0e}"
        yield Measured(largest, f"F and the product of Z differ by {shown} of it on {dataset}")


def _losses(results: Results, dataset: str) -> pd.DataFrame | None:
    losses = results.table("ensembles", "losses.csv")
    return None if losses is None or dataset not in set(losses["dataset"]) else losses[losses["dataset"] == dataset]


def _by_pool(results: Results, dataset: str) -> Iterator[tuple[int, pd.Series]]:
    """The mean losses of each pool, counted from 1, by row of table 1."""
    losses = _losses(results, dataset)
    if losses is not None:
        for place, (_, rows) in enumerate(losses.groupby("pool", sort=False), start=1):
            yield place, rows.groupby("method")["loss"].mean()
