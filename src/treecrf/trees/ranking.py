"""Sorting codes by a number that each has."""

from __future__ import annotations

from numba import float64, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel

_FEW = 64  # up to so many, comparing all with all takes less time than sorting: it has no branches


@kernel(void(int32[::1], float64[::1], int32[::1]))
def rank(codes, keys, ranked):
    """Write codes in the order of their keys; of equal keys the first stays first.

    Parameters
    ----------
    codes : int32, shape (n,)
        Used up where they are many.
    keys : float64, shape (at least n,)
        Key of each; used up, too.
    ranked : int32, shape (at least n,)
        What is written.
    """
    if len(codes) <= _FEW:
        _rank_few(codes, keys, ranked)
    else:
        _sort_many(codes, keys)
        for i in range(len(codes)):
            ranked[i] = codes[i]


@kernel(void(int32[::1], float64[::1], int32[::1]))
def _rank_few(codes, keys, ranked):
    """The place of a code is the number of codes before it."""
    n = uint64(len(codes))
    for i in range(n):
        key, place = keys[i], int64(0)
        for j in range(i):
            place += keys[j] <= key
        for j in range(i + uint64(1), n):
            place += keys[j] < key
        ranked[uint64(place)] = codes[i]


@kernel(void(int32[::1], float64[::1], int64, int64))
def _sift_down(codes, keys, root, end):
    """Let an entry sink in the heap ``[0, end)`` until those below it come before it; of equal keys the lower code does."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and _is_before(codes, keys, child, child + 1):
            child += 1
        if not _is_before(codes, keys, root, child):
            return
        _exchange(codes, keys, root, child)
        root = child


@kernel(int64(int32[::1], float64[::1], int64, int64))
def _is_before(codes, keys, first, second):
    return keys[first] < keys[second] or (keys[first] == keys[second] and codes[first] < codes[second])


@kernel(void(int32[::1], float64[::1], int64, int64))
def _exchange(codes, keys, first, second):
    codes[first], codes[second] = codes[second], codes[first]
    keys[first], keys[second] = keys[second], keys[first]


@kernel(void(int32[::1], float64[::1]))
def _sort_many(codes, keys):
    """Heapsort of codes, which are ascending, and keys."""
    n = len(codes)
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(codes, keys, root, n)
    for end in range(n - 1, 0, -1):
        _exchange(codes, keys, 0, end)
        _sift_down(codes, keys, 0, end)
