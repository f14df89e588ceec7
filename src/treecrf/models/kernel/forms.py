"""Three forms of the same model: monomials, the kernel matrix, and a factor of low rank.

A form prepares a space for training, and turns the vector that training finds into `Scores` of new windows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Float64, Int32, Int64
from treecrf.models.fitted import declared_values
from treecrf.models.kernel.features import Windows, join
from treecrf.models.kernel.gram import Inputs, Kernel, kernel_matrix
from treecrf.models.kernel.low_rank import incomplete_cholesky
from treecrf.models.kernel.monomials import Monomials, monomial_weights, n_slot_sets
from treecrf.models.kernel.spaces import Dual, Primal, Space, Vector, space_of
from treecrf.models.resources import check_memory

FORMS = ("monomials", "matrix", "low_rank")

MOST_MONOMIALS = 20_000_000
"""Windows times monomials of each up to which a model has a weight for each monomial."""

MOST_KEYS = 2.0**62
"""Sets of cells of the same slots that can be numbered."""

MOST_MATRIX = 2_000_000_000
"""Bytes of a float32 kernel matrix up to which a model has one."""

BYTES = 40
"""Of memory that a monomial of a window takes, nearly."""

RANK = 1000
"""Of a model that is too large for other forms."""

ROWS = 16_384
"""Windows whose monomials are looked up at a time."""


class Scores(Protocol):
    """What a fitted model scores windows with."""

    def of(self, windows: Windows) -> NDArray[np.float64]:
        """The scores of the labels, shape (n_windows, n_labels)."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `from_arrays` takes back."""


Form = tuple[Space, Callable[[Vector], Scores]]
"""The space to train in, and what makes `Scores` of the vector of f that training has found."""


def choose_form(kernel: Kernel, windows: Windows) -> str:
    """The form for a training set, if the user asks for none."""
    n_windows, n_slots = windows.codes.shape
    n_monomials = n_slot_sets(n_slots, kernel.degree) + windows.numbers.shape[1]
    if has_monomials(kernel, windows) and n_windows * n_monomials <= MOST_MONOMIALS:
        return "monomials"
    return "matrix" if 4 * n_windows**2 <= MOST_MATRIX else "low_rank"


def has_monomials(kernel: Kernel, windows: Windows) -> bool:
    """Whether the kernel is that of monomials, and these can be numbered: numbers have none but themselves."""
    if kernel.name != "polynomial" or (kernel.degree > 1 and windows.numbers.size):
        return False
    return float(np.prod(np.sort(windows.sizes)[-kernel.degree :], dtype=np.float64)) < MOST_KEYS


# --- monomials ---------------------------------------------------------------------------------------


class MonomialScores(NamedTuple):
    """Sums of weights of monomials, and of numbers times weights.

    Attributes
    ----------
    monomials : Monomials
    order_weights : float64, shape (degree + 1,)
        `monomial_weights`, divided by the kernel's scale.
    weights : float64, shape (n_monomials + n_numbers, n_labels)
    """

    monomials: Monomials
    order_weights: NDArray[np.float64]
    weights: NDArray[np.float64]

    def of(self, windows: Windows) -> NDArray[np.float64]:
        """See `Scores`."""
        scores = np.empty((windows.n_windows, self.weights.shape[1]))
        for begin in range(0, len(scores), ROWS):
            rows = slice(begin, begin + ROWS)
            columns = self.monomials.find(windows.codes[rows])
            features = join(
                self.monomials.features(columns, self.order_weights),
                np.sqrt(self.order_weights[1]) * windows.numbers[rows],
            )
            scores[rows] = features @ self.weights
        return scores

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See `Scores`."""
        sizes, _, keys, first = self.monomials
        return {
            "sizes": sizes, "keys": keys, "first": first, "order_weights": self.order_weights, "weights": self.weights
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        """What `arrays` gave."""
        found = declared_values(arrays, _MONOMIALS, {})
        monomials = Monomials(found["sizes"], len(found["order_weights"]) - 1, found["keys"], found["first"])
        return cls(monomials, found["order_weights"], found["weights"])


_MONOMIALS = {
    "sizes": Annotated[Int64, "n_slots"],
    "keys": Annotated[Int64, "n_monomials"],
    "first": Annotated[Int64, "n_slot_sets + 1"],
    "order_weights": Annotated[Float64, "degree + 1"],
    "weights": Annotated[Float64, "n_features, n_labels"],
}
_SUPPORT = {
    "numbers": Annotated[Float64, "n_support, n_numbers"],
    "sizes": Annotated[Int64, "n_slots"],
    "window_of": Annotated[Int32, "n_positions"],
    "kernel": Annotated[Float64, "n_settings"],
    "coefficients": Annotated[Float64, "n_support, n_labels"],
}


def monomial_form(kernel: Kernel, windows: Windows) -> Form:
    """The model as weights of monomials."""
    scores_with, features = monomial_features(kernel, windows)
    space = space_of(features)

    def scores(vector: Vector) -> Scores:
        weights = vector[0].reshape(features.shape[1] if isinstance(space, Primal) else features.shape[0], -1)
        return scores_with(weights if isinstance(space, Primal) else features.T @ weights)

    return space, scores


def monomial_features(kernel: Kernel, windows: Windows) -> tuple[Callable[[NDArray[np.float64]], MonomialScores], Any]:
    """What makes scores of weights, and the features of the windows, shape (n_windows, n_features).

    The inner products of the features are the kernel of the windows.
    """
    if not has_monomials(kernel, windows):
        raise ValueError(
            "form='monomials': numbers of a degree above 1 and kernel='rbf' have none, and very many categories too "
            "many; choose 'matrix' or 'low_rank'."
        )
    n_entries = windows.n_windows * n_slot_sets(windows.codes.shape[1], kernel.degree)
    check_memory(
        BYTES * n_entries,
        f"{n_entries:,} monomials of windows",
        "give a lower degree, a smaller window or another form",
    )
    order_weights = monomial_weights(kernel.degree, kernel.coef0) / (kernel.scale + kernel.coef0) ** kernel.degree
    monomials, columns = Monomials.learn(windows.codes, windows.sizes, kernel.degree)
    features = join(monomials.features(columns, order_weights), np.sqrt(order_weights[1]) * windows.numbers)
    return partial(MonomialScores, monomials, order_weights), features


# --- kernel matrix and factor ------------------------------------------------------------------------


class KernelScores(NamedTuple):
    """Sums of coefficients times the kernel with windows of the training set.

    Attributes
    ----------
    kernel : Kernel
    support : Windows
    coefficients : float64, shape (n_support, n_labels)
    """

    kernel: Kernel
    support: Windows
    coefficients: NDArray[np.float64]

    def of(self, windows: Windows) -> NDArray[np.float64]:
        """See `Scores`."""
        return self.kernel.weighted(windows.inputs(), self.support.inputs(), self.coefficients)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See `Scores`."""
        name, *settings = self.kernel
        return self.support._asdict() | {
            "kernel": np.array([name == "rbf", *settings], dtype=np.float64), "coefficients": self.coefficients
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        """What `arrays` gave."""
        found = declared_values(arrays, _SUPPORT, {"n_settings": 4})
        is_rbf, degree, coef0, scale = found["kernel"].tolist()
        kernel = Kernel("rbf" if is_rbf else "polynomial", int(degree), coef0, scale)
        return cls(kernel, Windows(arrays["codes"], *(found[n] for n in Windows._fields[1:])), found["coefficients"])


def matrix_form(kernel: Kernel, windows: Windows, inputs: Inputs) -> Form:
    """The model as coefficients of the kernel with every window."""
    matrix = kernel_matrix(kernel, inputs)
    space = Dual(
        windows.n_windows, lambda coefficients: (matrix @ coefficients.astype(matrix.dtype)).astype(np.float64)
    )
    return space, lambda vector: KernelScores(kernel, windows, vector[0].reshape(windows.n_windows, -1))


def low_rank_form(kernel: Kernel, windows: Windows, inputs: Inputs, rank: int, pivots: str, seed: int) -> Form:
    """The model as weights of a factor's columns, which are coefficients of the kernel with the pivots."""
    from scipy.linalg import solve_triangular  # takes long to import

    factor, chosen = incomplete_cholesky(kernel, inputs, rank, pivots, seed)
    triangle = factor[chosen]

    def scores(vector: Vector) -> Scores:
        weights = vector[0].reshape(len(chosen), -1)
        return KernelScores(kernel, windows.take(chosen), solve_triangular(triangle, weights, lower=True, trans=1))

    return Primal(factor), scores
