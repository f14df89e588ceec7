"""Answers for readers with data of their own: what missing cells cost, and what to do about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from treecrf.rendering.cells import DASH, number, signed
from treecrf.rendering.parts import Part, Table, paragraph
from treecrf.rendering.style import method_name, ordered_methods
from treecrf.rendering.words import with_and
from treecrf.statistics.ranking import AT_THE_TOP, CLOSE, NOT_SEPARATED, WORSE
from treecrf.studies.missing.ranking import mean_accuracies, standings


def answers(
    descriptions: Mapping[str, Mapping[str, Any]], evaluations: pd.DataFrame, comparisons: pd.DataFrame
) -> list[Part]:
    """The answers on each data set that has several rates; frames as of `treecrf.studies.missing.summary.analyse`.

    `descriptions` are from `treecrf.datasets.description.describe_sets`, by data set.
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
                Table(f"Cost of missing values on {name}", layout, is_list=True),
            ]
    return parts


def holes_layout(ranked: pd.DataFrame) -> pd.DataFrame:
    """A row for each share of missing cells: the best accuracy, what it lost, and how the ways of handling holes stand to the best.

    Parameters
    ----------
    ranked : DataFrame
        Of one data set, from `standings`.
    """
    best = ranked.groupby("rate")["percent"].max()
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
    best = ranked.groupby("rate")["percent"].max()
    most = best.index[-1]
    n_missing = sum(description[side]["missing_cells"] for side in ("train", "test"))
    own = f"{n_missing:,} of its cells are missing already;" if n_missing else "No cell is missing;"
    lost = best.iloc[0] - best.iloc[-1]
    return paragraph(
        "<b>{name}.</b> {own} with {most} more missing at random, the best method loses {lost} points. {ways}",
        name=name, own=own, most=f"{100 * most:g} %", lost=number(lost), ways=_never_worse(ranked),
    )  # fmt: skip


def _never_worse(ranked: pd.DataFrame) -> str:
    """The ways that are significantly worse than another at no share."""
    is_worse = (ranked["standing"] == WORSE).groupby(ranked["method"]).any()
    never = ordered_methods(map(str, is_worse[~is_worse].index))
    if len(never) == len(is_worse):
        return "No test separates the methods for missing values."
    if not never:
        return "Each method is significantly worse than another at some share."
    return f"Never significantly worse than another: {with_and(map(method_name, never))}."
