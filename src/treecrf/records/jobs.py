"""A small record (JSON) of each job beside its benchmark: when it ran, on what, what it read and wrote.

``benchmarks/STEP/NAME.json`` is the record of the job with the log ``logs/STEP/NAME.log``. Environments and machines are
many jobs' own, so each has a file of its own, ``benchmarks/environments/ID.json`` and ``benchmarks/machines/ID.json``.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_json, write_json
from treecrf.records.environment import environment, machine, machine_id

LOGS, BENCHMARKS = "logs", "benchmarks"
"""Folders of the results."""

ENVIRONMENTS, MACHINES = "environments", "machines"
"""Folders of `BENCHMARKS`."""

FIELDS = (
    "rule",
    "wildcards",
    "began",
    "ended",
    "cpu_seconds",
    "threads",
    "environment",
    "machine",
    "inputs",
    "outputs",
)
"""Of a record."""


def record_place(log: str | os.PathLike[str]) -> tuple[Path, str]:
    """The folder of benchmarks, and the name in it of the record of the job with a log."""
    results, _, name = Path(log).as_posix().rpartition(f"/{LOGS}/")
    return Path(results, BENCHMARKS), f"{name.removesuffix('.log')}.json"


@contextmanager
def recorded(snakemake: Any) -> Iterator[None]:
    """Write the record of a job that ends well.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives a script.
    """
    began = _now()
    yield
    folder, name = record_place(snakemake.log[0])
    record = {
        "rule": snakemake.rule,
        "wildcards": dict(snakemake.wildcards.items()),
        "began": began,
        "ended": _now(),
        "cpu_seconds": round(sum(os.times()[:4]), 2),
        "threads": snakemake.threads,
        "environment": _described_once(environment(), folder / ENVIRONMENTS),
        "machine": _described_once(machine(), folder / MACHINES, machine_id()),
        "inputs": list(snakemake.input),
        "outputs": {path: Path(path).stat().st_size for path in snakemake.output},
    }
    write_json(record, folder / name)


def _now() -> str:
    return datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="milliseconds")


def _described_once(description: dict[str, Any], folder: Path, name: str = "") -> str:
    """The name of the file that holds a description, which is written unless it is there; a digest unless given."""
    name = name or hashlib.sha256(json.dumps(description).encode()).hexdigest()[:12]
    path = folder / f"{name}.json"
    if not path.is_file():
        write_json(description, path)
    return name


def read_records(results: str | os.PathLike[str]) -> pd.DataFrame:
    """The records of the jobs below a folder of results.

    Returns
    -------
    DataFrame
        A row per job, empty where there are no records: its `name` (the way from the folder of benchmarks, without suffix), and
        what a record holds.
    """
    folder = Path(results, BENCHMARKS)
    apart = [folder / ENVIRONMENTS, folder / MACHINES]
    paths = [path for path in sorted(folder.rglob("*.json")) if path.parent not in apart]
    rows = [{"name": path.relative_to(folder).with_suffix("").as_posix(), **read_json(path)} for path in paths]
    return pd.DataFrame(rows, columns=["name", *FIELDS])


def read_described(results: str | os.PathLike[str], kind: str) -> dict[str, dict[str, Any]]:
    """The environments or the machines (`kind`: `ENVIRONMENTS`, `MACHINES`) of a folder of results, by name."""
    return {path.stem: read_json(path) for path in sorted(Path(results, BENCHMARKS, kind).glob("*.json"))}
