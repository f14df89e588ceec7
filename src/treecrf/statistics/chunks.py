"""The F1 score of chunks, such as noun phrases, that are marked by the tags B, I and O."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.messages import quoted

TAGS = ("B", "I", "O")


class ChunkScore(NamedTuple):
    """What `chunk_f1` finds.

    Attributes
    ----------
    precision, recall, f1 : float
        Percent; 0 where there is nothing to count.
    n_true, n_predicted, n_correct : int
        Chunks: true, predicted, and both (the same first and last position).
    """

    precision: float
    recall: float
    f1: float
    n_true: int
    n_predicted: int
    n_correct: int


def chunk_f1(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike) -> ChunkScore:
    """Precision, recall and F1 of chunks of one type, as conlleval (Tjong Kim Sang and Buchholz 2000) counts them.

    A chunk begins at a B, and at an I that stands after an O or first in its sequence; it reaches to the last I before
    another tag or the sequence's end. seqeval counts so in its default mode.

    Parameters
    ----------
    true, predicted : str, shape (n_positions,)
        "B", "I" or "O".
    offsets : int64, shape (n_sequences + 1,)
        Sequence i has the positions ``offsets[i]`` to ``offsets[i + 1] - 1``.

    Returns
    -------
    ChunkScore

    Raises
    ------
    ValueError
        For arrays of different lengths, and for another tag.
    """
    bounds = np.asarray(offsets, dtype=np.int64)
    found = []
    for name, tags in (("true", np.asarray(true)), ("predicted", np.asarray(predicted))):
        if tags.shape != (bounds[-1],):
            raise ValueError(
                f"chunk_f1: {name} has shape {tags.shape} and offsets end at {bounds[-1]}; give a tag a position."
            )
        strange = ~np.isin(tags, TAGS)
        if strange.any():
            raise ValueError(f"chunk_f1: {name} holds {quoted(str(tags[strange][0]))}; give the tags B, I and O.")
        found.append(_chunks(tags, bounds))
    # A position begins at most one chunk, so that a row is found at most once in the other array.
    n_true, n_predicted = map(len, found)
    n_correct = n_true + n_predicted - len(np.unique(np.concatenate(found), axis=0))
    precision, recall = _percent(n_correct, n_predicted), _percent(n_correct, n_true)
    f1 = _percent(2 * n_correct, n_true + n_predicted)
    return ChunkScore(precision, recall, f1, n_true, n_predicted, n_correct)


def _chunks(tags: NDArray[np.str_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """First and last position of every chunk; int64, shape (n_chunks, 2)."""
    bound = np.zeros(len(tags) + 1, dtype=np.bool_)
    bound[offsets] = True
    inside = tags != "O"
    after_outside = bound[:-1] | np.roll(~inside, 1)  # what the last position brings to the first is bound anyway
    begins = (tags == "B") | (inside & after_outside)
    ends = inside & (bound[1:] | np.roll(begins | ~inside, -1))
    return np.column_stack([np.flatnonzero(begins), np.flatnonzero(ends)])


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
