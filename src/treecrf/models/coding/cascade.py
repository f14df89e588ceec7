"""What the labeller of one bit sees: the window, and bits that were predicted before, of the neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import Attribute, SequenceSet, window_codes

_BITS = ("0", "1", "(outside)")


def window_attributes(attributes: Sequence[Attribute], window: tuple[int, int]) -> tuple[Attribute, ...]:
    """An attribute for each slot of a window."""
    left, right = window
    return tuple(
        Attribute(f"{attribute.name} {place:+d}", (*attribute.categories, "(outside)"))
        for place in range(-left, right + 1)
        for attribute in attributes
    )


def history_attributes(first: int, n_bits: int) -> tuple[Attribute, ...]:
    """Two attributes for each of so many bits, whose first has this number."""
    names = [f"bit {bit} {place}" for bit in range(first, first + n_bits) for place in ("before", "after")]
    return tuple(Attribute(name, _BITS) for name in names)


def windows_as_attributes(data: SequenceSet, window: tuple[int, int]) -> SequenceSet:
    """The same positions with the slots of their windows as attributes, so that a window is one observation.

    The code of a place outside the sequence becomes a category. `data` have no missing cells.
    """
    attributes = window_attributes(data.attributes, window)
    return SequenceSet(window_codes(data, window).astype(np.int32), data.offsets, attributes)


def with_history(windows: SequenceSet, bits: list[NDArray[np.bool_]], first: int) -> SequenceSet:
    """The windows and, for each of these bits, that of the position before and of the one after.

    Parameters
    ----------
    windows : SequenceSet
        As from `windows_as_attributes`.
    bits : list of bool arrays, shape (n_positions,)
        Predicted bits of earlier labellers.
    first : int
        Number of the first of them.
    """
    if not bits:
        return windows
    columns = []
    for of_bit in bits:
        for shift, outside in ((1, windows.offsets[:-1]), (-1, windows.offsets[1:] - 1)):
            column = np.roll(of_bit.astype(np.int32), shift)
            column[outside] = len(_BITS) - 1
            columns.append(column)
    attributes = (*windows.attributes, *history_attributes(first, len(bits)))
    return windows.with_values(np.column_stack([windows.values, *columns]), attributes)
