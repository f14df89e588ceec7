"""Three forms of a kernel CRF: weights of monomials, coefficients of the kernel matrix, and of a factor of low rank.

A form prepares a space for training, and turns the vector that training finds into `Scores` of new windows.

Monomials are the polynomial kernel of indicators as an explicit expansion: products of the indicators of up to `degree`
cells. Two windows that share s cells have the inner product s, and ``(s + c)^d`` is a sum over j = 0 .. d of a weight
times the number of sets of j shared cells. So the kernel is an inner product of indicators of sets of cells, each
multiplied by the square root of its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import (
    NOT_NEGATIVE,
    SOME,
    WEIGHTS,
    Float64,
    Int32,
    Int64,
    Known,
    Rule,
    UInt16,
    below,
    equal_to,
    offsets_into,
)
from treecrf.io.arrays import starts_of
from treecrf.io.process import check_memory
from treecrf.models.base import refuse_rest, take_declared
from treecrf_studies.methods.kernel.objective import Dual, Primal, Space, Vector, space_of
from treecrf_studies.methods.kernel.windows import Inputs, Kernel, Windows, incomplete_cholesky, join, kernel_matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Monomials(NamedTuple):
    """Sets of cells of different slots that some windows have.

    Attributes
    ----------
    sizes : int64, shape (n_slots,)
        Number of cells of each slot.
    degree : int
        Most cells of a set.
    keys : int64, shape (n_monomials,)
        The codes of a set's cells as one number, ascending among the sets of the same slots.
    first : int64, shape (n_slot_sets + 1,)
        Where the keys of each set of slots begin.
    """

    sizes: NDArray[np.int64]
    degree: int
    keys: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def learn(cls, codes: NDArray[Any], sizes: NDArray[np.int64], degree: int) -> tuple[Self, NDArray[np.int32]]:
        """The sets of cells that windows have, and those of each window.

        Parameters
        ----------
        codes : uint8 or uint16, shape (n_windows, n_slots)
            Without codes that belong to no cell.
        sizes : int64, shape (n_slots,)
        degree : int

        Returns
        -------
        monomials : Monomials
        columns : int32, shape (n_windows, n_slot_sets)
            The number of the set of cells that a window has in each set of slots.
        """
        keys: list[NDArray[np.int64]] = []
        first = [0]
        columns = np.empty((len(codes), n_slot_sets(len(sizes), degree)), dtype=np.int32)
        for place, slots in enumerate(slot_sets(len(sizes), degree)):
            distinct, numbers = np.unique(_keys(codes, sizes, slots), return_inverse=True)
            columns[:, place] = first[-1] + numbers
            keys.append(distinct)
            first.append(first[-1] + len(distinct))
        return cls(sizes, degree, np.concatenate(keys), np.array(first)), columns

    def find(self, codes: NDArray[Any]) -> NDArray[np.int32]:
        """The sets of cells of other windows, as the columns of `learn`; -1 for a set that is not known."""
        columns = np.empty((len(codes), len(self.first) - 1), dtype=np.int32)
        known = codes < self.sizes
        for place, slots in enumerate(slot_sets(len(self.sizes), self.degree)):
            keys, begin = self.keys[self.first[place] : self.first[place + 1]], self.first[place]
            wanted = _keys(codes, self.sizes, slots)
            numbers = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            is_there = (keys[numbers] == wanted) & known[:, list(slots)].all(axis=1)
            columns[:, place] = np.where(is_there, begin + numbers, -1)
        return columns

    def features(self, columns: NDArray[np.int32], weights: NDArray[np.float64]) -> csr_array:
        """Square-rooted weights of the sets of cells that windows have, shape (n_windows, n_monomials).

        `columns` are from `learn` or `find`; a set of i cells has ``weights[i]`` (`monomial_weights`).
        """
        from scipy.sparse import csr_array  # takes long to import

        n_cells = np.array([len(slots) for slots in slot_sets(len(self.sizes), self.degree)])
        values = np.broadcast_to(np.sqrt(weights)[n_cells], columns.shape)
        known = columns >= 0
        first = starts_of(known.sum(axis=1)).astype(np.int32)
        return csr_array((values[known], columns[known], first), shape=(len(columns), len(self.keys)))


def monomial_weights(degree: int, coef0: float) -> NDArray[np.float64]:
    """The weight of a set of 0, 1, .. `degree` shared cells in ``(s + coef0)^degree``, shape (degree + 1,).

    A polynomial of s is the sum of its j-th differences at 0 times the binomial coefficients of s and j.
    """
    values = (np.arange(degree + 1) + float(coef0)) ** degree
    return np.array([np.diff(values, n=j)[0] for j in range(degree + 1)])


def slot_sets(n_slots: int, degree: int) -> chain[tuple[int, ...]]:
    """All sets of at most `degree` slots, the empty one first."""
    return chain.from_iterable(combinations(range(n_slots), j) for j in range(degree + 1))


def n_slot_sets(n_slots: int, degree: int) -> int:
    """How many `slot_sets` there are."""
    return sum(comb(n_slots, j) for j in range(min(degree, n_slots) + 1))


def _keys(codes: NDArray[Any], sizes: NDArray[np.int64], slots: tuple[int, ...]) -> NDArray[np.int64]:
    keys = np.zeros(len(codes), dtype=np.int64)
    for slot in slots:
        keys = keys * sizes[slot] + codes[:, slot]
    return keys


FORMS = ("monomials", "matrix", "low_rank")

MOST_MONOMIALS = 20_000_000
"""Windows times monomials of each up to which a model has a weight for each monomial."""

MOST_KEYS = 2.0**62
"""Sets of cells of the same slots that can be numbered."""

MOST_MATRIX = 2_000_000_000
"""Bytes of a float32 kernel matrix up to which a model has one."""

BYTES = 40
"""Approximate memory of a monomial of a window."""

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


class Form(NamedTuple):
    """The space to train in, and what makes `Scores` of the vector of f that training has found."""

    space: Space
    scores_of: Callable[[Vector], Scores]


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
            "sizes": sizes,
            "keys": keys,
            "first": first,
            "order_weights": self.order_weights,
            "weights": self.weights,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], known: Known, kernel: Kernel) -> Self:
        """What `arrays` gave, of a model whose lengths and limits are known."""
        sets = {"n_slot_sets": n_slot_sets(known["n_slots"], known["degree"])}
        read = take_declared(arrays, _MONOMIALS, {**known, **sets})
        refuse_rest(arrays)
        monomials = Monomials(read["sizes"], kernel.degree, read["keys"], read["first"])
        return cls(monomials, read["order_weights"], read["weights"])


def _are_keys(keys: NDArray[np.int64], known: Known) -> bool:
    """Whether keys rise among the sets of the same slots."""
    rises = np.append(keys[1:] > keys[:-1], True)
    rises[known["first"][1:] - 1] = True
    return bool((keys >= 0).all() and rises.all())


_SIZES = Annotated[Int64, "n_slots", equal_to("slot_sizes")]
_MONOMIALS = {
    "sizes": _SIZES,
    "first": Annotated[Int64, "n_slot_sets + 1", offsets_into("n_monomials", least=1)],
    "keys": Annotated[Int64, "n_monomials", Rule("rise among the sets of the same slots", _are_keys)],
    "order_weights": Annotated[Float64, "degree + 1", NOT_NEGATIVE],
    "weights": Annotated[Float64, "n_monomials + n_window_numbers, n_labels", WEIGHTS],
}
_SUPPORT = {
    "codes": Annotated[UInt16, "n_support, n_slots", SOME],
    "numbers": Annotated[Float64, "n_support, n_window_numbers", WEIGHTS],
    "sizes": _SIZES,
    "window_of": Annotated[Int32, "n_positions", below("n_support")],
    "coefficients": Annotated[Float64, "n_support, n_labels", WEIGHTS],
}


def monomial_form(kernel: Kernel, windows: Windows) -> Form:
    """The model as weights of monomials."""
    scores_with, features = monomial_features(kernel, windows)
    space = space_of(features)

    def scores(vector: Vector) -> Scores:
        weights = vector[0].reshape(features.shape[1] if isinstance(space, Primal) else features.shape[0], -1)
        return scores_with(weights if isinstance(space, Primal) else features.T @ weights)

    return Form(space, scores)


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
        codes = self.support.codes.astype(np.uint16)
        return self.support._asdict() | {"codes": codes, "coefficients": self.coefficients}

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]], known: Known, kernel: Kernel) -> Self:
        """What `arrays` gave, of a model whose lengths and limits are known."""
        read = take_declared(arrays, _SUPPORT, known)
        refuse_rest(arrays)
        return cls(kernel, Windows(*(read[name] for name in Windows._fields)), read["coefficients"])


def matrix_form(kernel: Kernel, windows: Windows, inputs: Inputs) -> Form:
    """The model as coefficients of the kernel with every window."""
    matrix = kernel_matrix(kernel, inputs)
    space = Dual(
        windows.n_windows, lambda coefficients: (matrix @ coefficients.astype(matrix.dtype)).astype(np.float64)
    )
    return Form(space, lambda vector: KernelScores(kernel, windows, vector[0].reshape(windows.n_windows, -1)))


def low_rank_form(kernel: Kernel, windows: Windows, inputs: Inputs, rank: int, pivots: str, seed: int) -> Form:
    """The model as weights of a factor's columns, which are coefficients of the kernel with the pivots."""
    from scipy.linalg import solve_triangular  # takes long to import

    factor, chosen = incomplete_cholesky(kernel, inputs, rank, pivots, seed)
    triangle = factor[chosen]

    def scores(vector: Vector) -> Scores:
        weights = vector[0].reshape(len(chosen), -1)
        return KernelScores(kernel, windows.take(chosen), solve_triangular(triangle, weights, lower=True, trans=1))

    return Form(Primal(factor), scores)
