"""Which method for missing values to use when: one table and one short text, from the frames of the study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from treecrf.io.messages import counted
from treecrf.missing import MECHANISMS
from treecrf.rendering.cells import DASH, interval_texts, number, signed
from treecrf.rendering.parts import Note, Part, Table, listed, paragraph
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.rendering.words import with_and
from treecrf.statistics.metrics import geometric_mean
from treecrf.statistics.ranking import AT_THE_TOP, WORSE
from treecrf.studies.missing.ranking import CASE, mean_accuracies, standings

MECHANISM_CASE = ("dataset", "rate", "mechanism")

AT_RANDOM = ("mcar", "test_only")
"""Mechanisms by which a cell is missing whatever its value and label are."""

WEIGHTING = "instance_weighting"

USES = {
    "instance_weighting": "values missing at random, with inputs that do not predict one another",
    "surrogate_splitting": "inputs that predict one another, as neighbours in a window do",
    "imputation": "values missing at random, and one value far commoner than the others",
    "indicator": "whether a value is missing tells something of the label",
    "imputation_indicator": "the same, and the commonest value is a good guess",
    "default_direction": "whether a value is missing tells something of the label; fast",
    "incorporated": "whether a value is missing tells something of the label; no assumption on why",
}
"""What each method is meant for, by its definition."""

TOLD = """
A case is a data set with a share of missing values, or with a mechanism. The gap is the accuracy minus that of the best method of
the case, in points, mean over the cases. <em>At random</em>: cells go missing whatever they and the labels are. <em>Not at
random</em>: whether a cell is missing depends on its value, its neighbours or the label. CPU time is that of one training iteration,
imputation = 1.
"""


def advice(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    mechanism_evaluations: pd.DataFrame,
    mechanism_comparisons: pd.DataFrame,
) -> list[Part]:
    """The text, the table, and what speaks against instance weighting; nothing without missing cells.

    The frames are those of `treecrf.studies.missing.summary.summarise`.
    """
    judged = judge([(evaluations, comparisons, CASE), (mechanism_evaluations, mechanism_comparisons, MECHANISM_CASE)])
    if judged.empty:
        return []
    against = _against_weighting(mechanism_evaluations, mechanism_comparisons)
    heading = [
        paragraph("Where the mechanism is not random, instance weighting is behind the best method of the same run:")
    ]
    return [
        _text(judged),
        Table("Which method to use when", advice_layout(judged, costs), is_list=True),
        paragraph(TOLD),
        *([*heading, *listed(against)] if against else []),
    ]


def advice_layout(judged: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """A row for each method: what it is for, its gap and standing at random and not, and its cost."""
    relative = _relative_costs(costs)
    rows = []
    for method in ordered_methods(judged["method"]):
        row = {"method": method_name(method), "meant for": USES.get(method, DASH)}
        for name, part in (("at random", judged["is_random"]), ("not at random", ~judged["is_random"])):
            of = judged[part & (judged["method"] == method)]
            row[f"gap, {name} (points)"] = signed(of["gap"].mean()) if len(of) else DASH
            counts = int(of["standing"].isin(AT_THE_TOP).sum()), int((of["standing"] == WORSE).sum())
            row[f"best / worse, {name}"] = f"{counts[0]} / {counts[1]} of {len(of)}" if len(of) else DASH
        row["CPU time"] = number(relative[method], 1) if method in relative else DASH
        rows.append(row)
    return pd.DataFrame(rows)


def judge(
    parts: Iterable[tuple[pd.DataFrame, pd.DataFrame, Sequence[str]]],
) -> pd.DataFrame:
    """How each method stands in every case with missing cells.

    Parameters
    ----------
    parts : iterable of (DataFrame, DataFrame, sequence of str)
        Evaluations, comparisons, and the columns that tell cases apart. Cases at rate 0 count if they were compared: the data
        have missing cells of their own.

    Returns
    -------
    DataFrame
        dataset, rate, mechanism, is_random, method, percent, gap (points to the best of the case), standing.
    """
    found = []
    for evaluations, comparisons, case in parts:
        compared = set(comparisons[list(case)].itertuples(index=False, name=None))
        keys = pd.Series(
            list(evaluations[list(case)].itertuples(index=False, name=None)), evaluations.index, dtype=object
        )
        rows = evaluations[(evaluations["rate"] > 0) | keys.isin(compared)]
        if len(rows):
            means = mean_accuracies(rows, case)
            best = means.groupby(list(case))["percent"].transform("max")
            found.append(standings(means, comparisons, case).assign(gap=means["percent"] - best))
    if not found:
        return pd.DataFrame()
    joined = pd.concat(found, ignore_index=True)
    mechanism = joined["mechanism"].fillna("mcar") if "mechanism" in joined else pd.Series("mcar", index=joined.index)
    return joined.assign(mechanism=mechanism, is_random=mechanism.isin(AT_RANDOM))


def _text(judged: pd.DataFrame) -> Note:
    """What to use, in two or three sentences."""
    random, other = judged[judged["is_random"]], judged[~judged["is_random"]]
    sentences = [_choice(random, "at random")]
    if len(other):
        sentences.append(_choice(other, "not at random"))
    return paragraph("<strong>{said}</strong>", said=" ".join(sentences))


def _choice(rows: pd.DataFrame, when: str) -> str:
    """The method with the smallest gap, and those never significantly worse than another."""
    if rows.empty:
        return ""
    gaps = rows.groupby("method")["gap"].mean().sort_values(ascending=False)
    first = str(gaps.index[0])
    beaten = (rows["standing"] == WORSE).groupby(rows["method"]).sum()
    safe = [name for name in ordered_methods(map(str, beaten.index[beaten == 0])) if name != first]
    n_cases = counted(int((rows["method"] == first).sum()), "case")
    text = f"Values missing {when}: use {method_name(first)} ({signed(gaps.iloc[0])} points from the best on average over {n_cases}"
    text += f", worse than another in {beaten[first]})." if beaten[first] else ", never worse than another)."
    return f"{text} Never worse either: {with_and(map(method_name, safe))}." if safe else text


def _against_weighting(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> Sequence[str]:
    """Where instance weighting is significantly behind the best method although cells depend on values or labels."""
    rows = evaluations[~evaluations["mechanism"].isin(AT_RANDOM)] if len(evaluations) else evaluations
    if rows.empty or WEIGHTING not in set(rows["method"]):
        return []
    means = mean_accuracies(rows, MECHANISM_CASE)
    best = means.loc[means.groupby(list(MECHANISM_CASE), sort=False)["percent"].idxmax()]
    lines = []
    for case in best.to_dict("records"):
        pair = comparisons[
            (comparisons["dataset"] == case["dataset"])
            & (comparisons["mechanism"] == case["mechanism"])
            & (comparisons["baseline"] == case["method"])
            & (comparisons["method"] == WEIGHTING)
        ]
        if len(pair) and pair["decision"].iloc[0] == "worse":
            points, (interval,) = (
                signed(pair["accuracy_points"].iloc[0]),
                interval_texts(pair["points_low"], pair["points_high"]),
            )
            how = MECHANISMS[case["mechanism"]].name if case["mechanism"] in MECHANISMS else case["mechanism"]
            lines.append(f"{case['dataset']}, {how}: {points} points ({interval}) vs {method_name(case['method'])}")
    return lines


def _relative_costs(costs: pd.DataFrame) -> dict[str, float]:
    """CPU seconds of a training iteration by method, imputation = 1; geometric mean over data sets and shares."""
    trained = costs[costs["n_iterations"] > 0]
    keys = ["dataset", "rate", "method"]
    seconds = trained.groupby([*keys, "training_set"]).agg(cpu=("cpu_seconds", "sum"), n=("n_iterations", "first"))
    by_cell = (seconds["cpu"] / seconds["n"]).groupby(keys).mean().reset_index(name="seconds")
    by_cell = by_cell.pivot_table(index=["dataset", "rate"], columns="method", values="seconds")
    if "imputation" not in by_cell:
        return {}
    ratios = by_cell.div(by_cell["imputation"], axis=0)
    return {str(name): geometric_mean(ratios[name].dropna())[0] for name in ratios if ratios[name].notna().any()}
