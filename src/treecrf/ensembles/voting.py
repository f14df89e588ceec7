"""Weighted votes of experts by classes of positions: the votes, the classes, and the simplest of them."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numba import float64, int64, uint8, uint64, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.io.arrays import Bools, Floats, Ints, places_in
from treecrf.io.messages import counted

TOLERANCE = 1e-12
"""Scores that differ by less, relative to the greater one, are tied."""


@kernel(void(uint8[:, ::1], uint8[:, ::1]))
def _group_experts(predictions, groups):
    """For each expert the first one that predicts the same label.

    Parameters
    ----------
    predictions : uint8, shape (n_positions, n_experts)
    groups : uint8, shape (n_positions, n_experts)
        Filled.
    """
    n_experts = uint64(predictions.shape[1])
    for position in range(uint64(len(predictions))):
        for expert in range(n_experts):
            label, first = predictions[position, expert], uint64(0)
            while predictions[position, first] != label:
                first += uint64(1)
            groups[position, expert] = first


@kernel(void(uint8[::1], float64[::1], float64[::1]))
def _add_weights(groups, weights, scores):
    """The score of each group of experts, at its first one; 0 elsewhere.

    Parameters
    ----------
    groups : uint8, shape (n_experts,)
    weights, scores : float64, shape (n_experts,)
        Scores are filled.
    """
    n_experts = uint64(len(groups))
    for expert in range(n_experts):
        scores[expert] = 0.0
    for expert in range(n_experts):
        scores[groups[expert]] += weights[expert]


@kernel(void(uint8[:, ::1], int64[::1], float64[:, ::1], float64[::1], uint8[::1]))
def _elect(groups, classes, weights, scores, winners):
    """An expert with the label that wins the vote of each position.

    Among tied labels the one with the heaviest single voter wins, then the one with the lowest such voter.

    Parameters
    ----------
    groups : uint8, shape (n_positions, n_experts)
        As from `group_experts`.
    classes : int64, shape (n_positions,)
    weights : float64, shape (n_classes, n_experts)
    scores : float64, shape (n_experts,)
        Room.
    winners : uint8, shape (n_positions,)
        Filled.
    """
    n_experts = uint64(groups.shape[1])
    for position in range(uint64(len(groups))):
        of_class, of_position = weights[uint64(classes[position])], groups[position]
        _add_weights(of_position, of_class, scores)
        best, second, winner = scores[0], -1.0, uint64(0)
        for expert in range(uint64(1), n_experts):
            score = scores[expert]
            if score > best:
                best, second, winner = score, best, expert
            else:
                second = max(second, score)
        least = best * (1.0 - TOLERANCE)
        if second >= least:
            heaviest = -1.0
            for expert in range(n_experts):
                if of_class[expert] > heaviest and scores[of_position[expert]] >= least:
                    winner, heaviest = expert, of_class[expert] * (1.0 + TOLERANCE)
        winners[position] = winner


@kernel(void(uint8[:, ::1], int64[::1], int64[::1], float64[:, ::1], float64[::1], float64[::1]))
def _measure_margins(groups, right, classes, weights, scores, margins):
    """The score of the true label less the best score of another one, which is 0 where nobody votes for another.

    Parameters
    ----------
    groups : uint8, shape (n_positions, n_experts)
        As from `group_experts`.
    right : int64, shape (n_positions,)
        The group that is right, -1 if none is.
    classes : int64, shape (n_positions,)
    weights : float64, shape (n_classes, n_experts)
    scores : float64, shape (n_experts,)
        Room.
    margins : float64, shape (n_positions,)
        Filled.
    """
    for position in range(uint64(len(groups))):
        _add_weights(groups[position], weights[uint64(classes[position])], scores)
        best, of_right = 0.0, 0.0
        for expert in range(uint64(len(scores))):
            if expert == right[position]:
                of_right = scores[expert]
            else:
                best = max(best, scores[expert])
        margins[position] = of_right - best


MOST_LABELS = np.iinfo(np.uint8).max + 1
MOST_PACKED = 16
"""Experts whose groups, or rights and wrongs, are packed in one number; of more experts rows are compared."""


class WeightedVote:
    """A fitted vote: each expert has a weight in each class of positions, and the label of the greatest sum wins.

    Among tied labels (a relative difference of 1e-12) the one with the heaviest single voter wins, then the one with
    the lowest such voter.

    Attributes
    ----------
    weights_ : float64, shape (n_classes, n_experts)
        At least 0.
    """

    weights_: Floats

    def vote(self, predictions: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.uint8]:
        """The label of every position.

        Parameters
        ----------
        predictions : uint8, shape (n_positions, n_experts)
        classes : int, shape (n_positions,)

        Returns
        -------
        uint8, shape (n_positions,)
        """
        return vote(self.weights_, *checked(self.weights_, predictions, classes))

    def loss(self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> float:
        """The fraction of positions whose label (int, shape (n_positions,)) the vote misses."""
        return float((self.vote(predictions, classes) != labels).mean())

    def margins(self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> Floats:
        """The score of the true label less the best other one, by weights with the sum 1; shape (n_positions,)."""
        votes, class_of = checked(self.weights_, predictions, classes)
        return margins(group_experts(votes), right_groups(votes, labels), class_of, self.weights_) / self.total_weight

    @property
    def total_weight(self) -> float:
        """The sum of the weights of a class, which is that of every class."""
        return float(self.weights_[0].sum())

    def shares(self, predictions: NDArray[Any], classes: NDArray[Any], n_labels: int) -> Floats:
        """The share of the weights for each label, float64, shape (n_positions, n_labels)."""
        votes, class_of = checked(self.weights_, predictions, classes)
        shares, rows = np.zeros((len(votes), n_labels)), np.arange(len(votes))
        for expert in range(votes.shape[1]):
            shares[rows, votes[:, expert]] += self.weights_[class_of, expert]
        return shares / shares.sum(axis=1, keepdims=True)


def checked(weights: Floats, predictions: NDArray[Any], classes: NDArray[Any]) -> tuple[NDArray[np.uint8], Ints]:
    """Predictions and classes for a table of weights, as kernels take them; a ValueError if they do not fit it.

    Parameters
    ----------
    weights : float64, shape (n_classes, n_experts)
    predictions, classes : see `WeightedVote.vote`
    """
    n_classes, n_experts = weights.shape
    votes, class_of = check_predictions(predictions, None, classes)
    if votes.shape[1] != n_experts:
        raise ValueError(
            f"the predictions are of {counted(votes.shape[1], 'expert')}, the vote is of {n_experts}; give the same."
        )
    if class_of.max() >= n_classes:
        position = int((class_of >= n_classes).argmax())
        raise ValueError(
            f"position {position} is of class {class_of[position]}, and the vote knows {n_classes}; name n_classes in "
            "fit."
        )
    return votes, class_of


def check_predictions(
    predictions: NDArray[Any], labels: NDArray[Any] | None, classes: NDArray[Any]
) -> tuple[NDArray[np.uint8], Ints]:
    """Predictions and classes as kernels take them; a ValueError says what is wrong with them, or with the labels.

    Parameters
    ----------
    predictions, classes : see `WeightedVote.vote`
    labels : int, shape (n_positions,), or None
    """
    votes, class_of = np.asarray(predictions), np.asarray(classes)
    if votes.ndim != 2 or not votes.size:
        raise ValueError(f"predictions of shape {votes.shape}: give a row for each position, a column for each expert.")
    if not np.issubdtype(votes.dtype, np.integer) or votes.min() < 0 or votes.max() >= MOST_LABELS:
        raise ValueError(f"predictions: give codes of labels, whole numbers from 0 to {MOST_LABELS - 1}.")
    for name, array in (("labels", labels), ("classes", classes)):
        if array is not None and np.shape(array) != votes.shape[:1]:
            raise ValueError(
                f"{name} of shape {np.shape(array)}: give one for each of {counted(len(votes), 'position')}."
            )
    if not np.issubdtype(class_of.dtype, np.integer) or class_of.min() < 0:
        raise ValueError("classes: give whole numbers of at least 0.")
    if votes.shape[1] > MOST_LABELS:
        raise ValueError(f"predictions of {counted(votes.shape[1], 'expert')}: give at most {MOST_LABELS}.")
    return np.ascontiguousarray(votes, dtype=np.uint8), np.ascontiguousarray(class_of, dtype=np.int64)


def vote(weights: Floats, predictions: NDArray[np.uint8], classes: Ints) -> NDArray[np.uint8]:
    """The label of every position, as `WeightedVote.vote`, of what was checked.

    Parameters
    ----------
    weights : float64, shape (n_classes, n_experts)
    predictions, classes : see `WeightedVote.vote`
    """
    winners = elect(group_experts(predictions), classes, weights)
    return predictions[np.arange(len(predictions)), winners]


def group_experts(predictions: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """For each expert the first one that predicts the same label, shape (n_positions, n_experts)."""
    groups = np.empty_like(predictions)
    _group_experts(predictions, groups)
    return groups


def right_groups(predictions: NDArray[np.uint8], labels: NDArray[Any]) -> Ints:
    """The first expert that is right at each position, -1 where none is."""
    right = predictions == np.asarray(labels)[:, None]
    return np.where(right.any(axis=1), right.argmax(axis=1), -1)


def elect(groups: NDArray[np.uint8], classes: Ints, weights: Floats) -> NDArray[np.uint8]:
    """An expert with the winning label, uint8, shape (n_rows,).

    Parameters
    ----------
    groups : uint8, shape (n_rows, n_experts)
        As from `group_experts`.
    classes : int64, shape (n_rows,)
    weights : float64, shape (n_classes, n_experts)
    """
    winners = np.empty(len(groups), dtype=np.uint8)
    _elect(groups, classes, np.ascontiguousarray(weights), np.empty(groups.shape[1]), winners)
    return winners


def margins(groups: NDArray[np.uint8], right: Ints, classes: Ints, weights: Floats) -> Floats:
    """The score of the right group less the best other one, float64, shape (n_rows,).

    Parameters
    ----------
    groups : uint8, shape (n_rows, n_experts)
        As from `group_experts`.
    right : int64, shape (n_rows,)
        As from `right_groups`.
    classes : int64, shape (n_rows,)
    weights : float64, shape (n_classes, n_experts)
    """
    measured = np.empty(len(groups))
    room = np.empty(groups.shape[1])
    _measure_margins(groups, right, classes, np.ascontiguousarray(weights), room, measured)
    return measured


class Situations(NamedTuple):
    """Positions that a vote cannot tell apart, but by the labels' names.

    Attributes
    ----------
    classes : int64, shape (n_situations,)
    groups : uint8, shape (n_situations, n_experts)
        As from `group_experts`.
    right : int64, shape (n_situations,)
        As from `right_groups`.
    of : int64, shape (n_positions,)
        The situation of each position.
    """

    classes: Ints
    groups: NDArray[np.uint8]
    right: Ints
    of: Ints

    @classmethod
    def find(cls, predictions: NDArray[np.uint8], labels: NDArray[Any], classes: Ints) -> Situations:
        """Distinct rows of class, groups of experts and right group (protocol, section 7)."""
        groups, right = group_experts(predictions), right_groups(predictions, labels)
        _, first, of = np.unique(_codes(groups, right, classes), return_index=True, return_inverse=True)
        return cls(classes[first], groups[first], right[first], of)

    def select(self, kept: Bools) -> Situations:
        """Some of them (bool, shape (n_situations,)), of no position."""
        return Situations(self.classes[kept], self.groups[kept], self.right[kept], self.of[:0])

    def elect(self, weights: Floats) -> Bools:
        """Whether the vote is right, by situation."""
        return self.groups[np.arange(len(self.groups)), elect(self.groups, self.classes, weights)] == self.right

    def margins(self, weights: Floats) -> Floats:
        """The margins, by situation."""
        return margins(self.groups, self.right, self.classes, weights)


def _codes(groups: NDArray[np.uint8], right: Ints, classes: Ints) -> Ints:
    """A number for each distinct row: the group of expert j is at most j, so that digits have bases 1, 2, .."""
    n_experts = groups.shape[1]
    if n_experts > MOST_PACKED:
        rows = np.column_stack([classes, right, groups])
        return np.unique(rows, axis=0, return_inverse=True)[1]
    codes = classes * (n_experts + 1) + right + 1
    for expert in range(1, n_experts):
        codes = codes * (expert + 1) + groups[:, expert]
    return codes


N_CLASSES = {"one": 1, "ends": 5, "relative5": 5, "absolute8": 8}
"""The number of classes of each map of positions to classes that looks at places alone."""

CLASS_MAPS = (*N_CLASSES, "voted_label")


def position_classes(name: str, offsets: Ints, predictions: NDArray[np.uint8], n_labels: int) -> tuple[Ints, int]:
    """The class of every position, and how many classes there are.

    Parameters
    ----------
    name : str
        Of `CLASS_MAPS`. "one": all positions are of one class. "ends": the first, the second, a middle, the last but
        one, the last; what comes later in this list wins where a sequence is short, but its first position is the last
        only if it is alone. "relative5": fifths of the sequence. "absolute8": the first seven, and the others.
        "voted_label": the label that most experts predict.
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
    places = places_in(offsets)
    classes_of: Any = {
        "one": lambda: np.zeros(len(places)),
        "ends": lambda: np.select(
            [places == lengths - 1, places == 0, places == lengths - 2, places == 1], [4, 0, 3, 1], 2
        ),
        "relative5": lambda: 5 * places // lengths,
        "absolute8": lambda: np.minimum(places, 7),
    }[name]()
    return classes_of.astype(np.int64), N_CLASSES[name]


class MajorityVote(WeightedVote):
    """The label that most experts predict, of tied ones that of the lowest expert."""

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Every expert gets the same weight; the arguments are those of `ESPBoost.fit`."""
        votes, class_of = check_predictions(predictions, labels, classes)
        self.weights_ = np.ones((n_classes or int(class_of.max()) + 1, votes.shape[1]))
        return self


class BestExpert(WeightedVote):
    """The expert that is right most often where it was fitted, the lowest of tied ones.

    Attributes
    ----------
    expert_ : int
    """

    def fit(
        self, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], n_classes: int | None = None
    ) -> Self:
        """Choose, whatever the classes; the arguments are those of `ESPBoost.fit`."""
        votes, class_of = check_predictions(predictions, labels, classes)
        self.expert_ = int((votes == np.asarray(labels)[:, None]).sum(axis=0).argmax())
        self.weights_ = np.zeros((n_classes or int(class_of.max()) + 1, votes.shape[1]))
        self.weights_[:, self.expert_] = 1.0
        return self
