"""A small record (JSON) of each job beside its benchmark: when it ran, on what, what it read and wrote.

``benchmarks/STEP/NAME.json`` is the record of the job with the log ``logs/STEP/NAME.log``. Environments and machines
are many jobs' own, so each has a file of its own, ``benchmarks/environments/ID.json`` and
``benchmarks/machines/ID.json``.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_json, write_json
from treecrf.io.messages import counted
from treecrf_studies.records.environment import environment, machine, machine_id

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
    "settings",
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
        "settings": settings_of(dict(snakemake.params.items()), snakemake.wildcards.get("dataset", "")),
    }
    write_json(record, folder / name)


def refuse_overwriting(jobs: Iterable[Any], allowed: Collection[str] = ()) -> None:
    """Refuse, by a ValueError with keys, former and new values, to run finished jobs again with other settings.

    Parameters
    ----------
    jobs : iterable of object
        Snakemake's jobs that are about to run: their logs, outputs, parameters and wildcards.
    allowed : collection of str
        Keys of settings that may differ.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    for job in jobs:
        if not (job.log and job.output and all(Path(path).is_file() for path in job.output)):
            continue
        # An earlier version has left no settings.
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            before = read_json(Path(*record_place(job.log[0])))["settings"]
            now = settings_of(dict(job.params.items()), job.wildcards.get("dataset", ""))
            counts.update(change for change in changed_settings(before, now) if change[0] not in allowed)
    if counts:
        changes = [f"  {key}: {old} -> {new} ({counted(n, 'job')})" for (key, old, new), n in sorted(counts.items())]
        raise ValueError(
            "Finished jobs would run again with other settings, which replaces their results:\n"
            + "\n".join(changes)
            + "\nRestore the settings, name another folder of results, or go on with --config overwrite=true."
        )


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
        A row per job, empty where there are no records: its `name` (the way from the folder of benchmarks, without
        suffix), and what a record holds.
    """
    folder = Path(results, BENCHMARKS)
    apart = [folder / ENVIRONMENTS, folder / MACHINES]
    paths = [path for path in sorted(folder.rglob("*.json")) if path.parent not in apart]
    rows = [{"name": path.relative_to(folder).with_suffix("").as_posix(), **read_json(path)} for path in paths]
    return pd.DataFrame(rows, columns=["name", *FIELDS])


def read_described(results: str | os.PathLike[str], kind: str) -> dict[str, dict[str, Any]]:
    """The environments or the machines (`kind`: `ENVIRONMENTS`, `MACHINES`) of a folder of results, by name."""
    return {path.stem: read_json(path) for path in sorted(Path(results, BENCHMARKS, kind).glob("*.json"))}


_OF_DATASET = ("source", "window")

_NO_SETTINGS = ("settings", "options", "own_code", "protocol", "stand_in", "stand_ins")
"""Values of a job that come from code, or hold several settings."""


def settings_of(params: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """What the parameters of a job hold of the configuration, by keys such as ``training.max_leaves``."""
    values, study = params.get("values"), params.get("study", "")
    if values is None:
        values = {name: params[name] for name in ("source", "options", "window") if name in params}
    settings_by_key = _options(values["options"], dataset) if "options" in values else {}
    for name, value in values.items():
        if name not in _NO_SETTINGS:
            place = f"datasets.{dataset}." if name in _OF_DATASET else "" if name == "seed" else f"{study}."
            settings_by_key[place + name] = value
    for settings in values.get("settings", {}).values():
        for name, value in (settings or {}).items():
            if not name.endswith("datasets"):
                settings_by_key[f"{study}.{name}"] = value.get(dataset) if name == "overrides" else value
    return settings_by_key


def _options(options: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Options of `treecrf_studies.datasets.load`: of a table, the keys of its data set; of others those below
    ``options``.
    """
    if "path" in options:
        return {name if name == "seed" else f"datasets.{dataset}.{name}": value for name, value in options.items()}
    places = {"raw": "raw", "groups": f"datasets.{dataset}.groups"}
    known = {place: options[name] for name, place in places.items() if name in options}
    rest = {name: value for name, value in options.items() if name not in places}
    return known | {f"datasets.{dataset}.options": rest}


def changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Key, former and new value (JSON) of each setting that differs; what is only added, such as a method, does not."""
    for key in sorted(before.keys() & now.keys()):
        old, new = before[key], now[key]
        if key.endswith(".methods") and {*old} <= {*new}:
            continue
        if key.endswith(".labellers"):
            old, new = ({name: each[name] for name in before[key].keys() & now[key].keys()} for each in (old, new))
        former, later = (json.dumps(value, sort_keys=True) for value in (old, new))
        if former != later:
            yield key, former, later
