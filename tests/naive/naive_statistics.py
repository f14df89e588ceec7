"""Tests between methods written as their definitions say, with loops and fractions; slow."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.stats import t as student


def sign_flip_p_value(differences):
    """Share of all 2^n sign changes of one pair's differences whose sum is as large as the observed one."""
    observed = abs(sum(differences))
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    as_large = sum(abs(sum(s * d for s, d in zip(flip, differences, strict=True))) >= observed for flip in signs)
    return as_large / len(signs)


def convolved_p_value(differences, flips, error, degrees):
    """Mean over the flips of the probability that the flipped sum plus error times t is as large as the observed sum,
    and at least the p-value without an error."""
    observed = abs(sum(differences))
    total, n_as_large = 0.0, 0
    for flip in flips:
        flipped = sum(int(s) * int(d) for s, d in zip(flip, differences, strict=True))
        n_as_large += abs(flipped) >= observed
        total += student.sf((observed - flipped) / error, degrees) + student.cdf((-observed - flipped) / error, degrees)
    return max(total, n_as_large) / len(flips)


def mean_difference(first, second):
    """Mean correct positions by cluster of trainings of one method minus those of the other; fractions."""
    return [
        Fraction(sum(a), len(a)) - Fraction(sum(b), len(b))
        for a, b in zip(
            [[int(x) for x in column] for column in np.transpose(first)],
            [[int(x) for x in column] for column in np.transpose(second)],
            strict=True,
        )
    ]


def shared_covariance(correct):
    """Sum over pairs of different clusters of their covariance over trainings, divided by the number of trainings."""
    n_trainings, n_clusters = correct.shape
    total = 0.0
    for one, other in itertools.permutations(range(n_clusters), 2):
        total += np.cov(correct[:, one], correct[:, other], ddof=1)[0, 1]
    return total / n_trainings


def autocorrelation_time(values, offsets):
    """1 + 2 (r_1 + r_2 + ..) up to the first neighbouring pair of autocovariances that is not positive."""
    deviations = [value - sum(values) / len(values) for value in values]

    def covariance(lag):
        return sum(
            deviations[t] * deviations[t + lag]
            for begin, end in itertools.pairwise(offsets)
            for t in range(begin, end - lag)
        )

    total = -covariance(0)
    longest = max(end - begin for begin, end in itertools.pairwise(offsets))
    for lag in range(0, longest - 1, 2):
        pair = covariance(lag) + covariance(lag + 1)
        if pair <= 0:
            break
        total += 2 * pair
    return max(1.0, total / covariance(0))


def crossed_standard_error(differences, positions):
    """Two-way clustered standard error in points of one pair, shape (n_sequences, n_sets), cell by cell."""
    n_sequences, n_sets = positions.shape
    total = positions.sum()
    share = differences.sum() / total

    def variance(clusters):
        result = 0.0
        for cells in clusters:
            residual = sum(differences[cell] - share * positions[cell] for cell in cells)
            result += residual**2 / (1 - sum(positions[cell] for cell in cells) / total)
        return result

    cells = list(itertools.product(range(n_sequences), range(n_sets)))
    by_sequence = variance([[cell for cell in cells if cell[0] == g] for g in range(n_sequences)])
    by_set = variance([[cell for cell in cells if cell[1] == h] for h in range(n_sets)])
    single = variance([[cell] for cell in cells])
    return 100 * math.sqrt(max(by_sequence + by_set - single, by_sequence, by_set)) / total


def chunks_of(tags, offsets):
    """First and last position and type of every chunk, one position after another."""
    found = []
    for begin, end in itertools.pairwise(offsets):
        first = None
        for t in range(begin, end):
            if first is not None and (
                tags[t][0] in "BSUO" or tags[t - 1][0] in "ESUL" or tags[t][2:] != tags[first][2:]
            ):
                found.append((first, t - 1, tags[first][2:]))
                first = None
            if first is None and tags[t] != "O":
                first = t
        if first is not None:
            found.append((first, end - 1, tags[first][2:]))
    return found


def segments_of(labels, offsets):
    """First and last position and label of every run, one position after another."""
    found = []
    for begin, end in itertools.pairwise(offsets):
        for t in range(begin, end):
            if t > begin and labels[t] == labels[t - 1]:
                found[-1] = (found[-1][0], t, labels[t])
            else:
                found.append((t, t, labels[t]))
    return found
