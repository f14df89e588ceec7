"""Powers of whole numbers in kernels."""

from __future__ import annotations

from numba import int64

from treecrf.compiled.kernel import kernel


@kernel(int64(int64, int64))
def power(base, exponent):
    """``base ** exponent`` for an exponent of at least 0: numba compiles two functions for it, which take longer than a small kernel."""
    result = 1
    for _ in range(exponent):
        result *= base
    return result
