"""Numbers of the guide: methods by data set and rate, who is significantly worse, losses, relative costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.rendering.style import method_name, ordered_methods
from treecrf.rendering.words import rates_text
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.ranking import AT_THE_TOP, WORSE
from treecrf.statistics.two_way import BLOCK
from treecrf.studies.missing.ranking import standings
from treecrf.studies.missing.tables import PHASES_APART

YARDSTICK = "imputation"
"""The method whose cost is 1, where every data set and rate has it; the cheapest method of each otherwise."""

ROUNDING = 1e-9
"""Mean accuracies (percent) and rates closer than this are equal."""

KINDS = {
    "One letter or symbol per position, seen through a window": (
        "protein", "nettalk", "hyphen", "hyphen_moby", "hyphen_tex", "hmm",
    ),
    "Many yes-or-no features per line": (
        "faq_ai_general", "faq_ai_neural", "faq_aix", "faq_other", "faq_perl", "faq_x", "sectlabel",
    ),
}  # fmt: skip
"""Known data sets by what an observation is; any other data set is a kind of its own."""

CASE = ["dataset", "rate"]

CELL = ["dataset", "rate", "method"]


@dataclass(frozen=True)
class GuideResults:
    """What the page is made from.

    `accuracy` has means of the evaluations, in the order of the data sets; `cells` its rows with holes (`_judge`);
    a relative cost of 1 (`_relative_costs`) is that of the `yardstick`.
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


class Record(NamedTuple):
    """Standing of one method: its cases; those where it is the best or equivalent to it, and where it is worse than another.

    `behind` is the mean of points behind the best; `places` has the data sets on which it was beaten, by the rates.
    """

    method: str
    n_cases: int
    n_top: int
    n_beaten: int
    behind: float
    places: dict[str, list[str]]

    @property
    def name(self) -> str:
        return method_name(self.method)

    @property
    def n_open(self) -> int:
        """Cases where it is not separated from the best."""
        return self.n_cases - self.n_top - self.n_beaten

    @property
    def share_beaten(self) -> float:
        return self.n_beaten / self.n_cases


def prepare(
    evaluations: pd.DataFrame, comparisons: pd.DataFrame, costs: pd.DataFrame, deviance: pd.DataFrame | None
) -> GuideResults:
    if evaluations.empty:
        raise ValueError("the guide has no evaluations to tell about; run the study of missing values first.")
    evaluations, comparisons, costs = (
        frame.assign(rate=frame["rate"].astype(float).round(9)) for frame in (evaluations, comparisons, costs)
    )
    numbers = ["accuracy_points", "valid_p_holm", "points_low", "points_high"]
    comparisons = comparisons.astype(dict.fromkeys(numbers, float))
    accuracy = _mean_accuracy(evaluations)
    _check(accuracy, comparisons)
    order = {name: place for place, name in enumerate(accuracy["dataset"].unique())}
    comparisons = comparisons.sort_values("dataset", key=lambda names: names.map(order), kind="stable")
    relative, yardstick = _relative_costs(costs)
    return GuideResults(
        accuracy, _judge(accuracy, comparisons), comparisons, relative, yardstick, deviance, evaluations
    )


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
    """The columns of `accuracy` for each data set and rate with holes, and what became of each method.

    behind (points behind the best mean), top (the best or equivalent to it), beaten (significantly worse than another),
    compared (part of a case).
    """
    compared = set(comparisons[CASE].itertuples(index=False, name=None))
    keys = pd.Series(list(accuracy[CASE].itertuples(index=False, name=None)), index=accuracy.index, dtype=object)
    is_case = keys.map(compared.__contains__).astype(bool)
    cells = accuracy.assign(compared=is_case)[(accuracy["rate"] > 0) | is_case].reset_index(drop=True)
    cells["behind"] = cells.groupby(CASE)["percent"].transform("max") - cells["percent"]
    standing = standings(cells, comparisons)["standing"]
    return cells.assign(top=standing.isin(AT_THE_TOP), beaten=standing == WORSE)


def records_of(judged: pd.DataFrame) -> list[Record]:
    """The methods from the safest: beaten in the smallest share of its cases; among equals, least behind."""
    records = []
    for method in ordered_methods(judged["method"]):
        rows = judged[judged["method"] == method]
        n_top, n_beaten = (int(rows[name].sum()) for name in ("top", "beaten"))
        behind = float(rows["behind"].mean())
        records.append(Record(method, len(rows), n_top, n_beaten, behind, _places(rows)))
    return sorted(records, key=lambda record: (record.share_beaten, record.behind))


def _places(of_method: pd.DataFrame) -> dict[str, list[str]]:
    """Data sets on which one method was beaten, by the rates."""
    places: dict[str, list[str]] = {}
    for name, rows in of_method.groupby("dataset", sort=False):
        rates = list(rows.loc[rows["beaten"], "rate"])
        if rates:
            when = "every rate" if len(rates) == len(rows) > 1 else rates_text(rates)
            places.setdefault(when, []).append(str(name))
    return places


def spans_of(cells: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """dataset, rate, lost_best, lost_worst (points against the best at rate 0; NaN without one), gap, clear."""
    whole = accuracy[accuracy["rate"] == 0].groupby("dataset")["percent"].max()
    spans = cells.groupby(CASE, sort=False).agg(
        best=("percent", "max"), worst=("percent", "min"), clear=("beaten", "any"), compared=("compared", "any")
    )
    spans = spans.reset_index()
    reference = spans["dataset"].map(whole).astype(float)
    return spans.assign(
        lost_best=reference - spans["best"],
        lost_worst=reference - spans["worst"],
        gap=spans["best"] - spans["worst"],
    )


def _relative_costs(costs: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Costs of each data set, rate and method, and what they are relative to: `YARDSTICK` or "the cheapest method".

    dataset, rate, method, iterations, training (CPU seconds), seconds (of one training iteration), prediction (CPU
    seconds; NaN where not measured): means over the training sets. ratio, prediction_ratio.
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


def geometric_mean(values: pd.Series) -> float:
    known = values.dropna()
    return float(np.exp(np.log(known).mean())) if len(known) else np.nan


class Kind(NamedTuple):
    """A kind of data: its title, its records, and the mean points from the best to the worst method."""

    title: str
    records: list[Record]
    spread: float

    @property
    def pick(self) -> str:
        """The method to use there."""
        return self.records[0].name


def _kinds(judged: pd.DataFrame) -> list[Kind]:
    """The kinds of data that were compared."""
    compared = list(judged["dataset"].unique())
    known = {title: [name for name in compared if name in names] for title, names in KINDS.items()}
    titled = {f"{title} ({', '.join(f'`{name}`' for name in names)})": names for title, names in known.items() if names}
    others = [name for name in compared if not any(name in names for names in KINDS.values())]
    titled |= {f"Data like `{name}`": [name] for name in others}
    kinds = []
    for title, names in titled.items():
        rows = judged[judged["dataset"].isin(names)]
        kinds.append(Kind(title, records_of(rows), float(rows.groupby(CASE)["behind"].max().mean())))
    return kinds


# --- numbers by section ------------------------------------------------------------------------------


def numbers(run: GuideResults) -> dict[str, Any]:
    """Everything that the template names, apart from its tables."""
    records = {record.method: record for record in records_of(run.judged)}
    accuracy = run.accuracy
    return {
        "methods": run.methods,
        "datasets": run.datasets,
        "rates": sorted(rate for rate in accuracy["rate"].unique() if rate > 0),
        "stand_ins": list(accuracy.loc[accuracy["stand_in"].astype(bool), "dataset"].unique()),
        "own_holes": run.own_holes,
        "records": list(records.values()),
        "by_method": records | {method: None for method in run.methods if method not in records},
        "kinds": _kinds(run.judged),
        "level": f"{SIGNIFICANCE_LEVEL:g}",
        "nothing_missing": _nothing_missing(run),
        **_standing(run.judged),
        **_losses(run),
        **_prices(run),
        **_certainty(run),
    }


def _standing(judged: pd.DataFrame) -> dict[str, Any]:
    """The number of cases, and in how many of them, in percent, equal methods are told apart."""
    return {"n_cases": judged.groupby(CASE).ngroups, "false_alarms": f"{100 * SIGNIFICANCE_LEVEL:g}"}


class Loss(NamedTuple):
    """Mean points lost with the best method at one rate, and the gap from there to the worst."""

    rate: float
    best: float
    gap: float


def _losses(run: GuideResults) -> dict[str, Any]:
    """Losses at the smallest and the largest rate above 0, and what the guide says of them."""
    spans = spans_of(run.cells, run.accuracy)
    means = spans.groupby("rate")[["lost_best", "gap"]].mean()
    losses = [Loss(*row) for row in means.reset_index().itertuples(index=False, name=None)]
    damaged = [loss for loss in losses if loss.rate > 0]
    is_known = bool(damaged) and not np.isnan(damaged[-1].best)
    return {
        "n_spans": len(spans),
        "losses": damaged[:: max(1, len(damaged) - 1)],
        "largest": damaged[-1] if is_known else None,
        "has_reference": any(not np.isnan(loss.best) for loss in damaged),
        "without_reference": list(spans.loc[spans["lost_best"].isna(), "dataset"].unique()),
        "has_gains": bool((spans["lost_best"].round(1) < 0).any()),
        "n_clear": int(spans.loc[spans["compared"], "clear"].sum()),
    }


def _prices(run: GuideResults) -> dict[str, Any]:
    """Relative cost of one training iteration by method (geometric mean over data sets and rates), and in CPU seconds."""
    costs = run.costs
    ratios = costs.groupby("method")["ratio"].agg(geometric_mean).dropna()
    is_unit = (costs["ratio"] - 1).abs() < ROUNDING
    return {
        "yardstick": run.yardstick,
        "prices": {method: ratios[method] for method in ordered_methods(ratios.index)},
        "unit_seconds": _extremes(costs[is_unit].groupby("dataset")["seconds"].mean()),
        "training_seconds": _extremes(costs.groupby("dataset")["training"].mean()),
    }


def _extremes(seconds: pd.Series) -> dict[str, float]:
    """The data sets with the smallest and the largest value, if there are any."""
    ends = (str(seconds.idxmin()), str(seconds.idxmax())) if len(seconds) else ()
    return {name: float(seconds[name]) for name in ends}


def _nothing_missing(run: GuideResults) -> bool:
    """Whether a row 0 % has no marks because all methods agree."""
    at_zero = run.accuracy[(run.accuracy["rate"] == 0) & ~run.accuracy["dataset"].isin(run.own_holes)]
    percent = at_zero.groupby("dataset")["percent"]
    several = bool((percent.size() > 1).any())
    return several and bool((percent.max() - percent.min() <= ROUNDING).all())


def _certainty(run: GuideResults) -> dict[str, Any]:
    """Numbers that say how far the verdicts can be relied on."""
    comparisons, evaluations, deviance = run.comparisons, run.evaluations, run.deviance
    p_values = pd.Series(dtype=float)
    if deviance is not None:
        of_papers = deviance[deviance["term"] == "method"].drop_duplicates(["dataset", "rate"])  # their sets come first
        p_values = of_papers["p_value"].dropna()
    widths = (comparisons["points_high"] - comparisons["points_low"]) / 2
    typical = widths.groupby(comparisons["dataset"], sort=False).median().dropna()
    sizes = evaluations.groupby("dataset")["n_positions"].max()
    damaged = evaluations[evaluations["rate"] > 0]
    n_sets = {side: damaged.groupby("dataset")[f"{side}_set"].nunique() for side in ("training", "test")}
    return {
        "of_lines": list(comparisons.loc[comparisons["cluster"] == BLOCK, "dataset"].unique()),
        "of_one_set": list(comparisons.loc[comparisons["n_training_sets"] == 1, "dataset"].unique()),
        "n_pairs": len(comparisons) // 2,
        "n_equivalent": int((comparisons["decision"] == "equivalent").sum()) // 2,
        "n_untested": int(comparisons["valid_p_holm"].isna().sum()) // 2,
        "n_deviances": len(p_values),
        "n_deviant": int((p_values < SIGNIFICANCE_LEVEL).sum()),
        "visible": {str(name): (width, sizes[str(name)]) for name, width in typical.items()},
        "repeated": {side: _range(numbers) for side, numbers in n_sets.items() if numbers.max() > 1},
    }


def _range(numbers: pd.Series) -> str:
    """The numbers of all data sets, in words."""
    least, most = numbers.min(), numbers.max()
    return str(most) if least == most else f"{least} to {most}"
