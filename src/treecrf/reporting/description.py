"""What a page says of a data set."""

from __future__ import annotations

from typing import Any

from treecrf.datasets import Description
from treecrf.sequences import SequenceSet


def describe_sets(
    source: str, registered: Description, window: tuple[int, int], train: SequenceSet, test: SequenceSet
) -> dict[str, Any]:
    """Counts of a training and a test set, and whether the set stands in for another one.

    Parameters
    ----------
    source : str
        Name in `treecrf.datasets`.
    registered : Description
        From `treecrf.datasets.describe`.
    window : (int, int)
    train, test : SequenceSet

    Returns
    -------
    dict
        JSON values: source, title, stand_in, terms, window, labels, n_attributes, and for "train" and "test" the
        numbers of sequences, positions and missing cells.
    """
    return {
        "source": source,
        "title": registered.summary,
        "stand_in": registered.stand_in,
        "terms": registered.source,
        "window": list(window),
        "labels": list(train.label_names),
        "n_attributes": len(train.attributes),
        "train": _counts(train),
        "test": _counts(test),
    }


def _counts(data: SequenceSet) -> dict[str, int]:
    return {
        "sequences": len(data),
        "positions": data.n_positions,
        "missing_cells": int((data.values < 0).sum()),
    }
