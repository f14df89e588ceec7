"""The n likeliest label sequences of constrained chains, exactly.

Viterbi's forward recursion keeps the best score and the best state before of every state. The *loss* of a step is how
much worse the best path that takes it is than the best one to the same state: 0 for steps of best paths. A path is a
few steps with losses, and best ones before the first of these, counted from the end; its own loss is their sum
(Eppstein 1998, on the trellis of a chain). The best path of all has loss 0. Whenever a path has been found, all those
that leave it by one more step become candidates, and the candidate with the least loss is the next path.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import boolean, float64, int16, int64, uint64
from numpy.typing import NDArray

from treecrf.chain.trellis import TRELLIS, Trellis, check_reached, log_scores, newest, place_of, step
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Float64, Int16, Int32, Int64, allocate, compiled_type, struct


@struct
class Search(NamedTuple):
    """Work space: the best paths to all states of a sequence, paths found, and candidates, those with the least loss
    first.
    """

    scores: Annotated[Float64, "n_places, n_states", "Best score of a path to each state before a place."]
    highest: Annotated[Float64, "n_places", "Largest of a place, which later scores leave out."]
    origins: Annotated[
        Int16, "n_places, n_states", "Oldest label of the best state before, which the state after forgets."
    ]
    states: Annotated[Int32, "n_best, n_places", "Of each path found: state before each place."]
    parents: Annotated[Int64, "n_best", "Of each candidate: the path that it leaves; -1 for a first one."]
    places: Annotated[Int64, "n_best", "Where it leaves it, on the way back from the end."]
    sources: Annotated[Int64, "n_best", "The state there."]
    losses: Annotated[Float64, "n_best"]


SEARCH = compiled_type(Search)


@kernel(int64(TRELLIS, int64, SEARCH), error_model="numpy")
def _best_scores(trellis, sequence, search):
    """Viterbi's forward recursion; returns the first place that no path reaches the end of, or -1."""
    n_labels, begin = uint64(trellis.unary.shape[1]), trellis.offsets[sequence]
    scores, highest = search.scores, search.highest
    scores[0, 0] = highest[0] = 0.0
    for t in range(trellis.offsets[sequence + 1] - begin):
        base, n_blocks, width, stride, per_label = place_of(trellis, t)
        position = uint64(begin + t)
        highest[t + 1] = -np.inf
        for label in range(n_labels):
            for block in range(n_blocks):
                best, origin = -np.inf, uint64(0)
                if trellis.unary[position, label] > -np.inf:
                    for i in range(width):
                        state = block * width + i
                        before = newest(trellis, t, state, per_label)
                        value = scores[t, state] - highest[t] + step(trellis, position, label, base, state, before)
                        if value > best:
                            best, origin = value, i
                target = label * stride + block
                scores[t + 1, target] = best
                search.origins[t + 1, target] = origin
                highest[t + 1] = max(highest[t + 1], best)
        if highest[t + 1] == -np.inf:
            return t
    return -1


@kernel(int64(TRELLIS, SEARCH, int64, int64), error_model="numpy")
def _before(trellis, search, t, target):
    """The best state before place t - 1 on the way to a state before place t."""
    _, _, width, stride, _ = place_of(trellis, t - 1)
    origin = search.origins[t, target] if width > 1 else 0
    return int64(uint64(target) % stride * width + uint64(origin))


@kernel(int64(TRELLIS, SEARCH, int64, int64, int64, int64, int64), error_model="numpy")
def _state_of(trellis, search, parent, place, source, t, after):
    """State before place t of a candidate, whose state before the next place is `after`."""
    if t > place:
        return int64(search.states[parent, t])
    return source if t == place else _before(trellis, search, t + 1, after)


@kernel(boolean(TRELLIS, SEARCH, int64, int64, int64, int64, int64), error_model="numpy")
def _is_lower(trellis, search, length, parent, place, source, other):
    """Whether a path has a lower label than a candidate where they first differ, on the way back from the end."""
    one = two = int64(0)
    for t in range(length, -1, -1):
        one = _state_of(trellis, search, parent, place, source, t, one)
        two = _state_of(trellis, search, search.parents[other], search.places[other], search.sources[other], t, two)
        if one != two:
            return one < two
    return False


@kernel(int64(TRELLIS, SEARCH, int64, int64, int64, int64, int64, float64), error_model="numpy")
def _insert(trellis, search, length, n_candidates, parent, place, source, loss):
    """Put a candidate among the others, of which there stay as many as have room; returns how many there are."""
    losses, room = search.losses, len(search.losses)
    rank = n_candidates
    while rank > 0 and (
        loss < losses[rank - 1]
        or (loss == losses[rank - 1] and _is_lower(trellis, search, length, parent, place, source, rank - 1))
    ):
        rank -= 1
    if rank == room:
        return n_candidates
    n_candidates = min(n_candidates + 1, room)
    for other in range(n_candidates - 1, rank, -1):
        search.parents[other], search.places[other] = search.parents[other - 1], search.places[other - 1]
        search.sources[other], losses[other] = search.sources[other - 1], losses[other - 1]
    search.parents[rank], search.places[rank], search.sources[rank], losses[rank] = parent, place, source, loss
    return n_candidates


@kernel(int64(TRELLIS, int64, SEARCH, int64, int64, float64, int64), error_model="numpy")
def _leave(trellis, sequence, search, path, place, loss, n_candidates):
    """Insert what leaves a path by one more step before a place, on the way back; returns how many candidates there
    are.
    """
    begin = trellis.offsets[sequence]
    length = trellis.offsets[sequence + 1] - begin
    for t in range(place - 1, -1, -1):
        base, _, width, stride, per_label = place_of(trellis, t)
        target = uint64(search.states[path, t + 1])
        label, first = target // stride, target % stride * width
        for i in range(width):
            state = first + i
            if int64(state) == search.states[path, t]:
                continue
            before = newest(trellis, t, state, per_label)
            value = step(trellis, uint64(begin + t), label, base, state, before)
            value = search.scores[t, state] - search.highest[t] + value
            if value > -np.inf:
                more = loss + (search.scores[t + 1, target] - value)
                n_candidates = _insert(trellis, search, length, n_candidates, path, t, int64(state), more)
    return n_candidates


@kernel(int64(TRELLIS, int64, SEARCH, int16[:, ::1]), error_model="numpy")
def _search_paths(trellis, sequence, search, labels):
    """Find the best paths of a sequence after `_best_scores`; returns how many there are."""
    begin = trellis.offsets[sequence]
    length, n_labels = trellis.offsets[sequence + 1] - begin, uint64(trellis.unary.shape[1])
    _, _, _, stride, _ = place_of(trellis, length - 1)
    n_candidates = n_found = int64(0)
    for state in range(n_labels * stride):
        loss = search.highest[length] - search.scores[length, state]
        if loss < np.inf:
            n_candidates = _insert(trellis, search, length, n_candidates, -1, length, int64(state), loss)
    while n_candidates > 0 and n_found < len(labels):
        parent, place, source, loss = search.parents[0], search.places[0], search.sources[0], search.losses[0]
        n_candidates -= 1
        for other in range(n_candidates):
            search.parents[other], search.places[other] = search.parents[other + 1], search.places[other + 1]
            search.sources[other], search.losses[other] = search.sources[other + 1], search.losses[other + 1]
        state = int64(0)
        for t in range(length, -1, -1):
            state = _state_of(trellis, search, parent, place, source, t, state)
            search.states[n_found, t] = state
            if t > 0:
                _, _, _, stride, _ = place_of(trellis, t - 1)
                labels[n_found, begin + t - 1] = uint64(state) // stride
        n_candidates = _leave(trellis, sequence, search, n_found, place, loss, n_candidates)
        n_found += 1
    return n_found


@kernel(int64(TRELLIS, SEARCH, int16[:, ::1], int64[::1]), error_model="numpy")
def find_n_best(trellis, search, labels, n_paths):
    """Write the best paths of every sequence, and how many there are; `labels`, shape (n_best, n_positions), is -1
    before.

    Returns the first position that no path reaches the end of, or -1.
    """
    for sequence in range(len(trellis.offsets) - 1):
        stopped = _best_scores(trellis, sequence, search)
        if stopped >= 0:
            return trellis.offsets[sequence] + stopped
        n_paths[sequence] = _search_paths(trellis, sequence, search, labels)
    return -1


NO_LABEL = -1
"""In place of the labels of a path that there is not."""


class NBest(NamedTuple):
    """The likeliest label sequences of each sequence, the likeliest first.

    Attributes
    ----------
    labels : int16, shape (n, n_positions)
        Row i holds the (i + 1)-th likeliest path of every sequence, -1 where a sequence has fewer.
    log_probabilities : float64, shape (n, n_sequences)
        log P(path | X); minus infinity where a sequence has fewer.
    n_paths : int64, shape (n_sequences,)
        How many paths each sequence has here: n, unless there are fewer label sequences.
    """

    labels: NDArray[np.int16]
    log_probabilities: NDArray[np.float64]
    n_paths: NDArray[np.int64]


def n_best(trellis: Trellis, n: int, log_partition: NDArray[np.float64]) -> NBest:
    """The n best paths of each sequence of a trellis.

    Of equally likely ones comes first the one with the lowest last label, then with the lowest label before it, and so
    on: the first path is that of `treecrf.chain.viterbi`.

    Parameters
    ----------
    trellis : Trellis
    n : int
    log_partition : float64, shape (n_sequences,)
        Of `treecrf.chain.trellis.trellis_marginals`; scores less these are the log probabilities.

    Raises
    ------
    ValueError
        If n is less than 1, or a sequence has no path.
    """
    labels, n_paths = _search(trellis, n)
    log_probabilities = np.full((n, len(n_paths)), -np.inf)
    for rank in range(n_paths.max()):
        is_there = n_paths > rank
        path = np.maximum(labels[rank], 0)  # label 0 stands in where there is no path
        log_probabilities[rank, is_there] = (log_scores(trellis, path) - log_partition)[is_there]
    return NBest(labels, log_probabilities, n_paths)


def best_path(trellis: Trellis) -> NDArray[np.int16]:
    """The likeliest labels of a trellis, shape (n_positions,); ties and errors as of `n_best`."""
    return _search(trellis, 1)[0][0]


def _search(trellis: Trellis, n: int) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n={n!r}: give the number of paths, at least 1.")
    n_positions, n_labels = trellis.unary.shape
    n_places = int(np.diff(trellis.offsets).max()) + 1
    search = allocate(Search, n_best=n, n_places=n_places, n_states=n_labels**trellis.order)
    labels, n_paths = np.full((n, n_positions), NO_LABEL, dtype=np.int16), np.empty(len(trellis.offsets) - 1, np.int64)
    check_reached(trellis, find_n_best(trellis, search, labels, n_paths))
    return labels, n_paths
