"""What somebody with data of their own asks first: what holes cost, and what to do about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from treecrf.rendering.cells import number, signed
from treecrf.rendering.parts import Part, Table, paragraph
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.rendering.words import with_and
from treecrf.studies.missing.standing import mean_accuracies, tied_for_best


def answers(
    descriptions: Mapping[str, Mapping[str, Any]], evaluations: pd.DataFrame, comparisons: pd.DataFrame
) -> list[Part]:
    """The answers on each data set that has several rates; frames as of `treecrf.studies.missing.summary.analyse`.

    `descriptions` are from `treecrf.datasets.describing.describe_sets`, by data set.
    """
    means = mean_accuracies(evaluations)
    tied = tied_for_best(means, comparisons)
    parts: list[Part] = []
    for name, description in descriptions.items():
        of_set, of_tied = means[means["dataset"] == name], tied[tied["dataset"] == name]
        if len(set(of_set["rate"])) > 1:
            layout = holes_layout(of_set, of_tied)
            parts += [_told(name, description, of_set, of_tied), Table(f"What holes cost on {name}", layout)]
    return parts


def holes_layout(means: pd.DataFrame, tied: pd.DataFrame) -> pd.DataFrame:
    """A row for each share of missing cells: the best accuracy, what it lost, and which ways of handling holes are tied for best.

    Parameters
    ----------
    means : DataFrame
        Of one data set, from `mean_accuracies`.
    tied : DataFrame
        Its rows that are tied for best.
    """
    best = means.groupby("rate")["percent"].max()
    return pd.DataFrame(
        {
            "missing rate": [f"{rate:.0%}" for rate in best.index],
            "best accuracy (%)": [number(value) for value in best],
            "change (points)": [signed(value - best.iloc[0]) for value in best],
            "tied for best": [_names(tied, rate, set(means["method"])) for rate in best.index],
        }
    )


def _names(tied: pd.DataFrame, rate: float, every: set[str]) -> str:
    names = ordered_methods(tied.loc[tied["rate"] == rate, "method"])
    return "all" if set(names) == every else ", ".join(map(method_name, names))


def _told(name: str, description: Mapping[str, Any], means: pd.DataFrame, tied: pd.DataFrame) -> Part:
    """How many cells are missing already, what more of them cost, and which way is never found worse."""
    best = means.groupby("rate")["percent"].max()
    most = best.index[-1]
    n_missing = sum(description[side]["missing_cells"] for side in ("train", "test"))
    own = f"{n_missing:,} of its cells are missing already;" if n_missing else "No cell of it is missing;"
    lost = best.iloc[0] - best.iloc[-1]
    return paragraph(
        "<b>{name}.</b> {own} with {most} more missing at random the best way of handling them loses {lost} points. {ways}",
        name=name, own=own, most=f"{most:.0%}", lost=number(lost), ways=_never_worse(means, tied),
    )  # fmt: skip


def _never_worse(means: pd.DataFrame, tied: pd.DataFrame) -> str:
    """The ways that are tied for best at every share."""
    rates, methods = set(means["rate"]), set(means["method"])
    always = ordered_methods(str(method) for method, of in tied.groupby("method") if set(of["rate"]) == rates)
    if set(always) == methods:
        return "No test tells the ways of handling them apart."
    if not always:
        return "No way of handling them is tied for best at every share."
    return f"Tied for best at every share: {with_and(map(method_name, always))}."
