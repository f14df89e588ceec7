"""When jobs would run on some cores, if each took as long as is expected."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treecrf.report.planning.jobs import Job


class Schedule(NamedTuple):
    """How long jobs take together (seconds), and the most memory that those at work at one time need (MiB)."""

    seconds: float
    memory: float


def schedule(jobs: Sequence[Job], seconds: Mapping[str, float], memory: Mapping[str, float], cores: int) -> Schedule:
    """Start jobs as soon as what they need is there and cores are free, those with the highest priority first.

    Parameters
    ----------
    jobs : sequence of Job
        Those that are to run.
    seconds, memory : mapping of str to float
        By the names of jobs; nothing for those that are not there.
    cores : int
    """
    waiting = {job.name: {*job.needs} & {job.name for job in jobs} for job in jobs}
    followers: dict[str, list[Job]] = {}
    for job in jobs:
        for name in waiting[job.name]:
            followers.setdefault(name, []).append(job)
    ready = [(-job.priority, place, job) for place, job in enumerate(jobs) if not waiting[job.name]]
    heapq.heapify(ready)
    running: list[tuple[float, int, Job]] = []
    now = used = most = 0.0
    free, n_started = cores, len(jobs)
    while ready or running:
        while ready and min(ready[0][2].threads, cores) <= free:
            *_, job = heapq.heappop(ready)
            free -= min(job.threads, cores)
            used += memory.get(job.name, 0.0)
            most = max(most, used)
            heapq.heappush(running, (now + seconds.get(job.name, 0.0), n_started, job))
            n_started += 1
        now, _, job = heapq.heappop(running)
        free += min(job.threads, cores)
        used -= memory.get(job.name, 0.0)
        for follower in followers.get(job.name, []):
            waiting[follower.name].discard(job.name)
            if not waiting[follower.name]:
                heapq.heappush(ready, (-follower.priority, n_started, follower))
                n_started += 1
    return Schedule(now, most)
