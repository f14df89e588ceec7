"""Colours of labels in figures and pages."""

from __future__ import annotations

from collections.abc import Sequence

COLORS = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff8c42"),
    ("#009e73", "#3ddbab"),
    ("#b5468b", "#f09ccb"),
    ("#8a6d00", "#e3c83a"),
    ("#6a3d9a", "#b794f4"),
    ("#8c564b", "#d1a18f"),
    ("#17859b", "#4fd1e0"),
    ("#b2182b", "#ff7b7b"),
    ("#3f7d20", "#9bd770"),
    ("#4553c9", "#98a5ff"),
    ("#4d4d4d", "#c4c9d1"),
)
"""On a light and on a dark ground; the first ones are told apart by colour-blind readers, too."""

OUTSIDE = "O"
"""Tag of what is outside of all entities, which has no colour."""


def color_numbers(names: Sequence[str], scheme: str | None) -> list[int | None]:
    """The number of the colour of each label: one for a type of entities in a scheme of tags, none for `OUTSIDE`.

    Beyond the last colour they begin again; labels are named wherever they have a colour.
    """
    kinds = [None if scheme and name == OUTSIDE else entity_type(name, scheme) for name in names]
    order = list(dict.fromkeys(kind for kind in kinds if kind is not None))
    return [None if kind is None else order.index(kind) % len(COLORS) for kind in kinds]


def entity_type(name: str, scheme: str | None) -> str:
    """The type of a tag, as PER of B-PER, or "entity" without one; the label itself where labels are no tags."""
    if not scheme or name == OUTSIDE:
        return name
    return name[2:] or "entity"
