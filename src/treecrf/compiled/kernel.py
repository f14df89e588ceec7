"""Compilation of kernels of tree growing."""

from __future__ import annotations

from typing import Any

from numba import njit


def kernel(signature: Any, **options: Any) -> Any:
    """Compile as `numba.njit` does: cached, without the lock, and without counting references to arrays.

    The callers of a kernel hold its arrays. Counting each view of them takes half the time of a small tree. Such
    a kernel cannot allocate.
    """
    compiler: Any = njit  # its published types lack the last option
    return compiler(signature, cache=True, nogil=True, _nrt=False, **options)
