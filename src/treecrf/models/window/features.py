"""What classifiers see of windows: indicators of cells, numbers, and rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import FINITE, POSITIVE, Float64, struct
from treecrf.io.arrays import Floats, Ints, in_units, of_observations, starts_of
from treecrf.io.messages import needs_extra
from treecrf.io.process import check_memory
from treecrf.sequences import SequenceSet, slot_sizes, window_codes, window_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_array, csr_matrix


def window_numbers(data: SequenceSet, window: tuple[int, int]) -> Floats:
    """The numbers of the window of every position, and which of its places are outside of the sequence.

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


def n_window_numbers(n_numbers: int, window: tuple[int, int]) -> int:
    """How many columns `window_numbers` has."""
    return (sum(window) + 1) * (n_numbers + 1) if n_numbers else 0


def one_hot(codes: NDArray[np.unsignedinteger], slot_sizes: Ints) -> csr_array:
    """Indicators of the cells of each window, shape (n_positions, n_cells), in the order of `Columns`.

    `codes` (n_positions, n_slots) are those of `treecrf.sequences.window_codes`; one of `slot_sizes` or more is no
    cell.
    """
    from scipy.sparse import csr_array  # takes long to import

    first_cell = starts_of(slot_sizes)
    known = codes < slot_sizes
    cells = (codes + first_cell[:-1])[known]
    first = starts_of(known.sum(axis=1))
    return csr_array((np.ones(len(cells)), cells, first), shape=(len(codes), first_cell[-1]))


def see_windows(data: SequenceSet, window: tuple[int, int]) -> csr_array:
    """What the network sees of windows: `one_hot`, then `window_numbers`, 0 for NaN; shape (n_positions, n_inputs)."""
    cells = one_hot(window_codes(data, window), slot_sizes(data.attributes, window))
    if not data.number_names:
        return cells
    from scipy.sparse import csr_array, hstack

    return hstack([cells, csr_array(np.nan_to_num(window_numbers(data, window)))], format="csr")


MOST_DEVIATIONS = 1e15
"""Standard numbers farther from 0 are taken for it: float32 holds it, and float64 its square."""


MOST_NUMBER = 1e150
"""The square of a larger number leaves the range of float64."""


def refuse_large(train: SequenceSet) -> None:
    """Refuse numbers whose mean and deviation cannot be computed."""
    large = np.argwhere(np.abs(train.numbers) > MOST_NUMBER)
    if len(large):
        row, column = large[0]
        raise ValueError(
            f"number {train.number_names[column]!r} is {train.numbers[row, column]:g} at observation {row}, too large "
            "to be standardized; divide the column by a constant, or choose TreeCRF."
        )


def standardized(numbers: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Numbers less their means, in deviations, shape (n_observations, n_numbers); NaN stays."""
    with np.errstate(over="ignore"):
        return np.clip((numbers - mean) / deviation, -MOST_DEVIATIONS, MOST_DEVIATIONS)


def known_moments(numbers: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Weighted mean and standard deviation of each column's known cells; 0 where none is known."""
    known = ~np.isnan(numbers)
    counts = known * (1.0 if weights is None else in_units(weights)[1][:, None])
    total = counts.sum(axis=0)
    total = np.where(total > 0.0, total, 1.0)
    mean = (np.where(known, numbers, 0.0) * counts).sum(axis=0) / total
    return mean, np.sqrt((np.where(known, numbers - mean, 0.0) ** 2 * counts).sum(axis=0) / total)


@struct
class Scale(NamedTuple):
    """What makes the known numbers of a training set standard ones."""

    mean: Annotated[Float64, "n_numbers", FINITE]
    deviation: Annotated[Float64, "n_numbers", FINITE, POSITIVE]

    @classmethod
    def of(cls, train: SequenceSet, weights: Floats | None = None, together: bool = False) -> Self:
        """Means and standard deviations of known cells; 0 and 1 for a number never known, 1 for one that does not vary.

        Positions may have weights. Of all numbers `together`, as those of a picture are, they are the same.
        """
        refuse_large(train)
        counts = of_observations(weights, train.offsets, train.observation_offsets)
        mean, deviation = known_moments(train.numbers, counts)
        if together:
            n_numbers = train.numbers.shape[1]
            of_cells = None if counts is None else np.repeat(counts, n_numbers)
            mean, deviation = (np.repeat(m, n_numbers) for m in known_moments(train.numbers.reshape(-1, 1), of_cells))
        return cls(mean, np.where(deviation > 0, deviation, 1.0))

    def apply(self, data: SequenceSet) -> SequenceSet:
        """The set with standard numbers."""
        return data.with_numbers(standardized(data.numbers, self.mean, self.deviation))


class Taken(NamedTuple):
    """What the table of a classifier may hold.

    Attributes
    ----------
    most_categories : int or None
        Of a column of category codes, which the classifier is told of by its setting ``categorical_features``; None if
        it knows numbers alone.
    missing : bool
        Whether numbers may be NaN.
    sparse : bool
        Whether the table may be a sparse matrix.
    """

    most_categories: int | None = None
    missing: bool = False
    sparse: bool = False

    @classmethod
    def by(cls, classifier: Any) -> Self:
        """What a classifier takes, from its settings and scikit-learn's tags; a plain table if it has neither."""
        settings = classifier.get_params() if hasattr(classifier, "get_params") else {}
        tags = classifier.__sklearn_tags__().input_tags if hasattr(classifier, "__sklearn_tags__") else None
        return cls(
            settings.get("max_bins", 255) if "categorical_features" in settings else None,
            tags is not None and tags.allow_nan,
            tags is not None and tags.sparse,
        )


class WindowFeatures:
    """The categories and numbers in the window of every position as the columns of a table.

    Categories come first. They are codes where the classifier takes these: a missing one is NaN, and the rarest are one
    where there are more than it takes. Otherwise there is an indicator for each category that the training set has in
    that place of the window; *missing* and *outside the sequence* have indicators of their own, and a category that the
    training set does not have there leaves all at 0. Numbers, with an indicator of places outside the sequence, are as
    they are, NaN where missing or outside; for a classifier that takes no NaN they are standardized, and such places
    have the training set's mean.

    Attributes
    ----------
    n_codes_ : int
        How many columns, the first ones, hold codes of categories.
    """

    def __init__(self, window: tuple[int, int], taken: Taken) -> None:
        self.window = window
        self.taken = taken

    def fit(self, train: SequenceSet) -> Self:
        """Learn the categories of each place, and the mean and deviation of each number."""
        with needs_extra("rivals"):
            from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder  # takes long to import

        codes = self._codes(train)
        most = self.taken.most_categories
        if most is None:
            self._encoder: Any = OneHotEncoder(handle_unknown="ignore")
        else:
            self._encoder = OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=most
            )
        if codes.shape[1]:
            self._encoder.fit(codes)
        self.n_codes_ = 0 if most is None else codes.shape[1]
        self._mean, deviation = known_moments(window_numbers(train, self.window))
        self._deviation = np.where(deviation > 0, deviation, 1.0)
        return self

    def transform(self, data: SequenceSet) -> Floats | csr_matrix:
        """The table, float64, shape (n_positions, n_features); categories are those of the training set."""
        from scipy.sparse import csr_matrix, hstack

        numbers = window_numbers(data, self.window)
        if not self.taken.missing:
            numbers = np.nan_to_num((numbers - self._mean) / self._deviation)
        codes = self._codes(data)
        if not codes.shape[1]:
            return numbers
        categories = self._encoder.transform(codes)
        if self.n_codes_:
            return np.hstack([categories, numbers])
        if self.taken.sparse and not np.isnan(numbers).any():
            return csr_matrix(hstack([categories, csr_matrix(numbers)], format="csr"))
        check_memory(
            8 * len(numbers) * (categories.shape[1] + numbers.shape[1]),
            "an indicator for every category of the windows",
            "give a smaller window, or a classifier that takes categories or sparse tables",
        )
        return np.hstack([categories.toarray(), numbers])

    def _codes(self, data: SequenceSet) -> NDArray[Any]:
        """The window codes, NaN for a missing one where codes are what the classifier takes."""
        codes = window_codes(data, self.window)
        if self.taken.most_categories is None:
            return codes
        return np.where(codes == slot_sizes(data.attributes, self.window), np.nan, codes)
