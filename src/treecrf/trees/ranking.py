"""Sorting codes by a number that each has."""

from __future__ import annotations

from numba import float64, int32, int64, void

from treecrf.compiled.kernel import kernel

_RUN = 16  # so many are sorted by insertion


@kernel(void(int32[::1], float64[::1], int64, int64))
def _insert_all(codes, keys, begin, end):
    """Sort ``codes[begin:end]`` by insertion."""
    for i in range(begin + 1, end):
        code = codes[i]
        key = keys[code]
        place = i
        while place > begin and keys[codes[place - 1]] > key:
            codes[place] = codes[place - 1]
            place -= 1
        codes[place] = code


@kernel(void(int32[::1], float64[::1], int32[::1]))
def rank(codes, keys, spare):
    """Sort `codes` by ``keys[code]``, ascending; of equal ones the first stays first.

    `spare` is work space, as long as `codes` at least.
    """
    n = len(codes)
    for begin in range(0, n, _RUN):
        _insert_all(codes, keys, begin, min(begin + _RUN, n))
    width = int64(_RUN)
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            for i in range(begin, middle):
                spare[i] = codes[i]
            left, right, place = begin, middle, begin
            while left < middle:  # what is left of the right half is in place already
                if right < end and keys[codes[right]] < keys[spare[left]]:
                    codes[place] = codes[right]
                    right += 1
                else:
                    codes[place] = spare[left]
                    left += 1
                place += 1
        width *= 2
