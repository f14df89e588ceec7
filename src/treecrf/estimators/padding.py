"""Padded arrays: sequences of different lengths in one array of three dimensions, whose last rows are no observations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence, Sized
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.labels import is_known
from treecrf.estimators.tables import described
from treecrf.io.arrays import of_objects
from treecrf.io.messages import counted


class Padding(NamedTuple):
    """How many rows of each sequence are observations, and how many there are.

    Attributes
    ----------
    lengths : int64, shape (n_sequences,)
    longest : int
    """

    lengths: NDArray[np.int64]
    longest: int

    @classmethod
    def find(cls, sequences: Any, labels: Any, lengths: ArrayLike | None) -> Self | None:
        """The padding of sequences; None if there is none.

        Parameters
        ----------
        sequences : any form of sequences
            Arrays of three dimensions (n_sequences, longest, n_columns) alone have padding.
        labels : list or array, optional
            Of the sequences.
        lengths : array_like of int, shape (n_sequences,), optional
            How many observations each sequence has. Unless given, the last rows of a float array are padding, with a
            warning, where all inputs are NaN and no label is known.

        Raises
        ------
        ValueError
            For lengths that do not fit, in one sentence.
        """
        is_array = isinstance(sequences, np.ndarray) and sequences.ndim == 3
        if lengths is not None:
            if not is_array:
                raise ValueError(
                    "lengths are those of rows (a 2-d array, a DataFrame or a list of dicts) or of a padded array of "
                    f"three dimensions, and the sequences are {described(sequences)}; leave lengths out, as each "
                    "sequence has its own length."
                )
            return cls(_checked(lengths, sequences.shape), sequences.shape[1])
        if not is_array or sequences.dtype.kind != "f" or not sequences.size:
            return None
        longest = sequences.shape[1]
        ends = _ends(~np.isnan(sequences).all(axis=2))
        if (ends == longest).all():
            return None
        if isinstance(labels, Sequence | np.ndarray) and len(labels) == len(sequences):
            ends = np.maximum(ends, [min(_labelled_end(each, longest), longest) for each in labels])
        n_rows, n_padded = int((longest - ends).sum()), int((ends < longest).sum())
        if not n_rows:
            return None
        warnings.warn(
            f"{counted(n_rows, 'row')} at the ends of {counted(n_padded, 'sequence')} left out as padding, as all is "
            "missing there; lengths= says which rows are observations.",
            stacklevel=5,
        )
        return cls(ends, longest)

    def cut(self, lists: Any) -> Any:
        """Arrays, or lists of labels, masks or weights by sequence, without what belongs to the padding."""
        if isinstance(lists, str | bytes | Mapping) or not isinstance(lists, Sequence | np.ndarray):
            return lists
        if len(lists) != len(self.lengths) or not all(isinstance(each, Sized) for each in lists):
            return lists
        return [
            each[:length] if not isinstance(each, str) and len(each) == self.longest else each
            for each, length in zip(lists, self.lengths.tolist(), strict=True)
        ]


def _ends(is_there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where the last True of each row ends, 0 if there is none."""
    places = np.arange(1, is_there.shape[1] + 1)
    return np.asarray((is_there * places).max(axis=1), dtype=np.int64)


def _labelled_end(labels: Any, longest: int) -> int:
    """Where the last known label of a sequence ends; the number of labels where they are not padded."""
    if not isinstance(labels, Sequence | np.ndarray):
        return 0
    if len(labels) != longest:
        return len(labels)
    known = [is_known(label) for label in of_objects(labels)]
    return int(_ends(np.array([known]))[0])


def _checked(lengths: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    n_rows = np.asarray(lengths)
    if n_rows.shape != shape[:1] or n_rows.dtype.kind not in "iu":
        raise ValueError(
            f"lengths have the shape {n_rows.shape} and type {n_rows.dtype}; give a whole number for each of "
            f"{shape[0]} sequences."
        )
    wrong = (n_rows < 0) | (n_rows > shape[1])
    if wrong.any():
        number = int(wrong.argmax())
        raise ValueError(f"lengths: sequence {number} has {n_rows[number]} observations; give 0 to {shape[1]}.")
    return n_rows.astype(np.int64)
