"""Labels in their own type, in the shape of the sequences, as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.tables import as_array, described, is_frame, lengths_of
from treecrf.io.arrays import of_objects
from treecrf.io.messages import counted, listed, quoted
from treecrf.sequences import MISSING, SequenceSet


def flat_labels(labels: Any, data: SequenceSet, form: str) -> list[Any]:
    """The labels one after another, once their number is right."""
    labels = as_array(labels)
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise ValueError(f"the labels are {described(labels)}; give one list of labels for each sequence.")
    if is_frame(labels):
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray) and labels.ndim == 2 and labels.shape[1] == 1 and form == "rows":
        labels = labels[:, 0]
    given = list(labels)
    is_nested = [isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in given]
    if form == "rows" or (form == "set" and not all(is_nested)):
        if any(is_nested):
            raise ValueError("the labels are lists, and the sequences are rows; give one label for each row.")
        if len(given) != data.n_positions:
            raise ValueError(
                f"there are {counted(len(given), 'label')} and {counted(data.n_positions, 'position')}; give one for each."
            )
        return given
    if not all(is_nested):
        raise ValueError(
            f"labels of sequence {is_nested.index(False)}: {quoted(given[is_nested.index(False)])} is one label; give one list of "
            "labels for each sequence."
        )
    if len(given) != len(data):
        raise ValueError(
            f"there are {counted(len(data), 'sequence')}, and labels of {len(given)}; give one list of labels for each sequence."
        )
    nested = [list(each) for each in given]
    wrong = np.flatnonzero(lengths_of(nested) != data.lengths)
    if len(wrong):
        number = int(wrong[0])
        raise ValueError(
            f"sequence {number} has {counted(len(nested[number]), 'label')} and "
            f"{counted(int(data.lengths[number]), 'observation')}; give one label for each."
        )
    return [label for each in nested for label in each]


def known_codes(known: Any, data: SequenceSet, form: str, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Labels that are known already, None elsewhere, in the shape of the sequences, as codes of `classes`, shape (n_positions,)."""
    try:
        found, codes = sorted_labels(flat_labels(known, data, form))
    except ValueError as error:
        raise ValueError(f"known: {error}") from None
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    for label in found.tolist():
        if label not in code_of:
            raise ValueError(
                f"known: {quoted(label)} is none of the labels, which are {listed(classes.tolist())}; give None where the label is "
                "not known."
            )
    return np.array([*(code_of[label] for label in found.tolist()), MISSING])[codes]


def flat_masks(allowed: Any, data: SequenceSet, form: str) -> Any:
    """The labels that positions may have, bool, shape (n_positions, n_labels), of such a mask for each sequence."""
    if form != "sequences":
        return allowed
    if isinstance(allowed, str | bytes | Mapping) or not isinstance(allowed, Iterable):
        raise ValueError(f"allowed is {described(allowed)}; give one mask, positions by labels, for each sequence.")
    masks = list(allowed)
    if len(masks) != len(data):
        raise ValueError(
            f"allowed: there are {counted(len(data), 'sequence')}, and masks of {len(masks)}; give one mask, positions by labels, for "
            "each."
        )
    try:
        masks = [np.asarray(mask) for mask in masks]
    except ValueError:
        raise ValueError("allowed: the rows of a mask have different lengths; give a bool for each label.") from None
    for number, (mask, length) in enumerate(zip(masks, data.lengths.tolist(), strict=True)):
        if mask.ndim != 2 or len(mask) != length or mask.shape[1] != masks[0].shape[1]:
            raise ValueError(
                f"allowed: the mask of sequence {number} has the shape {mask.shape}; give ({length}, the number of labels)."
            )
    return np.concatenate(masks)


def flat_weights(weights: Any, data: SequenceSet) -> NDArray[Any]:
    """Weights as one array: one for each sequence or position as they are, lists of a sequence's positions one after another."""
    weights = as_array(weights)
    if isinstance(weights, np.ndarray) and weights.ndim == 1 and weights.dtype != object:
        return weights
    if isinstance(weights, str | bytes | Mapping) or not isinstance(weights, Iterable):
        raise ValueError(
            f"sample_weight is {described(weights)}; give one number for each sequence, or a list of them."
        )
    given = list(weights)
    if not any(isinstance(each, Iterable) for each in given):
        return np.asarray(given)
    lengths = [len(each) if isinstance(each, Sized) else 0 for each in given]
    if lengths != data.lengths.tolist():
        raise ValueError(
            f"sample_weight has lists of the lengths {listed(lengths)}, the sequences have {listed(data.lengths.tolist())}; give "
            "numbers, one for each sequence or each position."
        )
    return np.concatenate([np.asarray(each) for each in given])


def sorted_labels(labels: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different labels, in their own type, and the code of each, `MISSING` for None and NaN."""
    import pandas as pd

    codes, found = pd.factorize(of_objects(labels))
    kinds = [_label_kind(label) for label in found]
    if "" in kinds:
        raise ValueError(
            f"Unknown label type: {quoted(found[kinds.index('')])} is a label; labels are text or whole numbers, None where they are "
            "not known."
        )
    if len(set(kinds)) > 1:
        raise ValueError(f"labels are {' and '.join(sorted(set(kinds)))}; give them one type.")
    classes, place_of = np.unique(np.array(found.tolist()), return_inverse=True)
    return classes, np.append(place_of, MISSING)[codes]


def _label_kind(label: Any) -> str:
    """Text, truth values, or whole numbers, which may be floats; empty for what is no label."""
    if isinstance(label, str):
        return "text" if label else ""
    if isinstance(label, bool | np.bool_):
        return "booleans"
    if isinstance(label, Integral) or (isinstance(label, float | np.floating) and float(label).is_integer()):
        return "numbers"
    return ""
