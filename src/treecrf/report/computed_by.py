"""Which environments and machines computed the results of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.records.jobs import ENVIRONMENTS, MACHINES, factors, read_described, read_records
from treecrf.rendering.cells import DASH, count_text, number
from treecrf.rendering.parts import Part, Table, paragraph
from treecrf.rendering.words import with_and
from treecrf.studies import registry

SHARED = "all studies"
"""The study of jobs that are those of no study alone."""

SHOWN = ("commit", "python", "treecrf", "numba", "numpy")
"""Versions that are always shown; of others, those that differ."""

FACTOR_NOTE = """
The factor is the time that a machine takes for a fixed compiled work, relative to a core of an Intel Xeon of 2021 at 2.8 GHz:
divide seconds of two machines by their factors to compare them. It is the median over the machine's jobs, each of which takes
the least CPU time of five tries.
"""


def computed_by(results: Path) -> list[Part]:
    """What the page says of the environments and machines behind it; nothing where no job has left a record."""
    records = read_records(results)
    if records.empty:
        return []
    machines, environments = machines_frame(results, records), environments_frame(results, records)
    warning = mixture(environments, machines)
    return [
        *([paragraph(warning)] if warning else []),
        Table("Machines that computed this page", machines.map(_text)),
        paragraph(FACTOR_NOTE),
        Table("Environments that computed this page", environments.map(_text)),
    ]


def machines_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per machine: system, processor, cores, memory in MiB, factor, and the jobs of each study that it ran."""
    known, speeds, jobs = read_described(results, MACHINES), factors(records), _jobs(records, "machine")
    rows = [
        {**known.get(name, {}), "factor": number(speeds.get(name, float("nan"))), "jobs": jobs[name]} for name in jobs
    ]
    columns = ["system", "processor", "cores", "memory_mib", "factor", "jobs"]
    return pd.DataFrame(rows, columns=columns).rename(columns={"memory_mib": "memory, MiB"})


def environments_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per environment: `SHOWN` and versions in which they differ, and the jobs of each study that it ran."""
    known, jobs = read_described(results, ENVIRONMENTS), _jobs(records, "environment")
    frame = pd.DataFrame([known.get(name, {}) for name in jobs], dtype=object)
    differ = [name for name in _differing(frame) if name not in SHOWN]
    return frame.reindex(columns=[*SHOWN, *differ]).assign(jobs=list(jobs.values()))


def mixture(environments: pd.DataFrame, machines: pd.DataFrame) -> str:
    """The sentence about results of several environments or machines; empty where there is one of each."""
    several = []
    if len(environments) > 1:
        differ = _differing(environments.drop(columns="jobs"))
        several.append(f"{len(environments)} environments, which differ in {with_and(differ)}")
    if len(machines) > 1:
        several.append(f"{len(machines)} machines, so that seconds are comparable only after division by their factors")
    return f"This page mixes results of {'; and of '.join(several)}." if several else ""


def machine_text(machine: Mapping[str, Any]) -> str:
    """A machine in a few words."""
    return f"{machine['system']}, {machine['processor']}, {machine['cores']} cores"


def study_of(name: str) -> str:
    """The study of the job with a name (see `treecrf.records.jobs.read_records`), or `SHARED`."""
    first = name.split("/")[0]
    return first if first in {study.name for study in registry()} else SHARED


def _jobs(records: pd.DataFrame, kind: str) -> dict[str, str]:
    """How many jobs of each study each environment or machine ran, most first, as text."""
    counts = records.groupby([kind, records["name"].map(study_of)]).size()
    order = counts.groupby(level=0).sum().sort_values(ascending=False, kind="stable").index
    return {name: ", ".join(f"{study} {count}" for study, count in counts[name].items()) for name in order}


def _differing(frame: pd.DataFrame) -> list[str]:
    """The columns with several values."""
    return [str(name) for name in frame if len(set(frame[name])) > 1]


def _text(value: Any) -> str:
    if isinstance(value, int | float):
        return count_text(value)
    return DASH if value is None else str(value)
