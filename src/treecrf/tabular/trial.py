"""One training that helps to choose: what it gets right of the sequences that were held out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.models.chains import ChainLabeller
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
    marginals : list of n_stages float32 arrays, shape (n_held_out_positions, n_labels)
        None unless they are kept.
    """

    iterations: NDArray[np.int64]
    correct: NDArray[np.int64]
    surprise: NDArray[np.float64]
    marginals: list[NDArray[np.float32]] | None = None


def judge_marginals(
    marginals: NDArray[np.floating], data: SequenceSet
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What marginals of a labelled set get right, and how much its labels surprise them, by sequence (see `Outcome`)."""
    truth = np.asarray(data.labels)
    right = marginals.argmax(axis=1) == truth
    surprise = -np.log(np.maximum(marginals[np.arange(len(truth)), truth].astype(np.float64), LEAST))
    starts = data.offsets[:-1]
    return np.add.reduceat(right, starts, dtype=np.int64), np.add.reduceat(surprise, starts)


def try_candidate(
    candidate: Candidate, train: SequenceSet, held_out: SequenceSet, keeps_marginals: bool = False
) -> Outcome:
    """Train on some sequences and label others; whatever fills holes is fitted to the training set alone."""
    labeller = candidate.build()
    holes = handle_holes(labeller, candidate.missing, train)
    if holes is not None:
        train, held_out = holes.transform(train), holes.transform(held_out)
    assert isinstance(labeller, ChainLabeller)
    n_stages = JUDGING // (held_out.n_positions * len(held_out.label_names) ** 2)
    every = -(-candidate.iterations // min(max(n_stages, LEAST_STAGES), MOST_STAGES))
    judged: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = []
    kept: list[NDArray[np.float32]] = []

    def judge(iterations: int, marginals: NDArray[np.float64]) -> None:
        judged.append((iterations, *judge_marginals(marginals, held_out)))
        if keeps_marginals:
            kept.append(marginals.astype(np.float32))

    labeller.fit_watched(train, held_out, judge, every)
    if not judged:  # it stopped before the first of them
        judge(1, labeller.predict_proba(held_out))
    iterations, right, surprise = zip(*judged, strict=True)
    return Outcome(np.array(iterations), np.array(right), np.array(surprise), kept or None)
