"""Reports of training: what a monitor is called with, and lines that are printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral

import numpy as np

from treecrf.io.messages import quoted

Monitor = Callable[[int, Mapping[str, float], float], None]
"""Called as ``monitor(stage, seconds_by_phase, log_likelihood)`` after every stage of training."""


def reporting_monitor(name: str, verbose: bool | int, monitor: Monitor | None) -> Monitor | None:
    """The monitor, and before it one that prints the first report of a method and those of every `verbose` iterations."""
    if not isinstance(verbose, bool | np.bool_ | Integral):
        raise ValueError(f"verbose={quoted(verbose)}: give True, False, or after how many iterations to print a line.")
    if not verbose:
        return monitor

    def report(stage: int, seconds_by_phase: Mapping[str, float], log_likelihood: float) -> None:
        if stage == 1 or stage % int(verbose) == 0:
            seconds = sum(seconds_by_phase.values())
            gain = "" if math.isnan(log_likelihood) else f"log likelihood {log_likelihood:.6g}, "
            print(f"{name}, iteration {stage}: {gain}{seconds:.2f} CPU seconds", flush=True)
        if monitor is not None:
            monitor(stage, seconds_by_phase, log_likelihood)

    return report
