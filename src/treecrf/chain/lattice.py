"""Inference on first-order chains with many labels: each position has few labels, or pairs of labels have weights of
their own.

A chain gives a label sequence the score ``sum_t U(y_t, t) + T(y_t, y_{t-1})``, or with weights of pairs ``U(y_t, t) +
F(y_t, y_{t-1}, t)``. A `Lattice` tells which labels each position may have; all others have probability 0. Arrays are
laid out by entry, a label of a position, and by pair, so that their size follows the labels that are possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int64, types, uint64, void
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from treecrf.chain.inference import Marginals
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int16, Int32, Int64, allocate, compiled_type, struct
from treecrf.io.arrays import places_in, starts_of
from treecrf.io.columns import MISSING

_NO_COUNTS = np.empty((0, 0))
MAX_LOG_RANGE = 600.0  # exponentials of what lies farther apart could underflow: such chains run in logs
MIN_LABELS = 64  # with fewer the loops of the kernels are as fast as matrix products


@struct
class Lattice(NamedTuple):
    """The labels that each position may have: its *entries*, position after position.

    The *pairs* of a position are its labels with those that may stand before them, label by label; before a first
    position stands START alone.
    """

    offsets: Annotated[Int64, "n_sequences + 1"]
    first: Annotated[Int64, "n_positions + 1", "First entry of each position."]
    labels: Annotated[Int16, "n_entries", "Ascending within a position."]
    first_pair: Annotated[Int64, "n_positions + 1", "First pair of each position."]


@struct
class Weights(NamedTuple):
    """Weights of labels and pairs: exponentials of potentials, or in `find_paths` potentials.

    Where there are weights of pairs, those of transitions take no part.
    """

    unary: Annotated[Float64, "n_entries"]
    transitions: Annotated[
        Float64, "n_labels, n_labels + 1", "Of a label after another, or after START, which comes last."
    ]
    pairs: Annotated[Float64, "n_pairs", "Or empty."]


@struct
class Recursions(NamedTuple):
    """Results of the forward and backward recursions."""

    alphas: Annotated[Float64, "n_entries", "Sum to one at each position after `forward`; P(y_t | X) after `backward`."]
    betas: Annotated[Float64, "n_entries"]
    scales: Annotated[Float64, "n_positions", "Inverses of what the alphas grew by."]


LATTICE, WEIGHTS, RECURSIONS = compiled_type(Lattice), compiled_type(Weights), compiled_type(Recursions)


@kernel(types.UniTuple(uint64, 4)(LATTICE, int64, int64))
def span(lattice, position, begin):
    """First entry of a position and the one after its last, and those of the position before; START counts as one."""
    first, last = lattice.first[position], lattice.first[position + 1]
    if position == begin:
        return uint64(first), uint64(last), uint64(0), uint64(1)
    return uint64(first), uint64(last), uint64(lattice.first[position - 1]), uint64(first)


@kernel(uint64(LATTICE, WEIGHTS, int64, boolean))
def _before(lattice, weights, entry, is_first):
    """Label of an entry of the position before, or START."""
    return uint64(weights.transitions.shape[0]) if is_first else uint64(lattice.labels[entry])


@kernel(void(LATTICE, WEIGHTS, int64, int64, RECURSIONS), error_model="numpy")
def forward(lattice, weights, first, last, recursions):
    """Forward recursion on the sequences ``first`` to ``last - 1``."""
    alphas, scales = recursions.alphas, recursions.scales
    has_pairs = len(weights.pairs) > 0
    for sequence in range(first, last):
        begin = lattice.offsets[sequence]
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            pair, scale = uint64(lattice.first_pair[position]), 0.0
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                value = 0.0
                for other in range(before, before_end):
                    alpha = 1.0 if position == begin else alphas[other]
                    if has_pairs:
                        value += alpha * weights.pairs[pair]
                        pair += uint64(1)
                    else:
                        value += alpha * transitions[_before(lattice, weights, other, position == begin)]
                value *= weights.unary[entry]
                alphas[entry] = value
                scale += value
            scales[position] = 1.0 / scale
            for entry in range(now, end):
                alphas[entry] *= scales[position]


@kernel(void(LATTICE, WEIGHTS, int64, int64, RECURSIONS, float64[::1], float64[:, ::1]), error_model="numpy")
def backward(lattice, weights, first, last, recursions, pair_marginals, counts):
    """Backward recursion, after `forward`.

    `pair_marginals`, shape (n_pairs,), become P(y_t, y_{t-1} | X), and are added to `counts` of transitions, shape
    (n_labels, n_labels + 1); either may be empty.
    """
    alphas, betas, scales = recursions.alphas, recursions.betas, recursions.scales
    has_counts = len(counts) > 0
    has_pairs, has_marginals = len(weights.pairs) > 0, len(pair_marginals) > 0
    for sequence in range(first, last):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for entry in range(lattice.first[stop - 1], lattice.first[stop]):
            betas[entry] = 1.0
        for position in range(stop - 1, begin - 1, -1):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            if position > begin:
                for other in range(before, before_end):
                    betas[other] = 0.0
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                after = betas[entry] * weights.unary[entry] * scales[position]
                for other in range(before, before_end):
                    before_label = _before(lattice, weights, other, position == begin)
                    value = after * (weights.pairs[pair] if has_pairs else transitions[before_label])
                    if position > begin:
                        betas[other] += value
                        value *= alphas[other]
                    if has_marginals:
                        pair_marginals[pair] = value
                    if has_counts:
                        counts[lattice.labels[entry], before_label] += value
                    pair += uint64(1)
                alphas[entry] *= betas[entry]


@kernel(float64(LATTICE, WEIGHTS, uint64, uint64, uint64, boolean))
def step(lattice, potentials, entry, other, pair, is_first):
    """Potential of an entry after another."""
    if len(potentials.pairs) > 0:
        return potentials.unary[entry] + potentials.pairs[pair]
    before = _before(lattice, potentials, other, is_first)
    return potentials.unary[entry] + potentials.transitions[uint64(lattice.labels[entry]), before]


@kernel(void(LATTICE, WEIGHTS, RECURSIONS), error_model="numpy")
def infer_in_logs(lattice, potentials, recursions):
    """Both recursions where exponentials could underflow: `alphas` become P(y_t | X), `scales` what log Z grows by."""
    alphas, betas, scales = recursions.alphas, recursions.betas, recursions.scales
    for sequence in range(len(lattice.offsets) - 1):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for position in range(begin, stop):
            now, end, before, before_end = span(lattice, position, begin)
            pair, highest = uint64(lattice.first_pair[position]), -np.inf
            for entry in range(now, end):
                largest, total = -np.inf, 0.0
                for other in range(before, before_end):
                    value = step(lattice, potentials, entry, other, pair, position == begin)
                    value += 0.0 if position == begin else alphas[other]
                    pair += uint64(1)
                    if value > largest:
                        total, largest = total * np.exp(largest - value) + 1.0, value
                    else:
                        total += np.exp(value - largest)
                alphas[entry] = largest + np.log(total)
                highest = max(highest, alphas[entry])
            total = 0.0
            for entry in range(now, end):
                total += np.exp(alphas[entry] - highest)
            scales[position] = highest + np.log(total)
            for entry in range(now, end):
                alphas[entry] -= scales[position]
        for entry in range(lattice.first[stop - 1], lattice.first[stop]):
            betas[entry] = 0.0
        for position in range(stop - 1, begin, -1):
            now, end, before, before_end = span(lattice, position, begin)
            first_pair = uint64(lattice.first_pair[position])
            for other in range(before, before_end):
                pair, largest, total = first_pair + (other - before), -np.inf, 0.0
                for entry in range(now, end):
                    value = step(lattice, potentials, entry, other, pair, False) + betas[entry] - scales[position]
                    pair += before_end - before
                    if value > largest:
                        total, largest = total * np.exp(largest - value) + 1.0, value
                    else:
                        total += np.exp(value - largest)
                betas[other] = largest + np.log(total)
        for entry in range(lattice.first[begin], lattice.first[stop]):
            alphas[entry] = np.exp(alphas[entry] + betas[entry])


@kernel(void(LATTICE, WEIGHTS, float64[::1], int64[::1], int16[::1]))
def find_paths(lattice, weights, scores, origins, labels):
    """Write the likeliest labels; of equally likely ones the lowest, compared from the last label backwards.

    `scores` and `origins`, shape (n_entries,), are work space; `weights` are potentials.
    """
    has_pairs = len(weights.pairs) > 0
    for sequence in range(len(lattice.offsets) - 1):
        begin, stop = lattice.offsets[sequence], lattice.offsets[sequence + 1]
        for position in range(begin, stop):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            for entry in range(now, end):
                transitions = weights.transitions[uint64(lattice.labels[entry])]
                best = -np.inf
                for other in range(before, before_end):
                    value = (
                        weights.pairs[pair]
                        if has_pairs
                        else transitions[_before(lattice, weights, other, position == begin)]
                    )
                    value += 0.0 if position == begin else scores[other]
                    pair += uint64(1)
                    if value > best:
                        best = value
                        origins[entry] = int64(other)
                scores[entry] = best + weights.unary[entry]
        entry = lattice.first[stop - 1]
        for other in range(lattice.first[stop - 1], lattice.first[stop]):
            if scores[other] > scores[entry]:
                entry = other
        for position in range(stop - 1, begin - 1, -1):
            labels[position] = lattice.labels[entry]
            entry = origins[entry]


@kernel(void(LATTICE, float64[:, ::1], float64[::1]))
def spread_transitions(lattice, transitions, pairs):
    """Write the transition of each pair."""
    start = transitions.shape[0]
    for sequence in range(len(lattice.offsets) - 1):
        begin = lattice.offsets[sequence]
        for position in range(begin, lattice.offsets[sequence + 1]):
            now, end, before, before_end = span(lattice, position, begin)
            pair = uint64(lattice.first_pair[position])
            for entry in range(now, end):
                row = transitions[uint64(lattice.labels[entry])]
                for other in range(before, before_end):
                    pairs[pair] = row[uint64(start) if position == begin else uint64(lattice.labels[other])]
                    pair += uint64(1)


# --- lattices, and questions to them ----------------------------------------------------------------------


def build_lattice(offsets: ArrayLike, candidates: ArrayLike, kinds: ArrayLike) -> Lattice:
    """A lattice in which position p may have the labels ``candidates[kinds[p]]``.

    Parameters
    ----------
    offsets : int64, shape (n_sequences + 1,)
    candidates : bool, shape (n_kinds, n_labels)
        At least one label of each kind.
    kinds : int, shape (n_positions,)

    Raises
    ------
    ValueError
        If offsets do not rise from 0 to n_positions, a kind has no label, or a position has no kind.
    """
    given, kind_of = np.asarray(offsets), np.asarray(kinds)
    table = np.asarray(candidates, dtype=np.bool_)
    if (
        given.dtype.kind not in "iu"
        or kind_of.dtype.kind not in "iu"
        or (given.ndim, kind_of.ndim, table.ndim) != (1, 1, 2)
    ):
        raise ValueError("offsets and kinds must be lists of whole numbers, candidates a table of bool.")
    starts, n_of_kind = given.astype(np.int64), table.sum(axis=1)
    if len(starts) < 2 or starts[0] or (np.diff(starts) < 1).any() or starts[-1] != len(kind_of):
        raise ValueError(f"offsets must rise from 0 to the number of positions, {len(kind_of)}.")
    if not n_of_kind.all() or kind_of.min() < 0 or kind_of.max() >= len(table):
        raise ValueError(f"kinds must lie in 0..{len(table) - 1}, and each needs at least one label.")
    counts = n_of_kind[kind_of]
    first = starts_of(counts)
    rows, labels = np.nonzero(table)
    first_of_kind = np.searchsorted(rows, np.arange(len(table)))
    return Lattice(
        starts,
        first,
        labels[np.repeat(first_of_kind[kind_of], counts) + places_in(first)].astype(np.int16),
        starts_of(counts * predecessor_counts(starts, counts)),
    )


@struct
class Predecessors(NamedTuple):
    """The labels that may stand before each position; before a first position START alone, whose number is n_labels."""

    kinds: Annotated[Int32, "n_positions", "The last kind is that of first positions."]
    first: Annotated[Int64, "n_kinds + 1", "First label of each kind."]
    labels: Annotated[Int16, "n_labels_of_kinds", "Ascending within a kind."]


PREDECESSORS = compiled_type(Predecessors)


def build_predecessors(offsets: ArrayLike, candidates: ArrayLike, kinds: ArrayLike) -> Predecessors:
    """The labels before the positions of the lattice that `build_lattice` makes of the same."""
    starts, table, kind_of = np.asarray(offsets), np.asarray(candidates, dtype=np.bool_), np.asarray(kinds)
    kinds_before = np.concatenate([[0], kind_of[:-1]]).astype(np.int32)
    kinds_before[starts[:-1]] = len(table)
    rows, labels = np.nonzero(table)
    first = np.searchsorted(rows, np.arange(len(table) + 1))
    return Predecessors(
        kinds_before,
        np.concatenate([first, first[-1:] + 1]).astype(np.int64),
        np.concatenate([labels, [table.shape[1]]]).astype(np.int16),
    )


def agreeing_entries(lattice: Lattice, labels: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which entries are the label of their position, or any label where that is unknown; shape (n_entries,)."""
    of_entries = np.repeat(labels, np.diff(lattice.first))
    return np.asarray((of_entries == MISSING) | (of_entries == lattice.labels))


def predecessor_counts(offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many labels each position has before it, from how many each has; START counts as one."""
    before = np.concatenate([[1], counts[:-1]])
    before[offsets[:-1]] = 1
    return before


def transitions_of_pairs(lattice: Lattice, transitions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of each pair in a matrix of transitions, shape (n_labels, n_labels + 1); shape (n_pairs,)."""
    pairs = np.empty(lattice.first_pair[-1])
    spread_transitions(lattice, np.ascontiguousarray(transitions), pairs)
    return pairs


def entries_of(lattice: Lattice, labels: NDArray[np.int16]) -> NDArray[np.int64]:
    """The entry of each position's label, -1 where the position may not have it; shape (n_positions,)."""
    counts = np.diff(lattice.first)
    matching = np.flatnonzero(lattice.labels == np.repeat(labels, counts))
    entries = np.full(len(labels), -1)
    entries[np.repeat(np.arange(len(labels)), counts)[matching]] = matching
    return entries


def pairs_of(lattice: Lattice, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pair of each position's entry and the one before it, -1 where one of them is -1; shape (n_positions,)."""
    before = np.concatenate([[0], entries[:-1]])
    first_before = np.concatenate([[0], lattice.first[:-2]])
    for array in (before, first_before):
        array[lattice.offsets[:-1]] = 0
    n_before = predecessor_counts(lattice.offsets, np.diff(lattice.first))
    pairs = lattice.first_pair[:-1] + (entries - lattice.first[:-1]) * n_before + (before - first_before)
    return np.where((entries < 0) | (before < 0), -1, pairs)


def lattice_marginals(lattice: Lattice, potentials: Weights) -> Marginals:
    """Marginals by entry, and log partition functions.

    Returns
    -------
    Marginals
        `labels` has shape (n_entries,); `by_label` lays them out by label.

    Raises
    ------
    ValueError
        If potentials are not finite.
    """
    forward = _forward(lattice, potentials)
    if forward.weights is not None:
        with one_thread(lattice, forward.weights):
            run_backward(
                lattice, forward.weights, 0, len(lattice.offsets) - 1, forward.recursions, np.empty(0), _NO_COUNTS
            )
    return Marginals(forward.recursions.alphas, forward.log_partition)


def lattice_log_likelihood(lattice: Lattice, potentials: Weights, labels: NDArray[np.int16]) -> NDArray[np.float64]:
    """log P(Y | X) of each sequence; minus infinity where a position may not have its label. Errors as
    `lattice_marginals`.
    """
    entries = entries_of(lattice, labels)
    log_partition = _forward(lattice, potentials).log_partition
    before = np.concatenate([[0], labels[:-1]])
    before[lattice.offsets[:-1]] = len(potentials.transitions)
    steps = (
        potentials.pairs[pairs_of(lattice, entries)]
        if len(potentials.pairs)
        else potentials.transitions[labels, before]
    )
    scores = np.where(entries < 0, -np.inf, potentials.unary[entries] + steps)
    return np.asarray(np.add.reduceat(scores, lattice.offsets[:-1]) - log_partition)


def lattice_viterbi(lattice: Lattice, potentials: Weights) -> NDArray[np.int16]:
    """The likeliest labels, shape (n_positions,); of equally likely ones the lowest, compared from the last one
    backwards.
    """
    check_finite(potentials)
    labels = np.empty(len(lattice.first) - 1, dtype=np.int16)
    n_entries = len(lattice.labels)
    find_paths(lattice, potentials, np.empty(n_entries), np.empty(n_entries, dtype=np.int64), labels)
    return labels


def by_label(lattice: Lattice, values: NDArray[np.float64], n_labels: int) -> NDArray[np.float64]:
    """Values of entries by position and label, 0 for labels that a position may not have; shape (n_positions,
    n_labels).
    """
    table = np.zeros((len(lattice.first) - 1, n_labels))
    table[np.repeat(np.arange(len(table)), np.diff(lattice.first)), lattice.labels] = values
    return table


def exponentials(lattice: Lattice, potentials: Weights) -> tuple[Weights, NDArray[np.float64], float]:
    """Exponentials, the largest of each position 1; the logarithm of what each position's were divided by; the widest
    range.
    """
    shifts, width = _ranges(potentials.unary, lattice.first)
    unary = np.exp(potentials.unary - np.repeat(shifts, np.diff(lattice.first)))
    if len(potentials.pairs):
        highest, width_of_steps = _ranges(potentials.pairs, lattice.first_pair)
        shifted = np.exp(potentials.pairs - np.repeat(highest, np.diff(lattice.first_pair)))
        weights = Weights(unary, potentials.transitions, shifted)
    else:
        steps = potentials.transitions
        highest, width_of_steps = _ranges(steps.ravel(), np.array([0, steps.size]))
        weights = Weights(unary, np.exp(steps - highest), potentials.pairs)
    return weights, shifts + highest, float((width + 2 * width_of_steps).max())


class _Forward(NamedTuple):
    """The forward recursion; in logs there are no weights, and the backward recursion is done, too."""

    recursions: Recursions
    log_partition: NDArray[np.float64]
    weights: Weights | None


def _forward(lattice: Lattice, potentials: Weights) -> _Forward:
    check_finite(potentials)
    recursions = allocate(Recursions, n_entries=len(lattice.labels), n_positions=len(lattice.first) - 1)
    weights, shifts, widest = exponentials(lattice, potentials)
    if widest > MAX_LOG_RANGE:
        infer_in_logs(lattice, potentials, recursions)
        return _Forward(recursions, np.add.reduceat(recursions.scales, lattice.offsets[:-1]), None)
    with one_thread(lattice, weights):
        run_forward(lattice, weights, 0, len(lattice.offsets) - 1, recursions)
    return _Forward(recursions, np.add.reduceat(shifts - np.log(recursions.scales), lattice.offsets[:-1]), weights)


def check_finite(potentials: Weights) -> None:
    """Refuse potentials that are NaN or infinite."""
    steps = potentials.pairs if len(potentials.pairs) else potentials.transitions
    if not (np.isfinite(potentials.unary).all() and np.isfinite(steps).all()):
        raise ValueError("a potential is NaN or infinite; every potential must be finite.")


def _ranges(values: NDArray[np.float64], first: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest value of each position, and by how much the smallest is below it."""
    highest = np.maximum.reduceat(values, first[:-1])
    return highest, highest - np.minimum.reduceat(values, first[:-1])


# --- recursions as matrix products over all sequences at once, where every position may have every label
# ---------------- By one thread: with more, the last bits of a product depend on their number.


def one_thread(lattice: Lattice, weights: Weights) -> AbstractContextManager[Any]:
    """The context in which to call `run_forward` and `run_backward`."""
    return threadpool_limits(1, user_api="blas") if _has_all_labels(lattice, weights) else nullcontext()


def run_forward(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """`forward`, by matrix products where all labels are possible."""
    recursion = forward_by_products if _has_all_labels(lattice, weights) else forward
    recursion(lattice, weights, first, last, recursions)


def run_backward(
    lattice: Lattice,
    weights: Weights,
    first: int,
    last: int,
    recursions: Recursions,
    pair_marginals: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:
    """`backward`, by matrix products where all labels are possible."""
    if _has_all_labels(lattice, weights) and not len(pair_marginals):
        backward_by_products(lattice, weights, first, last, recursions, counts)
    else:
        backward(lattice, weights, first, last, recursions, pair_marginals, counts)


def forward_by_products(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """Forward recursion on the sequences ``first`` to ``last - 1`` of a lattice with all labels, without weights of
    pairs.

    Weights are exponentials; recursions are as after `treecrf.chain.lattice.forward`, up to rounding.
    """
    n_labels = len(weights.transitions)
    unary, alphas = (values.reshape(-1, n_labels) for values in (weights.unary, recursions.alphas))
    after, at_start = np.ascontiguousarray(weights.transitions[:, :-1].T), weights.transitions[:, -1]
    for place, rows in _places(lattice.offsets[first : last + 1]):
        masses = (alphas[rows - 1] @ after if place else at_start) * unary[rows]
        scales = 1.0 / masses.sum(axis=1)
        alphas[rows], recursions.scales[rows] = masses * scales[:, None], scales


def backward_by_products(
    lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions, counts: NDArray[np.float64]
) -> None:
    """Backward recursion after `forward_by_products`; `counts` as in `treecrf.chain.lattice.backward`."""
    n_labels, offsets = len(weights.transitions), lattice.offsets[first : last + 1]
    unary, alphas, betas = (
        values.reshape(-1, n_labels) for values in (weights.unary, recursions.alphas, recursions.betas)
    )
    steps, at_start = np.ascontiguousarray(weights.transitions[:, :-1]), weights.transitions[:, -1]
    betas[offsets[0] : offsets[-1]] = 1.0
    for place, rows in reversed(list(_places(offsets))):
        now = betas[rows] * unary[rows] * recursions.scales[rows, None]
        if place:
            betas[rows - 1] = now @ steps
        if place and len(counts):
            counts[:, :-1] += steps * (now.T @ alphas[rows - 1])
        elif len(counts):
            counts[:, -1] += at_start * now.sum(axis=0)
    alphas[offsets[0] : offsets[-1]] *= betas[offsets[0] : offsets[-1]]


def _has_all_labels(lattice: Lattice, weights: Weights) -> bool:
    n_labels = len(weights.transitions)
    is_whole = len(lattice.labels) == (len(lattice.first) - 1) * n_labels
    return is_whole and n_labels >= MIN_LABELS and not len(weights.pairs)


def _places(offsets: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each place in a sequence, with the positions there of the sequences that are long enough."""
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    begins, n_longer = offsets[:-1][longest_first], np.searchsorted(-lengths[longest_first], -np.arange(lengths.max()))
    for place, n_rows in enumerate(n_longer):
        yield place, begins[:n_rows] + place
