"""Candidates of the methods of studies, and what frames call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from treecrf_studies.options import LabellerSettings

Candidate = dict[str, Any]
"""Values of the settings that a study chooses."""


def combinations(grid: Mapping[str, Iterable[Any]]) -> list[Candidate]:
    """All candidates of a grid; one empty candidate where there is none."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def custom_candidates(labeller: LabellerSettings) -> list[Candidate]:
    """The candidates of a custom labeller."""
    return combinations(labeller.grid)


def candidate_name(candidate: Candidate) -> str:
    """What a candidate is called in frames, such as ``variance=5``."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, int | float) else f"{name}={value}"
        for name, value in candidate.items()
    )


def joined_names(names: Iterable[str]) -> str:
    """What the candidates of several draws are called together, such as ``splits=subsets, rate=0.1 to 0.2``.

    Names are as from `candidate_name`; empty ones count for nothing.
    """
    values: dict[str, list[str]] = {}
    for name in names:
        for part in re.split(r", (?=\w+=)", name) if name else ():
            key, _, value = part.partition("=")
            values.setdefault(key, []).append(value)
    return ", ".join(f"{key}={_joined_values(found)}" for key, found in values.items())


def _joined_values(values: list[str]) -> str:
    """The range of numbers, or each text once."""
    distinct = list(dict.fromkeys(values))
    try:
        ascending = sorted(distinct, key=float)
    except ValueError:
        return " or ".join(distinct)
    return ascending[0] if len(ascending) == 1 else f"{ascending[0]} to {ascending[-1]}"
