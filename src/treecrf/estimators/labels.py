"""Labels in their own type, in the shape of the sequences, as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.tables import as_array, described, is_frame, lengths_of
from treecrf.io.arrays import of_objects
from treecrf.io.messages import counted, quoted
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
            f"there are labels of {counted(len(given), 'sequence')}, and {counted(len(data), 'sequence')}; give both."
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
