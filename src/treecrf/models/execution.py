"""Execution of training: its start, tasks in threads, and reports to a monitor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def draw_start(shape: int | tuple[int, ...], seed: int | None, deviation: float) -> NDArray[np.float64]:
    """Zeros, or with a seed numbers of a normal distribution around 0: the perturbed start of a training."""
    return np.zeros(shape) if seed is None else np.random.default_rng(seed).normal(0.0, deviation, shape)


Runner = Callable[[Sequence[Callable[[], Any]]], list[Any]]
"""Runs tasks, perhaps side by side, and returns their results in order."""


def make_runner(pool: ThreadPoolExecutor | None) -> Runner:
    """A function that runs tasks, side by side where there is a pool, and returns their results in order.

    The calling thread works too, so short tasks do not wait for another thread to wake.
    """
    if pool is None:
        return lambda tasks: [task() for task in tasks]

    def run(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        results: list[Any] = [None] * len(tasks)
        remaining = iter(range(len(tasks)))

        def work() -> None:
            for i in remaining:  # shared: whoever is free takes the next
                results[i] = tasks[i]()

        helpers = [pool.submit(work) for _ in range(min(pool._max_workers, len(tasks) - 1))]
        work()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        return results

    return run
