"""What came out of each study, in a sentence or two with its numbers; nothing is typed by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from treecrf.figures.style import method_name, training_method_name
from treecrf.reporting.future_tables import method_text
from treecrf.studies.training_summary import BETTER

OURS = "treecrf"
"""The method that published values are compared for."""


def training_headline(summary: pd.DataFrame) -> str:
    """Which methods are best at the cross-validated choice, and how far TreeCRF is from the published values.

    Parameters
    ----------
    summary : DataFrame
        From `treecrf.studies.training_summary.summarise`, of all data sets.
    """
    better = summary[summary["decoder"] == BETTER]
    better = better.assign(percent=better["chosen_mean"].fillna(better["chosen_accuracy"]))
    best = better.loc[better.groupby("dataset", sort=False)["percent"].idxmax(), "method"]
    said = f"Most accurate at the cross-validated choice: {_counted(map(training_method_name, best), 'data sets')}."
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
    cases = evaluations.assign(percent=percent).pivot_table(
        index=["dataset", "rate"], columns="method", values="percent", aggfunc="mean"
    )
    best = pd.DataFrame(
        {"method": cases.idxmax(axis=1), "high": cases.max(axis=1), "low": cases.min(axis=1)}
    ).reset_index()
    holes = best[best["rate"] > 0]
    if holes.empty:
        return f"Most accurate: {_counted(map(method_name, best['method']), 'data sets')}."
    counts = _counted(map(method_name, holes["method"]), "cases", "in")
    said = (
        f"Most accurate with missing cells: {counts} (data set and share). The best method is "
        f"{(holes['high'] - holes['low']).mean():.1f} points ahead of the worst, on average."
    )
    most = holes["rate"].max()
    whole, damaged = (best[best["rate"] == rate].set_index("dataset")["high"] for rate in (0, most))
    lost = (whole - damaged).dropna()
    if lost.empty:
        return said
    return f"{said} With {most:.0%} missing even the best method loses {lost.mean():.1f} points on average."


def future_headline(best: pd.DataFrame) -> str:
    """How often discovered features win, and where they win most.

    Parameters
    ----------
    best : DataFrame
        From `treecrf.studies.future_summary.summarise_runs`: one row per data set, method and bag.
    """
    discovered = best["method"].str.startswith("ff_")
    winners = best.loc[best.groupby("dataset", sort=False)["test_mean"].idxmax()].set_index("dataset")
    if discovered.all() or not discovered.any():
        return f"Most accurate: {_counted(map(method_text, winners['method']), 'data sets')}."
    top = {
        name: frame.loc[frame.groupby("dataset", sort=False)["test_mean"].idxmax()].set_index("dataset")
        for name, frame in (("with", best[discovered]), ("without", best[~discovered]))
    }
    gains = (top["with"]["test_mean"] - top["without"]["test_mean"]).dropna()
    where = str(gains.idxmax())
    ahead, behind = top["with"].loc[where], top["without"].loc[where]
    return (
        f"The best labeller with discovered future features beats the best one without on {(gains > 0).sum()} of "
        f"{len(gains)} data sets, by {_signed(gains.median())} points in the median; most on {where}: "
        f"{method_text(str(ahead['method']))} {ahead['test_mean']:.2f} %, {method_text(str(behind['method']))} {behind['test_mean']:.2f} %."
    )


def _counted(names: Iterable[str], unit: str, where: str = "on") -> str:
    """How often each name is there, the commonest first."""
    counts = Counter(names).most_common()
    total = sum(count for _, count in counts)
    first = f"{counts[0][0]} {where} {counts[0][1]} of {total} {unit}"
    return ", ".join([first, *(f"{name} {where} {count}" for name, count in counts[1:])])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
