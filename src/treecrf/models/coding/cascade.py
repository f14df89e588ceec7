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

    The code of a place outside the sequence becomes a category, which a missing cell gets, too.
    """
    attributes = window_attributes(data.attributes, window)
    outside = np.array([len(attribute.categories) - 1 for attribute in attributes], dtype=np.int32)
    codes = np.minimum(window_codes(data, window), outside)
    return SequenceSet(codes, data.offsets, attributes, groups=data.groups)


def neighbours(bits: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """The bit of the position before each, and that of the position after, shape (n_positions, 2)."""
    found = np.full((len(bits), 2), len(_BITS) - 1, dtype=np.int32)
    found[1:, 0] = bits[:-1]
    found[:-1, 1] = bits[1:]
    found[offsets[:-1], 0] = found[offsets[1:] - 1, 1] = len(_BITS) - 1
    return found


def with_history(windows: SequenceSet, history: NDArray[np.int32], first: int) -> SequenceSet:
    """The windows and, for each of some bits, that of the position before and of the one after.

    Parameters
    ----------
    windows : SequenceSet
        As from `windows_as_attributes`.
    history : int32, shape (n_positions, 2 n_bits)
        As from `neighbours`, of what earlier labellers predict, bit after bit.
    first : int
        Number of the first of these bits.
    """
    attributes = (*windows.attributes, *history_attributes(first, history.shape[1] // 2))
    return windows.with_values(np.hstack([windows.values, history]), attributes)
