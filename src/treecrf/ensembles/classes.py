"""Classes of positions in sequences of unequal length (protocol, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.voting import vote

N_CLASSES = {"one": 1, "ends": 5, "relative5": 5, "absolute8": 8}
"""Of the maps that look at places alone."""

CLASS_MAPS = (*N_CLASSES, "voted_label")


def position_classes(
    name: str, offsets: NDArray[np.int64], predictions: NDArray[np.uint8], n_labels: int
) -> tuple[NDArray[np.int64], int]:
    """The class of every position, and how many classes there are.

    Parameters
    ----------
    name : str
        Of `CLASS_MAPS`. "one": all positions are of one class. "ends": the first, the second, a middle, the last but one, the
        last; what comes later in this list wins where a sequence is short, but its first position is the last only if it is
        alone. "relative5": fifths of the sequence. "absolute8": the first seven, and the others. "voted_label": the label that
        most experts predict.
    offsets : int64, shape (n_sequences + 1,)
    predictions : uint8, shape (n_positions, n_experts)
    n_labels : int

    Returns
    -------
    int64, shape (n_positions,), and int
    """
    if name not in CLASS_MAPS:
        raise ValueError(f"the class map {name!r} is not known; choose one of {', '.join(CLASS_MAPS)}.")
    if name == "voted_label":
        none = np.zeros(len(predictions), dtype=np.int64)
        return vote(np.ones((1, predictions.shape[1])), predictions, none).astype(np.int64), n_labels
    lengths = np.repeat(np.diff(offsets), np.diff(offsets))
    places = np.arange(len(lengths)) - np.repeat(offsets[:-1], np.diff(offsets))
    found: Any = {
        "one": lambda: np.zeros(len(places)),
        "ends": lambda: np.select(
            [places == lengths - 1, places == 0, places == lengths - 2, places == 1], [4, 0, 3, 1], 2
        ),
        "relative5": lambda: 5 * places // lengths,
        "absolute8": lambda: np.minimum(places, 7),
    }[name]()
    return found.astype(np.int64), N_CLASSES[name]
