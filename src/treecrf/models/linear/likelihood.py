"""The log likelihood of window scores and transitions, and its gradient: weighted, and of labels some of which are not
known.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int16, int32, int64, void
from numpy.typing import NDArray

from treecrf.chain._kernels import MAX_POTENTIAL, longest
from treecrf.chain.inference import allows
from treecrf.compiled.kernel import kernel
from treecrf.io.arrays import Codes, Floats, Ints, gather_ranges
from treecrf.sequences import MISSING


@kernel(void(float64[:, ::1], float64[::1], float64[:, ::1]))
def exponentiate(scores, shifts, exponentials):
    """Write the largest score of each window, and the exponentials of all scores less this one."""
    for window in range(len(scores)):
        shifts[window] = scores[window, 0]
        for label in range(scores.shape[1]):
            shifts[window] = max(shifts[window], scores[window, label])
        for label in range(scores.shape[1]):
            exponentials[window, label] = math.exp(scores[window, label] - shifts[window])


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
)
def differentiate(scores, window_of, transitions, offsets, labels, alphas, errors, transition_gradient):
    """The log likelihood, and its gradient by window and by transition.

    The scaled forward-backward recursions (PhD section 2.3) for potentials that are a window's score of the label
    plus a weight of the pair (previous label, label); no weight at the first position.

    Parameters
    ----------
    scores : float64, shape (n_windows, n_labels)
    window_of : int32, shape (n_positions,)
        Window of each position.
    transitions : float64, shape (n_labels, n_labels)
        By previous label and label.
    offsets : int64, shape (n_sequences + 1,); labels : int16, shape (n_positions,)
    alphas : float64, shape (n_positions, n_labels)
        Work space.
    errors : float64, shape (n_windows, n_labels)
        Overwritten: observed minus expected number of times that a window has a label.
    transition_gradient : float64, shape (n_labels, n_labels)
        Overwritten: the same for pairs of labels.

    Returns
    -------
    float64
        NaN or infinite where the weights are so large that a scaled value leaves the range of float64.
    """
    n_labels = scores.shape[1]
    vectors = np.empty((3, n_labels))
    beta, next_beta, local = vectors[0], vectors[1], vectors[2]
    factors, exponentials = np.empty((n_labels, n_labels)), np.empty((len(scores), n_labels))
    scales, shifts = np.empty(len(alphas)), np.empty(len(scores))
    for before in range(n_labels):
        for label in range(n_labels):
            transition_gradient[before, label] = 0.0
            factors[before, label] = math.exp(transitions[before, label])
    errors[:, :] = 0.0
    exponentiate(scores, shifts, exponentials)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for position in range(begin, end):
            window = window_of[position]
            scale = 0.0
            for label in range(n_labels):
                value = 1.0
                if position > begin:
                    value = 0.0
                    for before in range(n_labels):
                        value += alphas[position - 1, before] * factors[before, label]
                value *= exponentials[window, label]
                alphas[position, label] = value
                scale += value
            scales[position] = scale
            for label in range(n_labels):
                alphas[position, label] /= scale
            observed = labels[position]
            total += scores[window, observed] - shifts[window] - math.log(scale)
            errors[window, observed] += 1.0
            if position > begin:
                total += transitions[labels[position - 1], observed]
                transition_gradient[labels[position - 1], observed] += 1.0
        for label in range(n_labels):
            beta[label] = 1.0
        for position in range(end - 1, begin - 1, -1):
            window = window_of[position]
            for label in range(n_labels):
                errors[window, label] -= alphas[position, label] * beta[label]
                local[label] = exponentials[window, label] * beta[label] / scales[position]
            if position > begin:
                for before in range(n_labels):
                    value = 0.0
                    for label in range(n_labels):
                        product = factors[before, label] * local[label]
                        transition_gradient[before, label] -= alphas[position - 1, before] * product
                        value += product
                    next_beta[before] = value
                for before in range(n_labels):
                    beta[before] = next_beta[before]
    return total


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
    error_model="numpy",
)
def differentiate_weighted(scores, window_of, transitions, offsets, labels, weights, errors, transition_gradient):
    """As `treecrf.models.linear.likelihood.differentiate`, for weights of positions, shape (n_positions,)."""
    n_labels = scores.shape[1]
    errors[:, :] = 0.0
    transition_gradient[:, :] = 0.0
    factors = np.exp(transitions)
    ahead = np.empty((longest(offsets), n_labels))  # exponentials of a place's scores times its backward values
    mass, next_mass, shares = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        for place in range(end - begin - 1, -1, -1):
            window = window_of[begin + place]
            shift, highest = scores[window].max(), 0.0
            for label in range(n_labels):
                value = 1.0
                if begin + place + 1 < end:
                    value = 0.0
                    for following in range(n_labels):
                        value += factors[label, following] * ahead[place + 1, following]
                value *= math.exp(scores[window, label] - shift)
                ahead[place, label] = value
                highest = max(highest, value)
            for label in range(n_labels):
                ahead[place, label] /= highest
        mass[:] = 0.0
        mass[0] = weights[begin]
        for place in range(end - begin):
            position = begin + place
            window, weight, observed = window_of[position], weights[position], labels[position]
            next_mass[:] = 0.0
            for before in range(n_labels if place > 0 else 1):
                whole = 0.0
                for label in range(n_labels):
                    shares[label] = ahead[place, label] * (factors[before, label] if place > 0 else 1.0)
                    whole += shares[label]
                for label in range(n_labels):
                    expected = mass[before] * shares[label] / whole
                    next_mass[label] += expected
                    errors[window, label] -= expected
                    if place > 0:
                        transition_gradient[before, label] -= expected
                if weight > 0.0 and (place == 0 or before == labels[position - 1]):
                    total += weight * math.log(shares[observed] / whole)
            errors[window, observed] += weight
            if place > 0:
                transition_gradient[labels[position - 1], observed] += weight
            if position + 1 < end:
                next_mass[observed] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
    return total


@kernel(
    float64(
        float64[:, ::1],
        int32[::1],
        float64[:, ::1],
        int64[::1],
        int16[::1],
        float64[::1],
        float64[:, ::1],
        float64[:, ::1],
    ),
    allocates=True,
    error_model="numpy",
)
def differentiate_pairs(scores, window_of, transitions, offsets, labels, weights, errors, transition_gradient):
    """The weighted log likelihood, and its gradient by window and by transition.

    `differentiate_weighted` is apart from it, as windows that score labels alone need no exponential of each pair. The
    potential of a label is its window's score of the pair (label before, label) plus a weight of this pair.

    Parameters
    ----------
    scores : float64, shape (n_windows, (n_labels + 1) * n_labels)
        By label before, START last, and label.
    window_of : int32, shape (n_positions,)
        Window of each position.
    transitions : float64, shape (n_labels, n_labels)
        By label before and label.
    offsets : int64, shape (n_sequences + 1,); labels : int16, shape (n_positions,)
    weights : float64, shape (n_positions,)
        What the logarithm of each position's factor is multiplied by.
    errors : float64, shape of `scores`
        Overwritten: observed minus expected weight of a window's pairs.
    transition_gradient : float64, shape (n_labels, n_labels)
        Overwritten: the same for pairs of labels, first positions left out.

    Returns
    -------
    float64
        NaN or infinite where the scores are so large that a scaled value leaves the range of float64.
    """
    n_labels = len(transitions)
    start = n_labels * n_labels
    errors[:, :] = 0.0
    transition_gradient[:, :] = 0.0
    exponentials = np.empty(scores.shape)
    for window in range(len(scores)):
        shift = -np.inf
        for pair in range(scores.shape[1]):
            score = scores[window, pair]
            if pair < start:
                score += transitions[pair // n_labels, pair % n_labels]
            exponentials[window, pair] = score
            shift = max(shift, score)
        for pair in range(scores.shape[1]):
            exponentials[window, pair] = math.exp(exponentials[window, pair] - shift)
    betas = np.empty((longest(offsets), n_labels))
    mass, next_mass, shares = np.empty(n_labels), np.empty(n_labels), np.empty(n_labels)
    total = 0.0
    for sequence in range(len(offsets) - 1):
        begin, end = offsets[sequence], offsets[sequence + 1]
        betas[end - begin - 1] = 1.0
        for place in range(end - begin - 2, -1, -1):
            window, highest = window_of[begin + place + 1], 0.0
            for label in range(n_labels):
                value = 0.0
                for following in range(n_labels):
                    value += exponentials[window, label * n_labels + following] * betas[place + 1, following]
                betas[place, label] = value
                highest = max(highest, value)
            for label in range(n_labels):
                betas[place, label] /= highest
        mass[0] = weights[begin]
        for place in range(end - begin):
            position = begin + place
            window, weight, observed = window_of[position], weights[position], labels[position]
            before_observed = labels[position - 1] if place > 0 else 0
            next_mass[:] = 0.0
            for before in range(n_labels if place > 0 else 1):
                row = before * n_labels if place > 0 else start
                whole = 0.0
                for label in range(n_labels):
                    shares[label] = exponentials[window, row + label] * betas[place, label]
                    whole += shares[label]
                if before == before_observed:
                    if weight > 0.0:
                        total += weight * math.log(shares[observed] / whole)
                    errors[window, row + observed] += weight
                    if place > 0:
                        transition_gradient[before, observed] += weight
                if mass[before] == 0.0:
                    continue
                share = mass[before] / whole
                for label in range(n_labels):
                    expected = share * shares[label]
                    next_mass[label] += expected
                    errors[window, row + label] -= expected
                    if place > 0:
                        transition_gradient[before, label] -= expected
            if position + 1 < end:
                next_mass[observed] += weights[position + 1] - weight
            mass, next_mass = next_mass, mass
    return total


class Likelihood:
    """The order-1 chains of a training set with known labels, whose windows score labels, or pairs of a label and the
    one before.
    """

    def __init__(self, labels: Codes, offsets: Ints, weights: Floats | None = None) -> None:
        self._labels, self._offsets = labels.copy(), offsets.copy()  # writable, as the kernels' types say
        self._weights = weights
        self._alphas: Floats | None = None

    def differentiate(
        self,
        scores: Floats,
        window_of: NDArray[np.int32],
        transitions: Floats,
        errors: Floats,
        transition_gradient: Floats,
    ) -> float:
        """See `treecrf.models.linear.likelihood.differentiate`, and `differentiate_pairs` for scores of pairs."""
        shared = (scores, window_of, transitions, self._offsets, self._labels)
        if scores.shape[1] > len(transitions):
            weights = np.ones(len(self._labels)) if self._weights is None else self._weights
            return float(differentiate_pairs(*shared, weights, errors, transition_gradient))
        if self._weights is not None:
            return float(differentiate_weighted(*shared, self._weights, errors, transition_gradient))
        if self._alphas is None:
            self._alphas = np.empty((len(self._labels), scores.shape[1]))
        return float(differentiate(*shared, self._alphas, errors, transition_gradient))


class PartialLikelihood:
    """`Likelihood` with unknown labels, by Tsuboi et al. (2008), section 4 (`treecrf.models.boosted.training`).

    Weights are equal within a sequence that has unknown labels.
    """

    def __init__(
        self,
        labels: Codes,
        n_labels: int,
        offsets: Ints,
        weights: Floats | None = None,
    ) -> None:
        complete = np.where(labels == MISSING, 0, labels).astype(np.int16)
        self._whole = Likelihood(complete, offsets, weights)
        sequences = np.flatnonzero(np.logical_or.reduceat(labels == MISSING, offsets[:-1]))
        inside, self._positions = gather_ranges(offsets, sequences)
        of_positions = None if weights is None else weights[self._positions]
        self._agreeing = Likelihood(complete[self._positions], inside, of_positions)
        self._allowed = allows(labels[self._positions], n_labels).T

    def differentiate(
        self,
        scores: Floats,
        window_of: NDArray[np.int32],
        transitions: Floats,
        errors: Floats,
        transition_gradient: Floats,
    ) -> float:
        """See `Likelihood.differentiate`."""
        value = self._whole.differentiate(scores, window_of, transitions, errors, transition_gradient)
        windows = window_of[self._positions]
        allowed = np.tile(self._allowed, scores.shape[1] // self._allowed.shape[1])
        agreeing = np.where(allowed, scores[windows], -MAX_POTENTIAL)
        of_positions, of_pairs = np.empty_like(agreeing), np.empty_like(transition_gradient)
        each = np.arange(len(windows), dtype=np.int32)
        value -= self._agreeing.differentiate(agreeing, each, transitions, of_positions, of_pairs)
        np.subtract.at(errors, windows, of_positions)
        transition_gradient -= of_pairs
        return value


def likelihood_of(
    labels: Codes,
    n_labels: int,
    offsets: Ints,
    order: int,
    weights: Floats | None,
) -> Likelihood | PartialLikelihood:
    """The likelihood of a training set; of order 0, positions whose label is not known are left out."""
    unknown = labels == MISSING
    if not unknown.any():
        return Likelihood(labels, offsets, weights)
    if order:
        return PartialLikelihood(labels, n_labels, offsets, weights)
    known = np.where(unknown, 0.0, 1.0 if weights is None else weights)
    return Likelihood(np.where(unknown, 0, labels).astype(np.int16), offsets, known)
