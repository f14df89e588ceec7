"""The numbers in the windows of positions, for labellers that see them as they are."""

from __future__ import annotations

from typing import Annotated, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Float64, struct
from treecrf.sequences import SequenceSet, window_rows


def window_numbers(data: SequenceSet, window: tuple[int, int]) -> NDArray[np.float64]:
    """The numbers of the window of every position, and which of its places are outside of the sequence.

    Parameters
    ----------
    data : SequenceSet
    window : (int, int)
        Observations before and after the position.

    Returns
    -------
    float64, shape (n_positions, n_places * (n_numbers + 1))
        Window place by window place: the numbers, NaN where missing or outside, then 1 outside and 0 inside. Without
        numbers there are no columns.
    """
    if not data.number_names:
        return np.empty((data.n_positions, 0))
    rows = window_rows(data, window)
    outside = rows < 0
    numbers = np.where(outside[:, :, None], np.nan, data.numbers[rows])
    return np.concatenate([numbers, outside[:, :, None]], axis=2).reshape(len(rows), -1)


@struct
class Scale(NamedTuple):
    """What makes the numbers of a training set standard ones."""

    mean: Annotated[Float64, "n_numbers"]
    deviation: Annotated[Float64, "n_numbers"]

    @classmethod
    def of(cls, train: SequenceSet) -> Self:
        """Means, and standard deviations; 1 for a number that does not vary."""
        if not train.number_names:
            return cls(np.empty(0), np.empty(0))
        deviation = train.numbers.std(axis=0)
        return cls(train.numbers.mean(axis=0), np.where(deviation > 0, deviation, 1.0))

    def apply(self, data: SequenceSet) -> SequenceSet:
        """The set with standard numbers."""
        return data.with_numbers((data.numbers - self.mean) / self.deviation)
