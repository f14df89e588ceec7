"""How a training runs: its start, its threads and their seconds, and reports to a monitor."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from threading import Lock
from typing import Any, Self

import numpy as np

from treecrf.io.arrays import Floats
from treecrf.io.messages import quoted

Monitor = Callable[[int, Mapping[str, float], float], None]
"""Called as ``monitor(stage, seconds_by_phase, log_likelihood)`` after every stage of training."""


def reporting_monitor(name: str, verbose: bool | int, monitor: Monitor | None) -> Monitor | None:
    """A monitor that prints the first report of a method and every `verbose`-th, then calls the one given."""
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


def draw_start(shape: int | tuple[int, ...], seed: int | None, deviation: float) -> Floats:
    """Zeros, or with a seed numbers of a normal distribution around 0: the perturbed start of a training."""
    return np.zeros(shape) if seed is None else np.random.default_rng(seed).normal(0.0, deviation, shape)


Runner = Callable[[Sequence[Callable[[], Any]]], list[Any]]
"""Runs tasks, perhaps side by side, and returns their results in order."""

PHASES = ("windows", "gradient", "trees", "update")


class Workers:
    """The threads of a training, and the CPU seconds that they spend in each phase.

    Attributes
    ----------
    n_threads : int
    seconds : dict of str to float
        By phase.
    """

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads, self.seconds = n_threads, dict.fromkeys(PHASES, 0.0)
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks, side by side where there are threads; return their results in order.

        The calling thread works too, so short tasks do not wait for another thread to wake.
        """
        if self._pool is None:
            return [task() for task in tasks]
        results: list[Any] = [None] * len(tasks)
        remaining = iter(range(len(tasks)))

        def work() -> None:
            for i in remaining:  # shared: whoever is free takes the next
                results[i] = tasks[i]()

        helpers = [self._pool.submit(work) for _ in range(min(self.n_threads, len(tasks)) - 1)]
        work()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        return results

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count what the calling thread does as part of a phase."""
        begin = time.thread_time()
        yield
        spent = time.thread_time() - begin
        with self._lock:
            self.seconds[phase] += spent

    def map(self, phase: str, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
        """What a function returns for each of some arguments; all calls are part of a phase."""

        def call(of_one: tuple[Any, ...]) -> Any:
            with self.timed(phase):
                return function(*of_one)

        return self.run([partial(call, of_one) for of_one in arguments])
