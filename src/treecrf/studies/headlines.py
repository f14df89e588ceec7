"""What came out of each study, in a sentence or two with its numbers; nothing is typed by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from treecrf.rendering.style import method_name, training_method_name
from treecrf.studies.future.tables import method_text
from treecrf.studies.training.names import BETTER

OURS = "treecrf"
"""The method that published values are compared for."""

DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are equally good."""


def training_headline(summary: pd.DataFrame) -> str:
    """Which methods are best at the cross-validated choice, and how far TreeCRF is from the published values.

    Parameters
    ----------
    summary : DataFrame
        From `treecrf.studies.training.summary.summarise`, of all data sets.
    """
    better = summary[summary["decoder"] == BETTER]
    better = better.assign(percent=better["chosen_mean"].fillna(better["chosen_accuracy"]))
    best = _best(better, "percent", "dataset")
    counts = _counted(map(training_method_name, best["method"]), best["dataset"].nunique(), "data sets")
    said = f"Most accurate at the cross-validated choice{_runs_text(better)}: {counts}."
    known = better[(better["method"] == OURS) & better["published"].notna() & ~better["stand_in"].astype(bool)]
    if known.empty:
        return said
    gaps = known.set_index("dataset")["percent"] - known.set_index("dataset")["published"]
    furthest = str(gaps.abs().idxmax())
    return (
        f"{said} {training_method_name(OURS)} minus its published accuracy, where the data are the published ones: median "
        f"{_signed(gaps.median())} points over {len(gaps)} data sets, furthest {_signed(gaps[furthest])} on {furthest}."
    )


def missing_headline(evaluations: pd.DataFrame) -> str:
    """Which methods are best with missing cells, and what missing cells cost.

    Parameters
    ----------
    evaluations : DataFrame
        dataset, rate, method, n_positions, n_correct, of all data sets.
    """
    percent = 100 * evaluations["n_correct"] / evaluations["n_positions"]
    means = evaluations.assign(percent=percent).groupby(["dataset", "rate", "method"])["percent"].mean().reset_index()
    best, holes = _best(means, "percent", "dataset", "rate"), means[means["rate"] > 0].groupby(["dataset", "rate"])
    if not len(holes):
        return f"Most accurate: {_counted(map(method_name, best['method']), best['dataset'].nunique(), 'data sets')}."
    winners = map(method_name, best.loc[best["rate"] > 0, "method"])
    counts = _counted(winners, len(holes), "cases (data set and share)", "in")
    ahead = holes["percent"].max() - holes["percent"].min()
    said = (
        f"Most accurate with missing cells: {counts}. The best method is {ahead.mean():.1f} points ahead "
        "of the worst, on average."
    )
    most = means["rate"].max()
    highest = means.pivot_table(index="dataset", columns="rate", values="percent", aggfunc="max").reindex(
        columns=[0, most]
    )
    lost = (highest[0] - highest[most]).dropna()
    if lost.empty:
        return said
    return f"{said} With {most:.0%} missing even the best method loses {lost.mean():.1f} points on average."


def future_headline(best: pd.DataFrame) -> str:
    """How often discovered features win, and where they win most.

    Parameters
    ----------
    best : DataFrame
        From `treecrf.studies.future.summary.summarise_runs`: one row per data set, method and bag.
    """
    discovered = best["method"].str.startswith("ff_")
    if discovered.all() or not discovered.any():
        winners = _best(best, "test_mean", "dataset").drop_duplicates(["dataset", "method"])  # of several bags
        counts = _counted(map(method_text, winners["method"]), winners["dataset"].nunique(), "data sets")
        return f"Most accurate: {counts}."
    ahead, behind = (_best(frame, "test_mean", "dataset") for frame in (best[discovered], best[~discovered]))
    gains = (ahead.groupby("dataset")["test_mean"].max() - behind.groupby("dataset")["test_mean"].max()).dropna()
    gains = gains.round(DIGITS)
    where = str(gains.idxmax())
    equal = f", equals it on {(gains == 0).sum()}" if (gains == 0).any() else ""
    return (
        f"The best labeller with discovered future features beats the best one without on {(gains > 0).sum()} of "
        f"{len(gains)} data sets{equal}, by {_signed(gains.median())} points in the median; most on {where}: "
        f"{_reached(ahead, where)}, {_reached(behind, where)}."
    )


def _best(frame: pd.DataFrame, column: str, *of: str) -> pd.DataFrame:
    """The rows with the highest value of each group `of`, the value as it is shown: all of them where several are equal."""
    shown = frame.assign(**{column: frame[column].round(DIGITS)})
    return shown[shown[column] == shown.groupby(list(of))[column].transform("max")]


def _counted(names: Iterable[str], total: int, unit: str, where: str = "on") -> str:
    """How often each name is there, the commonest first; several may be there in one case."""
    counts = Counter(names).most_common()
    first = f"{counts[0][0]} {where} {counts[0][1]} of {total} {unit}"
    ties = "; ties count for each" if sum(count for _, count in counts) > total else ""
    return ", ".join([first, *(f"{name} {where} {count}" for name, count in counts[1:])]) + ties


def _runs_text(better: pd.DataFrame) -> str:
    """What is compared where some methods have a mean over perturbed runs, and others one training."""
    single = better["chosen_mean"].isna().groupby(better["dataset"]).mean()
    mixed = single.between(0, 1, inclusive="neither").any()
    return " (mean over perturbed runs; one training of methods without such runs)" if mixed else ""


def _reached(best: pd.DataFrame, dataset: str) -> str:
    """The best labellers on a data set with their accuracy."""
    rows = best[best["dataset"] == dataset]
    return f"{' and '.join(dict.fromkeys(map(method_text, rows['method'])))} {rows['test_mean'].max():.2f} %"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
