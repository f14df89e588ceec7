"""Slow, obvious versions of what `treecrf.chain` computes of constrained chains: all label sequences are enumerated."""

import itertools
import math

import naive
import numpy as np


def is_allowed(path, begin, allowed, follows):
    """Whether a label sequence that begins at a position agrees with both masks, either of which may be None."""
    start = -1  # the last row of `follows`
    steps = itertools.pairwise([start, *path])
    return (allowed is None or all(allowed[begin + t, label] for t, label in enumerate(path))) and (
        follows is None or all(follows[before, label] for before, label in steps)
    )


def constrained_paths(potentials, begin, end, order, allowed=None, follows=None):
    """Scores of the label sequences that are left, by label sequence."""
    scores = naive.chain_scores(potentials, begin, end, order)
    return {path: score for path, score in scores.items() if is_allowed(path, begin, allowed, follows)}


def probabilities(scores):
    """By label sequence."""
    log_partition = naive.log_sum(list(scores.values()))
    return {path: math.exp(score - log_partition) for path, score in scores.items()}


def marginals(potentials, offsets, order, allowed=None, follows=None):
    """P(y_t) among the paths that are left, and the logarithm of the sum over them for each sequence."""
    n_labels, n_positions = potentials.shape[:2]
    found, log_partition = np.zeros((n_positions, n_labels)), []
    for begin, end in itertools.pairwise(offsets):
        scores = constrained_paths(potentials, begin, end, order, allowed, follows)
        log_partition.append(naive.log_sum(list(scores.values())))
        for path, probability in probabilities(scores).items():
            found[np.arange(begin, end), path] += probability
    return found, np.array(log_partition)


def n_best(scores, n):
    """The n best label sequences; of equally good ones the lowest first, compared from the last label backwards."""
    return sorted(scores, key=lambda path: (-scores[path], path[::-1]))[:n]
