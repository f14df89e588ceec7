"""How fast a machine is: the seconds of a fixed compiled work, so that seconds of two machines can be set side by side.

The work is done several times and the least CPU time of one thread counts: what else the machine does can only add to it.
What other processes take from shared caches stays in it, and stays in the seconds of jobs too. So every job that computes
measures it when it ends, for some hundredths of a second, and the median over a machine's jobs is the machine's.
"""

from __future__ import annotations

import time

import numpy as np

REFERENCE_SECONDS = 0.004
"""What counts as 1: about a core of an Intel Xeon of 2021 (Ice Lake) at 2.8 GHz, with numba 0.68."""

N_REPEATS = 5
"""Of the work."""

_N_POSITIONS, _N_COLUMNS, _N_LABELS = 2**15, 24, 4


def kernel_seconds() -> float | None:
    """Seconds of the fixed work; None where numba's just-in-time compilation is disabled."""
    import numba

    from treecrf.records._calibration_kernel import fixed_work

    if getattr(numba.config, "DISABLE_JIT", 0):  # its settings are made at run time
        return None
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (_N_COLUMNS, _N_POSITIONS), np.uint8)
    gradients, chain = rng.uniform(-1, 1, _N_POSITIONS), np.zeros((2, _N_LABELS))
    sums, seconds = np.zeros((_N_COLUMNS, 256)), []
    fixed_work(codes[:, :0].copy(), gradients[:0], sums, chain)  # compiles it, or loads it
    for _ in range(N_REPEATS):
        began = time.thread_time()
        fixed_work(codes, gradients, sums, chain)
        seconds.append(time.thread_time() - began)
    return min(seconds)
