"""Summaries of the study of future features (PhD tables 5.3 to 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from treecrf.statistics.estimates import MARGIN, adjust_holm, decide
from treecrf.statistics.variance import decompose_variance
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.resamples import Rules, compare_draws, rules_of
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.future.methods import (
    MEMM_DECODERS,
    TREE_NAMES,
    VARIANT,
    WEIGHT_NAMES,
    variant_name,
    variant_names,
)

VARIANCE_NAMES = ["dataset", "component", "draw_points", "mean_points"]


def best_variants(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of each method and bag with the G_0 of the best mean validation accuracy; the first wins ties."""
    parts = []
    for _, of_method in runs.groupby(["dataset", "method", "bag"], sort=False):
        means = of_method.groupby("g0", sort=False, dropna=False)["validation_accuracy"].mean()
        best = means.index[int(means.to_numpy().argmax())]
        parts.append(of_method[of_method["g0"].isna() if pd.isna(best) else of_method["g0"] == best])
    return pd.concat(parts, ignore_index=True)


def score_draws(runs: pd.DataFrame) -> pd.DataFrame:
    """Test accuracies over the draws of each data set, method, bag and G_0
    (`treecrf_studies.framework.summaries.summarise`).

    Further columns: train_mean and validation_mean (percent); the medians of what was chosen (max_leaves, the bounds,
    n_iterations, n_features, the largest steps); means of the accuracies of instances and bags, NaN where they are not
    known; decoding, kind, last_bags and best_window_accuracy as in the runs, positive_bags (mean); mean and sd of the
    test accuracies by decoder.
    """
    chosen = ["max_leaves", "eta_start", "alpha_upper", "beta_upper", "eta_upper", "n_iterations", "n_features"]
    kept = {
        "median": [*chosen, "largest_alpha", "largest_beta", "largest_eta"],
        "mean": [*runs.filter(regex="_(instance|bag)_accuracy$"), "positive_bags"],
        "first": ["decoding", "kind", "last_bags", "best_window_accuracy"],
    }
    more = {name: (name, kind) for kind, names in kept.items() for name in names}
    more |= {f"{side}_mean": (f"{side}_accuracy", "mean") for side in ("train", "validation")}
    for decoder, (name, kind) in product(MEMM_DECODERS, (("mean", "mean"), ("sd", "std"))):
        more[f"{decoder}_{name}"] = (f"{decoder}_accuracy", kind)
    return summarise(runs, VARIANT, {"accuracy": {"quantity": ACCURACY}}, **more)


def compare_variants(predictions: pd.DataFrame, order: Sequence[str], rules: Rules) -> pd.DataFrame:
    """Every pair of variants (`treecrf_studies.framework.resamples.compare_draws`).

    `predictions` are of one data set and one G_0 of each method and bag (`treecrf_studies.future.jobs.FutureOutcome`),
    `order` has the variants (`variant_name`) as in the table: the later one of a pair comes first.
    """
    place = {name: i for i, name in enumerate(order)}
    named = predictions.assign(method=variant_names(predictions), group=predictions["sequence"])
    named = named[named["method"].isin(place)]
    named = named.sort_values("method", key=lambda names: -names.map(place), kind="stable")
    return compare_draws(named, rules).sort_values(
        ["other", "method"], key=lambda names: names.map(place), ignore_index=True
    )


def compare_neighbours(comparisons: pd.DataFrame, margin: float = MARGIN) -> pd.DataFrame:
    """The pairs of `compare_variants` that are neighbours in the table, a family: with p_holm, and decided by it."""
    nearest = comparisons.drop_duplicates(["dataset", "other"])  # each variant's first comparison is with the next one
    holm = adjust_holm(nearest["p_value"].to_numpy(dtype=float))
    points, low, high = (nearest[name].to_numpy(dtype=float) for name in ("value", "low_90", "high_90"))
    return nearest.assign(p_holm=holm, decision=decide(points, holm, low, high, margin=margin))


def decompose_draws(predictions: pd.DataFrame) -> pd.DataFrame:
    """Variance components of the accuracies of the draws, of one data set; see `decompose_variance`.

    `predictions` as for `compare_variants`. Gives dataset, component ("draw", what all methods share of one, and
    "method x draw"), draw_points (standard deviation in one draw) and mean_points (in the mean of all draws); no rows
    with a single draw or method.
    """
    correct = (predictions["label"] == predictions["predicted"]).astype(int)
    groups = correct.groupby([predictions["dataset"], variant_names(predictions), predictions["draw"]], sort=False)
    counts = groups.agg(n_correct="sum", n_positions="size").reset_index()
    counts.columns = pd.Index(["dataset", "method", "sequence", "n_correct", "n_positions"])
    if counts["method"].nunique() < 2 or counts["sequence"].nunique() < 2:
        return pd.DataFrame(columns=VARIANCE_NAMES)
    components = decompose_variance(counts).rename(columns={"accuracy_points": "mean_points"})
    names = components["component"].replace({"sequence": "draw", "residual": "method x draw"})
    points = 100 * np.sqrt(components["variance"])
    return components.assign(dataset=counts["dataset"].iloc[0], component=names, draw_points=points)[VARIANCE_NAMES]


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Gives "runs", with test_per_train (`overlap_of`); "summary" (`score_draws`); "best" (the same, with the G_0 that
    validation prefers); of these "comparisons" (`compare_variants`), "tests" (`compare_neighbours`) and "variances"
    (`decompose_draws`); "weights" and "trees" (of the model with future features that validation prefers; without rows
    where there is none).
    """
    frames = context.frames
    rules = rules_of(context)
    joined = context.of_jobs("runs").assign(test_per_train=rules.test_per_train)
    best_runs = best_variants(joined)
    best = score_draws(best_runs)
    preferred = pd.concat([_of_variants(frame, best_runs) for frame in frames["predictions"]], ignore_index=True)
    order = [variant_name(method, bag) for method, bag in zip(best["method"], best["bag"], strict=True)]
    with_features = best[best["g0"].notna()].nlargest(1, "validation_mean")
    pictured = {
        "weights": _joined(frames["weights"], with_features, [*VARIANT, "draw", *WEIGHT_NAMES]),
        "trees": _joined(frames["trees"], with_features, [*VARIANT, "draw", *TREE_NAMES]),
    }
    comparisons = compare_variants(preferred, order, rules)
    tests = compare_neighbours(comparisons, rules.equivalence_margin)
    return (
        {"runs": joined, "summary": score_draws(joined), "best": best, "comparisons": comparisons, "tests": tests}
        | {"variances": decompose_draws(preferred)}
        | pictured
    )


def _joined(frames: Sequence[pd.DataFrame], variants: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The rows of some variants in any of the frames; those without rows may have no columns."""
    parts = [_of_variants(frame, variants) for frame in frames if len(frame)]
    return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)


def _of_variants(frame: pd.DataFrame, variants: pd.DataFrame) -> pd.DataFrame:
    """The rows of some variants."""
    return frame.merge(variants[VARIANT].drop_duplicates(), on=VARIANT)
