"""Measures for the claims of ``claims.yaml`` about training.

Differences in accuracy are those of all trainings at the settings and iteration that cross-validation chose, unless peaks
are asked for. The paper's test stands beside a valid one, which decides. "feature_induction" is MALLET where it was run
and `InducedCRF` where not, as in table 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from treecrf.rendering.cells import number
from treecrf.rendering.style import training_method_name
from treecrf.studies.claim_rows import (
    INDUCTION,
    Measured,
    count_outcomes,
    equal,
    first_of,
    not_worse,
    outcome,
    speed_ratio,
)
from treecrf.studies.claims import FAILS, HOLDS, LEANS, Evidence, Observation, Results, gather
from treecrf.studies.training.comparisons import Comparison, compare


def accuracy_difference(results: Results, dataset: str, pairs: Sequence[tuple[str, str]]) -> list[Measured[float]]:
    """Points of accuracy between two methods; nothing unless all `pairs` were run."""
    compared = [compare(results, dataset, *pair) for pair in pairs]
    return [pair.measured() for pair in compared if pair] if all(compared) else []


def fluctuation(results: Results, dataset: str, first_iteration: int) -> Iterator[Measured[float]]:
    """How much more test accuracy jumps from iteration to iteration with feature induction than with TreeCRF."""
    curves = results.frame("training", dataset, "curves")
    if curves is None:
        return
    method = first_of(INDUCTION, curves["method"])
    induction, trees = (_jumps(curves, name, first_iteration) for name in (method, "treecrf"))
    if np.isnan(induction) or np.isnan(trees):
        return
    ratio = speed_ratio(induction, trees)
    measured = f"{training_method_name(method)} {number(induction, 3)}, TreeCRF {number(trees, 3)}"
    yield Measured(
        ratio,
        f"{dataset}: {measured}, ratio {number(ratio)}",
        f"the ratio is {number(ratio)} on {dataset}",
    )


def linearity(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """R² of a straight line through TreeCRF's CPU seconds by iteration."""
    curves = results.frame("training", dataset, "curves")
    curve = curves[curves["method"] == "treecrf"] if curves is not None else pd.DataFrame()
    if len(curve) > 2:
        explained = float(np.corrcoef(curve["iteration"], curve["cpu_seconds"])[0, 1] ** 2)
        yield Measured(explained, f"R² is {number(explained, 4)} on {dataset}")


def shrinkage(results: Results, datasets: Sequence[str], decoders: Sequence[str], level: float) -> Evidence:
    """Whether leaf shrinkage is better than leaf-limited trees as often as worse, and worse at most once.

    Better in none and worse in none only leans to the first: a test that finds nothing says nothing.
    """

    def observe(dataset: str) -> Iterator[Observation]:
        for decoder in decoders:
            if pair := compare(results, dataset, "treecrf", "treecrf_original", decoder):
                yield Observation(pair.points_and_p, outcome(pair.measured(), level), "")

    evidence = gather(datasets, observe)
    n_better, n_worse, counted = count_outcomes(evidence)
    listed = "; ".join(each.numbers for each in evidence.observations)
    as_often = HOLDS if n_better >= n_worse else FAILS
    return evidence.summed_up(
        Observation(counted, as_often if n_better or n_worse else LEANS, f"it is {counted}"),
        Observation(listed, HOLDS if n_worse <= 1 else FAILS, f"it is worse in {n_worse}, not in at most one"),
    )


def peaks(results: Results, datasets: Sequence[str], level: float, margin: float) -> Evidence:
    """Whether TreeCRF and feature induction are equal at their peaks, and neither is worse than the neural network."""
    decoder = "forward_backward"

    def observe(dataset: str) -> list[Observation]:
        pairs = (("treecrf", INDUCTION), ("treecrf", "neural_network"), (INDUCTION, "neural_network"))
        found = [compare(results, dataset, *pair, decoder, "peak_comparisons") for pair in pairs]
        known = [pair for pair in found if pair]
        if len(known) < len(pairs):
            return []
        alike, above = _with_peaks(results, known[0]), [pair.measured() for pair in known[1:]]
        return [
            alike.observation(equal(alike, level, margin)),
            *(each.observation(not_worse(each, level, margin)) for each in above),
        ]

    return gather(datasets, observe)


def _with_peaks(results: Results, pair: Comparison) -> Measured[float]:
    """A comparison whose numbers show the peaks of both methods too."""
    summary = results.frame("training", pair.dataset, "summary")
    found = pair.measured()
    if summary is None:
        return found
    heights = summary[summary["decoder"] == pair.decoder].set_index("method")["peak_accuracy"]
    texts = [
        f"{training_method_name(name)} {number(heights[name])} %"
        for name in (pair.method, pair.other)
        if name in heights
    ]
    return replace(found, numbers=f"{found.numbers}; peaks {', '.join(texts)}")


def _jumps(curves: pd.DataFrame, method: str, first_iteration: int) -> float:
    """Standard deviation of the change of test accuracy per iteration; NaN for curves that are too short."""
    curve = curves[(curves["method"] == method) & (curves["iteration"] >= first_iteration)].sort_values("iteration")
    changes = np.diff(curve["accuracy"]) / np.diff(curve["iteration"])
    return float(np.std(changes, ddof=1)) if len(changes) > 1 else float("nan")
