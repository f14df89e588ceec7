"""Measures for the claims of ``claims.yaml`` about missing values.

Verdicts rest on `treecrf.statistics.blocks`, whose p-values are valid for other test sequences and other damaged training
sets; the paper's own, Wald tests of the binomial model of section 4.4, or the likelihood ratio where a coefficient has no finite
maximum, stand beside them. Neither is corrected for the number of comparisons, as in the paper. The method beyond the papers, the default direction, has no part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import t

from treecrf.rendering.cells import interval_text, number, p_text, points_text, seconds_text, signed
from treecrf.rendering.style import METHOD_NAMES
from treecrf.statistics.metrics import geometric_mean
from treecrf.statistics.two_way import BLOCK
from treecrf.studies.framework.claims.judge import Evidence, Results
from treecrf.studies.framework.claims.kinds import ROUNDING, Measured
from treecrf.studies.framework.claims.rows import sum_up_counts
from treecrf.studies.missing.published import missing_value_coefficients
from treecrf.studies.missing.tables import PHASES_APART

METHODS = ("instance_weighting", "surrogate_splitting", "imputation", "indicator")
"""Those of the dissertation."""

STAR = 0.05
"""The level of a star in table 4.1."""


def advantage(
    results: Results, dataset: str, method: str, rates: Sequence[float], others: Sequence[str] = METHODS
) -> Iterator[Measured[float]]:
    """Points by which `method` is more accurate than each other one at each rate, with the p-value of the sequence-level test."""
    published = missing_value_coefficients()
    rows = _comparisons(results, dataset, method, rates)
    for row in rows[rows["method"].isin(others)].to_dict("records"):
        rate, other, points, p = (row[name] for name in ("rate", "method", "accuracy_points", "valid_p_value"))
        known = published[
            (published["dataset"] == dataset)
            & (published["baseline"] == method)
            & (published["method"] == other)
            & np.isclose(published["missing_rate"], rate)
        ]
        where = f"{dataset} {rate:.0%}, {METHOD_NAMES[other]} {points_text(points)} against {METHOD_NAMES[method]}"
        half = t.ppf(0.95, row["degrees_of_freedom"]) * row["points_standard_error"]
        interval = -points - half, -points + half
        scope = " on other lines of the same documents" if row["cluster"] == BLOCK else ""
        ends = f"90 % interval {signed(points - half)} to {signed(points + half)}"
        valid = "no sequence-level test" if np.isnan(p) else f"{p_text(p)} by the sequence-level test{scope}, {ends}"
        paper = f"log odds {_signed(row['coefficient'])}, {p_text(row['p'])} by the paper's test"
        beside = f", published {_signed(float(known['coefficient'].iloc[0]))}" if len(known) else ""
        yield Measured(
            -points,
            f"{where} ({valid}; {paper})",
            f"{where} ({valid}; {paper}{beside})",
            p,
            interval,
            papers=(-row["coefficient"], row["p"]),
            what=f"{METHOD_NAMES[method]} vs {METHOD_NAMES[other]}, {100 * rate:g} % missing",
            methods=(METHOD_NAMES[method], METHOD_NAMES[other]),
        )


def stars(results: Results, dataset: str) -> Iterator[Measured[float]]:
    """Which share of the stars of table 4.1 is found with its sign, by the sequence-level test and by the paper's."""
    published = missing_value_coefficients()
    starred = published[(published["dataset"] == dataset) & published["significant"]]
    frame = results.frame("missing", dataset, "comparisons")
    if frame is None or not len(starred):
        return
    pairs = frame.assign(rate=frame["rate"].round(6))
    keys = {"missing_rate": "rate"}
    both = (
        starred.rename(columns=keys)
        .round({"rate": 6})
        .merge(pairs, on=["rate", "baseline", "method"], suffixes=("_star", ""))
    )
    if len(both) < len(starred):
        return
    papers_p = both["p_value"].fillna(both["likelihood_ratio_p_value"])
    by_paper = (np.sign(both["coefficient"]) == np.sign(both["coefficient_star"])) & (papers_p < STAR)
    by_valid = (np.sign(both["accuracy_points"]) == np.sign(both["coefficient_star"])) & (both["valid_p_value"] < STAR)
    numbers = (
        f"{dataset}: {by_valid.sum()} of {len(both)} stars of table 4.1 found with their sign by the sequence-level test, "
        f"{by_paper.sum()} by the paper's test"
    )
    yield Measured(float(by_valid.mean()), numbers, papers=(float(by_paper.mean()), 0.0), what="share of stars found")


def rank(results: Results, dataset: str, method: str, rates: Sequence[float]) -> Iterator[Measured[float]]:
    """How many of the other methods have a lower coefficient than `method`, at each rate."""
    rows = _comparisons(results, dataset, "instance_weighting", rates)
    for rate, group in rows.groupby("rate"):
        coefficients = {"instance_weighting": 0.0, **dict(zip(group["method"], group["coefficient"], strict=True))}
        if set(coefficients) == set(METHODS) and not np.isnan([*coefficients.values()]).any():
            n_below = sum(value < coefficients[method] for value in coefficients.values())
            name = f"{METHOD_NAMES[method]} ({_signed(coefficients[method])})"
            yield Measured(n_below, f"at {rate:.0%} {name} has {n_below} of the other three below it")


def rare_features(results: Results, dataset: str, share: float) -> Iterator[Measured[float]]:
    """Which part of the line features is true on fewer than this share of the lines."""
    frequencies = results.frame("missing", dataset, "frequencies")
    if frequencies is not None and len(frequencies):
        n_rare = int((frequencies["share_true"] < share).sum())
        lines = f"< {share:.0%} of the lines of {dataset}"
        yield Measured(n_rare / len(frequencies), f"{n_rare} of {len(frequencies)} features are true on {lines}")


def cost_ratio(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """CPU seconds of a training with `method` by those of the costliest other one: a geometric mean over the training sets."""
    costs = results.frame("missing", dataset, "costs")
    seconds = pd.DataFrame() if costs is None else _seconds_of_training(costs)
    if set(seconds.columns) != set(METHODS):
        return
    other = str(seconds.drop(columns=method).mean().idxmax())
    ratio, interval = geometric_mean((seconds[method] / seconds[other]).to_numpy())
    listed = ", ".join(f"{METHOD_NAMES[name]} {seconds_text(seconds[name].mean())} s" for name in METHODS)
    measured = f"{number(ratio)} times {METHOD_NAMES[other]} ({interval_text(interval)})"
    difference = f"{METHOD_NAMES[method]} costs {measured} on {dataset}"
    yield Measured(ratio, f"{dataset}: {listed}; {measured}", difference, repeated=interval)


def least_accurate_first(results: Results, dataset: str) -> Iterator[Measured[Sequence[str]]]:
    """The methods by mean accuracy over the rates at which something is missing; none where the lowest two are equal."""
    evaluations = results.frame("missing", dataset, "evaluations")
    if evaluations is None:
        return
    damaged = evaluations[(evaluations["rate"] > 0) & evaluations["method"].isin(METHODS)]
    percent = (100 * damaged["n_correct"] / damaged["n_positions"]).groupby([damaged["method"], damaged["rate"]]).mean()
    means = percent.groupby("method").mean().sort_values(kind="stable")
    if set(means.index) == set(METHODS):
        listed = ", ".join(f"{METHOD_NAMES[name]} {number(means[name])} %" for name in METHODS)
        is_tie = np.isclose(means.iloc[0], means.iloc[1], rtol=0, atol=ROUNDING)
        names = [] if is_tie else list(map(str, means.index))
        lowest = "two methods are the least accurate" if is_tie else f"{METHOD_NAMES[names[0]]} is the least accurate"
        yield Measured(names, f"{dataset}: {listed}", f"{lowest} on {dataset}")


def mostly_better(evidence: Evidence) -> Evidence:
    """Whether a method is significantly better than the others in most comparisons, and nowhere worse."""
    return sum_up_counts(evidence, _mostly_better)


def mostly_better_found(evidence: Evidence) -> Evidence:
    """The same of what tests find, whatever they leave open: a former rule."""
    return sum_up_counts(evidence, _mostly_better, as_found=True)


def _mostly_better(n_better: int, n_worse: int, n_all: int) -> tuple[bool, bool]:
    return 2 * n_better > n_all, not n_worse


def _comparisons(results: Results, dataset: str, baseline: str, rates: Sequence[float]) -> pd.DataFrame:
    """Coefficients and points against `baseline`, p-values of both tests, at `rates`, of the dissertation's methods.

    No rows unless all of them were compared at every rate.
    """
    frame = results.frame("missing", dataset, "comparisons")
    names = [
        "rate",
        "method",
        "coefficient",
        "p",
        "accuracy_points",
        "valid_p_value",
        "cluster",
        "points_standard_error",
        "degrees_of_freedom",
    ]
    if frame is None:
        return pd.DataFrame(columns=names)
    at_rates = np.isclose(frame["rate"].to_numpy()[:, None], np.array(rates)).any(axis=1)
    rows = frame[at_rates & (frame["baseline"] == baseline) & frame["method"].isin(METHODS)]
    rows = rows.assign(p=rows["p_value"].fillna(rows["likelihood_ratio_p_value"]))[names]
    return rows if len(rows) == len(rates) * (len(METHODS) - 1) else rows.iloc[:0]


def _seconds_of_training(costs: pd.DataFrame) -> pd.DataFrame:
    """Mean CPU seconds of one training where something is missing: a row a training set, a column a method of the dissertation."""
    training = costs[~costs["phase"].isin(PHASES_APART) & (costs["rate"] > 0) & costs["method"].isin(METHODS)]
    runs = training.groupby(["training_set", "method", "rate"])["cpu_seconds"].sum().reset_index()
    return runs.pivot_table(index="training_set", columns="method", values="cpu_seconds")


def _signed(value: float) -> str:
    """A coefficient: three digits after the point, with a sign."""
    return ("+" if value >= 0 else "−") + number(abs(value), 3)
