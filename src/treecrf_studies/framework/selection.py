"""The choice among labellers with other settings, and among the stages of their training, by held-out sequences."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.models.base import Labeller
from treecrf.models.chains import ChainLabeller
from treecrf.models.decoding import Decoder
from treecrf.sequences import SequenceSet
from treecrf_studies.framework.confidence import marginals_after

DECODER: Decoder = "forward_backward"

Fold = tuple[SequenceSet, SequenceSet]
"""Sequences to train with, and sequences to judge by."""


class ChosenLabeller(NamedTuple):
    """A labeller that is not trained, the stage of its training that is best, and percent of the held-out positions.

    Stage 0 stands for the last one. NaN where nothing was held out, as there was nothing to choose.
    """

    labeller: Labeller
    stage: int = 0
    accuracy: float = float("nan")


def choose(
    candidates: Sequence[Labeller],
    folds: Iterable[Fold],
    every: int = 1,
    counted: Callable[[SequenceSet], NDArray[np.bool_]] | None = None,
    judged: bool = False,
) -> ChosenLabeller:
    """The candidate that is right on most positions of all folds; among equals the first, with the fewest stages.

    Every n-th stage is a candidate (`every`). `counted` says which positions of a set count; all unless given. A single
    candidate without stages is no choice: nothing is trained unless its accuracy is wanted (`judged`).
    """
    if len(candidates) == 1 and not candidates[0].has_stages and not judged:
        return ChosenLabeller(candidates[0])
    right, n_positions = [np.zeros(0, dtype=np.int64) for _ in candidates], 0
    for train, held_out in folds:
        counts = np.ones(held_out.n_positions, dtype=bool) if counted is None else counted(held_out)
        n_positions += int(counts.sum())
        for place, candidate in enumerate(candidates):
            found = _right_by_stage(candidate.keeping_stages().fit(train), held_out, every, counts)
            right[place] = _added(right[place], found)
    most = [int(found.max()) for found in right]
    place = most.index(max(most))
    best = candidates[place]
    stage = (int(right[place].argmax()) + 1) * every if best.has_stages else 0
    return ChosenLabeller(best, stage, 100 * most[place] / n_positions)


def _right_by_stage(
    labeller: Labeller, held_out: SequenceSet, every: int, counts: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Correct positions of a trained labeller after each stage that is a candidate."""
    truth = labeller.align_labels(held_out)
    stages = (
        labeller.staged_predict(held_out, (DECODER,), every)
        if labeller.has_stages
        else [{DECODER: labeller.predict(held_out, DECODER)}]
    )
    return np.array([int((stage[DECODER] == truth)[counts].sum()) for stage in stages], dtype=np.int64)


def _added(sums: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over folds; a training that stopped early stays where it is."""
    n_stages = max(len(sums), len(found))
    return sum(_filled(values, n_stages) for values in (sums, found))  # type: ignore[return-value]


def _filled(values: NDArray[np.int64], n_stages: int) -> NDArray[np.int64]:
    return np.pad(values, (0, n_stages - len(values)), mode="edge") if len(values) else np.zeros(n_stages, dtype=int)


class Trained(NamedTuple):
    """A labeller that was trained as it was chosen, what is said of the stage, and CPU seconds of the training."""

    labeller: Labeller
    stage: int
    values: dict[str, int]
    cpu_seconds: float

    def predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = (DECODER,)
    ) -> dict[Decoder, NDArray[np.int16]]:
        """The labels of the chosen stage, by decoder; of the last one where training converged before."""
        if not (self.stage or self.labeller.has_stages) and isinstance(self.labeller, ChainLabeller):
            return next(self.labeller.staged_predict(data, decoders))  # scores once for all decoders
        if self.stage and (found := next(self.labeller.staged_predict(data, decoders, self.stage), None)):
            return found
        return {decoder: self.labeller.predict(data, decoder) for decoder in decoders}

    def answer(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = (DECODER,)
    ) -> tuple[dict[Decoder, NDArray[np.int16]], NDArray[np.float64] | None]:
        """`predict`, and the marginals of the chosen stage as `treecrf_studies.framework.confidence.marginals_after`
        has them.
        """
        if isinstance(self.labeller, ChainLabeller) and self.labeller.has_probabilities:
            return self.labeller.answer(data, decoders, self.stage or None)
        return self.predict(data, decoders), marginals_after(self.labeller, data, self.stage)


def train_as_chosen(choice: ChosenLabeller, train: SequenceSet) -> Trained:
    """Train on all sequences: to the chosen stage where a labeller can be told to stop there, else beyond it."""
    labeller, stage, values = choice.labeller, choice.stage, dict[str, int]()
    if stage and "n_iterations" in labeller.get_params():
        labeller.set_params(n_iterations=stage)
        stage, values = 0, {"n_iterations": stage}
    elif stage:
        values = {"stage": stage}
    began = time.process_time()
    labeller.fit(train)
    return Trained(labeller, stage, values, time.process_time() - began)
