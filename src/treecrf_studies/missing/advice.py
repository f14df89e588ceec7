"""Which method for missing values to use when: one table and one short text, from the frames of the study."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from treecrf.io.messages import counted
from treecrf.missing import MECHANISMS
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.metrics import geometric_mean
from treecrf.statistics.ranking import AT_THE_TOP, CLOSE, NOT_SEPARATED, WORSE
from treecrf_studies.missing.methods import PAPERS, TREES
from treecrf_studies.missing.ranking import CASE, best_of_trees, mean_accuracies, spreads, standings
from treecrf_studies.missing.tables import PHASES_APART
from treecrf_studies.rendering.cells import DASH, TOP, interval_texts, number, signed, with_and
from treecrf_studies.rendering.parts import Part, Table, listed, paragraph
from treecrf_studies.rendering.style import method_name, ordered_methods

MECHANISM_CASE = ("dataset", "rate", "mechanism")
TREE_CASE = ("dataset", "rate", "trees")

MCAR, MAR, MNAR = "completely at random", "at random", "not at random"

RANDOMNESS = {"mar": MAR, "mnar": MNAR, "label": MNAR}
"""Kinds of mechanisms; by the others a cell is missing whatever its value, neighbours and label are."""

WEIGHTING, INCORPORATED = "instance_weighting", "incorporated"

BEATEN = "▼"
"""After the accuracy of a method that is significantly worse than another one."""

USES = {
    "instance_weighting": "values missing completely at random; inputs that do not predict one another",
    "surrogate_splitting": "redundant inputs, such as several features of one line",
    "imputation": "values missing completely at random; one value that is much more common than the others",
    "indicator": "values whose absence depends on the label",
    "imputation_indicator": "values whose absence depends on the label; the most common value is a good guess",
    "default_direction": "values whose absence depends on the label; no additional inputs",
    "incorporated": "values whose absence depends on the label; no assumption about the mechanism",
    "neural_crf": "many sequences whose labels depend on distant observations; needs the extra neural",
}
"""What each method is meant for, by its definition."""

TOLD = """
The table shows what each method is meant for, its accuracy compared with the best method, and its cost. Choose a method
with a gap near 0 that is rarely worse than another.

A case is a data set with one share of missing cells or one mechanism. The gap is the accuracy minus that of the best
method of the case, in points, averaged over the cases. *Best or tied* counts the cases where the method is best or
equivalent to the best, *worse* those where another method is significantly better.

*Completely at random* (MCAR) means that absence depends on no value and no label, also where whole runs of cells are
absent. *At random* (MAR): it depends on observed neighbours. *Not at random* (MNAR): it depends on the value itself or
on the label. CPU time is that of one training iteration, relative to imputation (1.0).
"""


def advice(
    evaluations: pd.DataFrame,
    comparisons: pd.DataFrame,
    costs: pd.DataFrame,
    mechanism_evaluations: pd.DataFrame | None = None,
    mechanism_comparisons: pd.DataFrame | None = None,
) -> list[Part]:
    """The text, the table, and what speaks against instance weighting; nothing where nothing was compared.

    Parameters
    ----------
    evaluations, comparisons, costs : DataFrame
        Of cells missing completely at random, from `treecrf_studies.missing.summary.make_frames`.
    mechanism_evaluations, mechanism_comparisons : DataFrame, optional
        By mechanism, from there.
    """
    parts: list[tuple[pd.DataFrame, pd.DataFrame, Sequence[str]]] = [(evaluations, comparisons, CASE)]
    against: list[Part] = []
    if mechanism_evaluations is not None and mechanism_comparisons is not None:
        parts.append((mechanism_evaluations, mechanism_comparisons, MECHANISM_CASE))
        against = _against_weighting(mechanism_evaluations, mechanism_comparisons)
    judged = judge(parts)
    if judged.empty:
        return []
    return [
        *listed(advice_sentences(judged)),
        Table("Which method to use when", advice_layout(judged, costs)),
        paragraph(TOLD),
        *against,
    ]


def advice_layout(judged: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """A row for each method: what it is for, its gap and standing by kind of missingness, and its cost.

    Parameters
    ----------
    judged : DataFrame
        From `judge`.
    costs : DataFrame
        From `treecrf_studies.missing.summary.make_frames`.
    """
    relative = relative_costs(costs)
    kinds = {name: part for name in (MCAR, MAR, MNAR) if (part := judged["missing"] == name).any()}
    rows = []
    for method in ordered_methods(judged["method"]):
        row = {"method": method_name(method), "meant for": USES.get(method, DASH)}
        for name, part in kinds.items():
            cases = judged[part & (judged["method"] == method)]
            row[f"gap, {name} (points)"] = signed(cases["gap"].mean()) if len(cases) else DASH
            counts = int(cases["standing"].isin(AT_THE_TOP).sum()), int((cases["standing"] == WORSE).sum())
            row[f"best or tied / worse, {name}"] = f"{counts[0]} / {counts[1]} of {len(cases)}" if len(cases) else DASH
        row["CPU time"] = number(relative[method], 1) if method in relative else DASH
        rows.append(row)
    return pd.DataFrame(rows)


def judge(parts: Iterable[tuple[pd.DataFrame, pd.DataFrame, Sequence[str]]]) -> pd.DataFrame:
    """How each method stands in every case that was compared: at rate 0 only those whose data have missing cells of
    their own.

    Parameters
    ----------
    parts : iterable of (DataFrame, DataFrame, sequence of str)
        Evaluations, comparisons, and the columns that tell cases apart.

    Returns
    -------
    DataFrame
        dataset, rate, mechanism, missing (`MCAR`, `MAR` or `MNAR`), method, value (percent), gap (points to the best of
        the case), standing.
    """
    judged = []
    for evaluations, comparisons, case in parts:
        compared = set(comparisons[list(case)].itertuples(index=False, name=None))
        keys = pd.Series(
            list(evaluations[list(case)].itertuples(index=False, name=None)), evaluations.index, dtype=object
        )
        rows = evaluations[keys.isin(compared)]
        if len(rows):
            means = mean_accuracies(rows, case)
            best = means.groupby(list(case))["value"].transform("max")
            judged.append(standings(means, comparisons, case).assign(gap=means["value"] - best))
    if not judged:
        return pd.DataFrame()
    joined = pd.concat(judged, ignore_index=True)
    mechanism = joined["mechanism"].fillna("mcar") if "mechanism" in joined else pd.Series("mcar", index=joined.index)
    cases = joined.assign(mechanism=mechanism, rate=joined["rate"].round(6))
    # Both parts have cases with cells missing completely at random.
    once = cases.drop_duplicates(["dataset", "rate", "mechanism", "method"])
    return once.assign(missing=once["mechanism"].map(RANDOMNESS).fillna(MCAR))


def recommended(judged: pd.DataFrame) -> str | None:
    """The method with the smallest mean gap to the best; None where nothing was compared."""
    return None if judged.empty else str(judged.groupby("method")["gap"].mean().idxmax())


def advice_sentences(judged: pd.DataFrame) -> list[str]:
    """What to use for values missing by each kind of mechanism, where there are such cases."""
    return [text for name in (MCAR, MAR, MNAR) if (text := _choice(judged[judged["missing"] == name], name))]


def accuracy_table(evaluations: pd.DataFrame, comparisons: pd.DataFrame, costs: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of each method by rate on one data set: method, a column for each rate ("10 %"), CPU time.

    Percent, with `TOP` after the best of a rate and those equivalent to it, and `BEATEN` after a method that is
    significantly worse than another. CPU time is that of a training iteration, imputation = 1.

    Parameters
    ----------
    evaluations, comparisons, costs : DataFrame
        From `treecrf_studies.missing.one_table.study_table`.
    """
    ranked = standings(mean_accuracies(evaluations), comparisons)
    compared, relative = set(comparisons["rate"]), relative_costs(costs)
    rows = []
    for method in ordered_methods(ranked["method"]):
        by_rate = ranked[ranked["method"] == method].sort_values("rate")
        cells = {
            f"{100 * row['rate']:g} %": _marked(row, row["rate"] in compared) for row in by_rate.to_dict("records")
        }
        price = {"CPU time": number(relative[method], 1)} if method in relative else {}
        rows.append({"method": method_name(method), **cells, **price})
    return pd.DataFrame(rows)


def _marked(row: Mapping[Any, Any], is_compared: bool) -> str:
    mark = TOP if row["standing"] in AT_THE_TOP else BEATEN if row["standing"] == WORSE else ""
    return f"{row['value']:.1f} {mark if is_compared else ''}".rstrip()


def _choice(rows: pd.DataFrame, when: str) -> str:
    """The method with the smallest gap, the second, and those never significantly worse than another."""
    if rows.empty:
        return ""
    gaps = rows.groupby("method")["gap"].mean().sort_values(ascending=False, kind="stable")
    beaten = (rows["standing"] == WORSE).groupby(rows["method"]).sum()
    first, *others = map(str, gaps.index)
    n_cases = counted(int((rows["method"] == first).sum()), "case")

    def told(method: str) -> str:
        n = beaten[method]
        worse = (
            f"significantly worse than another method in {n}" if n else "never significantly worse than another method"
        )
        return f"{signed(gaps[method])} percentage points, {worse}"

    text = (
        f"Use {method_name(first)} for values missing {when}. Its mean gap to the best method of {n_cases}: "
        f"{told(first)}."
    )
    if others:
        text += f" The second is {method_name(others[0])}: {told(others[0])}."
    safe = [name for name in ordered_methods(others[1:]) if not beaten[name]]
    names = "all others" if len(safe) == len(others) - 1 > 1 else with_and(map(method_name, safe))
    return f"{text} For {names}, no test finds a better method." if safe else text


def _against_weighting(evaluations: pd.DataFrame, comparisons: pd.DataFrame) -> list[Part]:
    """By which mechanisms that depend on values or labels a test finds instance weighting behind the best method, by
    which it does not, and how far it is behind.
    """
    rows = evaluations[evaluations["mechanism"].isin(list(RANDOMNESS))] if len(evaluations) else evaluations
    if rows.empty or WEIGHTING not in set(rows["method"]):
        return []
    means = mean_accuracies(rows, MECHANISM_CASE)
    best = means.loc[means.groupby(list(MECHANISM_CASE), sort=False)["value"].idxmax()]
    lines: list[str] = []
    worse: dict[str, int] = {}
    for case in best.to_dict("records"):
        pair = comparisons[
            (comparisons["dataset"] == case["dataset"])
            & (comparisons["mechanism"] == case["mechanism"])
            & (comparisons["other"] == case["method"])
            & (comparisons["method"] == WEIGHTING)
        ]
        if len(pair) and pair["decision"].iloc[0] == "worse":
            points, (interval,) = (
                signed(pair["value"].iloc[0]),
                interval_texts(pair["family_low"], pair["family_high"]),
            )
            worse[case["mechanism"]] = worse.get(case["mechanism"], 0) + 1
            lines.append(
                f"{points} points ({interval}) vs {method_name(case['method'])} on {case['dataset']} (mechanism: "
                f"{_mechanism(case['mechanism'])})"
            )
    if not lines:
        return []
    n_cases = best["mechanism"].value_counts()
    texts = [f"{_mechanism(name)} in {n} of {counted(int(n_cases[name]), 'case')}" for name, n in worse.items()]
    others = [_mechanism(name) for name in n_cases.index if name not in worse]
    never = (
        f" If they are missing {with_and(others, 'or')}, no test finds it worse than the best method." if others else ""
    )
    return [
        paragraph(
            "A test finds instance weighting worse than the best method if values are missing {where}.{never} Gaps "
            "with 95 % intervals (Bonferroni):",
            where=with_and(texts),
            never=never,
        ),
        *listed(lines),
    ]


def _mechanism(name: str) -> str:
    """A mechanism as readers see it."""
    return MECHANISMS[name].name if name in MECHANISMS else name


def relative_costs(costs: pd.DataFrame) -> dict[str, float]:
    """CPU seconds of a training iteration by method, imputation = 1; geometric mean over data sets and shares."""
    trained = costs[~costs["phase"].isin(PHASES_APART) & (costs["n_iterations"] > 0)]
    keys = ["dataset", "rate", "method"]
    seconds = trained.groupby([*keys, "draw"]).agg(cpu=("cpu_seconds", "sum"), n=("n_iterations", "first"))
    by_cell = (seconds["cpu"] / seconds["n"]).groupby(keys).mean().reset_index(name="seconds")
    by_cell = by_cell.pivot_table(index=["dataset", "rate"], columns="method", values="seconds")
    if "imputation" not in by_cell:
        return {}
    ratios = by_cell.div(by_cell["imputation"], axis=0)
    return {str(name): geometric_mean(ratios[name].dropna())[0] for name in ratios if ratios[name].notna().any()}


def answers(
    descriptions: Mapping[str, Mapping[str, Any]], evaluations: pd.DataFrame, comparisons: pd.DataFrame
) -> list[Part]:
    """The answers on each data set that has several rates.

    Parameters
    ----------
    descriptions : mapping of str to mapping
        From `treecrf_studies.datasets.description.describe_sets`, by data set.
    evaluations, comparisons : DataFrame
        From `treecrf_studies.missing.summary.analyse`.
    """
    means = mean_accuracies(evaluations)
    ranked = standings(means, comparisons)
    parts: list[Part] = []
    for name, description in descriptions.items():
        of_set = ranked[ranked["dataset"] == name]
        if len(set(of_set["rate"])) > 1:
            layout = holes_layout(of_set)
            parts += [
                _told(name, description, of_set),
                Table(f"Cost of missing values on {name}", layout),
            ]
    return parts


def holes_layout(ranked: pd.DataFrame) -> pd.DataFrame:
    """A row for each share of missing cells: the best accuracy, what it lost, and how the ways of handling holes stand
    to the best.

    Parameters
    ----------
    ranked : DataFrame
        Of one data set, from `standings`.
    """
    best = ranked.groupby("rate")["value"].max()
    return pd.DataFrame(
        {
            "missing rate": [f"{100 * rate:g} %" for rate in best.index],
            "best accuracy (%)": [number(value) for value in best],
            "change (points)": [signed(value - best.iloc[0]) for value in best],
            "best or equivalent": [_names(ranked, rate, AT_THE_TOP) for rate in best.index],
            "not separated from the best": [_names(ranked, rate, (CLOSE, NOT_SEPARATED)) for rate in best.index],
        }
    )


def _names(ranked: pd.DataFrame, rate: float, standings_of: Collection[str]) -> str:
    at_rate = ranked[ranked["rate"] == rate]
    names = ordered_methods(at_rate.loc[at_rate["standing"].isin(standings_of), "method"])
    return "all" if len(names) == len(at_rate) else ", ".join(map(method_name, names)) or DASH


def _told(name: str, description: Mapping[str, Any], ranked: pd.DataFrame) -> Part:
    """How many cells are missing already, what more of them cost, and which way is never found worse."""
    best = ranked.groupby("rate")["value"].max()
    most = best.index[-1]
    n_missing = sum(description[side]["missing_cells"] for side in ("train", "test"))
    some = f"{counted(n_missing, 'cell')} {'is' if n_missing == 1 else 'are'}"
    own = f"{some if n_missing else 'No cell is'} missing in the data."
    lost = best.iloc[0] - best.iloc[-1]
    return paragraph(
        "<b>{name}.</b> The best method loses {lost} percentage points if a further {most} of the cells are "
        "missing completely at random. {own} {ways}",
        name=name,
        own=own,
        most=f"{100 * most:g} %",
        lost=number(lost),
        ways=_never_worse(ranked),
    )


def _never_worse(ranked: pd.DataFrame) -> str:
    """The ways that are significantly worse than another at no share."""
    is_worse = (ranked["standing"] == WORSE).groupby(ranked["method"]).any()
    never = ordered_methods(map(str, is_worse[~is_worse].index))
    if len(never) == len(is_worse):
        return "No test separates the methods for missing values."
    if not never:
        return "Each method is significantly worse than another at some share."
    return f"For {with_and(map(method_name, never))}, no test finds a better method at any share."


# --- other trees ------------------------------------------------------------------------------------


def tree_answers(evaluations: pd.DataFrame, comparisons: pd.DataFrame, differences: pd.DataFrame) -> list[str]:
    """Whether methods still matter with other trees, whether instance weighting wins again, and what the trees gain.

    Cases without missing cells are left out. Empty without other trees.

    Parameters
    ----------
    evaluations, comparisons, differences : DataFrame
        tree_evaluations, tree_comparisons and tree_differences of `treecrf_studies.missing.summary.make_frames`.
    """
    evaluations, comparisons, differences = (
        frame[frame["rate"] > 0] for frame in (evaluations, comparisons, differences)
    )
    if differences.empty:
        return []
    shared = evaluations[evaluations["method"].isin(differences["method"])]  # custom labellers have no trees
    means = mean_accuracies(shared, TREE_CASE)
    others = [kind for kind in TREES if kind in set(differences["trees"]) - {PAPERS}]
    return [
        sentence
        for kind in others
        for sentence in (
            *_matters(means, comparisons, kind),
            *_weighting(means, comparisons, kind),
            _gains(means, differences, kind),
        )
    ]


def _matters(means: pd.DataFrame, comparisons: pd.DataFrame, kind: str) -> Iterator[str]:
    """In how many cases the best method is better than the worst, and by how much; nothing where there is one
    method.
    """
    by_case = spreads(means, comparisons, TREE_CASE)
    by_trees = by_case.assign(is_real=by_case["p_holm"] < SIGNIFICANCE_LEVEL).groupby("trees")
    n_cases, n_real = by_trees.size(), by_trees["is_real"].sum()
    ahead = by_trees["value"].mean().map(lambda points: f"{number(points)} points ahead on average")
    if kind not in n_cases:
        return
    verdict = "matters" if n_real[kind] else "has no significant effect"
    yield (
        f"The choice of method {verdict} with {TREES[kind].name}. The best method is significantly better than the "
        f"worst in {n_real[kind]} of {counted(n_cases[kind], 'case')} (data set and share), and {ahead[kind]}. With "
        f"{TREES[PAPERS].name}, it is better in {n_real[PAPERS]} of {n_cases[PAPERS]}, and {ahead[PAPERS]}."
    )


def _weighting(means: pd.DataFrame, comparisons: pd.DataFrame, kind: str) -> Iterator[str]:
    """How instance weighting stands to the best method and to tests for missing cells; nothing where it was not run."""
    of_weighting = means[means["method"] == WEIGHTING]
    n_cases = of_weighting["trees"].value_counts()
    if kind not in n_cases:
        return
    ranked = standings(means, comparisons, TREE_CASE)
    unbeaten = (ranked["method"] == WEIGHTING) & (ranked["standing"] != WORSE)
    n_unbeaten = ranked.loc[unbeaten, "trees"].value_counts().reindex([kind, PAPERS], fill_value=0)
    pair = comparisons[
        (comparisons["trees"] == kind) & (comparisons["method"] == WEIGHTING) & (comparisons["other"] == INCORPORATED)
    ]
    better, worse = ((pair["decision"] == word).sum() for word in ("better", "worse"))
    never_beaten = n_unbeaten[kind] == n_cases[kind]
    verdict = (
        ("is sometimes significantly better and never worse" if better else "is never significantly worse")
        if never_beaten
        else "is sometimes significantly worse"
    )
    against = (
        f" It is significantly better than {method_name(INCORPORATED)} in {better} of {counted(len(pair), 'case')} and "
        f"worse in {worse}."
    )
    yield (
        f"{method_name(WEIGHTING).capitalize()} {verdict} with {TREES[kind].name}. No sequence-level test finds it "
        f"worse than another method in {n_unbeaten[kind]} of "
        f"{counted(n_cases[kind], 'case')}.{against if len(pair) else ''} With {TREES[PAPERS].name}, no test finds it "
        f"worse in {n_unbeaten[PAPERS]} of {n_cases[PAPERS]}."
    )


def _gains(means: pd.DataFrame, differences: pd.DataFrame, kind: str) -> str:
    """In how many cases the other trees are better than the papers', with the same method and with the best one of
    each.
    """
    against = differences[(differences["trees"] == kind) & (differences["other_trees"] == PAPERS)]
    alike = against[against["other"] == against["method"]]
    best = best_of_trees(means, against)
    better, worse = ([(rows["decision"] == word).sum() for rows in (alike, best)] for word in ("better", "worse"))
    return (
        f"With the same method, {TREES[kind].name} are significantly better than {TREES[PAPERS].name} in {better[0]} "
        f"of {counted(len(alike), 'case')} (data set, share and method) and worse in {worse[0]}. With the best method "
        f"of each, they are better in {better[1]} of {counted(len(best), 'case')} and worse in {worse[1]}."
    )
