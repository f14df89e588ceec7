"""The plan of a run as text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from treecrf.rendering.words import with_and
from treecrf.report.planning.expected import HERE, Expected
from treecrf.report.planning.jobs import FOLLOWS, Job
from treecrf.report.planning.schedule import schedule

_MIB, _GIB = 2**20, 2**30


def plan_text(jobs: Sequence[Job], known: Mapping[str, Expected], cores: int, free: float) -> str:
    """What is to run, why, and what it takes.

    Parameters
    ----------
    jobs : sequence of Job
        All of the run.
    known : mapping of str to Expected
        From `treecrf.report.planning.expected.expected`.
    cores : int
    free : float
        Bytes that are free on the disk of the results.
    """
    todo = [job for job in jobs if not job.is_done]
    if not todo:
        return f"Nothing is to do: all {len(jobs)} jobs are done.\n"
    parts = [
        f"{len(todo)} of {len(jobs)} jobs are to run, {len(jobs) - len(todo)} are done.",
        _table(jobs, known),
        "Why they run:\n" + "".join(f"  {line}\n" for line in reasons(todo)),
        "".join(f"{line}\n" for line in _amounts(todo, known, cores, free)),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def reasons(todo: Sequence[Job]) -> list[str]:
    """Each reason why jobs are to run, with their number by study; what follows from others comes last."""
    counts = Counter((job.why, job.study) for job in todo)
    by_reason: dict[str, list[str]] = {}
    for (why, study), count in sorted(counts.items(), key=lambda item: (item[0][0] == FOLLOWS, -item[1])):
        by_reason.setdefault(why, []).append(f"{_jobs(count)} of {study}")
    return [f"{why}: {with_and(texts)}" for why, texts in by_reason.items()]


def _table(jobs: Sequence[Job], known: Mapping[str, Expected]) -> str:
    """A line per study and one per step, with numbers of jobs and CPU minutes."""
    rows = [("", "to run", "done", "unknown", "CPU minutes")]
    for study in dict.fromkeys(job.study for job in jobs):
        of_study = [job for job in jobs if job.study == study]
        rows.append(_row(study, of_study, known))
        steps = dict.fromkeys(job.step for job in of_study if not job.is_done)
        rows += [_row(f"  {step}", [job for job in of_study if job.step == step], known) for step in steps]
    rows.append(_row("total", jobs, known))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )


def _row(name: str, jobs: Sequence[Job], known: Mapping[str, Expected]) -> tuple[str, str, str, str, str]:
    todo = [job for job in jobs if not job.is_done]
    there = [known[job.name] for job in todo if job.name in known]
    minutes = f"{sum(one.cpu for one in there) / 60:.1f}" if there else "?" if todo else ""
    unknown = len(todo) - len(there)
    return name, str(len(todo)), str(len(jobs) - len(todo)), str(unknown or ""), minutes


def _amounts(todo: Sequence[Job], known: Mapping[str, Expected], cores: int, free: float) -> list[str]:
    """Sentences about time, memory and disk, and how much is known of them."""
    there = {job.name: known[job.name] for job in todo if job.name in known}
    n_unknown = len(todo) - len(there)
    asked = max(job.mem_mb for job in todo)
    lines = []
    if there:
        memory = {name: one.memory for name, one in there.items() if math.isfinite(one.memory)}
        found = schedule(todo, {name: one.wall for name, one in there.items()}, memory, cores)
        least = "at least " if n_unknown else ""
        lines.append(f"Time: {least}{_duration(found.seconds)} on {cores} cores, {least}{_cpu(there)} CPU minutes.")
        lines.append(f"Memory: {least}{found.memory:,.0f} MiB at one time; the largest job may ask for {asked:,} MB.")
    else:
        lines.append(f"Time and memory are not known; the largest job may ask for {asked:,} MB.")
    sizes = [one.size for one in there.values() if math.isfinite(one.size)]
    written = f"{sum(sizes) / _MIB:,.1f} MiB by {_jobs(len(sizes))}, unknown of the others" if sizes else "unknown"
    lines.append(f"Disk: {written}; {free / _GIB:,.0f} GiB are free.")
    if n_unknown:
        lines.append(
            f"Nothing is known of {_jobs(n_unknown)}, which ran neither here nor in the published run with these settings."
        )
    elsewhere = sum(one.source != HERE for one in there.values())
    if elsewhere:
        lines.append(f"Of {_jobs(elsewhere)} the published run tells what such jobs take on average.")
    unscaled = sum(not one.is_scaled for one in there.values())
    if unscaled:
        lines.append(
            f"Seconds of {_jobs(unscaled)} are those of a machine whose speed was not measured, taken as they are."
        )
    changed = sum(job.name in there and job.why.startswith("settings of") for job in todo)
    if changed:
        lines.append(f"{_jobs(changed)} had other settings when they were measured.")
    return lines


def _cpu(there: Mapping[str, Expected]) -> str:
    return f"{sum(one.cpu for one in there.values()) / 60:.1f}"


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes:.1f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"


def _jobs(count: int) -> str:
    return f"{count:,} job{'s' * (count != 1)}"
