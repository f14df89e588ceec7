"""The label dictionary: labels that the symbol at a position may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.chain.lattice import Lattice, Predecessors, build_lattice, build_predecessors
from treecrf.sequences import MISSING, Attribute, SequenceSet, window_rows

CENTRE = "centre"
"""Value of the setting `label_dictionary` for the attribute of sets that have one alone."""


def attribute_of(attributes: Sequence[Attribute], setting: str) -> int:
    """Number of the attribute whose symbols decide.

    Raises
    ------
    ValueError
        If there is no such attribute, or several to choose from.
    """
    names = [a.name for a in attributes if not (a.ordered or a.anchored)]
    if setting != CENTRE and setting not in names:
        raise ValueError(f"label_dictionary={setting!r}: it must be {CENTRE!r} or one of {', '.join(names)}.")
    if setting == CENTRE and len(names) != 1:
        raise ValueError(
            f"label_dictionary={CENTRE!r}: the set has {len(names)} attributes with categories; name one of "
            f"{', '.join(names)}." if names else "label_dictionary: the set has no attribute with categories; give None."
        )  # fmt: skip
    return [attribute.name for attribute in attributes].index(names[0] if setting == CENTRE else setting)


def learn_dictionary(
    train: SequenceSet, setting: str | None, before: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Which labels each symbol has in training, shape (n_symbols + 1, n_labels).

    All labels for a symbol that training does not show, and in the last row, for a missing one; the only row without a
    dictionary. A training that continues adds to the dictionary it had `before`.
    """
    n_labels = len(train.label_names)
    if setting is None:
        return np.ones((1, n_labels), dtype=np.bool_)
    attribute = attribute_of(train.attributes, setting)
    if before is not None:
        table = before.copy()
    else:
        table = np.zeros((n_symbols(train.attributes, setting), n_labels), dtype=np.bool_)
    known = np.asarray(train.labels) != MISSING
    table[train.values[window_rows(train, (0, 0))[:, 0], attribute][known], np.asarray(train.labels)[known]] = True
    table[~table.any(axis=1)] = True
    table[-1] = True
    return table


def n_symbols(attributes: Sequence[Attribute], setting: str | None) -> int:
    """Rows of a dictionary."""
    return 1 if setting is None else len(attributes[attribute_of(attributes, setting)].categories) + 1


class Candidates(NamedTuple):
    """The labels that the positions of a set may have.

    Attributes
    ----------
    lattice : Lattice
        In training, with every position's true label.
    predecessors : Predecessors
        The labels that may stand before each position.
    """

    lattice: Lattice
    predecessors: Predecessors


def make_candidates(data: SequenceSet, dictionary: NDArray[np.bool_], setting: str | None) -> Candidates:
    """The labels that positions may have; `dictionary` is from `learn_dictionary` with the same setting."""
    if setting is None:
        rows = np.zeros(data.n_positions, dtype=np.int64)
    else:
        centres = window_rows(data, (0, 0))[:, 0]
        symbols = data.values[centres, attribute_of(data.attributes, setting)].astype(np.int64)
        rows = np.where(symbols == MISSING, len(dictionary) - 1, symbols)
    return Candidates(build_lattice(data.offsets, dictionary, rows), build_predecessors(data.offsets, dictionary, rows))
