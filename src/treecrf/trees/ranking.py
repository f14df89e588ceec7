"""Sorting codes by a number that each has."""

from __future__ import annotations

from numba import float64, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel

_FEW = 64  # up to so many, comparing all with all takes less time than sorting: it has no branches
_FREE = -1


@kernel(void(int32[::1], float64[::1], int32[::1], int64[::1]))
def rank(codes, keys, ranked, places):
    """Write codes in the order of their keys; of equal keys the first stays first.

    Parameters
    ----------
    codes : int32, shape (n,)
        Used up where they are many.
    keys : float64, shape (at least n,)
        Key of each; used up, too.
    ranked : int32, shape (at least n,)
        What is written.
    places : int64, shape (at least n,)
        Work space.
    """
    if len(codes) <= _FEW:
        _rank_few(codes, keys, ranked, places)
    else:
        _sort_many(codes, keys)
        for i in range(len(codes)):
            ranked[i] = codes[i]


@kernel(void(int32[::1], float64[::1], int32[::1], int64[::1]))
def _rank_few(codes, keys, ranked, places):
    """The place of a code is the number of codes before it."""
    n = uint64(len(codes))
    for i in range(n):
        places[i] = 0
        ranked[i] = _FREE
    for i in range(n):
        key = keys[i]
        for j in range(n):  # many at a time
            places[j] += key < keys[j]
    for i in range(n):
        place = uint64(places[i])
        while ranked[place] != _FREE:  # of equal keys the first have come already
            place += uint64(1)
        ranked[place] = codes[i]


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
