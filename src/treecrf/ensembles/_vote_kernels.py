"""Kernels of `treecrf.ensembles.voting`."""

from __future__ import annotations

from numba import float64, int64, uint8, uint64, void

from treecrf.compiled.kernel import kernel

TOLERANCE = 1e-12
"""Scores that differ by less, relative to the greater one, are tied."""


@kernel(void(uint8[:, ::1], uint8[:, ::1]))
def group_experts(predictions, groups):
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
def add_weights(groups, weights, scores):
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
def elect(groups, classes, weights, scores, winners):
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
        add_weights(of_position, of_class, scores)
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
def measure_margins(groups, right, classes, weights, scores, margins):
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
        add_weights(groups[position], weights[uint64(classes[position])], scores)
        best, of_right = 0.0, 0.0
        for expert in range(uint64(len(scores))):
            if expert == right[position]:
                of_right = scores[expert]
            else:
                best = max(best, scores[expert])
        margins[position] = of_right - best
