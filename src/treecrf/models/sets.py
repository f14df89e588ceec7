"""What labellers ask of the sets that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import MISSING, SequenceSet


def check_set(data: Any) -> None:
    """Refuse what is no set, where nothing else is read."""
    if not isinstance(data, SequenceSet):
        raise ValueError(
            f"this needs a SequenceSet, not a {type(data).__name__}; other forms of sequences are for fit, predict, "
            "predict_proba, predict_n_best, span_probability, log_likelihood, score and staged_score."
        )


def refuse_missing(data: SequenceSet) -> None:
    """Refuse a set with missing cells."""
    if data.has_missing:
        names = [f"attribute {attribute.name!r}" for attribute in data.attributes]
        names += [f"number {name!r}" for name in data.number_names]
        row, column = np.argwhere(np.hstack([data.values == MISSING, np.isnan(data.numbers)]))[0]
        raise ValueError(
            f"{names[column]} is missing at observation {row}; "
            "fill or mark the holes (treecrf.missing), or give TreeCRF a way to handle them, such as missing='instance_weighting'."
        )


def check_training_set(train: SequenceSet, unknown: bool = False) -> NDArray[np.int16]:
    """The labels of a training set, once it has been found fit to learn from; `unknown` says whether some may be `MISSING`."""
    check_set(train)
    if not len(train):
        raise ValueError("the training set has no sequences; give at least one.")
    if train.labels is None:
        raise ValueError("the training set has no labels; give labelled sequences, or their labels as y.")
    if len(train.label_names) < 2:
        raise ValueError(
            f"the training set has {_only(train.label_names)}; labelling needs at least two different ones."
        )
    is_known = train.labels != MISSING
    if not is_known.all():
        if not unknown:
            raise ValueError(
                f"position {int((~is_known).argmax())} has no label, and this method learns from whole sequences of labels; give "
                "it one, drop its sequence, or choose a method that sums over unknown labels, such as TreeCRF or LinearCRF."
            )
        if not is_known.any():
            raise ValueError("no label of the training set is known; give at least one.")
    return train.labels


def _only(names: tuple[str, ...]) -> str:
    return f"the label {names[0]!r} alone" if names else "no labels"
