"""Summaries of the study of future features (PhD tables 5.3 to 5.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from treecrf.datasets.synthetic import FUTURE_KINDS
from treecrf.statistics.equivalence import CONFIDENCE, MARGIN, decide
from treecrf.statistics.estimates import Estimates
from treecrf.statistics.holm import SIGNIFICANCE_LEVEL, adjust_holm
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.resampled import estimate_resampled
from treecrf.statistics.variance import decompose_variance
from treecrf.studies.future.names import NO_BAG, TREE_NAMES, WEIGHT_NAMES

VARIANT = ["dataset", "method", "bag", "g0"]
"""Columns that tell the rows of the tables apart."""

TEST_NAMES = [
    "dataset", "method", "other", "n_seeds", "accuracy_points", "points_low", "points_high", "valid_p_value", "valid_p_holm",
    "decision", "n_better", "n_significant", "median_p",
]  # fmt: skip

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
    accuracies of instances and bags, NaN where they are not known; cpu_seconds (of one training).
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
    return pd.DataFrame(parts).reset_index()


def compare_neighbours(
    predictions: pd.DataFrame, order: Sequence[str], exact_under: int, test_per_train: float, margin: float = MARGIN
) -> pd.DataFrame:
    """Neighbours in a table, over the draws of the data: corrected t test, and McNemar's in every draw.

    Parameters are predictions of one data set and one G_0 of each method and bag
    (`treecrf.studies.future.jobs.FutureOutcome`), and the methods (`variant_name`) in the order of the table, where
    each is compared with the next; `test_per_train` as for `treecrf.statistics.resampled.estimate_resampled`.

    Returns
    -------
    DataFrame
        dataset, method, other, n_seeds; accuracy_points (of `other` minus those of `method`, mean over the seeds),
        points_low, points_high (95 %), valid_p_value, valid_p_holm (over the neighbours of the table), decision;
        n_better (seeds in which `other` is better). The paper's test: n_significant (seeds with McNemar's p < 0.05 after
        Holm's correction over the neighbours), median_p.
    """
    outcomes = predictions.assign(
        decoder=predictions["seed"],  # a family of tests each
        method=variant_names(predictions),
        correct=predictions["label"] == predictions["predicted"],
    )
    place = {name: i for i, name in enumerate(order)}
    outcomes = outcomes[outcomes["method"].isin(place)]
    pairs = compare_pairs(outcomes.sort_values("method", key=lambda m: m.map(place), kind="stable"), exact_under)
    pairs = pairs[pairs["other"].map(place) - pairs["method"].map(place) == 1]
    adjusted = pairs.groupby("decoder", sort=False)["p_value"].transform(lambda p: adjust_holm(p.to_numpy()))
    pairs = pairs.assign(significant=adjusted < SIGNIFICANCE_LEVEL)
    rows = []
    for (dataset, method, other), group in pairs.groupby(["dataset", "method", "other"], sort=False):
        estimates = compare_draws(outcomes, str(other), str(method), test_per_train)
        (low, high), ends = (estimates.interval(confidence) for confidence in (0.95, CONFIDENCE))
        row = {"dataset": dataset, "method": method, "other": other, "n_seeds": len(group)}
        row |= {"accuracy_points": estimates.points[0], "points_low": low[0], "points_high": high[0]}
        row |= {"valid_p_value": estimates.p_value[0], "low": ends[0][0], "high": ends[1][0]}
        row |= {"n_better": (group["accuracy_points"] < 0).sum(), "n_significant": group["significant"].sum()}
        rows.append(row | {"median_p": group["p_value"].median()})
    if not rows:
        return pd.DataFrame(columns=TEST_NAMES)
    frame = pd.DataFrame(rows)
    holm = adjust_holm(frame["valid_p_value"].to_numpy(dtype=float))
    points, low, high = (frame[name].to_numpy(dtype=float) for name in ("accuracy_points", "low", "high"))
    words = decide(points, holm, low, high, margin=margin)
    return frame.assign(valid_p_holm=holm, decision=words)[TEST_NAMES]


def compare_draws(outcomes: pd.DataFrame, method: str, other: str, test_per_train: float) -> Estimates:
    """Accuracy of `method` minus that of `other` over the draws that both labelled.

    Parameters are `outcomes` (method, seed, correct; a row for each test position), two methods, and `test_per_train` as for
    `compare_neighbours`.
    """
    of_pair = outcomes[outcomes["method"].isin([method, other])].astype({"correct": int})
    correct = of_pair.pivot_table(index="seed", columns="method", values="correct", aggfunc="sum").dropna().astype(int)
    positions = of_pair[of_pair["method"] == method].groupby("seed").size().loc[correct.index]
    differences = correct[method].to_numpy() - correct[other].to_numpy()
    return estimate_resampled(differences[None], positions.to_numpy(), test_per_train)


def decompose_draws(predictions: pd.DataFrame) -> pd.DataFrame:
    """Variance components of the accuracies of the draws, of one data set; see `decompose_variance`.

    `predictions` as for `compare_neighbours`. Gives dataset, component ("draw", what all methods share of one, and
    "method x draw"), draw_points (standard deviation in one draw) and mean_points (in the mean of all draws); no rows with
    a single draw or method.
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


def overlap(runs: pd.DataFrame, source: str) -> float:
    """Test positions by training positions of `runs`; 0 where every draw of the data set `source` is fresh."""
    if source in FUTURE_KINDS:
        return 0.0
    return float((runs["n_test"] / runs["n_train"]).mean())


def variant_name(method: str, bag: str) -> str:
    """A method with its bag, where it has one."""
    return method if bag == NO_BAG else f"{method} ({bag})"


def variant_names(frame: pd.DataFrame) -> pd.Series:
    """`variant_name` of every row."""
    return pd.Series(
        [variant_name(m, b) for m, b in zip(frame["method"], frame["bag"], strict=True)], index=frame.index
    )


def summarise(
    frames: Mapping[str, Sequence[pd.DataFrame]], source: str, exact_under: int, equivalence_margin: float
) -> dict[str, pd.DataFrame]:
    """`summarise_dataset` of the jobs of a data set. Parameters are the `frames` by name, and the rest as there."""
    return summarise_dataset(**frames, source=source, exact_under=exact_under, equivalence_margin=equivalence_margin)


def summarise_dataset(
    runs: Sequence[pd.DataFrame],
    predictions: Sequence[pd.DataFrame],
    weights: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    source: str,
    exact_under: int,
    equivalence_margin: float = MARGIN,
) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Parameters are the frames of `treecrf.studies.future.jobs.FutureOutcome`, one of each for every job. Gives "runs", with
    test_per_train (`overlap`); "summary" (`summarise_runs`); "best" (the same, with the G_0 that validation prefers); "tests"
    (`compare_neighbours`, of these); "variances" (`decompose_draws`, of these); "weights" and "trees" (of the model with future features that validation prefers;
    without rows where there is none).
    """
    joined = pd.concat(runs, ignore_index=True)
    test_per_train = overlap(joined, source)
    joined["test_per_train"] = test_per_train
    best_runs = best_variants(joined)
    best = summarise_runs(best_runs)
    preferred = pd.concat([_of_variants(frame, best_runs) for frame in predictions], ignore_index=True)
    order = [variant_name(method, bag) for method, bag in zip(best["method"], best["bag"], strict=True)]
    with_features = best[best["g0"].notna()].nlargest(1, "validation_mean")
    pictured = {
        "weights": _joined(weights, with_features, [*VARIANT, "seed", *WEIGHT_NAMES]),
        "trees": _joined(trees, with_features, [*VARIANT, "seed", *TREE_NAMES]),
    }
    tests = compare_neighbours(preferred, order, exact_under, test_per_train, equivalence_margin)
    return (
        {"runs": joined, "summary": summarise_runs(joined), "best": best, "tests": tests}
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
