"""Sentences of the guide, each chosen by a small function from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from treecrf.rendering.cells import SIGNIFICANCE_LEVEL
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.studies.missing.guide.numbers import CASE, ROUNDING, _Record, _records, _Run
from treecrf.studies.missing.guide.words import (
    _all_cases,
    _and,
    _capital,
    _code,
    _digits,
    _joined,
    _n,
    _of,
    _points,
    _rate,
    _rates,
    _times,
)

OWN_DEFINITION = "A labeller of this run's own, which was given the data with their holes."

DEFINITIONS = {
    "instance_weighting": (
        "Sends an observation whose value is missing down both branches of a tree, in proportion. It assumes that "
        "values are missing at random and that the other attributes do not give them away."
    ),
    "surrogate_splitting": (
        "Asks another attribute in place of the missing one. It assumes that attributes predict one another."
    ),
    "imputation": (
        "Fills a hole with the attribute's commonest value, once, before training. It assumes that values are missing "
        "at random, and that the commonest value is nearly always right or else says little about the label."
    ),
    "indicator": (
        "Marks a hole, so that the trees can ask whether a value is missing. Meant for holes that say something about "
        "the label (a reading that is missing because it was extreme)."
    ),
    "default_direction": (
        "Every split learns to which side missing values go. It assumes that they belong together on one side, and "
        "can use holes that say something about the label."
    ),
}
"""What each method does and assumes: properties of the methods, not results."""


USE_INFORMATIVE_HOLES = ("indicator", "default_direction")
"""Methods whose advantage shows only where holes say something about the label."""


MEAN_OF_DATA_SETS = ", mean over the data sets (smallest to largest in brackets)"


def _nothing_to_compare(methods: Sequence[str]) -> str:
    if len(methods) == 1:
        return f"This run has one method, {method_name(methods[0])}, and so nothing to compare it with."
    return "This run compared no methods, so it cannot say which one to use."


def _advice(records: Sequence[_Record]) -> str:
    """Which method to use, from the numbers of cases in which methods were beaten: the first, which is the safest."""
    pick = records[0]
    safe = [record for record in records if not record.n_beaten]
    if len(safe) == len(records):
        return (
            f"Take {pick.name}, the closest to the best on average; in {_all_cases(pick.n_cases)} no method was clearly "
            "worse than another."
        )
    if len(safe) == 1:
        return f"Use {pick.name}: it alone was never clearly worse than another method ({_n(pick.n_cases, 'case')})."
    if safe:
        return (
            f"Use {pick.name}: like {_and(record.name for record in safe[1:])}, it was never clearly worse than another "
            f"method in {_all_cases(pick.n_cases)}, and of these it came closest to the best ({_points(pick.behind)} "
            "points behind on average)."
        )
    also = _and(record.name for record in records[1:] if record.share_beaten == pick.share_beaten)
    as_seldom = f", as seldom as {also} but closer to the best on average" if also else ""
    return (
        f"Over all cases, {pick.name} was clearly worse than another method most seldom: in "
        f"{_of(pick.n_beaten, pick.n_cases)}{as_seldom}. None was always safe."
    )


def _picks_by_kind(judged: pd.DataFrame, kinds: list[tuple[str, list[str]]]) -> list[tuple[str, str]]:
    """Each kind of data with the name of the method to use there."""
    return [(title, _records(judged[judged["dataset"].isin(names)])[0].name) for title, names in kinds]


def _least_behind(records: Sequence[_Record]) -> str:
    """The method that loses least on average, where that is not the first, which is already named."""
    pick, least = records[0], min(records, key=lambda record: record.behind)
    if _points(least.behind) == _points(pick.behind):
        return ""
    return (
        f"Least behind the best on average: {least.name}, by {_points(least.behind)} points ({pick.name}: "
        f"{_points(pick.behind)})."
    )


def _leaders(judged: pd.DataFrame) -> str:
    """Which method has the highest mean over the rates of each data set."""
    leaders = _leader_by_dataset(judged)
    names = ordered_methods(leaders.values())
    if len(leaders) == 1:
        return f"Highest mean accuracy over the rates: {method_name(names[0])}."
    if len(names) == 1:
        return f"Highest mean accuracy over the rates, on every data set: {method_name(names[0])}."
    parts = (f"{method_name(name)} on {_and(_code(key for key in leaders if leaders[key] == name))}" for name in names)
    return f"The highest mean accuracy over the rates depends on the data: {'; '.join(parts)}."


def _leader_by_dataset(judged: pd.DataFrame) -> dict[str, str]:
    behind = judged.groupby(["dataset", "method"], sort=False)["behind"].mean()
    return {str(name): str(of_set.droplevel(0).idxmin()) for name, of_set in behind.groupby(level=0, sort=False)}


def _loss_in_short(spans: pd.DataFrame) -> str:
    """What the smallest and the largest rate cost with the best method, and the worst method on top."""
    means = spans[spans["rate"] > 0].groupby("rate")[["lost_best", "gap"]].mean()
    if means.empty:
        return ""
    ends = [means.index[0], means.index[-1]] if len(means) > 1 else [means.index[0]]
    gaps = _and(_points(means.loc[rate, "gap"]) for rate in ends)
    more = f"{gaps} points lower with the worst method" + (" of each case" if len(spans) > 1 else "")
    if means["lost_best"].isna().all():
        return f"With holes in {_rates(ends)} of the cells, accuracy is {more} than with the best."
    losses = _and(f"{_lost(means.loc[rate, 'lost_best'])} at {_rate(rate)} holes" for rate in ends)
    return f"With the best method, expect to lose {losses}; accuracy is another {more} (section 2)."


def _lost(points: float) -> str:
    return f"{_points(points)} points" if round(points, 1) > 0 else "nothing that shows"


def _prices(costs: pd.Series, yardstick: str) -> str:
    """One training iteration with every method."""
    if len(costs) < 2:
        return ""
    prices = ", ".join(f"{method_name(method)} {_times(costs[method])}" for method in ordered_methods(costs.index))
    return f"CPU time of one training iteration, {yardstick} = 1: {prices} (section 4)."


def _how_to_read(judged: pd.DataFrame, comparisons: pd.DataFrame) -> str:
    n_cases = len(judged[CASE].drop_duplicates())
    ties = " Equal bests count for each." if judged.groupby(CASE)["best"].sum().max() > 1 else ""
    plain = _without_clusters(comparisons)
    apart = f" (on {_and(_code(plain))} not clustered: section 6)" if plain else ""
    return (
        f"A case is one data set at one share of holes; this run has {n_cases}. *Clearly worse*: Holm-corrected "
        f"p < {SIGNIFICANCE_LEVEL:g} with errors clustered by test sequence{apart}. *Within noise*: not clearly worse than "
        f"the best; that may also mean that the test set is too small to tell. *Points*: percent of positions.{ties}"
    )


def _without_clusters(comparisons: pd.DataFrame) -> list[str]:
    """Data sets on which a plain p-value decides, because there is no clustered one."""
    plain = comparisons["clustered_p_holm"].isna() & comparisons["p_holm"].notna()
    return list(comparisons.loc[plain, "dataset"].unique())


def _no_reference(spans: pd.DataFrame) -> str:
    without = spans.loc[spans["lost_best"].isna(), "dataset"].unique()
    if not len(without):
        return ""
    return f"No loss can be given for {_and(_code(without))}: rate 0 was not run. Add 0 to `missing.rates`."


def _gains(spans: pd.DataFrame) -> str:
    if not (spans["lost_best"].round(1) < 0).any():
        return ""
    return "Negative: accuracy was higher with holes than without, which shows how rough these numbers are."


def _own_holes(own: Sequence[str]) -> str:
    if not own:
        return ""
    return (
        f"{_and(_code(own))} has holes of its own: row 0 % compares the methods on them, and losses count from there."
        if len(own) == 1
        else f"{_and(_code(own))} have holes of their own: row 0 % compares the methods on them, and losses count from there."
    )


def _does_the_choice_matter(spans: pd.DataFrame) -> str:
    """From the number of cases in which some method is clearly worse than the best."""
    cases = spans[spans["compared"]]
    n_clear, n_cases = int(cases["clear"].sum()), len(cases)
    if not n_cases:
        return ""
    if not n_clear:
        return (
            f"In {_all_cases(n_cases)} the gap may be noise: by accuracy, this run gives no reason to prefer a method."
        )
    often = "every case" if n_clear == n_cases else _of(n_clear, n_cases)
    how = "mostly matters" if 2 * n_clear >= n_cases else "matters now and then"
    return f"The choice {how}: in {often}, some method is clearly worse than the best."


def _holes_or_choice(spans: pd.DataFrame) -> str:
    """Whether holes or the wrong method cost more, at the largest rate."""
    largest = spans["rate"].max()
    means = spans.loc[spans["rate"] == largest, ["lost_best", "gap"]].mean()
    holes, gap = means["lost_best"], means["gap"]
    if not largest or np.isnan(holes) or not spans["compared"].any():
        return ""
    numbers = f"({_points(holes)} points with the best method, against {_points(gap)} between best and worst)"
    if holes > 1.25 * gap:
        return f"At {_rate(largest)} the holes themselves cost more than the wrong method does {numbers}."
    if gap > 1.25 * holes:
        return f"At {_rate(largest)} the wrong method costs more than the holes themselves do {numbers}."
    return f"At {_rate(largest)} the wrong method costs about as much as the holes themselves do {numbers}."


def _in_seconds(run: _Run) -> str:
    """The unit, and a whole training, in CPU seconds: the data sets with the smallest and the largest mean."""
    is_unit = (run.costs["ratio"] - 1).abs() < ROUNDING
    unit = _from_to(run.costs[is_unit].groupby("dataset")["seconds"].mean())
    training = _from_to(run.costs.groupby("dataset")["training"].mean())
    return (
        f"One training iteration with {run.yardstick} took {unit} CPU seconds on the machine of this run; a whole training "
        f"took {training} on average."
    )


def _from_to(seconds: pd.Series) -> str:
    low, high = str(seconds.idxmin()), str(seconds.idxmax())
    return f"{_digits(seconds[low])} (`{low}`)" + (f" to {_digits(seconds[high])} (`{high}`)" if low != high else "")


def _cost_words(method: str, costs: pd.Series, yardstick: str) -> str:
    if method not in costs.index or method_name(method) == yardstick:
        return ""
    ratio = costs[method]
    if abs(ratio - 1) < 0.05:
        return f"Cost: about that of {yardstick}."
    return f"Cost: {_times(ratio)} times {yardstick}."


def _nothing_missing(run: _Run) -> str:
    """Why a row 0 % has no marks, where that is so."""
    at_zero = run.accuracy[(run.accuracy["rate"] == 0) & ~run.accuracy["dataset"].isin(run.own_holes)]
    percent = at_zero.groupby("dataset")["percent"]
    if at_zero.empty or (percent.size() == 1).all() or (percent.max() - percent.min() > ROUNDING).any():
        return ""
    return " At 0 % nothing is missing, so the methods agree."


def _holes_at_random(own: Sequence[str]) -> str:
    apart = f" (apart from those that {_and(_code(own))} had)" if own else ""
    return (
        f"All holes of this run{apart} were made completely at random: whether a value is missing says nothing about it or "
        "about the label. If yours are not like that, weigh the assumptions below more than the counts."
    )


def _informative(method: str, own: Sequence[str]) -> str:
    """What this run can say about holes that tell something about the label."""
    if method not in USE_INFORMATIVE_HOLES:
        return ""
    if own:
        return f"Only {_and(_code(own))}, through the holes it had before, can show that advantage here."
    return "This run cannot show that advantage: its holes were made completely at random."


def _for_kind(judged: pd.DataFrame, title: str, names: list[str]) -> str:
    of_kind = judged[judged["dataset"].isin(names)]
    records = _records(of_kind)
    sentences = (
        _advice(records),
        _mostly_beaten(records),
        f"From best to worst: {_points(of_kind.groupby(CASE)['behind'].max().mean())} points on average.",
    )
    return f"**{title}.** {_joined(sentences)}"


def _mostly_beaten(records: Sequence[_Record]) -> str:
    """The methods, other than the safest, that were beaten in at least half of their cases."""
    parts = [
        f"{record.name} ({record.n_beaten} of {record.n_cases}, {_points(record.behind)} points behind the best)"
        for record in records[1:]
        if record.share_beaten >= 0.5
    ]
    return f"Often clearly worse than another: {_and(parts)}." if parts else ""


def _verdict(record: _Record, judged: pd.DataFrame) -> str:
    """What the counts say about one method."""
    best = f"Best in {_of(record.n_best, record.n_cases)}" if record.n_best else "Never the best"
    standing = f"{best}, {_points(record.behind)} points behind on average."
    if not record.n_beaten:
        return f"Never clearly worse than another here. {standing}"
    often = "Often beaten" if record.share_beaten >= 0.5 else "Sometimes beaten"
    places = _places(judged[judged["method"] == record.method])
    return f"{often}: clearly worse than another in {_of(record.n_beaten, record.n_cases)} ({places}). {standing}"


def _places(of_method: pd.DataFrame) -> str:
    """Where one method was beaten: rates, each with its data sets."""
    places: dict[str, list[str]] = {}
    for name, rows in of_method.groupby("dataset", sort=False):
        rates = list(rows.loc[rows["beaten"], "rate"])
        if rates:
            when = "every rate" if len(rates) == len(rows) > 1 else _rates(rates)
            places.setdefault(when, []).append(str(name))
    return "; ".join(f"{when} on {_and(_code(names))}" for when, names in places.items())


def _unclustered(comparisons: pd.DataFrame) -> str:
    plain = _without_clusters(comparisons)
    if not plain:
        return ""
    return (
        f"Clustered errors need several test sequences that vary, and cannot be had for {_and(_code(plain))}. There "
        "positions count as independent, so verdicts are surer and intervals narrower than they should be."
    )


def _untested(comparisons: pd.DataFrame) -> str:
    n_untested = int(comparisons["p"].isna().sum())
    if not n_untested:
        return ""
    return f"In {n_untested} of {_n(len(comparisons), 'comparison')} no test is possible (a method always right or always wrong); they count as within noise."


def _false_alarms(judged: pd.DataFrame) -> str:
    """The bound: n (n - 1) / 2 pairs of methods, each tested at the level divided by n - 1."""
    n_cases, n_methods = len(judged[CASE].drop_duplicates()), int(judged.groupby(CASE).size().max())
    return (
        f"Nothing corrects for the number of baselines or of cases ({n_cases}): even if the methods were all equal, one of "
        f"them would be called clearly worse in up to {100 * SIGNIFICANCE_LEVEL * n_methods / 2:g} % of the cases. And the "
        "best method of a case was picked from the numbers that it is tested on, which flatters it."
    )


def _overall_tests(deviance: pd.DataFrame | None) -> str:
    if deviance is None:
        return ""
    p_values = deviance.loc[deviance["term"] == "method", "p_value"].dropna()
    if p_values.empty:
        return ""
    n_some = int((p_values < SIGNIFICANCE_LEVEL).sum())
    return (
        f"The analysis of deviance, which takes positions as independent, finds some difference between the methods in "
        f"{_of(n_some, len(p_values))}."
    )


def _visible_differences(comparisons: pd.DataFrame, evaluations: pd.DataFrame) -> str:
    """Half the median width of the intervals of each data set."""
    widths = (comparisons["points_high"] - comparisons["points_low"]) / 2
    typical = widths.groupby(comparisons["dataset"], sort=False).median().dropna()
    if typical.empty:
        return ""
    sizes = evaluations.groupby("dataset")["n_positions"].max()
    parts = (f"±{_points(width)} on `{name}` ({sizes[str(name)]:,} test positions)" for name, width in typical.items())
    return f"Typical 95 % interval of the difference between two methods, in points: {', '.join(parts)}. Differences below that mostly go unnoticed."


def _few_data_sets(datasets: Sequence[str]) -> str:
    if len(datasets) == 1:
        return f"There is one data set, `{datasets[0]}`: the page tells about data like it and no other."
    return f"There are {len(datasets)} data sets. What holds on all of them need not hold on yours: section 7."


def _stand_ins(accuracy: pd.DataFrame) -> str:
    names = list(accuracy.loc[accuracy["stand_in"].astype(bool), "dataset"].unique())
    if not names:
        return ""
    are = "is a stand-in" if len(names) == 1 else "are stand-ins"
    return (
        f"{_and(_code(names))} {are} for published data that cannot be had; numbers on them are not the published ones."
    )


def _shared_data(evaluations: pd.DataFrame) -> str:
    damaged = evaluations[evaluations["rate"] > 0]
    if damaged.empty:
        return ""
    numbers = {side: damaged[f"{side}_set"].nunique() for side in ("training", "test")}
    repeated = [f"the {number} damaged {side} sets" for side, number in numbers.items() if number > 1]
    if not repeated:
        return "Every mean rests on one damaged training set and one damaged test set: other holes give other numbers."
    return (
        f"{_capital(_and(repeated))} of a rate are the same data with different holes: they show what other holes would "
        "change, not what other data would."
    )
