"""A page to read in five minutes: which method for missing values to use when, from the numbers of one run.

Every number is computed from the study's frames, and every sentence that judges is chosen by a small function from
those numbers. Only definitions are written down here: what a method does and assumes, and how the study is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.figures.style import METHOD_NAMES, ordered_methods
from treecrf.reporting.missing_tables import PHASES_APART, SIGNIFICANCE_LEVEL
from treecrf.reporting.tables import DASH

WORSE = "▼"
"""After an accuracy that is clearly worse than the best of its row."""

YARDSTICK = "imputation"
"""The method whose cost is 1, where every data set and rate has it; the cheapest method of each otherwise."""

ROUNDING = 1e-9
"""Mean accuracies (percent) and rates closer than this are equal."""

KINDS = {
    "One letter or symbol per position, seen through a window": (
        "protein",
        "nettalk",
        "hyphen",
        "hyphen_moby",
        "hyphen_tex",
        "hmm",
    ),
    "Many yes-or-no features per line": (
        "faq_perl",
        "faq_x",
        "faq_ai_general",
        "faq_ai_neural",
        "faq_aix",
        "sectlabel",
    ),
}
"""Known data sets by what an observation is; any other data set is a kind of its own."""

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

CASE = ["dataset", "rate"]
CELL = ["dataset", "rate", "method"]


@dataclass(frozen=True)
class _Run:
    """What the page is made from.

    Attributes
    ----------
    accuracy : DataFrame
        dataset, stand_in, rate, method, percent: means of the evaluations, in the order of the data sets.
    cells : DataFrame
        The rows of `accuracy` with holes (`_judge`).
    comparisons : DataFrame
        With the column `p`, which decides.
    costs : DataFrame
        From `_relative_costs`.
    yardstick : str
        What a relative cost of 1 is.
    deviance : DataFrame or None
    evaluations : DataFrame
    """

    accuracy: pd.DataFrame
    cells: pd.DataFrame
    comparisons: pd.DataFrame
    costs: pd.DataFrame
    yardstick: str
    deviance: pd.DataFrame | None
    evaluations: pd.DataFrame

    @property
    def methods(self) -> list[str]:
        return ordered_methods(self.accuracy["method"])

    @property
    def datasets(self) -> list[str]:
        return list(self.accuracy["dataset"].unique())

    @property
    def judged(self) -> pd.DataFrame:
        """The cells of cases, that is, where methods were compared."""
        return self.cells[self.cells["compared"]]

    @property
    def own_holes(self) -> list[str]:
        """Data sets on which methods differ before any hole is made."""
        judged = self.judged
        return list(judged.loc[judged["rate"] == 0, "dataset"].unique())


class _Record(NamedTuple):
    """What became of one method.

    Attributes
    ----------
    method : str
    n_cases, n_best, n_worse, n_beaten : int
        Cases; those with the best mean, clearly worse than a best method, clearly worse than any method.
    behind : float
        Mean points behind the best.
    """

    method: str
    n_cases: int
    n_best: int
    n_worse: int
    n_beaten: int
    behind: float

    @property
    def name(self) -> str:
        return METHOD_NAMES[self.method]

    @property
    def share_beaten(self) -> float:
        return self.n_beaten / self.n_cases


def missing_values_guide(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    deviance: pd.DataFrame | None = None,
    *,
    command: str,
) -> str:
    """Which method for missing values to use when: a page in Markdown, all of it from these frames.

    Parameters
    ----------
    evaluations : DataFrame
        dataset, stand_in, rate, method, training_set, test_set, n_positions, n_correct. Rate 0 is the reference.
    comparisons : DataFrame
        dataset, rate, baseline, method, coefficient, p_holm, clustered_p_holm, points_low, points_high, with
        every method as the baseline (`treecrf.significance.compare_all`). Rate 0 is there only if the data have holes
        of their own.
    costs : DataFrame
        dataset, rate, method, training_set, phase, cpu_seconds, n_iterations.
    deviance : DataFrame, optional
        dataset, rate, term, p_value.
    command : str
        What makes this page anew for a reader's own file; shown as it is.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no evaluation, or if the comparisons have a data set, rate or method that the evaluations lack.

    Notes
    -----
    A method is clearly worse than another if its coefficient against that one is negative with p < 0.05, after Holm's
    correction, with errors clustered by test sequence; where there is no such p-value, by the plain one.
    """
    run = _prepare(evaluations, comparisons, costs, deviance)
    sections = (
        ("The short answer", _short_answer(run)),
        ("What holes cost, and whether the choice matters", _losses(run)),
        ("Accuracy by data set", _accuracies(run)),
        ("What each method costs to run", _costs(run)),
        ("When to use which", _decisions(run)),
        ("How sure this is", _certainty(run)),
        ("The same page for your own data", _regenerate(command)),
    )
    blocks = ["# Missing values: which method to use", _origin(run)]
    for number, (title, body) in enumerate(sections, 1):
        blocks += [f"## {number}. {title}", *(block for block in body if block)]
    return "\n\n".join(blocks) + "\n"


# --- from the frames to what is said ----------------------------------------------------------------


def _prepare(
    evaluations: pd.DataFrame, comparisons: pd.DataFrame, costs: pd.DataFrame, deviance: pd.DataFrame | None
) -> _Run:
    if evaluations.empty:
        raise ValueError("the guide has no evaluations to tell about; run the study of missing values first.")
    evaluations, comparisons, costs = (
        frame.assign(rate=frame["rate"].astype(float).round(9)) for frame in (evaluations, comparisons, costs)
    )
    numbers = ["coefficient", "p_holm", "clustered_p_holm", "points_low", "points_high"]
    comparisons = comparisons.astype(dict.fromkeys(numbers, float))
    comparisons["p"] = comparisons["clustered_p_holm"].fillna(comparisons["p_holm"])
    accuracy = _mean_accuracy(evaluations)
    _check(accuracy, comparisons)
    order = {name: place for place, name in enumerate(accuracy["dataset"].unique())}
    comparisons = comparisons.sort_values("dataset", key=lambda names: names.map(order), kind="stable")
    relative, yardstick = _relative_costs(costs)
    return _Run(accuracy, _judge(accuracy, comparisons), comparisons, relative, yardstick, deviance, evaluations)


def _check(accuracy: pd.DataFrame, comparisons: pd.DataFrame) -> None:
    """Raise where methods were compared that were not evaluated."""
    there = set(accuracy[CELL].itertuples(index=False, name=None))
    for name in ("method", "baseline"):
        for cell in comparisons[["dataset", "rate", name]].itertuples(index=False, name=None):
            if cell not in there:
                dataset, rate, method = cell
                raise ValueError(
                    f"the comparisons have {method} on {dataset} at rate {rate:g}, the evaluations do not; give frames "
                    "of one run."
                )


def _mean_accuracy(evaluations: pd.DataFrame) -> pd.DataFrame:
    """dataset, stand_in, rate, method, percent; data sets in the order of the frame, rates rising."""
    shares = evaluations.assign(percent=100 * evaluations["n_correct"] / evaluations["n_positions"])
    groups = shares.groupby(CELL, sort=False, observed=True)
    means = groups.agg(stand_in=("stand_in", "first"), percent=("percent", "mean")).reset_index()
    keys = {"dataset": list(means["dataset"].unique()).index, "method": list(METHOD_NAMES).index}
    ordered_methods(means["method"])
    return means.sort_values(
        CELL,
        key=lambda column: column.map(keys[str(column.name)]) if column.name in keys else column,
        ignore_index=True,
    )


def _judge(accuracy: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """What became of each method on each data set and rate with holes.

    Returns
    -------
    DataFrame
        The columns of `accuracy`, and behind (points behind the best mean), best, worse (clearly worse than a best
        method), beaten (clearly worse than any method), compared (part of a case).
    """
    lost = comparisons[(comparisons["coefficient"] < 0) & (comparisons["p"] < SIGNIFICANCE_LEVEL)]
    compared = set(comparisons[CASE].itertuples(index=False, name=None))
    keys = pd.Series(list(accuracy[CASE].itertuples(index=False, name=None)), index=accuracy.index, dtype=object)
    is_case = keys.map(compared.__contains__).astype(bool)
    cells = accuracy.assign(compared=is_case)[(accuracy["rate"] > 0) | is_case].reset_index(drop=True)
    cells["behind"] = cells.groupby(CASE)["percent"].transform("max") - cells["percent"]
    cells["best"] = cells["behind"] < ROUNDING
    best = set(cells.loc[cells["best"], CELL].itertuples(index=False, name=None))
    beaten, worse = set(), set()
    for dataset, rate, method, baseline in lost[[*CELL, "baseline"]].itertuples(index=False, name=None):
        beaten.add((dataset, rate, method))
        if (dataset, rate, baseline) in best:
            worse.add((dataset, rate, method))
    of_row = list(cells[CELL].itertuples(index=False, name=None))
    return cells.assign(beaten=[cell in beaten for cell in of_row], worse=[cell in worse for cell in of_row])


def _records(judged: pd.DataFrame) -> list[_Record]:
    """The methods from the safest: beaten in the smallest share of its cases; among equals, least behind."""
    records = []
    for method in ordered_methods(judged["method"]):
        rows = judged[judged["method"] == method]
        n_best, n_worse, n_beaten = (int(rows[name].sum()) for name in ("best", "worse", "beaten"))
        records.append(_Record(method, len(rows), n_best, n_worse, n_beaten, float(rows["behind"].mean())))
    return sorted(records, key=lambda record: (record.share_beaten, record.behind))


def _spans(cells: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """dataset, rate, lost_best, lost_worst (points against the best at rate 0; NaN without one), gap, clear."""
    whole = accuracy[accuracy["rate"] == 0].groupby("dataset")["percent"].max()
    spans = cells.groupby(CASE, sort=False).agg(
        best=("percent", "max"), worst=("percent", "min"), clear=("worse", "any"), compared=("compared", "any")
    )
    spans = spans.reset_index()
    reference = spans["dataset"].map(whole)
    return spans.assign(
        lost_best=reference - spans["best"],
        lost_worst=reference - spans["worst"],
        gap=spans["best"] - spans["worst"],
    )


def _relative_costs(costs: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Costs of each data set, rate and method, and what they are relative to.

    Returns
    -------
    DataFrame
        dataset, rate, method, iterations, training (CPU seconds), seconds (of one training iteration), prediction
        (CPU seconds; NaN where not measured): means over the training sets. ratio, prediction_ratio.
    str
        `YARDSTICK` or "the cheapest method".
    """
    keys = [*CELL, "training_set"]
    training = costs[~costs["phase"].isin(PHASES_APART)].groupby(keys, observed=True)
    frame = pd.DataFrame({"iterations": training["n_iterations"].first().astype(float)})
    frame["training"] = training["cpu_seconds"].sum()
    frame["seconds"] = frame["training"] / frame["iterations"]
    frame["prediction"] = costs[costs["phase"] == "prediction"].groupby(keys, observed=True)["cpu_seconds"].sum()
    means = frame.groupby(CELL).mean().reset_index()
    with_yardstick = means.loc[means["method"] == YARDSTICK, CASE]
    has_yardstick = len(with_yardstick) > 0 and len(with_yardstick) == len(means[CASE].drop_duplicates())
    for name, ratio in (("seconds", "ratio"), ("prediction", "prediction_ratio")):
        candidates = means[name].where(means["method"] == YARDSTICK) if has_yardstick else means[name]
        unit = candidates.groupby([means["dataset"], means["rate"]]).transform("min")
        means[ratio] = (means[name] / unit.where(unit > 0)).where(means[name] > 0)
    return means, METHOD_NAMES[YARDSTICK] if has_yardstick else "the cheapest method"


def _cost_of(costs: pd.DataFrame) -> pd.Series:
    """Relative cost of one training iteration by method: geometric mean over data sets and rates."""
    return costs.groupby("method")["ratio"].agg(_geometric_mean).dropna()


def _geometric_mean(values: pd.Series) -> float:
    known = values.dropna()
    return float(np.exp(np.log(known).mean())) if len(known) else np.nan


# --- sections ---------------------------------------------------------------------------------------


def _origin(run: _Run) -> str:
    rates = sorted(rate for rate in run.accuracy["rate"].unique() if rate > 0)
    holes = f"holes made in {_rates(rates)} of the cells" if rates else "no holes made"
    return (
        f"Methods: {_and(METHOD_NAMES[method] for method in run.methods)}. Data: {_and(_code(run.datasets))}, with "
        f"{holes}, in training and test alike. Every number and every verdict below was computed by the run that wrote "
        "this page; other data or settings give another page."
    )


def _short_answer(run: _Run) -> Iterator[str]:
    judged = run.judged
    if judged.empty:
        yield _nothing_to_compare(run.methods)
        return
    records, costs = _records(judged), _cost_of(run.costs)
    kinds = _kinds(judged)
    if all(record.n_beaten for record in records) and len(kinds) > 1:
        yield "**It depends on the data.**"
        yield _list(_by_kind_in_short(judged, kinds, run.costs))
        yield _advice(records, costs)
    else:
        yield f"**{_advice(records, costs)}**"
    yield _leaders(judged)
    answers = [
        _least_behind(records, _picked(records, costs)),
        _loss_in_short(_spans(run.cells, run.accuracy)),
        _prices(costs, run.yardstick),
    ]
    yield _list(answers)
    yield _record_table(records)
    yield _how_to_read(judged, run.comparisons)


def _losses(run: _Run) -> Iterator[str]:
    if run.cells.empty:
        yield "The run made no holes and found none: add rates above 0 to `missing.rates`."
        return
    spans = _spans(run.cells, run.accuracy)
    several = len(run.datasets) > 1
    yield (
        f"Points of accuracy lost against rate 0{MEAN_OF_DATA_SETS if several else ''}. Best and worst method: those with the "
        f"highest and the lowest mean {'of each data set and rate' if several else 'at each rate'}, so they need not be the "
        "same ones throughout."
    )
    yield _loss_table(spans, run)
    remarks = [
        _no_reference(spans),
        _gains(spans),
        _own_holes(run.own_holes),
        _does_the_choice_matter(spans),
        _holes_or_choice(spans),
    ]
    yield _list(remarks)


def _accuracies(run: _Run) -> Iterator[str]:
    yield (
        f"Percent of test positions labelled correctly, mean over the damaged training and test sets. Bold: the best mean "
        f"of the row, before rounding. {WORSE}: clearly worse than it. No mark: within noise of it."
        f"{_nothing_missing(run)}"
    )
    for dataset in run.datasets:
        rows = run.accuracy[run.accuracy["dataset"] == dataset]
        title = f"### {dataset}" + (" (stand-in)" if rows["stand_in"].any() else "")
        yield f"{title}\n\n{_accuracy_table(rows, run)}"


def _costs(run: _Run) -> Iterator[str]:
    if not run.costs["ratio"].notna().any():
        yield "No CPU time was measured."
        return
    over = " Geometric mean over the data sets." if len(run.datasets) > 1 else ""
    yield (
        f"CPU seconds of one training iteration; {run.yardstick} = 1.{over} The last columns: predicting a test set, "
        "likewise, and how many iterations a training chose."
    )
    yield _cost_table(run)
    yield _in_seconds(run)


def _decisions(run: _Run) -> Iterator[str]:
    judged = run.judged
    yield _holes_at_random(run.own_holes)
    kinds = _kinds(judged)
    if len(kinds) > 1:
        yield "By kind of data:"
        yield _list(_for_kind(judged, *kind, run.costs) for kind in kinds)
    yield "By method, the least often beaten first:" if len(judged) else _nothing_to_compare(run.methods)
    records = {record.method: record for record in _records(judged)}
    costs = _cost_of(run.costs)
    unjudged = [method for method in run.methods if method not in records]
    items = []
    for method in [*records, *unjudged]:
        sentences = (
            _verdict(records[method], judged) if method in records else "",
            _cost_words(method, costs, run.yardstick),
            DEFINITIONS[method],
            _informative(method, run.own_holes),
        )
        items.append(f"**{_capital(METHOD_NAMES[method])}.** {_joined(sentences)}")
    yield _list(items)


def _certainty(run: _Run) -> Iterator[str]:
    judged = run.judged
    items = [_few_data_sets(run.datasets), _stand_ins(run.accuracy), _shared_data(run.evaluations)]
    if len(judged):
        items = [
            "Each data set and rate has a logistic model of the odds that a position is labelled correctly, with a "
            "coefficient for every method and every damaged training set (dissertation, section 4.4). Standard errors are "
            "clustered by test sequence, since positions of one sequence are alike. Wald tests compare each method with "
            "each other one; Holm's method corrects for the number of methods compared with it.",
            _unclustered(run.comparisons),
            _untested(run.comparisons),
            _false_alarms(judged),
            _overall_tests(run.deviance),
            _visible_differences(run.comparisons, run.evaluations),
            *items,
        ]
    yield _list(items)


def _regenerate(command: str) -> Iterator[str]:
    yield (
        "Write your sequences into a CSV or Parquet file: one row per observation, a column that tells sequences apart, a "
        "column with the label, and the attributes; an empty cell is missing. Holes that are there already stay, and the "
        "row 0 % then shows how the methods handle them. Save this as `my.yaml` (`config/README.md` explains every key):"
    )
    yield (
        "```yaml\n"
        "datasets:\n"
        "  mine: {kind: table, path: mine.csv, sequence: sentence, label: tag, window: [1, 1]}\n"
        "missing:\n"
        "  datasets: [mine]\n"
        "  rates: [0, 0.05, 0.1, 0.2, 0.4]\n"
        "```"
    )
    yield "Then run:"
    yield f"```sh\n{command}\n```"


# --- sentences: the short answer --------------------------------------------------------------------


def _nothing_to_compare(methods: Sequence[str]) -> str:
    if len(methods) == 1:
        return f"This run has one method, {METHOD_NAMES[methods[0]]}, and so nothing to compare it with."
    return "This run compared no methods, so it cannot say which one to use."


def _picked(records: Sequence[_Record], costs: pd.Series) -> _Record:
    """The method that the advice names first: the safest, or the cheapest where none was ever beaten."""
    known = [record for record in records if record.method in costs.index]
    if known and not any(record.n_beaten for record in records):
        return min(known, key=lambda record: float(costs[record.method]))
    return records[0]


def _advice(records: Sequence[_Record], costs: pd.Series) -> str:
    """Which method to use, from the numbers of cases in which methods were beaten."""
    pick = _picked(records, costs)
    safe = [record for record in records if not record.n_beaten]
    if len(safe) == len(records):
        reason = "the cheapest to train" if pick.method in costs.index else "the closest to the best on average"
        return f"Take {pick.name}, {reason}: in {_all_cases(pick.n_cases)} no method was clearly worse than another."
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


def _by_kind_in_short(judged: pd.DataFrame, kinds: list[tuple[str, list[str]]], costs: pd.DataFrame) -> Iterator[str]:
    """The method to use for each kind of data, where none is safe on all of them."""
    for title, names in kinds:
        of_kind = _cost_of(costs[costs["dataset"].isin(names)])
        pick = _picked(_records(judged[judged["dataset"].isin(names)]), of_kind)
        yield f"{title}: **{pick.name}**."


def _least_behind(records: Sequence[_Record], pick: _Record) -> str:
    """The method that loses least on average, where that is not the one already named."""
    least = min(records, key=lambda record: record.behind)
    if _points(least.behind) == _points(pick.behind):
        return ""
    return (
        f"Least behind the best on average: {least.name}, by {_points(least.behind)} points ({pick.name}: "
        f"{_points(pick.behind)})."
    )


def _leaders(judged: pd.DataFrame) -> str:
    """Which method has the highest mean over the rates of each data set."""
    leaders = _leader_by_dataset(judged)
    names = sorted(set(leaders.values()), key=list(METHOD_NAMES).index)
    if len(leaders) == 1:
        return f"Highest mean accuracy over the rates: {METHOD_NAMES[names[0]]}."
    if len(names) == 1:
        return f"Highest mean accuracy over the rates, on every data set: {METHOD_NAMES[names[0]]}."
    parts = (f"{METHOD_NAMES[name]} on {_and(_code(key for key in leaders if leaders[key] == name))}" for name in names)
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
    prices = ", ".join(f"{METHOD_NAMES[method]} {_times(costs[method])}" for method in ordered_methods(costs.index))
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


# --- sentences: losses ------------------------------------------------------------------------------


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


# --- sentences: costs -------------------------------------------------------------------------------


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
    if method not in costs.index or METHOD_NAMES[method] == yardstick:
        return ""
    ratio = costs[method]
    if abs(ratio - 1) < 0.05:
        return f"Cost: about that of {yardstick}."
    return f"Cost: {_times(ratio)} times {yardstick}."


# --- sentences: decisions ---------------------------------------------------------------------------


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


def _kinds(judged: pd.DataFrame) -> list[tuple[str, list[str]]]:
    """Titles and data sets of the kinds of data that were compared."""
    compared = list(judged["dataset"].unique())
    kinds = [(title, [name for name in compared if name in names]) for title, names in KINDS.items()]
    known = {name for names in KINDS.values() for name in names}
    return [
        *((f"{title} ({', '.join(_code(names))})", names) for title, names in kinds if names),
        *((f"Data like `{name}`", [name]) for name in compared if name not in known),
    ]


def _for_kind(judged: pd.DataFrame, title: str, names: list[str], costs: pd.DataFrame) -> str:
    of_kind = judged[judged["dataset"].isin(names)]
    records = _records(of_kind)
    sentences = (
        _advice(records, _cost_of(costs[costs["dataset"].isin(names)])),
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


# --- sentences: certainty ---------------------------------------------------------------------------


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


# --- tables -----------------------------------------------------------------------------------------


def _record_table(records: Sequence[_Record]) -> str:
    """The counts; "than another" only where it is not the same as "than the best"."""
    differ = any(record.n_beaten != record.n_worse for record in records)
    head = ["method", "cases", "best", "within noise of the best", "clearly worse than the best"]
    more = ["clearly worse than another"] if differ else []
    rows = []
    for _, n_cases, n_best, n_worse, n_beaten, behind in records:
        counts = [n_cases, n_best, n_cases - n_best - n_worse, n_worse, *([n_beaten] if differ else [])]
        rows.append([*map(str, counts), _points(behind)])
    named = [[record.name, *row] for record, row in zip(records, rows, strict=True)]
    return _table([*head, *more, "points behind the best"], named)


def _loss_table(spans: pd.DataFrame, run: _Run) -> str:
    head = ["holes", "lost, best method", "lost, worst method", "gap", "gap clear in", "never clearly worse"]
    everywhere = spans["dataset"].nunique()
    rows = []
    for rate, at_rate in spans.groupby("rate"):
        names = list(at_rate["dataset"])
        label = _rate(float(str(rate))) + (f" ({_and(_code(names))})" if len(names) < everywhere else "")
        ranges = [_mean_and_range(at_rate[name]) for name in ("lost_best", "lost_worst", "gap")]
        cases = at_rate[at_rate["compared"]]
        clear = f"{cases['clear'].sum()} of {len(cases)}" if len(cases) else DASH
        judged = run.judged
        rows.append([label, *ranges, clear, _safe_methods(judged[judged["rate"] == rate])])
    return _table(head, rows, n_words=1, last_words=1)


def _safe_methods(judged: pd.DataFrame) -> str:
    """Methods that were never beaten here; where there is none, the safest and how often it was."""
    if judged.empty:
        return DASH
    records = _records(judged)
    safe = [record.name for record in records if not record.n_beaten]
    if safe:
        return "all" if len(safe) == len(records) else ", ".join(safe)
    return f"none; most seldom {records[0].name} ({records[0].n_beaten} of {records[0].n_cases})"


def _accuracy_table(rows: pd.DataFrame, run: _Run) -> str:
    methods = ordered_methods(rows["method"])
    marks = {
        (rate, method): (best, worse)
        for rate, method, best, worse in run.judged.loc[
            run.judged["dataset"] == rows["dataset"].iloc[0], ["rate", "method", "best", "worse"]
        ].itertuples(index=False, name=None)
    }
    body = []
    for rate, at_rate in rows.groupby("rate"):
        percent = dict(zip(at_rate["method"], at_rate["percent"], strict=True))
        cells = [_marked(percent.get(method, np.nan), *marks.get((rate, method), (False, False))) for method in methods]
        body.append([_rate(float(str(rate))), *cells])
    return _table(["holes", *(METHOD_NAMES[method] for method in methods)], body)


def _marked(percent: float, best: bool, worse: bool) -> str:
    if np.isnan(percent):
        return DASH
    text = f"{percent:.1f}"
    return f"**{text}**" if best else f"{text} {WORSE}" if worse else text


def _cost_table(run: _Run) -> str:
    rates = sorted(run.costs["rate"].unique())
    ratios = run.costs.groupby(["method", "rate"])["ratio"].agg(_geometric_mean)
    predictions = run.costs.groupby("method")["prediction_ratio"].agg(_geometric_mean)
    iterations = run.costs.groupby("method")["iterations"].mean()
    head = ["method", *(f"{_rate(rate)} holes" for rate in rates), "prediction", "iterations"]
    rows = [
        [
            METHOD_NAMES[method],
            *(_times(ratios.get((method, rate), np.nan)) for rate in rates),
            _times(predictions[method]),
            f"{iterations[method]:.0f}",
        ]
        for method in ordered_methods(run.costs["method"])
    ]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1, last_words: int = 0) -> str:
    """A Markdown table; columns of words to the left, numbers to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(head))]
    is_words = [place < n_words or place >= len(head) - last_words for place in range(len(head))]
    rule = ["-" * width if words else "-" * (width - 1) + ":" for width, words in zip(widths, is_words, strict=True)]
    padded = [
        [
            cell.ljust(width) if words else cell.rjust(width)
            for cell, width, words in zip(line, widths, is_words, strict=True)
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


# --- words and numbers ------------------------------------------------------------------------------


def _and(items: Iterable[str]) -> str:
    texts = list(items)
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _list(items: Iterable[str]) -> str:
    """A Markdown list of the items that are not empty."""
    return "\n".join(f"- {item}" for item in items if item)


def _code(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _of(count: float, total: float) -> str:
    return f"{int(count)} of {_n(int(total), 'case')}"


def _all_cases(n_cases: int) -> str:
    return "the one case" if n_cases == 1 else f"all {n_cases} cases"


def _rate(rate: float) -> str:
    return f"{100 * rate:g} %"


def _rates(rates: Iterable[float]) -> str:
    return _and(f"{100 * rate:g}" for rate in rates) + " %"


def _points(value: float) -> str:
    """One decimal; what rounds to zero has no sign."""
    return DASH if np.isnan(value) else f"{round(value, 1) or 0.0:.1f}".replace("-", "−")


def _mean_and_range(values: pd.Series) -> str:
    known = values.dropna()
    if len(known) < 2:
        return _points(known.mean())
    return f"{_points(known.mean())} ({_points(known.min())} to {_points(known.max())})"


def _times(ratio: float) -> str:
    return DASH if np.isnan(ratio) else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def _digits(value: float) -> str:
    """Two significant digits, without exponents."""
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")
