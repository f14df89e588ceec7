"""Threads that training takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

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
