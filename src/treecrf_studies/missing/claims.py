"""Measures for the claims of ``claims.yaml`` about missing values.

Verdicts rest on `treecrf.statistics.blocks`, whose p-values are valid for other test sequences and other damaged
training sets, with Holm's correction over the pairs of methods of a data set and rate; the paper's own, Wald tests of
the binomial model of section 4.4, or the likelihood ratio where a coefficient has no finite maximum, stand beside them,
uncorrected as in the paper. Measures take damaged sets: the `PAPERS`, or `ALL` where there are more. The method beyond
the papers, the default direction, has no part in them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import t

from treecrf.statistics.estimates import adjust_holm
from treecrf.statistics.metrics import geometric_mean
from treecrf.statistics.two_way import BLOCK
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.kinds import ROUNDING, Measured
from treecrf_studies.missing.tables import PHASES_APART, missing_value_coefficients
from treecrf_studies.rendering.cells import interval_text, number, p_text, points_text, seconds_text, signed
from treecrf_studies.rendering.style import METHOD_NAMES

METHODS = ("instance_weighting", "surrogate_splitting", "imputation", "indicator")
"""Those of the dissertation."""

PAPERS, ALL = "papers", "all"
"""Damaged sets that a measure is of."""

PAPERS_SETS = 5
"""Damaged training sets and test sets of section 4.4."""

STAR = 0.05
"""The level of a star in table 4.1."""


def advantage(
    results: Results,
    dataset: str,
    method: str,
    rates: Sequence[float],
    others: Sequence[str] = METHODS,
    sets: str = PAPERS,
    corrected: bool = True,
) -> Iterator[Measured[float]]:
    """Points by which `method` is more accurate than each other one at each rate, with the p-value of the
    sequence-level test.
    """
    rows = _comparisons(results, dataset, method, rates, sets)
    accuracies = _accuracies(results, dataset, rates, sets)
    for row in rows[rows["method"].isin(others)].to_dict("records"):
        yield _advantage(dataset, method, row, accuracies, corrected)


def lead(
    results: Results, dataset: str, method: str, rates: Sequence[float], sets: str = PAPERS
) -> Iterator[Measured[float]]:
    """`advantage` over the most accurate other method at each rate; the correction covers the choice of that one."""
    rows = _comparisons(results, dataset, method, rates, sets)
    accuracies = _accuracies(results, dataset, rates, sets)
    for _, group in rows.groupby("rate"):
        (best,) = group.nlargest(1, "value").to_dict("records")
        yield _advantage(dataset, method, best, accuracies, corrected=True)


def _advantage(
    dataset: str, method: str, row: Mapping[Hashable, Any], accuracies: pd.DataFrame, corrected: bool
) -> Measured[float]:
    rate, other, points = (row[name] for name in ("rate", "method", "value"))
    p = row["p_holm" if corrected and not np.isnan(row["p_value"]) else "p_value"]
    log_odds, is_starred = _published(dataset, rate, method, other)
    where = f"{dataset} {rate:.0%}, {METHOD_NAMES[method]} {points_text(-points)} against {METHOD_NAMES[other]}"
    half = t.ppf(0.95, row["degrees_of_freedom"]) * row["standard_error"]
    scope = " on other lines of the same documents" if row["cluster"] == BLOCK else ""
    by_test = f"by the sequence-level test{' with Holm’s correction' if corrected else ''}{scope}"
    ends = f"90 % interval without correction {signed(-points - half)} to {signed(half - points)}"
    valid = "no sequence-level test" if np.isnan(p) else f"{p_text(p)} {by_test}, {ends}"
    paper = f"log odds {_signed(-row['coefficient'])}, {p_text(row['papers_p'])} by the paper's test"
    ahead = _points_ahead(log_odds, accuracies.loc[rate, method]) if is_starred and len(accuracies) else None
    direction = f"{METHOD_NAMES[method]} minus {METHOD_NAMES[other]}"
    star = "significant" if is_starred else "not significant"
    printed = "" if np.isnan(log_odds) else f"log odds {_signed(-log_odds)}, {direction}, {star}"
    return Measured(
        -points,
        f"{where} ({valid}; {paper})",
        p=p,
        interval=(-points - half, -points + half),
        papers=(-row["coefficient"], row["papers_p"]),
        what=f"{METHOD_NAMES[method]} vs {METHOD_NAMES[other]}, {100 * rate:g} % missing",
        methods=(METHOD_NAMES[method], METHOD_NAMES[other]),
        published=ahead,
        printed=printed,
    )


def _published(dataset: str, rate: float, method: str, other: str) -> tuple[float, bool]:
    """The log odds of table 4.1 of `other` against `method`, and whether they have a star; NaN where it has none."""
    published = missing_value_coefficients()
    known = published[
        (published["dataset"] == dataset)
        & (published["other"] == method)
        & (published["method"] == other)
        & np.isclose(published["rate"], rate)
    ]
    return (float(known["coefficient"].iloc[0]), bool(known["significant"].iloc[0])) if len(known) else (np.nan, False)


def _points_ahead(log_odds: float, percent: float) -> float:
    """The points by which a method of this accuracy is ahead of one with these log odds against it."""
    share = percent / 100
    return round(100 * float(share - expit(logit(share) + log_odds)), 2)


def stars(
    results: Results, dataset: str, sets: str = PAPERS, by: str = "valid", corrected: bool = True
) -> Iterator[Measured[float]]:
    """Share of the stars of table 4.1 found with their sign, by the sequence-level test or, by "paper", the paper's."""
    published = missing_value_coefficients()
    starred = published[(published["dataset"] == dataset) & published["significant"]]
    frame = _frame(results, dataset, sets)
    if frame is None or not len(starred):
        return
    pairs = frame.assign(rate=frame["rate"].round(6))
    both = starred.round({"rate": 6}).merge(pairs, on=["rate", "method", "other"], suffixes=("_star", ""))
    if len(both) < len(starred):
        return
    papers_p = both["papers_p"].fillna(both["likelihood_ratio_p_value"])
    sign, valid_p = np.sign(both["coefficient_star"]), "p_holm" if corrected else "p_value"
    shown = {
        "valid": (np.sign(both["value"]) == sign) & (both[valid_p] < STAR),
        "paper": (np.sign(both["coefficient"]) == sign) & (papers_p < STAR),
    }
    numbers = (
        f"{dataset}: {shown['valid'].sum()} of {len(both)} stars of table 4.1 found with their sign by the "
        f"sequence-level test {'with' if corrected else 'without'} Holm’s correction, {shown['paper'].sum()} by the "
        "paper's test"
    )
    yield Measured(float(shown[by].mean()), numbers, what="share of the stars that are found")


def others_below(
    results: Results, dataset: str, method: str, rates: Sequence[float], sets: str = PAPERS
) -> Iterator[Measured[float]]:
    """How many of the other methods have a lower mean accuracy than `method`, at each rate."""
    for rate, percent in _accuracies(results, dataset, rates, sets).iterrows():
        n_below = int((percent[method] - percent > ROUNDING).sum())
        listed = ", ".join(f"{METHOD_NAMES[name]} {number(percent[name])} %" for name in METHODS)
        what = f"methods below {METHOD_NAMES[method]}, {100 * float(str(rate)):g} % missing"
        yield Measured(n_below, f"{dataset}, {what}: {n_below} of the other three ({listed})", what=what)


def rare_features(results: Results, dataset: str, share: float) -> Iterator[Measured[float]]:
    """Which part of the line features is true on fewer than this share of the lines."""
    frequencies = results.frame("missing", dataset, "frequencies")
    if frequencies is not None and len(frequencies):
        n_rare = int((frequencies["share_true"] < share).sum())
        lines = f"< {share:.0%} of the lines of {dataset}"
        yield Measured(n_rare / len(frequencies), f"{n_rare} of {len(frequencies)} features are true on {lines}")


def cost_ratio(results: Results, dataset: str, method: str) -> Iterator[Measured[float]]:
    """CPU seconds of a training with `method` by those of the costliest other one: a geometric mean over the training
    sets.

    None of runs that did not rank all surrogates, as the dissertation does: theirs are costs of another method.
    """
    costs = results.frame("missing", dataset, "costs")
    is_papers = costs is not None and "all_surrogates" in costs and bool(costs["all_surrogates"].all())
    seconds = _seconds_of_training(costs) if costs is not None and is_papers else pd.DataFrame()
    if set(seconds.columns) != set(METHODS):
        return
    other = str(seconds.drop(columns=method).mean().idxmax())
    ratio, interval = geometric_mean((seconds[method] / seconds[other]).to_numpy())
    listed = ", ".join(f"{METHOD_NAMES[name]} {seconds_text(seconds[name].mean())} s" for name in METHODS)
    measured = f"{number(ratio)} times {METHOD_NAMES[other]} ({interval_text(interval)})"
    difference = f"{METHOD_NAMES[method]} costs {measured} on {dataset}"
    yield Measured(ratio, f"{dataset}: {listed}; {measured}", difference, repeated=interval)


def least_accurate_first(
    results: Results, dataset: str, rates: Sequence[float], sets: str = PAPERS
) -> Iterator[Measured[Sequence[str]]]:
    """The methods by mean accuracy over the rates; none where the lowest two are equal."""
    accuracies = _accuracies(results, dataset, rates, sets)
    if accuracies.empty:
        return
    means = accuracies.mean().sort_values(kind="stable")
    listed = ", ".join(f"{METHOD_NAMES[name]} {number(means[name])} %" for name in METHODS)
    is_tie = np.isclose(means.iloc[0], means.iloc[1], rtol=0, atol=ROUNDING)
    names = [] if is_tie else list(map(str, means.index))
    lowest = "two methods are the least accurate" if is_tie else f"{METHOD_NAMES[names[0]]} is the least accurate"
    yield Measured(names, f"{dataset}: {listed}", f"{lowest} on {dataset}")


def _frame(results: Results, dataset: str, sets: str) -> pd.DataFrame | None:
    """The comparisons of the dissertation's methods on these damaged sets; None where all are the papers'."""
    frame = results.frame("missing", dataset, "comparisons" if sets == ALL else "papers_comparisons")
    if frame is None or (sets == ALL and frame["n_training_sets"].max() <= PAPERS_SETS):
        return None
    return _corrected(frame[frame["other"].isin(METHODS) & frame["method"].isin(METHODS)])


def _corrected(frame: pd.DataFrame) -> pd.DataFrame:
    """Comparisons of the dissertation's methods with Holm's correction over their pairs at each rate.

    Other methods of a run are no part of the family, so that they change no verdict.
    """
    sides = np.sort(frame[["method", "other"]].to_numpy(dtype=str), axis=1)
    pairs = frame.assign(first=sides[:, 0], second=sides[:, 1])
    family = pairs.drop_duplicates(["rate", "first", "second"])
    holm = family.groupby("rate")["p_value"].transform(lambda p: adjust_holm(p.to_numpy(dtype=float)))
    keys = ["rate", "first", "second"]
    corrected = pairs.drop(columns="p_holm", errors="ignore").merge(family[keys].assign(p_holm=holm), on=keys)
    return corrected.drop(columns=["first", "second"])


def _comparisons(results: Results, dataset: str, baseline: str, rates: Sequence[float], sets: str) -> pd.DataFrame:
    """Coefficients and points against `baseline`, p-values of both tests, at `rates`, of the dissertation's methods.

    No rows unless all of them were compared at every rate.
    """
    frame = _frame(results, dataset, sets)
    if frame is None:
        return pd.DataFrame(columns=["rate", "method"])
    rows = frame[_at(frame, rates) & (frame["other"] == baseline)]
    rows = rows.assign(papers_p=rows["papers_p"].fillna(rows["likelihood_ratio_p_value"]))
    return rows if len(rows) == len(rates) * (len(METHODS) - 1) else rows.iloc[:0]


def _accuracies(results: Results, dataset: str, rates: Sequence[float], sets: str) -> pd.DataFrame:
    """Mean accuracy in percent on these damaged sets: a row a rate, a column a method of the dissertation.

    No rows unless all of them were run at every rate, and on more sets than the papers' where all are asked for.
    """
    frame = results.frame("missing", dataset, "evaluations")
    if frame is None:
        return pd.DataFrame()
    damaged = frame[_at(frame, rates) & frame["method"].isin(METHODS)]
    of_papers = (damaged[["draw", "test_set"]] < PAPERS_SETS).all(axis=1)
    if sets == ALL and of_papers.all():
        return pd.DataFrame()
    used = damaged if sets == ALL else damaged[of_papers]
    percent = used.assign(percent=100 * used["n_correct"] / used["n_positions"])
    means = percent.pivot_table(index="rate", columns="method", values="percent")
    is_whole = means.shape == (len(rates), len(METHODS)) and means.notna().all(axis=None)
    return means if is_whole else means.iloc[:0]


def _at(frame: pd.DataFrame, rates: Sequence[float]) -> NDArray[np.bool_]:
    return np.asarray(np.isclose(frame["rate"].to_numpy()[:, None], np.array(rates)).any(axis=1))


def _seconds_of_training(costs: pd.DataFrame) -> pd.DataFrame:
    """Mean CPU seconds of one training where something is missing: a row a training set, a column a method of the
    dissertation.
    """
    training = costs[~costs["phase"].isin(PHASES_APART) & (costs["rate"] > 0) & costs["method"].isin(METHODS)]
    runs = training.groupby(["draw", "method", "rate"])["cpu_seconds"].sum().reset_index()
    return runs.pivot_table(index="draw", columns="method", values="cpu_seconds")


def _signed(value: float) -> str:
    """A coefficient: three digits after the point, with a sign."""
    return ("+" if value >= 0 else "−") + number(abs(value), 3)
