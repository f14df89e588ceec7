"""What a kernel compares, standardized windows, and their kernel matrix, whole or as a factor of low rank."""

from __future__ import annotations

import warnings
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import FINITE, POSITIVE, Float64, struct
from treecrf.io.arrays import starts_of
from treecrf.io.messages import listed, needs_extra
from treecrf.io.process import check_memory
from treecrf.models.window.features import one_hot, refuse_large, standardized, window_numbers
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import distinct_windows, number_cells

if TYPE_CHECKING:
    from scipy.sparse import csr_array


DENSE = 0.1
"""Inputs are an array rather than a sparse matrix where at least this part of them is not 0."""


@struct
class Standards(NamedTuple):
    """What makes the numbers of a training set standard ones."""

    mean: Annotated[Float64, "n_numbers", FINITE]
    deviation: Annotated[
        Float64, "n_numbers", POSITIVE, "Infinite for a number that does not vary, so that it is 0 everywhere."
    ]
    least: Annotated[
        Float64, "n_numbers", FINITE, "Numbers below are far outside of the training set, and are taken for it."
    ]
    most: Annotated[Float64, "n_numbers", FINITE, "The same above."]

    @classmethod
    def of(cls, train: SequenceSet) -> Self:
        """Learn them, with a warning for numbers that do not vary; as far again as the range is wide is not far
        outside.
        """
        if not train.number_names:
            return cls(*[np.empty(0)] * 4)
        refuse_large(train)
        least, most, deviation = train.numbers.min(axis=0), train.numbers.max(axis=0), train.numbers.std(axis=0)
        constant = (least == most) | (deviation == 0)  # squares of the smallest numbers are 0
        if constant.any():
            names = [name for name, same in zip(train.number_names, constant, strict=True) if same]
            warnings.warn(
                f"the number {listed(names, repr)} does not vary in the training set; it is left out.", stacklevel=4
            )
        deviation = np.where(constant, np.inf, deviation)
        return cls(train.numbers.mean(axis=0), deviation, 2 * least - most, 2 * most - least)

    def apply(self, data: SequenceSet) -> SequenceSet:
        """The set with standard numbers; a warning tells of numbers that are far outside."""
        if not data.number_names:
            return data
        far = ((data.numbers < self.least) | (data.numbers > self.most)) & np.isfinite(self.deviation)
        if far.any():
            row, column = np.argwhere(far)[0]
            warnings.warn(
                f"the number {data.number_names[column]!r} is {data.numbers[row, column]:g} at observation {row}, far "
                f"outside of the training set ({far.sum()} such cells); {self.least[column]:g} to "
                f"{self.most[column]:g} is taken for the nearest.",
                stacklevel=5,
            )
        near = np.clip(data.numbers, self.least, self.most)
        return data.with_numbers(standardized(near, self.mean, self.deviation))


class Windows(NamedTuple):
    """The different windows of a set.

    Attributes
    ----------
    codes : uint8 or uint16, shape (n_windows, n_slots)
        As from `treecrf.sequences.window_codes`.
    numbers : float64, shape (n_windows, n_numbers)
        As from `treecrf.models.window.features.window_numbers`, 0 outside of the sequence.
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
        first_cell = starts_of(sizes)
        distinct, window_of = distinct_windows(number_cells(codes, first_cell))
        return cls(codes[distinct], numbers[distinct], sizes, window_of)

    @property
    def n_windows(self) -> int:
        """Number of windows."""
        return len(self.codes)

    def take(self, chosen: NDArray[np.int64]) -> Windows:
        """The chosen windows, once each."""
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


Inputs = Any
"""An array or a sparse matrix, shape (n_windows, n_inputs)."""

MOST_DOUBLE = 4000
"""Windows, of training or of those that a model keeps, up to which kernels with them are float64; beyond, they are
float32.
"""

ROWS = 1024
"""Rows of a kernel matrix that are computed at a time."""


class Kernel(NamedTuple):
    """A kernel of inputs, by scikit-learn.

    ``((x z + coef0) / (scale + coef0))^degree`` with the name "polynomial", ``exp(-|x - z|^2 / scale)`` with "rbf".
    """

    name: str
    degree: int
    coef0: float
    scale: float

    def between(self, left: Inputs, right: Inputs) -> NDArray[Any]:
        """The kernel of all pairs, shape (n_left, n_right), float32 if both inputs are."""
        with needs_extra("rivals"):
            from sklearn import config_context  # takes long to import
            from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

        left, total = dense(left), self.scale + self.coef0
        with config_context(assume_finite=True):  # as sets of sequences are
            if self.name == "rbf":
                return rbf_kernel(left, right, gamma=1 / self.scale)
            linear = polynomial_kernel(left, right, degree=1, gamma=1 / total, coef0=self.coef0 / total)
        return reduce(np.multiply, [linear] * self.degree)  # a power takes five times as long

    def diagonal(self, inputs: Inputs) -> NDArray[np.float64]:
        """The kernel of each input and itself, shape (n_windows,)."""
        if self.name == "rbf":
            return np.ones(inputs.shape[0])
        squares = np.asarray((inputs * inputs).sum(axis=1)).ravel()
        return ((squares + self.coef0) / (self.scale + self.coef0)) ** self.degree

    def weighted(self, left: Inputs, right: Inputs, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """The kernel of all pairs times coefficients, shape (n_left, n_labels), for coefficients (n_right,
        n_labels).
        """
        total, dtype = np.empty((left.shape[0], coefficients.shape[1])), precision(right.shape[0])
        left, right, coefficients = (values.astype(dtype) for values in (left, right, coefficients))
        for begin in range(0, len(total), ROWS):
            total[begin : begin + ROWS] = self.between(left[begin : begin + ROWS], right) @ coefficients
        return total


def dense(inputs: NDArray[Any] | csr_array) -> NDArray[Any]:
    """Inputs as an array."""
    return inputs if isinstance(inputs, np.ndarray) else inputs.toarray()


def precision(n_windows: int) -> type[np.floating[Any]]:
    """The type of kernels with so many windows of training."""
    return np.float64 if n_windows <= MOST_DOUBLE else np.float32


def kernel_matrix(kernel: Kernel, inputs: Inputs) -> NDArray[Any]:
    """The kernel of all pairs of windows, float64 or float32, shape (n_windows, n_windows)."""
    n_windows, dtype = inputs.shape[0], np.dtype(precision(inputs.shape[0]))
    what, remedy = f"the kernel matrix of {n_windows:,} windows", "give a rank, or train on fewer sequences"
    check_memory(n_windows**2 * dtype.itemsize, what, remedy)
    inputs = inputs.astype(dtype)
    matrix = np.empty((n_windows, n_windows), dtype=inputs.dtype)
    for begin in range(0, n_windows, ROWS):
        matrix[begin : begin + ROWS] = kernel.between(inputs[begin : begin + ROWS], inputs)
    return matrix


LEAST_TRACE = 1e-3
"""A factor is complete where the trace of what it leaves of the kernel matrix is below this."""

LEAST_RESIDUAL = 1e-10
"""A window that is left less of its diagonal entry is a combination of pivots."""


def incomplete_cholesky(
    kernel: Kernel, inputs: Inputs, rank: int, pivots: str, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A factor G of the kernel matrix, ``K = G G'`` but for the residual that the pivots leave.

    Parameters
    ----------
    kernel : Kernel
    inputs : shape (n_windows, n_inputs)
    rank : int
        Most pivots.
    pivots : "greedy", "random" or "uniform"
        The next pivot is the window with the largest residual on the diagonal, the first of equals; or it is drawn in
        proportion to the residuals (RPCholesky: Chen, Epperly, Tropp and Webber 2024); or any other window.
    seed : int
        Of the draws.

    Returns
    -------
    factor : float64, shape (n_windows, n_pivots)
    chosen : int64, shape (n_pivots,)
        The pivots' windows, in order. The factor's rows of the pivots are lower triangular.
    """
    n_windows = inputs.shape[0]
    rank = min(rank, n_windows)
    check_memory(8 * n_windows * rank, f"the factor of {n_windows:,} windows and rank {rank:,}", "give a lower rank")
    rng = np.random.default_rng(seed)
    shuffled = iter(rng.permutation(n_windows))
    residual = kernel.diagonal(inputs)
    factor = np.empty((n_windows, rank), order="F")
    chosen: list[int] = []
    while len(chosen) < rank and residual.sum() >= LEAST_TRACE:
        if pivots == "greedy":
            pivot = int(residual.argmax())
        elif pivots == "random":
            pivot = int(rng.choice(n_windows, p=residual / residual.sum()))
        else:
            pivot = int(next(window for window in shuffled if residual[window] > LEAST_RESIDUAL))
        done = factor[:, : len(chosen)]
        column = kernel.between(inputs[[pivot]], inputs)[0] - done @ done[pivot]
        column[chosen] = 0.0
        column /= np.sqrt(residual[pivot])
        residual -= column**2
        np.maximum(residual, 0.0, out=residual)
        residual[pivot] = 0.0
        factor[:, len(chosen)] = column
        chosen.append(pivot)
    return factor[:, : len(chosen)], np.array(chosen, dtype=np.int64)
