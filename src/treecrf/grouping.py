"""Groups of related sequences: copies, or sequences that have much in common.

What is chosen or tested on a sequence is too good where a relative of it has trained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Ints
from treecrf.io.messages import quoted
from treecrf.sequences import SequenceSet

NamedRule = Literal["none", "copies"]

Rule = NamedRule | Mapping[str, Any]
"""Which sequences are related: none, copies, or those that `group_by_runs` links with these parameters."""


def find_groups(data: SequenceSet, rule: Rule | str) -> Ints:
    """Groups by a rule; int64, shape (n_sequences,), numbers from 0 in order of first appearance."""
    if rule == "none":
        return np.arange(len(data))
    if rule == "copies":
        return group_copies(data)
    if not isinstance(rule, Mapping) or set(rule) - {"length", "share"}:
        raise ValueError(f"groups={quoted(rule)}: give 'none', 'copies' or a mapping with length and share.")
    return group_by_runs(data, **rule)


def join_groups(one: Ints, other: Ints) -> Ints:
    """Groups of sequences that either grouping relates, if only by way of others; int64, shape (n_sequences,)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    first, second = (np.unique(groups, return_inverse=True)[1] for groups in (one, other))
    n_first = first.max(initial=-1) + 1
    n_groups = n_first + second.max(initial=-1) + 1
    links = csr_array((np.ones(len(one), dtype=bool), (first, n_first + second)), shape=(n_groups, n_groups))
    return _number(connected_components(links, directed=False)[1][first].tolist())


def group_copies(data: SequenceSet) -> Ints:
    """Groups of sequences with the same observations, whatever their labels; int64, shape (n_sequences,)."""
    return _number(observed(data))


def observed(data: SequenceSet) -> list[bytes]:
    """The observations of each sequence as bytes: equal for copies."""
    rows = _rows(data)
    return [rows[first:last].tobytes() for first, last in _ranges(data)]


def group_by_runs(data: SequenceSet, length: int = 4, share: float = 0.1) -> Ints:
    """Groups of sequences that are linked by common runs of observations (single linkage).

    Two sequences are linked if more than a share of the different runs of `length` consecutive observations of either
    one is found in the other. One that is shorter than a run has a single run, the whole of it.

    Parameters
    ----------
    data : SequenceSet
    length : int
        Observations of a run.
    share : float
        From 0 to below 1.

    Returns
    -------
    int64, shape (n_sequences,)
        Numbers from 0 in order of first appearance.
    """
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if type(length) is not int or length < 1 or not is_number or not 0 <= share < 1:
        raise ValueError(
            f"length={quoted(length)}, share={quoted(share)}: give a whole number from 1, a share below 1."
        )
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows = _rows(data)
    runs = [_runs(rows[first:last], length) for first, last in _ranges(data)]
    numbers = _number(run for runs_of_one in runs for run in runs_of_one)
    sequences = np.repeat(np.arange(len(data)), [len(runs_of_one) for runs_of_one in runs])
    has = csr_array((np.ones(len(numbers), dtype=np.int64), (sequences, numbers)))
    common = (has @ has.T).tocoo()
    n_runs = np.asarray(has.sum(axis=1))
    one, other = common.coords
    linked = common.data > share * np.minimum(n_runs[one], n_runs[other])
    links = csr_array((linked[linked], (one[linked], other[linked])), shape=common.shape)
    return _number(connected_components(links, directed=False)[1].tolist())


def _rows(data: SequenceSet) -> NDArray[Any]:
    """A row of all inputs for each observation: equal bytes for equal observations."""
    numbers = np.where(np.isnan(data.numbers), np.nan, data.numbers + 0.0)  # one NaN, one zero
    return np.hstack([data.values, numbers]) if numbers.size else data.values


def _ranges(data: SequenceSet) -> list[tuple[int, int]]:
    """First and last row of the observations of each sequence."""
    return list(zip(data.observation_offsets[:-1].tolist(), data.observation_offsets[1:].tolist(), strict=True))


def _runs(values: NDArray[Any], length: int) -> set[bytes]:
    """The different runs of consecutive observations."""
    return {values[first : first + length].tobytes() for first in range(max(len(values) - length, 0) + 1)}


def _number(items: Iterable[object]) -> Ints:
    """Numbers of equal items, from 0 in order of first appearance."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(item, len(numbers)) for item in items], dtype=np.int64)
