"""What the examples of a training set count: weights of sequences, positions and labels, and labels that are not known.

Weights multiply shares of the log likelihood. By the chain rule the log likelihood of a sequence is the sum over its
positions of ``log P(y_t | y_1 .. y_{t-1}, X)``; a weight of position t multiplies that term, so that equal weights
within a sequence multiply ``log P(Y | X)``, and positions that are labelled by themselves have a weighted ``log P(y_t |
X)`` each.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.messages import quoted
from treecrf.sequences import MISSING, SequenceSet

ClassWeight = str | Mapping[str, float] | None
"""The setting `class_weight`: "balanced" (labels weigh the same in all), weights by name of the label, or None."""


LARGEST_WEIGHT = 1e100
"""Sums and squares of such weights stay within the range of float64."""


def position_weights(
    train: SequenceSet, sample_weight: ArrayLike | None, class_weight: ClassWeight
) -> NDArray[np.float64] | None:
    """The weight of every position, shape (n_positions,); None where all weigh 1.

    Parameters
    ----------
    train : SequenceSet
        With labels.
    sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
        By sequence or by position; at least 0.
    class_weight : "balanced", mapping of str to float, or None
        What the weight of a position with a label is multiplied by: "balanced" is ``n / (n_labels * n_y)`` for a label
        that ``n_y`` of the n known labels are, `n_labels` being how many labels occur.

    Raises
    ------
    ValueError
        For weights of another shape, or that are negative, not finite, too large, or all 0; for names that are no
        labels.
    """
    if sample_weight is None and class_weight is None:
        return None
    weights = np.ones(train.n_positions)
    if sample_weight is not None:
        weights *= _by_position(sample_weight, train)
    if class_weight is not None:
        assert train.labels is not None
        weights *= np.append(_by_label(class_weight, train), 1.0)[train.labels]
    if not weights.any():
        raise ValueError("all weights are 0; give some sequence a weight above 0.")
    if not weights.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"weights go up to {weights.max():g}; divide all by one number, so that none is above {LARGEST_WEIGHT:g}."
        )
    return None if (weights == 1.0).all() else weights


def _by_position(sample_weight: ArrayLike, train: SequenceSet) -> NDArray[np.float64]:
    values = np.asarray(sample_weight)
    if values.shape not in ((len(train),), (train.n_positions,)) or values.dtype.kind not in "fiub":
        raise ValueError(
            f"sample_weight has shape {values.shape} and type {values.dtype}; give numbers, one for each of "
            f"{len(train)} sequences or of {train.n_positions} positions."
        )
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"sample_weight[{place}] is {values[place]}; a weight must be finite and at least 0.")
    weights = values.astype(np.float64)
    return weights if len(weights) == train.n_positions else np.repeat(weights, train.lengths)


def _by_label(class_weight: str | Mapping[str, float], train: SequenceSet) -> NDArray[np.float64]:
    """Weights of the labels, shape (n_labels,)."""
    if isinstance(class_weight, Mapping):
        class_weight = {str(label): weight for label, weight in class_weight.items()}  # labels may be numbers
        for name in class_weight:
            if name not in train.label_names:
                raise ValueError(
                    f"class_weight names {quoted(name)}, which is no label; the labels are "
                    f"{', '.join(train.label_names)}."
                )
        return np.array([class_weight.get(name, 1.0) for name in train.label_names], dtype=np.float64)
    labels = np.asarray(train.labels)
    counts = np.bincount(labels[labels != MISSING], minlength=len(train.label_names))
    return np.asarray(counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)))


def without_silent(
    train: SequenceSet, weights: NDArray[np.float64] | None
) -> tuple[SequenceSet, NDArray[np.float64] | None]:
    """The set without the sequences that say nothing, no label of theirs being known or all their weights being 0.

    The set itself and its weights, if every sequence has non-zero weight.
    """
    counts = np.ones(train.n_positions, dtype=np.bool_) if train.labels is None else train.labels != MISSING
    if weights is not None:
        counts &= weights > 0
    speaking = np.logical_or.reduceat(counts, train.offsets[:-1])
    if speaking.all():
        return train, weights
    kept = train.select(np.flatnonzero(speaking))
    return kept, None if weights is None else weights[np.repeat(speaking, train.lengths)]


def vary_within(weights: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the weights of a sequence differ, shape (n_sequences,)."""
    return np.maximum.reduceat(weights, offsets[:-1]) != np.minimum.reduceat(weights, offsets[:-1])


def refuse_mixed(labels: NDArray[np.int16], weights: NDArray[np.float64], offsets: NDArray[np.int64]) -> None:
    """Refuse a sequence with unknown labels and different weights: the chain rule needs the labels before."""
    both = vary_within(weights, offsets) & np.logical_or.reduceat(labels == MISSING, offsets[:-1])
    if both.any():
        raise ValueError(
            f"sequence {int(both.argmax())} has unknown labels and weights that differ between its positions; give it "
            "one weight, and leave class_weight out."
        )


def refuse_weights(labeller: object, weights: ArrayLike | None) -> None:
    """Refuse weights that a labeller does not support."""
    if weights is not None:
        raise ValueError(
            f"{type(labeller).__name__} takes no weights; leave sample_weight out, or choose another method such as "
            "TreeCRF."
        )
