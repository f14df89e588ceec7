"""Labellers of the user's own in the studies, and what candidates are called."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from treecrf.models.custom import OwnLabeller
from treecrf.options import LabellerSettings

Candidate = dict[str, Any]
"""Values of the settings that a study chooses."""


class OwnMethod(NamedTuple):
    """A class of the user's own, with its settings and grid."""

    own: LabellerSettings

    def build(self, settings: Any, candidate: Candidate, window: tuple[int, int], seed: int | None) -> OwnLabeller:
        """A labeller with the settings of a candidate; a seed is given to a class that takes ``random_state``."""
        values = {**self.own.settings, **candidate}
        return OwnLabeller(self.own.class_name, values, (window[0], window[1]), settings.unseen, seed)


def own_candidates(own: LabellerSettings) -> list[Candidate]:
    """All combinations of the grid of a class of the user's own; one empty candidate where it has none."""
    return [dict(zip(own.grid, values, strict=True)) for values in product(*own.grid.values())]


def candidate_name(candidate: Candidate) -> str:
    """What a candidate is called in frames, such as ``variance=5``."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, int | float) else f"{name}={value}"
        for name, value in candidate.items()
    )
