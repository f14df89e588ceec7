"""Coordinates of functions in the space of a kernel: what solvers add, multiply and measure.

A function is one row of numbers or two. Its inner product with another is the product of its first row with the other's
last row; everything else that solvers do with functions is linear, and is done to all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Vector = NDArray[np.float64]


class Space(Protocol):
    """The space of a node kernel over the windows of a training set."""

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """The sum of the windows' kernel functions, weighted by `errors` (n_windows, n_labels); two-dimensional."""

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """A function's values at the windows, one column after another for each label."""


class Primal(NamedTuple):
    """Weights of features, whose inner products are the kernel: the metric of the weights is the Euclidean one.

    Attributes
    ----------
    features : sparse or dense, shape (n_windows, n_features)
    """

    features: csr_array | NDArray[np.float64]

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """See `Space`."""
        return (self.features.T @ errors).reshape(1, -1)

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """See `Space`."""
        return self.features @ vector.reshape(self.features.shape[1], -1)


class Dual(NamedTuple):
    """Coefficients of the windows' kernel functions, and in a second row their products with the kernel matrix.

    Attributes
    ----------
    n_windows : int
    multiply : callable
        The product of the kernel matrix and coefficients of shape (n_windows, n_labels).
    """

    n_windows: int
    multiply: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def lift(self, errors: NDArray[np.float64]) -> Vector:
        """See `Space`."""
        return np.stack([errors.ravel(), self.multiply(errors).ravel()])

    def scores(self, vector: Vector) -> NDArray[np.float64]:
        """See `Space`."""
        return vector[-1].reshape(self.n_windows, -1)


def space_of(features: csr_array | NDArray[np.float64]) -> Space:
    """The space of the kernel that is the inner product of features, in the fewer coordinates."""
    n_windows, n_features = features.shape
    if n_features <= n_windows:
        return Primal(features)
    if not isinstance(features, np.ndarray):
        features = features.tocsc()  # products then go through features in order, and jump among the fewer windows
    return Dual(n_windows, lambda coefficients: features @ (features.T @ coefficients))


def inner(a: Vector, b: Vector) -> float:
    """The inner product of two functions."""
    return float(a[0] @ b[-1])
