"""One training that helps to choose: what it gets right of the sequences that were held out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.models.chain_labeller import ChainLabeller
from treecrf.sequences import SequenceSet
from treecrf.tabular.candidates import Candidate
from treecrf.tabular.fitting import handle_holes

MOST_STAGES, LEAST_STAGES = 15, 5
"""Of a training that are judged, evenly apart."""

JUDGING = 2 * 10**7
"""Pairs of labels at all positions and stages together that are judged: fewer stages where there are many labels."""

LEAST = 1e-10
"""Probability that a true label counts with at least."""


class Outcome(NamedTuple):
    """What held-out sequences say of some of a training's iterations.

    Attributes
    ----------
    iterations : int64, shape (n_stages,)
    correct : int64, shape (n_stages, n_held_out)
        Positions labelled correctly.
    surprise : float64, shape (n_stages, n_held_out)
        Sum of ``-log P(y_t | X)`` over positions.
    """

    iterations: NDArray[np.int64]
    correct: NDArray[np.int64]
    surprise: NDArray[np.float64]


def try_candidate(candidate: Candidate, train: SequenceSet, held_out: SequenceSet) -> Outcome:
    """Train on some sequences and label others; whatever fills holes is fitted to the training set alone."""
    labeller = candidate.build()
    holes = handle_holes(labeller, candidate.missing, train)
    if holes is not None:
        train, held_out = holes.transform(train), holes.transform(held_out)
    labeller.fit(train)
    assert isinstance(labeller, ChainLabeller)
    truth = labeller.align_labels(held_out)
    n_stages = JUDGING // (held_out.n_positions * len(held_out.label_names) ** 2)
    every = -(-candidate.iterations // min(max(n_stages, LEAST_STAGES), MOST_STAGES))
    stages = list(labeller.staged_predict_proba(held_out, every))
    if not stages:  # it stopped before the first of them
        stages, every = [labeller.predict_proba(held_out)], 1
    right = np.array([marginals.argmax(axis=1) == truth for marginals in stages])
    of_truth = np.array([marginals[np.arange(len(truth)), truth] for marginals in stages])
    firsts = held_out.offsets[:-1]
    return Outcome(
        every * np.arange(1, len(stages) + 1), np.add.reduceat(right, firsts, axis=1, dtype=np.int64),
        np.add.reduceat(-np.log(np.maximum(of_truth, LEAST)), firsts, axis=1),
    )  # fmt: skip
