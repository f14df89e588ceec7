"""The choice among labellers with other settings, and among the stages of their training, by held-out sequences.

Every study chooses here. A study that trains and tests its candidates in parts of a job has their scores and takes
`choose_by_scores`; one that does it at once takes `choose`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.estimators.protocol import new_one
from treecrf.models.base import Labeller
from treecrf.models.chains import ChainLabeller
from treecrf.models.decoding import Decoder
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import best_candidate
from treecrf_studies.framework.metrics import marginals_after

DECODER: Decoder = "forward_backward"

Fold = tuple[SequenceSet, SequenceSet]
"""Sequences to train with, and sequences to judge by."""

FIRST_CANDIDATE, FEWEST_ITERATIONS = ("rank", "iteration"), ("iteration", "rank")
"""What wins among equals: the first candidate, at its first stage; or the fewest iterations, of the first candidate."""

_ALL = slice(None)

Fit = TypeVar("Fit")


class ChosenLabeller(NamedTuple):
    """A labeller that is not trained, the stage of its training that is best, and the share of held-out positions
    right.

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
    decoder: Decoder = DECODER,
    ties: Sequence[str] = FIRST_CANDIDATE,
) -> ChosenLabeller:
    """The candidate, and the stage of its training, that are right on most positions of all folds together.

    Every n-th stage is a candidate (`every`). `counted` says which positions of a set count; all unless given. A single
    candidate without stages is no choice: nothing is trained unless its accuracy is wanted (`judged`).
    """
    if len(candidates) == 1 and not candidates[0].has_stages and not judged:
        return ChosenLabeller(candidates[0])
    right, n_positions = [np.zeros(0, dtype=np.int64) for _ in candidates], 0
    for train, held_out in folds:
        counts = np.ones(held_out.n_positions, dtype=bool) if counted is None else counted(held_out)
        n_positions += int(counts.sum())
        for rank, candidate in enumerate(candidates):
            trained = new_one(candidate).keeping_stages().fit(train)
            right[rank] = _added(right[rank], correct_by_stage(trained, held_out, decoder, every, counts))
    scores = [
        pd.DataFrame({"rank": rank, "iteration": every * np.arange(1, len(correct) + 1), "n_correct": correct})
        for rank, correct in enumerate(right)
    ]
    best = best_candidate(pd.concat(scores, ignore_index=True), ties, "n_correct")
    labeller = candidates[best["rank"]]
    stage = int(best["iteration"]) if labeller.has_stages else 0
    return ChosenLabeller(labeller, stage, float(best["n_correct"] / n_positions))


def choose_by_scores(scores: pd.DataFrame, ties: Sequence[str] = FEWEST_ITERATIONS) -> pd.DataFrame:
    """The candidate with the best mean accuracy over folds, and its best iteration with each decoder.

    A split has one candidate, hence one final training, which serves all decoders: the best one of all decoders and
    iterations.

    Parameters
    ----------
    scores : DataFrame
        split, fold, candidate, rank (of the candidate in its grid), iteration, decoder, n_correct, n_positions.
    ties : sequence of str
        `FIRST_CANDIDATE` or `FEWEST_ITERATIONS`.

    Returns
    -------
    DataFrame
        A row by split and decoder: split, decoder, candidate, rank, iteration, cv_accuracy, cv_fold_sd.
    """
    accuracy = scores.assign(accuracy=scores["n_correct"] / scores["n_positions"])
    keys = ["split", "decoder", "candidate", "rank", "iteration"]
    means = accuracy.groupby(keys, sort=False)["accuracy"].agg(cv_accuracy="mean", cv_fold_sd="std").reset_index()
    rows = []
    for _, of_split in means.groupby("split", sort=False):
        best = best_candidate(of_split, ties, "cv_accuracy")
        of_candidate = of_split[of_split["rank"] == best["rank"]]
        rows += [
            best_candidate(of_decoder, ["iteration"], "cv_accuracy")
            for _, of_decoder in of_candidate.groupby("decoder", sort=False)
        ]
    return pd.DataFrame(rows).reset_index(drop=True).astype({"split": int, "iteration": int, "rank": int})


def first_best(tried: Iterable[Fit], accuracy: Callable[[Fit], float]) -> Fit:
    """The first of those with the best accuracy in percent; what follows one that is always right is not tried."""
    best: Fit | None = None
    for one in tried:
        if best is None or accuracy(one) > accuracy(best):
            best = one
        if accuracy(best) == 100:
            break
    assert best is not None  # a grid has at least one candidate
    return best


def correct_by_stage(
    labeller: Labeller,
    data: SequenceSet,
    decoder: Decoder | Literal["greedy"] = DECODER,
    every: int = 1,
    counted: NDArray[np.bool_] | slice = _ALL,
) -> NDArray[np.int64]:
    """Correct positions of a trained labeller after each stage that is a candidate; of one without stages at its
    end.
    """
    truth = labeller.align_labels(data)
    correct = [(labels == truth)[counted].sum() for labels in labels_by_stage(labeller, data, decoder, every)]
    return np.array(correct, dtype=np.int64)


def labels_by_stage(
    labeller: Labeller, data: SequenceSet, decoder: Decoder | Literal["greedy"] = DECODER, every: int = 1
) -> Iterator[NDArray[np.int16]]:
    """Labels after `every`, 2 `every`, .. iterations; of a labeller without stages at its end.

    Greedy labels, from left to right, are those of labellers with local potentials.
    """
    if decoder == "greedy":
        assert isinstance(labeller, ChainLabeller)
        yield from labeller.staged_greedy(data, every)
    elif labeller.has_stages:
        for stage in labeller.staged_predict(data, (decoder,), every):
            yield stage[decoder]
    else:
        yield labeller.predict(data, decoder)


def _added(sums: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over folds; a training that stopped early stays where it is."""
    n_stages = max(len(sums), len(counts))
    return sum(_filled(values, n_stages) for values in (sums, counts))  # type: ignore[return-value]


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
        if self.stage and (labels := next(self.labeller.staged_predict(data, decoders, self.stage), None)):
            return labels
        return {decoder: self.labeller.predict(data, decoder) for decoder in decoders}

    def answer(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = (DECODER,)
    ) -> tuple[dict[Decoder, NDArray[np.int16]], NDArray[np.float64] | None]:
        """`predict`, and the marginals of the chosen stage as `treecrf_studies.framework.metrics.marginals_after`
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
        labeller, values = labeller.keeping_stages(), {"stage": stage}
    began = time.process_time()
    labeller.fit(train)
    return Trained(labeller, stage, values, time.process_time() - began)
