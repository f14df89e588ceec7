"""What a kernel compares: indicators of window cells, and standardized numbers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Float64, struct
from treecrf.io.messages import listed
from treecrf.models.window.network import one_hot
from treecrf.models.window.numbers import window_numbers
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import distinct_windows, number_cells

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DENSE = 0.1
"""Inputs are an array rather than a sparse matrix where at least this part of them is not 0."""


@struct
class Standards(NamedTuple):
    """What makes the numbers of a training set standard ones."""

    mean: Annotated[Float64, "n_numbers"]
    deviation: Annotated[Float64, "n_numbers", "Infinite for a number that does not vary, so that it is 0 everywhere."]
    least: Annotated[Float64, "n_numbers", "Numbers below are far outside of the training set, and are taken for it."]
    most: Annotated[Float64, "n_numbers", "The same above."]

    @classmethod
    def of(cls, train: SequenceSet) -> Self:
        """Learn them, with a warning for numbers that do not vary; as far again as the range is wide is not far outside."""
        if not train.number_names:
            return cls(*[np.empty(0)] * 4)
        least, most = train.numbers.min(axis=0), train.numbers.max(axis=0)
        constant = least == most
        if constant.any():
            names = [name for name, same in zip(train.number_names, constant, strict=True) if same]
            warnings.warn(
                f"the number {listed(names, repr)} does not vary in the training set; it is left out.", stacklevel=4
            )
        deviation = np.where(constant, np.inf, train.numbers.std(axis=0))
        return cls(train.numbers.mean(axis=0), deviation, 2 * least - most, 2 * most - least)

    def apply(self, data: SequenceSet) -> SequenceSet:
        """The set with standard numbers; a warning tells of numbers that are far outside."""
        if not data.number_names:
            return data
        far = ((data.numbers < self.least) | (data.numbers > self.most)) & np.isfinite(self.deviation)
        if far.any():
            row, column = np.argwhere(far)[0]
            warnings.warn(
                f"the number {data.number_names[column]!r} is {data.numbers[row, column]:g} at observation {row}, far outside "
                f"of the training set ({far.sum()} such cells); {self.least[column]:g} to {self.most[column]:g} is taken for "
                "the nearest.",
                stacklevel=5,
            )
        return data.with_numbers((np.clip(data.numbers, self.least, self.most) - self.mean) / self.deviation)


class Windows(NamedTuple):
    """The different windows of a set.

    Attributes
    ----------
    codes : uint8 or uint16, shape (n_windows, n_slots)
        As from `treecrf.sequences.window_codes`.
    numbers : float64, shape (n_windows, n_numbers)
        As from `treecrf.models.window.numbers.window_numbers`, 0 outside of the sequence.
    sizes : int64, shape (n_slots,)
        Number of cells of each slot.
    window_of : int32, shape (n_positions,)
        Window of each position.
    """

    codes: NDArray[Any]
    numbers: NDArray[np.float64]
    sizes: NDArray[np.int64]
    window_of: NDArray[np.int32]

    @classmethod
    def of(cls, data: SequenceSet, window: tuple[int, int]) -> Self:
        """Find them; with numbers, all positions are taken for different."""
        codes, numbers = window_codes(data, window), np.nan_to_num(window_numbers(data, window))
        sizes = slot_sizes(data.attributes, window)
        if data.number_names:
            return cls(codes, numbers, sizes, np.arange(len(codes), dtype=np.int32))
        first_cell = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        distinct, window_of = distinct_windows(number_cells(codes, first_cell))
        return cls(codes[distinct], numbers[distinct], sizes, window_of)

    @property
    def n_windows(self) -> int:
        """Number of windows."""
        return len(self.codes)

    def take(self, chosen: NDArray[np.int64]) -> Windows:
        """Some of them, once each."""
        places = np.arange(len(chosen), dtype=np.int32)
        return self._replace(codes=self.codes[chosen], numbers=self.numbers[chosen], window_of=places)

    def inputs(self) -> NDArray[np.float64] | csr_array:
        """Indicators of cells, then numbers, shape (n_windows, n_inputs)."""
        return join(one_hot(self.codes, self.sizes), self.numbers)


def join(features: csr_array, numbers: NDArray[np.float64]) -> NDArray[np.float64] | csr_array:
    """Features, then numbers: an array where many are not 0."""
    from scipy.sparse import csr_array, hstack  # takes long to import

    if numbers.size:
        features = hstack([features, csr_array(numbers)], format="csr")
    return features if features.nnz < DENSE * np.prod(features.shape) else features.toarray()


def mean_square(inputs: NDArray[np.float64] | csr_array, window_of: NDArray[np.int32]) -> float:
    """The mean over positions of the sum of squares of a window's inputs."""
    squares = (inputs * inputs).sum(axis=1)
    return float(np.asarray(squares).ravel()[window_of].mean())
