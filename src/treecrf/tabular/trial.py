"""One training that helps to choose: what it gets right of the sequences that were held out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import SequenceSet
from treecrf.tabular.candidates import Candidate
from treecrf.tabular.fitting import handle_holes

MOST_STAGES = 15
"""Of a training that are judged, evenly apart."""


class Outcome(NamedTuple):
    """Correct positions of held-out sequences after some of a training's iterations.

    Attributes
    ----------
    iterations : int64, shape (n_stages,)
    correct : int64, shape (n_stages, n_held_out)
    """

    iterations: NDArray[np.int64]
    correct: NDArray[np.int64]


def try_candidate(candidate: Candidate, train: SequenceSet, held_out: SequenceSet) -> Outcome:
    """Train on some sequences and label others; whatever fills holes is fitted to the training set alone."""
    labeller = candidate.build()
    holes = handle_holes(labeller, candidate.missing, train)
    if holes is not None:
        train, held_out = holes.transform(train), holes.transform(held_out)
    every = -(-candidate.iterations // MOST_STAGES)
    stages = labeller.fit_staged_predict(train, held_out, ("forward_backward",), every)
    predicted = [stage["forward_backward"] for stage in stages]
    if not predicted:  # it stopped before the first of them
        predicted, every = [labeller.predict(held_out)], 1
    truth = labeller.align_labels(held_out)
    correct = [np.add.reduceat(labels == truth, held_out.offsets[:-1], dtype=np.int64) for labels in predicted]
    return Outcome(every * np.arange(1, len(correct) + 1), np.array(correct))
