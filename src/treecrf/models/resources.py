"""Memory and threads that training takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

CGROUPS = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory")
_LIMITS = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
"""What the group of processes that a batch system or a container gives may take, and what it has taken."""

GIB = 2**30


def available_memory() -> int | None:
    """Bytes that this process may still take, as far as the system tells; None where it does not."""
    try:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):  # with what the system only keeps in case it is needed again
            free = 1024 * int(line.split()[1])
    for group, names in zip(CGROUPS, _LIMITS, strict=True):
        limit, taken = (_text(group / name).strip() for name in names)
        if limit.isdecimal() and taken.isdecimal():
            free = min(free, max(int(limit) - int(taken), 0))
    return free


def check_memory(n_bytes: int, what: str, advice: str) -> None:
    """Raise a ValueError that says how much memory `what` takes and how much there is, if that is less."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise ValueError(
            f"{what} would take {n_bytes / GIB:.1f} GiB of memory and {available / GIB:.1f} GiB are available; {advice}."
        )


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


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
