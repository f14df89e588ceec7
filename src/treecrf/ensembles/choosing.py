"""Votes for an ensemble of labellers: classes of positions, rounds and beta as cross-validation chooses them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.classes import CLASS_MAPS
from treecrf.ensembles.descent import Descent
from treecrf.ensembles.espboost import ESPBoost
from treecrf.ensembles.evidence import Evidence
from treecrf.ensembles.online import BETAS, OnlineMajorityVote, RandomPath
from treecrf.ensembles.rounds import choose_rounds, cross_validated_losses, fold_of_positions
from treecrf.ensembles.simple import BestExpert, MajorityVote
from treecrf.ensembles.voting import WeightedVote

Vote = TypeVar("Vote", Descent, OnlineMajorityVote, RandomPath)
Choose = Callable[[Evidence, NDArray[np.int16], int], tuple[str, WeightedVote]]
"""Gives a class map and a fitted vote from evidence, labels and a seed."""

_N_FOLDS = 5


def majority_vote(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`MajorityVote`; nothing is chosen."""
    return "one", MajorityVote().fit(evidence.predictions, labels, *evidence.classes("one"))


def best_expert(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`BestExpert`."""
    return "one", BestExpert().fit(evidence.predictions, labels, *evidence.classes("one"))


def espboost(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`ESPBoost` with the class map and the rounds of the smallest cross-validated loss, the first ones of equals."""
    predictions, n_folds = evidence.predictions, _n_folds(evidence)
    curves = [
        cross_validated_losses(
            predictions, labels, evidence.classes(name)[0], evidence.group_of_positions, n_folds=n_folds, seed=seed
        )
        for name in CLASS_MAPS
    ]
    best = int(np.argmin([curve.min() for curve in curves]))
    boosted = ESPBoost(choose_rounds(curves[best]))
    return CLASS_MAPS[best], boosted.fit(predictions, labels, *evidence.classes(CLASS_MAPS[best]))


def descent(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`Descent` with the class map of the smallest cross-validated loss."""
    return _best(evidence, labels, seed, [(name, Descent()) for name in CLASS_MAPS])


def online_majority_vote(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`OnlineMajorityVote` with the class map and beta of the smallest cross-validated loss."""
    candidates = [(name, OnlineMajorityVote(beta)) for name, beta in product(CLASS_MAPS, BETAS)]
    return _best(evidence, labels, seed, candidates)


def random_path(evidence: Evidence, labels: NDArray[np.int16], seed: int) -> tuple[str, WeightedVote]:
    """`RandomPath`, drawn with the class map and beta of `online_majority_vote`."""
    class_map, vote = online_majority_vote(evidence, labels, seed)
    assert isinstance(vote, OnlineMajorityVote)
    return class_map, _fit(RandomPath(vote.beta, random_state=seed), evidence, labels, class_map)


def _best(
    evidence: Evidence, labels: NDArray[np.int16], seed: int, candidates: list[tuple[str, Vote]]
) -> tuple[str, WeightedVote]:
    """The candidate with the smallest cross-validated loss, the first one of equals, fitted."""
    folds = fold_of_positions(evidence.group_of_positions, _n_folds(evidence), seed)
    losses = []
    for class_map, vote in candidates:
        classes = evidence.classes(class_map)[0]
        n_wrong = 0.0
        for fold in range(int(folds.max()) + 1):
            judges = folds == fold
            fitted = _fit(vote, evidence, labels, class_map, ~judges)
            n_wrong += judges.sum() * fitted.loss(evidence.predictions[judges], labels[judges], classes[judges])
        losses.append(n_wrong)
    class_map, vote = candidates[int(np.argmin(losses))]
    return class_map, _fit(vote, evidence, labels, class_map)


def _fit(
    vote: Vote, evidence: Evidence, labels: NDArray[np.int16], class_map: str, kept: NDArray[np.bool_] | None = None
) -> Vote:
    """Fit a vote to the positions that are kept, or to all."""
    positions = slice(None) if kept is None else kept
    classes, n_classes = evidence.classes(class_map)
    given = (evidence.predictions[positions], labels[positions], classes[positions], n_classes)
    if isinstance(vote, OnlineMajorityVote):
        return vote.fit(*given, sequences=evidence.sequences[positions])
    return vote.fit(*given)


def _n_folds(evidence: Evidence) -> int:
    """As many folds as usual, or as there are unrelated sequences."""
    n_groups = len(np.unique(evidence.groups))
    if n_groups < 2:
        raise ValueError(
            "the sequences that train what combines the experts are all related, so none can judge; give more, or combine "
            "by stacking."
        )
    return min(_N_FOLDS, n_groups)
