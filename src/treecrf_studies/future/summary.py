"""Summaries of the study of future features (PhD tables 5.3 to 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from treecrf.statistics.estimates import (
    MARGIN,
    SIGNIFICANCE_LEVEL,
    Estimates,
    adjust_holm,
    decide,
    estimate_resampled,
)
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.variance import decompose_variance
from treecrf_studies.framework.job_context import SummaryContext
from treecrf_studies.framework.resamples import decided, overlap_of, tested
from treecrf_studies.future.methods import MEMM_DECODERS, TREE_NAMES, WEIGHT_NAMES, variant_name, variant_names

VARIANT = ["dataset", "method", "bag", "g0"]
"""Columns that tell the rows of the tables apart."""

VARIANCE_NAMES = ["dataset", "component", "draw_points", "mean_points"]

ACCURACIES = ["train_accuracy", "validation_accuracy", "test_accuracy"]


def best_variants(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of each method and bag with the G_0 of the best mean validation accuracy; the first wins ties."""
    parts = []
    for _, of_method in runs.groupby(["dataset", "method", "bag"], sort=False):
        means = of_method.groupby("g0", sort=False, dropna=False)["validation_accuracy"].mean()
        best = means.index[int(means.to_numpy().argmax())]
        parts.append(of_method[of_method["g0"].isna() if pd.isna(best) else of_method["g0"] == best])
    return pd.concat(parts, ignore_index=True)


def summarise_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Means and spreads over the seeds of each data set, method, bag and G_0.

    n_seeds; "test_mean", "test_sd", "test_min", "test_max" and the same for "train" and "validation" (percent); the
    medians of what was chosen (max_leaves, the bounds, n_iterations, n_features, the largest steps); means of the
    accuracies of instances and bags, NaN where they are not known; cpu_seconds (of one training); decoder, kind,
    last_bags and best_window_accuracy as in the runs, positive_bags (mean); mean and sd of the test accuracies by
    decoder.
    """
    groups = runs.groupby(VARIANT, sort=False, dropna=False)
    parts = {"n_seeds": groups.size()}
    for name in ACCURACIES:
        side = name.removesuffix("_accuracy")
        for statistic, kind in (("mean", "mean"), ("sd", "std"), ("min", "min"), ("max", "max")):
            parts[f"{side}_{statistic}"] = groups[name].agg(kind)
    chosen = ["max_leaves", "eta_start", "alpha_upper", "beta_upper", "eta_upper", "n_iterations", "n_features"]
    for name in [*chosen, "largest_alpha", "largest_beta", "largest_eta"]:
        parts[name] = groups[name].median()
    for name in [str(c) for c in runs if str(c).endswith(("_instance_accuracy", "_bag_accuracy"))]:
        parts[name] = groups[name].mean()
    parts["cpu_seconds"] = groups["cpu_seconds"].median()
    parts |= {name: groups[name].first() for name in ("decoder", "kind", "last_bags", "best_window_accuracy")}
    parts["positive_bags"] = groups["positive_bags"].mean()
    for decoder, statistic in product(MEMM_DECODERS, ("mean", "std")):
        parts[f"{decoder}_{statistic.replace('std', 'sd')}"] = groups[f"{decoder}_accuracy"].agg(statistic)
    return pd.DataFrame(parts).reset_index()


def compare_variants(
    predictions: pd.DataFrame, order: Sequence[str], exact_under: int, test_per_train: float, margin: float = MARGIN
) -> pd.DataFrame:
    """Every pair of variants over the draws of the data: corrected t test, and McNemar's in every draw.

    Parameters are predictions of one data set and one G_0 of each method and bag
    (`treecrf_studies.future.jobs.FutureOutcome`), the variants (`variant_name`) in the order of the table, and
    `test_per_train` as for `treecrf.statistics.estimates.estimate_resampled`.

    Returns
    -------
    DataFrame
        dataset; method and other, which stands above it in the table; n (seeds); the columns of
        `treecrf_studies.framework.resamples.tested`, margin and decision (of this pair alone); n_better (seeds in which
        `method` is better). The paper's test, McNemar's: n_significant (seeds with p < 0.05), papers_p (median).
    """
    outcomes = predictions.assign(
        decoder=predictions["seed"],  # a family of tests each
        method=variant_names(predictions),
        correct=predictions["label"] == predictions["predicted"],
    )
    place = {name: i for i, name in enumerate(order)}
    outcomes = outcomes[outcomes["method"].isin(place)]
    tests = compare_pairs(outcomes.sort_values("method", key=lambda m: m.map(place), kind="stable"), exact_under)
    tests = tests.rename(columns={"method": "other", "other": "method"})  # the later one of the table comes first
    tests = tests.assign(better=tests["accuracy_points"] < 0, significant=tests["p_value"] < SIGNIFICANCE_LEVEL)
    groups = tests.groupby(["dataset", "method", "other"], sort=False)
    pairs = groups.agg(
        n=("decoder", "size"),
        n_better=("better", "sum"),
        n_significant=("significant", "sum"),
        papers_p=("p_value", "median"),
    ).reset_index()
    estimates = _estimate(outcomes, pairs, test_per_train)
    decision = decided(estimates, estimates.p_value, margin)
    return pairs.assign(**tested(estimates), margin=margin, decision=decision)


def compare_neighbours(comparisons: pd.DataFrame, margin: float = MARGIN) -> pd.DataFrame:
    """The pairs of `compare_variants` that are neighbours in the table, a family: with p_holm, and decided by it."""
    nearest = comparisons.drop_duplicates(["dataset", "other"])  # each variant's first comparison is with the next one
    holm = adjust_holm(nearest["p_value"].to_numpy(dtype=float))
    points, low, high = (nearest[name].to_numpy(dtype=float) for name in ("value", "low_90", "high_90"))
    return nearest.assign(p_holm=holm, decision=decide(points, holm, low, high, margin=margin))


def _estimate(outcomes: pd.DataFrame, pairs: pd.DataFrame, test_per_train: float) -> Estimates:
    """Accuracy of `method` minus that of `other` over the draws; outcomes have method, seed, position and correct."""
    counts = outcomes.astype({"correct": int})
    correct = counts.pivot_table(index="method", columns="seed", values="correct", aggfunc="sum")
    positions = outcomes.groupby("seed")["position"].nunique()
    differences = correct.loc[pairs["method"]].to_numpy(dtype=int) - correct.loc[pairs["other"]].to_numpy(dtype=int)
    return estimate_resampled(differences, positions.to_numpy(), test_per_train)


def decompose_draws(predictions: pd.DataFrame) -> pd.DataFrame:
    """Variance components of the accuracies of the draws, of one data set; see `decompose_variance`.

    `predictions` as for `compare_variants`. Gives dataset, component ("draw", what all methods share of one, and
    "method x draw"), draw_points (standard deviation in one draw) and mean_points (in the mean of all draws); no rows
    with a single draw or method.
    """
    correct = (predictions["label"] == predictions["predicted"]).astype(int)
    groups = correct.groupby([predictions["dataset"], variant_names(predictions), predictions["seed"]], sort=False)
    counts = groups.agg(n_correct="sum", n_positions="size").reset_index()
    counts.columns = pd.Index(["dataset", "method", "sequence", "n_correct", "n_positions"])
    if counts["method"].nunique() < 2 or counts["sequence"].nunique() < 2:
        return pd.DataFrame(columns=VARIANCE_NAMES)
    found = decompose_variance(counts).rename(columns={"accuracy_points": "mean_points"})
    names = found["component"].replace({"sequence": "draw", "residual": "method x draw"})
    points = 100 * np.sqrt(found["variance"])
    return found.assign(dataset=counts["dataset"].iloc[0], component=names, draw_points=points)[VARIANCE_NAMES]


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Gives "runs", with test_per_train (`overlap_of`); "summary" (`summarise_runs`); "best" (the same, with the G_0 that
    validation prefers); of these "comparisons" (`compare_variants`), "tests" (`compare_neighbours`) and "variances"
    (`decompose_draws`); "weights" and "trees" (of the model with future features that validation prefers; without rows
    where there is none).
    """
    frames, margin = context.frames, context.settings["equivalence_margin"]
    joined = pd.concat(frames["runs"], ignore_index=True)
    test_per_train = overlap_of(joined, context.source)
    joined["test_per_train"] = test_per_train
    best_runs = best_variants(joined)
    best = summarise_runs(best_runs)
    preferred = pd.concat([_of_variants(frame, best_runs) for frame in frames["predictions"]], ignore_index=True)
    order = [variant_name(method, bag) for method, bag in zip(best["method"], best["bag"], strict=True)]
    with_features = best[best["g0"].notna()].nlargest(1, "validation_mean")
    pictured = {
        "weights": _joined(frames["weights"], with_features, [*VARIANT, "seed", *WEIGHT_NAMES]),
        "trees": _joined(frames["trees"], with_features, [*VARIANT, "seed", *TREE_NAMES]),
    }
    comparisons = compare_variants(preferred, order, context.settings["exact_under"], test_per_train, margin)
    tests = compare_neighbours(comparisons, margin)
    return (
        {"runs": joined, "summary": summarise_runs(joined), "best": best, "comparisons": comparisons, "tests": tests}
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
