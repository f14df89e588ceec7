"""What a page says of a data set."""

from __future__ import annotations

from typing import Any

from treecrf.sequences import SequenceSet


def describe_sets(
    source: str, registered: Any, window: tuple[int, int], train: SequenceSet, test: SequenceSet
) -> dict[str, Any]:
    """Counts of a training and a test set, and whether the set stands in for another one.

    Parameters
    ----------
    source : str
        Name in `treecrf.datasets`.
    registered : object
        What `treecrf.datasets.describe` gives for it.
    window : (int, int)
    train, test : SequenceSet

    Returns
    -------
    dict
        JSON values: source, title, stand_in, window, labels, n_attributes, and for "train" and "test" the
        numbers of sequences, positions and missing cells.
    """
    return {
        "source": source,
        "title": str(getattr(registered, "title", None) or source),
        "stand_in": getattr(registered, "stand_in", None) or None,
        "terms": getattr(registered, "terms", None) or None,
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
