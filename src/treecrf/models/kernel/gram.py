"""Kernels of inputs, and their matrix on a training set."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import needs_extra
from treecrf.models.resources import check_memory

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Inputs = Any
"""An array or a sparse matrix, shape (n_windows, n_inputs)."""

MOST_DOUBLE = 4000
"""Windows, of training or of those that a model keeps, up to which kernels with them are float64; beyond, they are float32."""

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
        """The kernel of all pairs times coefficients, shape (n_left, n_labels), for coefficients (n_right, n_labels)."""
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


def matrix_bytes(n_windows: int) -> int:
    """The size of the kernel matrix of so many windows."""
    return n_windows**2 * np.dtype(precision(n_windows)).itemsize


def kernel_matrix(kernel: Kernel, inputs: Inputs) -> NDArray[Any]:
    """The kernel of all pairs of windows, float64 or float32, shape (n_windows, n_windows)."""
    n_windows = inputs.shape[0]
    check_memory(
        matrix_bytes(n_windows), f"the kernel matrix of {n_windows:,} windows",
        "give a rank, or train on fewer sequences",
    )  # fmt: skip
    inputs = inputs.astype(precision(n_windows))
    matrix = np.empty((n_windows, n_windows), dtype=inputs.dtype)
    for begin in range(0, n_windows, ROWS):
        matrix[begin : begin + ROWS] = kernel.between(inputs[begin : begin + ROWS], inputs)
    return matrix
