"""What the guide says in numbers: methods by data set and rate, who is clearly worse, losses, relative costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.rendering.cells import SIGNIFICANCE_LEVEL
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.studies.missing.guide.words import _code
from treecrf.studies.missing.tables import PHASES_APART

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
        return method_name(self.method)

    @property
    def share_beaten(self) -> float:
        return self.n_beaten / self.n_cases


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
    keys = {"dataset": list(means["dataset"].unique()).index, "method": ordered_methods(means["method"]).index}
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
    return means, method_name(YARDSTICK) if has_yardstick else "the cheapest method"


def _cost_of(costs: pd.DataFrame) -> pd.Series:
    """Relative cost of one training iteration by method: geometric mean over data sets and rates."""
    return costs.groupby("method")["ratio"].agg(_geometric_mean).dropna()


def _geometric_mean(values: pd.Series) -> float:
    known = values.dropna()
    return float(np.exp(np.log(known).mean())) if len(known) else np.nan


def _kinds(judged: pd.DataFrame) -> list[tuple[str, list[str]]]:
    """Titles and data sets of the kinds of data that were compared."""
    compared = list(judged["dataset"].unique())
    kinds = [(title, [name for name in compared if name in names]) for title, names in KINDS.items()]
    known = {name for names in KINDS.values() for name in names}
    return [
        *((f"{title} ({', '.join(_code(names))})", names) for title, names in kinds if names),
        *((f"Data like `{name}`", [name]) for name in compared if name not in known),
    ]
