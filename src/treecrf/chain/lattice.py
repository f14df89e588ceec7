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
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from treecrf.chain._lattice_kernels import (
    Lattice,
    Recursions,
    Weights,
    backward,
    find_paths,
    forward,
    infer_in_logs,
    spread_transitions,
)
from treecrf.chain.inference import Marginals
from treecrf.compiled.struct import Int16, Int32, Int64, allocate, compiled_type, struct
from treecrf.io.arrays import places_in
from treecrf.io.columns import MISSING

__all__ = [
    "Lattice",
    "Weights",
    "build_lattice",
    "by_label",
    "check_finite",
    "entries_of",
    "exponentials",
    "lattice_log_likelihood",
    "lattice_marginals",
    "lattice_viterbi",
    "pairs_of",
    "predecessor_counts",
    "transitions_of_pairs",
]

_NO_COUNTS = np.empty((0, 0))
MAX_LOG_RANGE = 600.0  # exponentials of what lies farther apart could underflow: such chains run in logs
MIN_LABELS = 64  # with fewer the loops of the kernels are as fast as matrix products


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
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    rows, labels = np.nonzero(table)
    first_of_kind = np.searchsorted(rows, np.arange(len(table)))
    return Lattice(
        starts,
        first,
        labels[np.repeat(first_of_kind[kind_of], counts) + places_in(first)].astype(np.int16),
        np.concatenate([[0], np.cumsum(counts * predecessor_counts(starts, counts))]).astype(np.int64),
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
    """What `run_forward` and `run_backward` have to be called in."""
    return threadpool_limits(1, user_api="blas") if _has_all_labels(lattice, weights) else nullcontext()


def run_forward(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """`treecrf.chain._lattice_kernels.forward`, the faster way."""
    way = forward_by_products if _has_all_labels(lattice, weights) else forward
    way(lattice, weights, first, last, recursions)


def run_backward(
    lattice: Lattice,
    weights: Weights,
    first: int,
    last: int,
    recursions: Recursions,
    pair_marginals: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None:
    """`treecrf.chain._lattice_kernels.backward`, the faster way."""
    if _has_all_labels(lattice, weights) and not len(pair_marginals):
        backward_by_products(lattice, weights, first, last, recursions, counts)
    else:
        backward(lattice, weights, first, last, recursions, pair_marginals, counts)


def forward_by_products(lattice: Lattice, weights: Weights, first: int, last: int, recursions: Recursions) -> None:
    """Forward recursion on the sequences ``first`` to ``last - 1`` of a lattice with all labels, without weights of
    pairs.

    Weights are exponentials; recursions are as after `treecrf.chain._lattice_kernels.forward`, up to rounding.
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
    """Backward recursion after `forward_by_products`; `counts` as in `treecrf.chain._lattice_kernels.backward`."""
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
