"""Averaged stochastic gradient descent for a linear CRF: sequences one at a time, in an order drawn anew in each pass.

A step takes the gradient of one sequence, which touches the weights of its own cells alone; the prior shrinks all
weights by a factor that is kept apart (Bottou 2012, Stochastic gradient descent tricks). The weights that are kept are
averages over the steps, late ones first (Shamir and Zhang 2013, polynomial-decay averaging). On words a dozen passes
reach what L-BFGS reaches in a hundred.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Annotated, NamedTuple, Self

import numpy as np
from numba import float64, int16, int64
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int16, Int64, UInt32, allocate, compiled_type, struct
from treecrf.io.arrays import Codes, Floats, Ints
from treecrf.models.linear.lbfgs import dot
from treecrf.sequences import MISSING

ROUNDING = 2.0**-53
"""Half the distance from 1 to the next number."""

HIGHEST_RATE = 4.0
"""Of the first step, times the cells of a window: the largest that is tried, each next one half of the one before."""

TRIAL = 500
"""Sequences whose likelihood, after one pass over them, chooses the rate."""

MOST_HALVINGS = 30
"""Rates that are tried, at most."""

LATENESS = 3.0
"""A step's weights have a share of the average that grows with this power of its number."""

LEAST_SCALE = 2.0**-20
"""Below which the factor of all weights is multiplied into them."""

SCALE, STEPS, OF_SCALES, OF_SHARES = range(4)
"""What `Descent.state` holds: the factor, the number of steps, the sum of shares times factors, and that of shares."""


@struct
class Examples(NamedTuple):
    """Labelled sequences."""

    cells: Annotated[UInt32, "n_positions, n_slots"]
    labels: Annotated[Int16, "n_positions", "MISSING where they are not known."]
    pairs: Annotated[Int64, "n_positions", "The number of the pair of the label before and the label; -1 for none."]
    offsets: Annotated[Int64, "n_sequences + 1"]
    weights: Annotated[Float64, "n_sequences"]


@struct
class Descent(NamedTuple):
    """Where the descent is: weights divided by the factor of all, and what their averages need."""

    cells: Annotated[Float64, "n_cells, n_labels"]
    pairs: Annotated[Float64, "n_pairs"]
    cell_delays: Annotated[Float64, "n_cells, n_labels", "Each change times the sum of shares times factors before it."]
    pair_delays: Annotated[Float64, "n_pairs"]
    state: Annotated[Float64, "4", "See `SCALE`."]

    @classmethod
    def of(cls, start: Floats, n_labels: int, n_pairs: int) -> Self:
        """That begins at some weights, of cells by label and then of pairs."""
        cells, pairs = start[: len(start) - n_pairs].reshape(-1, n_labels).copy(), start[len(start) - n_pairs :].copy()
        return cls(cells, pairs, np.zeros_like(cells), np.zeros_like(pairs), np.array([1.0, 0.0, 0.0, 0.0]))

    def average(self) -> Floats:
        """The weighted mean of the weights after all steps, shape (n_weights,)."""
        total, n_of_cells = self.state[OF_SHARES], self.cells.size
        weights = np.empty(n_of_cells + len(self.pairs))
        for part, own, delays in (
            (weights[:n_of_cells], self.cells.ravel(), self.cell_delays.ravel()),
            (weights[n_of_cells:], self.pairs, self.pair_delays),
        ):
            np.multiply(own, self.state[OF_SCALES] / total, out=part)
            part -= delays / total
        return weights


@struct
class Work(NamedTuple):
    """Work space for a sequence."""

    scores: Annotated[Float64, "n_longest, n_labels"]
    exponentials: Annotated[Float64, "n_longest, n_labels", "Of scores less the highest one of the position."]
    alphas: Annotated[Float64, "n_longest, n_labels"]
    errors: Annotated[Float64, "n_longest, n_labels", "Observed less expected number of times that a label is there."]
    scales: Annotated[Float64, "n_longest"]
    betas: Annotated[Float64, "2, n_labels"]
    excess: Annotated[Float64, "n_pairs", "Factors of pairs, less 1."]
    of_pairs: Annotated[Float64, "n_pairs", "Observed less expected number of each pair."]
    unknown: Annotated[Int16, "n_longest", "MISSING everywhere."]


_EXAMPLES, _DESCENT, _WORK = map(compiled_type, (Examples, Descent, Work))


@kernel(float64(_WORK, int64[:, ::1], int16[::1], float64))
def _expect(work, pairs, labels, sign):
    """Add the expected numbers of labels and of pairs, times a sign, to errors and ``of_pairs``.

    Labels that are known, shape (length,), are the only ones at their positions. The factor of a pair without a weight
    is 1, and alphas add up to 1: what leads to a label is 1 plus the sum over its pairs of alpha times (factor - 1), so
    that the time grows with their number; it counts with the rounding error of 1 at least. Returns the logarithm of the
    sum over labellings.
    """
    n_labels, n_pairs, length = work.scores.shape[1], len(pairs), len(labels)
    beta, local = work.betas[0], work.betas[1]
    total = 0.0
    for t in range(length):
        shift, scale, alphas = -np.inf, 0.0, work.alphas[t]
        for label in range(n_labels):
            alphas[label] = 1.0
            if labels[t] == MISSING or labels[t] == label:
                shift = max(shift, work.scores[t, label])
        for pair in range(n_pairs if t > 0 else 0):
            alphas[pairs[pair, 1]] += work.alphas[t - 1, pairs[pair, 0]] * work.excess[pair]
        for label in range(n_labels):
            allowed = labels[t] == MISSING or labels[t] == label
            work.exponentials[t, label] = math.exp(work.scores[t, label] - shift) if allowed else 0.0
            alphas[label] = max(alphas[label], ROUNDING) * work.exponentials[t, label]
            scale += alphas[label]
        for label in range(n_labels):
            alphas[label] /= scale
        work.scales[t] = scale
        total += shift + math.log(scale)
    beta[:] = 1.0
    for t in range(length - 1, -1, -1):
        together = 0.0
        for label in range(n_labels):
            work.errors[t, label] += sign * work.alphas[t, label] * beta[label]
            local[label] = work.exponentials[t, label] * beta[label] / work.scales[t]
            together += local[label]
        if t > 0:
            beta[:] = together
            for pair in range(n_pairs):
                before, after = pairs[pair, 0], pairs[pair, 1]
                beta[before] += work.excess[pair] * local[after]
                expected = work.alphas[t - 1, before] * (work.excess[pair] + 1.0) * local[after]
                work.of_pairs[pair] += sign * expected
    return total


@kernel(float64(_EXAMPLES, int64[:, ::1], _DESCENT, _WORK, int64))
def _differentiate(examples, pairs, descent, work, sequence):
    """Write the gradient of a sequence's log likelihood to errors and ``of_pairs``; return the log likelihood."""
    begin, end = examples.offsets[sequence], examples.offsets[sequence + 1]
    labels, scale, n_labels = examples.labels[begin:end], descent.state[SCALE], work.scores.shape[1]
    work.errors[: end - begin] = 0.0
    for pair in range(len(pairs)):
        work.of_pairs[pair] = 0.0
        work.excess[pair] = math.expm1(scale * descent.pairs[pair])
    is_known = True
    for t in range(end - begin):
        scores = work.scores[t]
        scores[:] = 0.0
        for slot in range(examples.cells.shape[1]):
            cell = examples.cells[begin + t, slot]
            if cell < len(descent.cells):
                for label in range(n_labels):
                    scores[label] += descent.cells[cell, label]
        for label in range(n_labels):
            scores[label] *= scale
        is_known = is_known and labels[t] != MISSING
    value = -_expect(work, pairs, work.unknown[: end - begin], -1.0)
    if not is_known:
        return value + _expect(work, pairs, labels, 1.0)
    for t in range(end - begin):
        value += work.scores[t, labels[t]]
        work.errors[t, labels[t]] += 1.0
        pair = examples.pairs[begin + t]
        if pair >= 0:
            value += scale * descent.pairs[pair]
            work.of_pairs[pair] += 1.0
    return value


@kernel(float64(_EXAMPLES, int64[:, ::1], _DESCENT, _WORK, int64[::1], float64, float64))
def descend(examples, pairs, descent, work, order, rate, decay):
    """Make a step for each sequence, in this order.

    Parameters
    ----------
    examples : Examples
    pairs : int64, shape (n_pairs, 2)
        Label before and label.
    descent : Descent
        Changed.
    work : Work
    order : int64, shape (n,)
        Numbers of sequences.
    rate : float
        Of the first step; with 0 none is made.
    decay : float
        The weights' share of the prior's gradient, by sequence: 1 / (variance * n_sequences). Step t has the rate
        ``1 / (1 / rate + decay * t)``.

    Returns
    -------
    float64
        The log likelihood of these sequences, of each before its step.
    """
    state, n_labels, total = descent.state, work.scores.shape[1], 0.0
    for i in range(len(order)):
        sequence = order[i]
        weight = examples.weights[sequence]
        total += weight * _differentiate(examples, pairs, descent, work, sequence)
        if rate == 0.0:
            continue
        state[STEPS] += 1.0
        step = 1.0 / (1.0 / rate + decay * state[STEPS])
        state[SCALE] *= 1.0 - step * decay
        step *= weight / state[SCALE]
        delay, begin = state[OF_SCALES], examples.offsets[sequence]
        for t in range(examples.offsets[sequence + 1] - begin):
            for slot in range(examples.cells.shape[1]):
                cell = examples.cells[begin + t, slot]
                if cell < len(descent.cells):
                    for label in range(n_labels):
                        change = step * work.errors[t, label]
                        descent.cells[cell, label] += change
                        descent.cell_delays[cell, label] += delay * change
        for pair in range(len(pairs)):
            change = step * work.of_pairs[pair]
            descent.pairs[pair] += change
            descent.pair_delays[pair] += delay * change
        share = (state[STEPS] / len(examples.weights)) ** LATENESS
        state[OF_SCALES] += share * state[SCALE]
        state[OF_SHARES] += share
        if state[SCALE] < LEAST_SCALE:
            for cell in range(len(descent.cells)):
                for label in range(n_labels):
                    descent.cells[cell, label] *= state[SCALE]
            for pair in range(len(pairs)):
                descent.pairs[pair] *= state[SCALE]
            state[OF_SCALES] /= state[SCALE]
            state[SCALE] = 1.0
    return total


def occurring_pairs(labels: Codes, offsets: Ints, n_labels: int, order: int) -> tuple[Ints, Ints]:
    """Pairs of a label before and a label that occur, shape (n_pairs, 2), ascending; none with order 0.

    Also their number by position, -1 where there is none.
    """
    known = labels != MISSING
    follows = known & np.append(False, known[:-1]) & bool(order)
    follows[offsets[:-1]] = False
    there, numbers = np.flatnonzero(follows), np.full(len(labels), -1)
    keys, numbers[there] = np.unique(labels[there - 1].astype(np.int64) * n_labels + labels[there], return_inverse=True)
    return np.column_stack(np.divmod(keys, n_labels)), numbers


class StochasticDescent:
    """The descent for a training set.

    Parameters
    ----------
    cells : uint32, shape (n_positions, n_slots)
        Of the windows; `n_cells` where there is none.
    n_cells : int
    labels : int16, shape (n_positions,)
        `MISSING` where they are not known.
    offsets : int64, shape (n_sequences + 1,)
    n_labels : int
    order : 0 or 1
    variance : float
        Of the prior.
    weights : float64, shape (n_sequences,), optional

    Attributes
    ----------
    n_weights : int
        Of all cells, and of pairs of labels that occur.
    seconds : float
        CPU seconds of all passes.
    """

    def __init__(
        self,
        cells: NDArray[np.uint32],
        n_cells: int,
        labels: Codes,
        offsets: Ints,
        n_labels: int,
        order: int,
        variance: float,
        weights: Floats | None = None,
    ) -> None:
        n_sequences = len(offsets) - 1
        self._pairs, numbers = occurring_pairs(labels, offsets, n_labels, order)
        weights = np.ones(n_sequences) if weights is None else weights
        self._examples = Examples(cells, labels.copy(), numbers, offsets.copy(), weights)
        sizes = {"n_longest": int(np.diff(offsets).max()), "n_labels": n_labels, "n_pairs": len(self._pairs)}
        self._work = allocate(Work, **sizes)
        self._work.unknown[:] = MISSING
        self._n_labels, self._order, self._n_cells, self._variance = n_labels, order, n_cells, variance
        self.n_weights, self.seconds = n_cells * n_labels + len(self._pairs), 0.0
        self._decay = 1.0 / (variance * n_sequences)

    def minimize(self, start: Floats, n_passes: int, seed: int, note: Callable[[Floats, float], None]) -> None:
        """Pass over the sequences so many times, and call `note` after each pass with the averaged weights.

        Its second argument is what is minimized, where each sequence counts with its likelihood before its step.

        Raises
        ------
        ValueError
            If weights grow without bounds.
        """
        generator = np.random.default_rng(seed)
        rate = self._choose_rate(start, generator.permutation(len(self._examples.weights))[:TRIAL])
        descent = self._from(start)
        for _ in range(n_passes):
            log_likelihood = self._pass(descent, generator.permutation(len(self._examples.weights)), rate)
            weights = descent.average()
            value = dot(weights, weights) / (2 * self._variance) - log_likelihood
            if not math.isfinite(value):
                raise ValueError("the weights grow without bounds; lower the variance, or choose the solver lbfgs.")
            note(weights, value)

    def all_weights(self, weights: Floats) -> Floats:
        """The weights of all cells and transitions."""
        n_labels, n_of_cells = self._n_labels, self._n_cells * self._n_labels
        every = np.zeros(n_of_cells + (n_labels**2 if self._order else 0))
        every[:n_of_cells] = weights[:n_of_cells]
        every[n_of_cells + self._pairs @ [n_labels, 1]] = weights[n_of_cells:]
        return every

    def value(self, weights: Floats) -> float:
        """What is minimized."""
        return self._value(weights, np.arange(len(self._examples.weights)))

    def _value(self, weights: Floats, sequences: Ints) -> float:
        share = len(sequences) / len(self._examples.weights)
        penalty = dot(weights, weights) / (2 * self._variance)
        return share * penalty - self._pass(self._from(weights), sequences, 0.0)

    def _choose_rate(self, start: Floats, sequences: Ints) -> float:
        """The rate after whose pass over some sequences these are likeliest; halved as long as that helps."""
        n_slots = float((self._examples.cells < self._n_cells).sum(axis=1).mean())
        lowest, chosen = math.inf, HIGHEST_RATE / max(n_slots, 1.0)
        for rate in chosen / 2.0 ** np.arange(MOST_HALVINGS):
            descent = self._from(start)
            self._pass(descent, sequences, rate)
            value = self._value(descent.average(), sequences)
            if value < lowest:
                lowest, chosen = value, float(rate)
            elif lowest < math.inf:
                break
        return chosen

    def _from(self, weights: Floats) -> Descent:
        return Descent.of(weights, self._n_labels, len(self._pairs))

    def _pass(self, descent: Descent, order: Ints, rate: float) -> float:
        began = time.thread_time()
        value = descend(self._examples, self._pairs, descent, self._work, order, rate, self._decay)
        self.seconds += time.thread_time() - began
        return float(value)


def equal_within(weights: Floats, offsets: Ints) -> Floats:
    """The weights of sequences, shape (n_sequences,).

    Raises
    ------
    ValueError
        Where they differ within one.
    """
    of_sequences = weights[offsets[:-1]]
    differs = np.flatnonzero(weights != np.repeat(of_sequences, np.diff(offsets)))
    if len(differs):
        sequence = int(np.searchsorted(offsets, differs[0], side="right")) - 1
        raise ValueError(f"the weights differ within sequence {sequence}; choose solver='lbfgs', which takes them.")
    return np.asarray(of_sequences)
