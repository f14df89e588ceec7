"""`InducedCRF`: a conditional random field that is linear in conjunctions which training chooses (McCallum 2003).

Features are those whose weights would raise the likelihood most. Where a token's label is badly predicted, its
probability after one more feature is approximated by multiplying the present marginal by ``e^w`` and normalizing: the
"mean field" of section 4. A feature has one weight for each label, each fitted by itself; its gain is the sum of
theirs. Candidates are features that the model has, or may have, joined with one more basic cell.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numba import float64, int32, int64, types, void
from numpy.typing import NDArray

from treecrf import chain
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import FINITE, Float64
from treecrf.estimators.checks import SIZE
from treecrf.io.arrays import Bools, Codes, Floats, Ints, gather_ranges, starts_of
from treecrf.models.base import Monitor
from treecrf.models.execution import Runner, Workers
from treecrf.models.linear.conjunctions import (
    ConjunctionCRF,
    Conjunctions,
    Occurrences,
    Weights,
    Windows,
    boolean_cells,
    chain_potentials,
    find_occurrences,
    join,
    pick,
    score_features,
    sum_errors,
)
from treecrf.models.linear.lbfgs import dot
from treecrf.models.linear.likelihood import Likelihood
from treecrf.models.linear.linear_crf import Outcomes
from treecrf.sequences import SequenceSet
from treecrf.trees.columns import Columns

MOST_STEPS = 50
"""Of Newton's method for one weight."""

LARGEST_WEIGHT = 700.0
"""In size: its exponential is near the end of float64."""

GAIN_TOLERANCE = 1e-11
"""Newton's method stops where another step would gain less."""


@kernel(types.UniTuple(float64, 2)(float64[::1], int64, float64, float64), error_model="numpy")
def fit_weight(probabilities, n_tokens, n_observed, variance):
    """The gain of one weight that multiplies the odds of a label at some tokens (McCallum 2003, section 4).

    Maximizes ``w n_observed - sum_i log(1 - p_i + p_i e^w) - w^2 / (2 variance)`` by Newton's method. It halves the
    interval between the points where the slope was seen to be positive and negative instead, where it would leave
    that or where its step is more than half the last one: from small or large probabilities it may jump to and fro.

    Parameters
    ----------
    probabilities : float64, shape (>= n_tokens,)
        Of the label at each token, without the weight.
    n_tokens : int
    n_observed : float
        Number of the tokens that have the label.
    variance : float

    Returns
    -------
    gain, weight : float64
    """
    weight, odds, last_step = 0.0, 1.0, np.inf
    lowest, highest = -np.inf, np.inf
    for _ in range(MOST_STEPS):
        total, squares = 0.0, 0.0
        for i in range(n_tokens):
            likely = probabilities[i] * odds
            share = likely / (1.0 - probabilities[i] + likely)
            total += share
            squares += share * share
        slope = n_observed - total - weight / variance
        curvature = total - squares + 1.0 / variance
        if slope * slope < GAIN_TOLERANCE * curvature:
            break
        if slope > 0.0:
            lowest = weight
        else:
            highest = weight
        step = slope / curvature
        is_slow = abs(step) > 0.5 * abs(last_step) and highest - lowest < np.inf
        if is_slow or not lowest < weight + step < highest:
            step = 0.5 * (lowest + highest) - weight
        weight, last_step = min(max(weight + step, -LARGEST_WEIGHT), LARGEST_WEIGHT), step
        odds = math.exp(weight)
    gain = weight * n_observed - weight * weight / (2.0 * variance)
    # a product of 16 factors between e^-|w| and e^|w| stays in range while |w| < 44
    product, n_factors = 1.0, 0
    most_factors = 16 if abs(weight) < 40.0 else 1
    for i in range(n_tokens):
        product *= 1.0 - probabilities[i] + probabilities[i] * odds
        n_factors += 1
        if n_factors == most_factors:
            gain -= math.log(product)
            product, n_factors = 1.0, 0
    return gain - math.log(product), weight


@kernel(
    void(int64[::1], int32[::1], int64, int64, int64[::1], float64[:, ::1], float64[:, ::1], float64, float64[::1]),
    allocates=True,
)
def measure_gains(first, windows, begin, end, first_token, probabilities, observed, variance, gains):
    """Write the gain of features begin .. end - 1: the sum over labels of the gain of one weight each.

    Parameters
    ----------
    first, windows : as in `treecrf.models.linear.conjunctions.Occurrences`
    begin, end : int
    first_token : int64, shape (n_windows + 1,)
        Error tokens of each window.
    probabilities : float64, shape (n_labels, n_tokens)
    observed : float64, shape (n_labels, n_windows)
        Number of error tokens of each window that have the label.
    variance : float
    gains : float64, shape (n_features,)
    """
    buffer = np.empty(probabilities.shape[1])
    for feature in range(begin, end):
        gains[feature] = 0.0
        for label in range(len(probabilities)):
            n_tokens, n_observed = int64(0), 0.0
            for i in range(first[feature], first[feature + 1]):
                window = windows[i]
                n_observed += observed[label, window]
                for token in range(first_token[window], first_token[window + 1]):
                    buffer[n_tokens] = probabilities[label, token]
                    n_tokens += 1
            if n_tokens > 0:
                gains[feature] += max(0.0, fit_weight(buffer, n_tokens, n_observed, variance)[0])


@kernel(void(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int64[:, ::1]))
def count_pairs(first_feature, features, first_cell, cells, n_tokens, counts):
    """Count the windows with error tokens in which a feature and a basic cell both hold.

    Parameters
    ----------
    first_feature, features : int64, shape (n_windows + 1,); int32
        The features that hold in each window.
    first_cell, cells : the same for basic cells
    n_tokens : int64, shape (n_windows,)
        Error tokens of each window.
    counts : int64, shape (n_features, n_cells)
        Zero; changed in place.
    """
    for window in range(len(n_tokens)):
        if n_tokens[window]:
            for i in range(first_feature[window], first_feature[window + 1]):
                for j in range(first_cell[window], first_cell[window + 1]):
                    counts[features[i], cells[j]] += 1


@kernel(void(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], int32[:, ::1], int64[::1], int32[::1]))
def list_pairs(first_feature, features, first_cell, cells, n_tokens, candidate_of, next_place, windows):
    """Write the windows of each candidate.

    Parameters
    ----------
    first_feature, features, first_cell, cells, n_tokens : as for `count_pairs`
    candidate_of : int32, shape (n_features, n_cells)
        Candidate that a pair stands for; -1: none.
    next_place : int64, shape (n_candidates,)
        Where the next window of each candidate goes; changed in place.
    windows : int32
        Overwritten.
    """
    for window in range(len(n_tokens)):
        if n_tokens[window]:
            for i in range(first_feature[window], first_feature[window + 1]):
                for j in range(first_cell[window], first_cell[window + 1]):
                    candidate = candidate_of[features[i], cells[j]]
                    if candidate >= 0:
                        windows[next_place[candidate]] = window
                        next_place[candidate] += 1


@kernel(void(int64[::1], int32[::1], int64[::1], int64[::1], int32[::1]))
def transpose(first, windows, next_place, first_of_window, features):
    """List the features of each window, ascending, from the windows of each feature.

    Parameters
    ----------
    first, windows : as in `treecrf.models.linear.conjunctions.Occurrences`
    next_place : int64, shape (n_windows,)
        Work space.
    first_of_window : int64, shape (n_windows + 1,); features : int32
        Overwritten.
    """
    first_of_window[:] = 0
    for i in range(len(windows)):
        first_of_window[windows[i] + 1] += 1
    for window in range(len(next_place)):
        next_place[window] = first_of_window[window]
        first_of_window[window + 1] += first_of_window[window]
    for feature in range(len(first) - 1):
        for i in range(first[feature], first[feature + 1]):
            features[next_place[windows[i]]] = feature
            next_place[windows[i]] += 1


LEAST_TOKENS = 20
"""With fewer error tokens nothing is induced, as in MALLET."""


class Features(NamedTuple):
    """Conjunctions, and the windows where each holds."""

    conjunctions: Conjunctions
    occurrences: Occurrences

    @classmethod
    def find(cls, conjunctions: Conjunctions, columns: Columns) -> Self:
        """Look the conjunctions up in the windows of `columns`."""
        return cls(conjunctions, find_occurrences(conjunctions, columns))

    def followed_by(self, others: Features) -> Features:
        """These features and then the others."""
        return Features(join(self.conjunctions, others.conjunctions), join(self.occurrences, others.occurrences))

    def pick(self, indices: Ints) -> Features:
        """The features of these indices, in their order."""
        return Features(pick(self.conjunctions, indices), pick(self.occurrences, indices))


class ErrorTokens(NamedTuple):
    """Positions whose true label has too low a probability, window by window.

    Attributes
    ----------
    first : int64, shape (n_windows + 1,)
        Tokens of each window.
    probabilities : float64, shape (n_labels, n_tokens)
        P(y_t | X) under the model.
    observed : float64, shape (n_labels, n_windows)
        Number of tokens of each window that have the label.
    """

    first: Ints
    probabilities: Floats
    observed: Floats

    def errors(self) -> Floats:
        """Observed minus expected number of tokens of each window with each label, shape (n_windows, n_labels)."""
        errors = self.observed.T.copy()
        windows = np.repeat(np.arange(len(errors)), np.diff(self.first))
        np.subtract.at(errors, windows, self.probabilities.T)
        return errors


def find_error_tokens(
    marginals: Floats,
    labels: Codes,
    window_of: NDArray[np.int32],
    n_windows: int,
    threshold: float,
) -> ErrorTokens:
    """The positions whose true label has a marginal, shape (n_positions, n_labels), below the threshold."""
    wrong = np.flatnonzero(marginals[np.arange(len(labels)), labels] < threshold)
    tokens = wrong[np.argsort(window_of[wrong], kind="stable")]
    counts = np.bincount(window_of[tokens], minlength=n_windows)
    observed = np.zeros((marginals.shape[1], n_windows))
    np.add.at(observed, (labels[tokens], window_of[tokens]), 1.0)
    first = starts_of(counts)
    return ErrorTokens(first, np.ascontiguousarray(marginals[tokens].T), observed)


def gains_of(occurrences: Occurrences, tokens: ErrorTokens, variance: float, run: Runner) -> Floats:
    """The gain of every feature, float64, shape (n_features,)."""
    n_features = len(occurrences.first) - 1
    gains = np.zeros(n_features)
    # shares with as many windows each; any number of them gives the same bits
    targets = np.linspace(0, occurrences.first[-1], 17)
    bounds = np.unique(np.concatenate([np.searchsorted(occurrences.first, targets[:-1]), [0, n_features]])).tolist()
    run([partial(measure_gains, *occurrences, begin, end, *tokens, variance, gains) for begin, end in pairwise(bounds)])
    return gains


def bounds_of(occurrences: Occurrences, tokens: ErrorTokens, variance: float) -> Floats:
    """What the gain of every feature cannot exceed, float64, shape (n_features,).

    A weight ``w`` gains at most ``slope w - w^2 / (2 variance)`` with the slope at 0: the likelihood is concave.
    """
    slopes = np.empty((len(occurrences.first) - 1, len(tokens.probabilities)))
    sum_errors(*occurrences, tokens.errors(), slopes)
    return variance / 2 * (slopes**2).sum(axis=1)


def induce(
    basic: Features, model: Features, tokens: ErrorTokens, variance: float, n_new: int, run: Runner
) -> Conjunctions:
    """The at most `n_new` features that a round of induction adds, best first, by the rules of MALLET 2.0.8.

    All `basic` cells (one by one, ascending) and all features of the `model` are ranked by their gain; the best ``2
    n_new`` are joined with the basic cells among them (PhD sections 3.1 and 3.5; MALLET 2.0.8 also joins two
    conjunctions). Of cells, features and candidates, best first, those are taken that the model does not have and that
    gain more than each of their cells alone; one with exactly the gain of its predecessor is taken for the same feature
    and left out. None are taken where there are fewer than `LEAST_TOKENS` tokens.
    """
    if tokens.first[-1] < LEAST_TOKENS:
        return Conjunctions.of([])
    n_cells = basic.conjunctions.size
    parts = basic.followed_by(model.pick(np.flatnonzero(np.diff(model.conjunctions.first) > 1)))
    part_gains = gains_of(parts.occurrences, tokens, variance, run)
    beam = np.argsort(-part_gains, kind="stable")[: 2 * n_new]
    beam = np.sort(beam[part_gains[beam] > 0])
    pairs = _join(parts.pick(beam), int((beam < n_cells).sum()), tokens)

    cell_gains = part_gains[np.searchsorted(basic.conjunctions.cells, parts.conjunctions.cells)]
    best_alone = np.maximum.reduceat(cell_gains, parts.conjunctions.first[:-1])[beam]
    needed = np.maximum(best_alone[pairs.features], best_alone[pairs.partners])
    bounds = bounds_of(pairs.occurrences, tokens, variance)
    # features of the same windows have the same bound: they stay or go together
    promising = np.flatnonzero(np.isin(bounds, bounds[bounds > needed]))
    pairs, needed = pairs.pick(promising), needed[promising]
    pair_gains = gains_of(pairs.occurrences, tokens, variance, run)

    # a pair that the model has needs no check: its equal among the parts has the same gain and comes first
    is_new = ~np.isin(_keys(parts.conjunctions), _keys(model.conjunctions))
    eligible = np.concatenate([is_new, pair_gains > needed])
    taken = _best(np.concatenate([part_gains, pair_gains]), eligible, n_new)
    n_parts = len(part_gains)
    return Conjunctions.of(
        parts.conjunctions.cells_of(i) if i < n_parts else pairs.cells_of(i - n_parts) for i in taken
    )


def _best(gains: Floats, eligible: Bools, n_new: int) -> Ints:
    """The eligible candidates with the highest gains, best first; of equal gains in a row only the first counts."""
    order = np.argsort(-gains, kind="stable")
    ranked = gains[order]
    is_first = np.diff(ranked, prepend=np.inf) != 0
    return order[(ranked > 0) & is_first & eligible[order]][:n_new]


class _Pairs(NamedTuple):
    """Candidates: a part and a cell each, by their places in `parts`, and the windows with error tokens of both."""

    parts: Conjunctions
    features: Ints
    partners: Ints
    occurrences: Occurrences

    def cells_of(self, index: int) -> tuple[int, ...]:
        """The cells of one candidate."""
        return self.parts.cells_of(self.features[index]) + self.parts.cells_of(self.partners[index])

    def pick(self, indices: Ints) -> _Pairs:
        """The candidates of these indices."""
        return _Pairs(self.parts, self.features[indices], self.partners[indices], pick(self.occurrences, indices))


def _join(parts: Features, n_cells: int, tokens: ErrorTokens) -> _Pairs:
    """All `parts` joined with one of their first `n_cells`, single cells: each union once."""
    conjunctions, n_tokens = parts.conjunctions, np.diff(tokens.first)
    of_window = _features_by_window(parts.occurrences, len(n_tokens))
    cells_of_window = _features_by_window(pick(parts.occurrences, np.arange(n_cells)), len(n_tokens))
    counts = np.zeros((conjunctions.size, n_cells), dtype=np.int64)
    count_pairs(*of_window, *cells_of_window, n_tokens, counts)
    counts[:n_cells] = np.triu(counts[:n_cells], 1)  # two cells are one candidate
    # a part joined with a cell of its own is itself
    cells, part_of_cell = conjunctions.cells, np.repeat(np.arange(conjunctions.size), np.diff(conjunctions.first))
    is_part = np.isin(cells, cells[:n_cells])
    counts[part_of_cell[is_part], np.searchsorted(cells[:n_cells], cells[is_part])] = 0

    features, partners = np.nonzero(counts)
    keys = _keys(conjunctions)
    kept = np.sort(np.unique(keys[features] ^ keys[partners], return_index=True)[1])
    features, partners = features[kept], partners[kept]
    candidate_of = np.full(counts.shape, -1, dtype=np.int32)
    candidate_of[features, partners] = np.arange(len(kept))
    first = starts_of(counts[features, partners])
    windows = np.empty(first[-1], dtype=np.int32)
    list_pairs(*of_window, *cells_of_window, n_tokens, candidate_of, first[:-1].copy(), windows)
    return _Pairs(conjunctions, features, partners, Occurrences(first, windows))


_KEY_OF_CELL = np.random.default_rng(0).integers(0, 2**64, 2**16, dtype=np.uint64)


def _keys(conjunctions: Conjunctions) -> NDArray[np.uint64]:
    """A number for each set of cells (Zobrist hashing); two sets share one with a chance of 2^-64."""
    return np.bitwise_xor.reduceat(_KEY_OF_CELL[conjunctions.cells], conjunctions.first[:-1])


def _features_by_window(occurrences: Occurrences, n_windows: int) -> tuple[Ints, NDArray[np.int32]]:
    first, features = np.empty(n_windows + 1, dtype=np.int64), np.empty(len(occurrences.windows), dtype=np.int32)
    transpose(*occurrences, np.empty(n_windows, dtype=np.int64), first, features)
    return first, features


TOLERANCE = 1e-9
"""L-BFGS stops where an iteration gains less than this part of the objective."""


@dataclass(eq=False, repr=False)
class InducedCRF(ConjunctionCRF):
    """Linear-chain CRF with feature induction (McCallum 2003), in the rounds of MALLET (PhD sections 3.1 and 3.5).

    The model begins with a weight for each label and for each pair of labels. Each round adds the conjunctions of
    window cells whose weights of labels promise most (`treecrf.models.linear.induced_crf`) and goes on with L-BFGS for
    a few iterations, on a part of the training set in the first rounds. Training maximizes ``log P(Y | X) - |w|^2 / (2
    variance)``, and ends early once all sequences promise no new feature and the optimum is reached.

    Parameters and attributes are those of `ConjunctionCRF`, and two more. `n_threads` (int) is the number of threads of
    the search for features; any number gives the same bits. ``objective_history_`` (float64, shape (n_iterations,)) has
    what is minimized, on the round's part of the training set, after each iteration. Without a `random_state` the parts
    are drawn with seed 0.
    """

    n_threads: int = 1

    _parameter_constraints: ClassVar = ConjunctionCRF._parameter_constraints | {"n_threads": SIZE}
    _fitted_arrays: ClassVar = ConjunctionCRF._fitted_arrays | {
        "objective_history": Annotated[Float64, "n_values", FINITE]
    }

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        from treecrf.models.linear.lbfgs import minimize_objective  # takes long to import, and training alone needs it

        began = time.thread_time()
        training = _Training(train, labels, self.window, self._outcomes(len(train.label_names)), self.variance)
        rng = np.random.default_rng(0 if self.random_state is None else [1, self.random_state])
        order = rng.permutation(len(train))
        if self.random_state is not None:
            training.weights = rng.normal(0.0, self.start_noise, len(training.weights))
        seconds = {"windows": time.thread_time() - began, "gradient": 0.0, "induction": 0.0}
        stages: list[Floats] = []
        history: list[float] = []
        n_inductions = 0

        def note(weights: Floats, value: float) -> None:
            if not self.keep_stages:
                stages.clear()
            stages.append(training.split(weights).joined())
            history.append(value)
            if monitor is not None:
                elapsed = dict(seconds) | {"gradient": seconds["gradient"] + time.thread_time() - began}
                monitor(len(history), elapsed, training.penalty(weights) - value)

        shares = self._shares()
        with Workers(self.n_threads) as workers:
            clock = time.thread_time if self.n_threads == 1 else time.process_time
            for round_, share in enumerate([*shares, 1.0]):  # after the last induction all sequences train
                part = training.part(order[: max(1, round(share * len(train)))])
                n_iterations, n_done = self._n_iterations(round_, len(shares), len(history)), len(history)
                began = time.thread_time()
                if n_iterations:
                    objective = training.objective(part)
                    training.weights = minimize_objective(objective, training.weights, n_iterations, TOLERANCE, note)
                seconds["gradient"] += time.thread_time() - began
                if round_ < len(shares):
                    before = clock()
                    n_new = training.add_features(
                        part, self.true_label_threshold, self.features_per_induction, workers.run
                    )
                    seconds["induction"] += clock() - before
                    n_inductions += 1
                    if share == 1 and not n_new and len(history) < n_done + n_iterations:
                        break  # all that is left would begin at the optimum that it would look for
        self.conjunctions_ = training.conjunctions
        self.stages_ = stages or [training.split(training.weights).joined()]  # where the start is the optimum
        self.objective_history_, self.seconds_, self.n_inductions_ = np.array(history), seconds, n_inductions


class _Part(NamedTuple):
    """Some sequences of the training set: their offsets, their positions' labels and windows."""

    offsets: Ints
    labels: Codes
    window_of: NDArray[np.int32]


class _Training:
    """The features of a training run and their `weights`, float64: of labels, transitions and features."""

    def __init__(
        self,
        train: SequenceSet,
        labels: Codes,
        window: tuple[int, int],
        outcomes: Outcomes,
        variance: float,
    ) -> None:
        self._train, self._labels, self._variance = train, labels, float(variance)
        self._outcomes, self._n_labels = outcomes, outcomes.n_labels
        self._windows = Windows.of(train, window)
        cells = Conjunctions.of([cell] for cell in boolean_cells(train.attributes, window))
        self._basic = Features.find(cells, self._windows.columns)
        self._features = Features.find(Conjunctions.of([]), self._windows.columns)
        self.weights = np.zeros(self._n_labels + self._n_labels**2)

    def split(self, weights: Floats) -> Weights:
        """The weights by kind; those of first and last labels, which this model does not have, are 0."""
        n = self._n_labels
        labels, transitions, features = np.split(weights, [n, n + n**2])
        by_outcome = features.reshape(-1, self._outcomes.size)
        return Weights(labels, transitions.reshape(n, n), np.zeros(n), np.zeros(n), by_outcome)

    def penalty(self, weights: Floats) -> float:
        """The prior's part of the objective."""
        return dot(weights, weights) / (2 * self._variance)

    def part(self, sequences: Ints) -> _Part:
        """Some sequences of the training set, in its order."""
        offsets, positions = gather_ranges(self._train.offsets, np.sort(sequences))
        return _Part(offsets, self._labels[positions], self._windows.window_of[positions])

    def objective(self, part: _Part) -> Callable[[Floats], tuple[float, Floats]]:
        """What is minimized on a part of the training set, with its gradient, as a function of the weights."""
        outcomes, occurrences = self._outcomes, self._features.occurrences
        likelihood = Likelihood(part.labels, part.offsets)
        transition_gradient = np.empty((self._n_labels, self._n_labels))

        def objective(weights: Floats) -> tuple[float, Floats]:
            by_kind = self.split(weights)
            scores = score_features(by_kind, occurrences, self._windows.n_windows, outcomes)
            errors = np.empty_like(scores)
            log_likelihood = likelihood.differentiate(
                scores, part.window_of, by_kind.transitions.copy(), errors, transition_gradient
            )
            gradient = np.empty_like(by_kind.features)
            sum_errors(*occurrences, outcomes.by_outcome(errors), gradient)
            of_labels = errors.sum(axis=0).reshape(-1, self._n_labels).sum(axis=0)
            total = np.concatenate([of_labels, transition_gradient.ravel(), gradient.ravel()])
            return self.penalty(weights) - log_likelihood, weights / self._variance - total

        return objective

    def add_features(self, part: _Part, threshold: float, n_new: int, run: Runner) -> int:
        """Add the features that promise most, with weights of 0, and return their number."""
        by_kind = self.split(self.weights)
        scores = score_features(by_kind, self._features.occurrences, self._windows.n_windows, self._outcomes)
        windows = self._windows._replace(window_of=part.window_of)
        marginals = chain.forward_backward(
            chain_potentials(scores, windows, by_kind, part.offsets), part.offsets, 1
        ).labels
        tokens = find_error_tokens(marginals, part.labels, part.window_of, self._windows.n_windows, threshold)
        new = induce(self._basic, self._features, tokens, self._variance, n_new, run)
        self._features = self._features.followed_by(Features.find(new, self._windows.columns))
        self.weights = np.concatenate([self.weights, np.zeros(new.size * self._outcomes.size)])
        return new.size

    @property
    def conjunctions(self) -> Conjunctions:
        """The conjunctions of all features."""
        return self._features.conjunctions
