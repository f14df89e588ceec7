"""What jobs are expected to take: what they took in the last run here, else in the run that was published."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from treecrf.io.files import read_json
from treecrf.records.jobs import BENCHMARKS, factors, read_records
from treecrf.rendering.cells import DASH
from treecrf.report.planning.jobs import Job
from treecrf.report.provenance import used_settings
from treecrf.report.study_part import PROVENANCE
from treecrf.studies import registry
from treecrf.studies.settings import Settings

_NAN = float("nan")

HERE, PUBLISHED = "the last run here", "the published run"
"""Where a number is from."""


class Expected(NamedTuple):
    """What a job is expected to take.

    Attributes
    ----------
    cpu, wall : float
        Seconds on the machine at hand.
    memory : float
        MiB at most; NaN if it is not known.
    size : float
        Bytes of its results; NaN if it is not known.
    source : str
        `HERE` or `PUBLISHED`.
    is_scaled : bool
        Whether seconds of another machine have been made those of this one, or it is the same; both need its factor.
    """

    cpu: float
    wall: float
    memory: float
    size: float
    source: str
    is_scaled: bool


def expected(jobs: Sequence[Job], settings: Settings, published: Path, factor: float | None) -> dict[str, Expected]:
    """What each job is expected to take, by its name; those that nothing is known of are left out.

    Parameters
    ----------
    jobs : sequence of Job
    settings : Settings
        Where the results are, and every setting: the published run of a study with other settings says nothing of its jobs.
    published : Path
        The folder of a snapshot.
    factor : float or None
        Of the machine at hand (see `treecrf.records.jobs.factors`), if it is known.
    """
    measured = _measured(Path(settings.results), factor)
    of_studies = _published(settings, published, factor)
    found = {}
    for job in jobs:
        expectation = measured.get(job.name) or of_studies.get((job.study, job.step, job.dataset))
        if expectation is not None:
            found[job.name] = expectation
    return found


def _measured(results: Path, factor: float | None) -> dict[str, Expected]:
    """Of jobs that have run here, by name."""
    benchmarks = results / BENCHMARKS
    rows = {
        path.relative_to(benchmarks).with_suffix("").as_posix(): pd.read_csv(
            path, sep="\t", na_values=["-", "NA"]
        ).mean(numeric_only=True)
        for path in benchmarks.rglob("*.tsv")
    }
    found = {
        name: _scaled(row["s"], row["cpu_time"], row["max_rss"], _NAN, HERE, None, factor) for name, row in rows.items()
    }
    records = read_records(results)
    speeds = factors(records)
    for record in records.to_dict("records"):
        # The record counts the CPU time of a job that Snakemake found too short to sample, or that has no benchmark.
        row = rows.get(record["name"], {"s": _wall(record["began"], record["ended"]), "max_rss": _NAN})
        size = float(sum(record["outputs"].values()))
        before = speeds.get(record["machine"])
        found[record["name"]] = _scaled(row["s"], record["cpu_seconds"], row["max_rss"], size, HERE, before, factor)
    return found


def _wall(began: str, ended: str) -> float:
    return (datetime.datetime.fromisoformat(ended) - datetime.datetime.fromisoformat(began)).total_seconds()


def _published(settings: Settings, folder: Path, factor: float | None) -> dict[tuple[str, str, str], Expected]:
    """Of jobs of the published run with the settings of now, by study, step and data set: the mean of such jobs."""
    found = {}
    for study in registry():
        path = folder / study.name / PROVENANCE
        if not path.is_file():
            continue
        origin = read_json(path)
        now = used_settings(settings, [study])[study.name]
        # Which data sets there are changes no job of the others.
        before = {
            name: value for name, value in origin["settings"][study.name].items() if not name.endswith("datasets")
        }
        if any(now.get(name) != value for name, value in before.items()):
            continue
        for row in origin["cpu_time"]:
            dataset = "" if row["data set"] == DASH else row["data set"]
            wall, cpu = (float(row[name]) / int(row["jobs"]) for name in ("wall s", "CPU s"))
            memory = pd.to_numeric(row["most memory, MiB"], errors="coerce")
            place = row["study"], row["step"], dataset
            found[place] = _scaled(wall, cpu, memory, _NAN, PUBLISHED, origin.get("factor"), factor)
    return found


def _scaled(
    wall: Any, cpu: Any, memory: Any, size: float, source: str, before: float | None, factor: float | None
) -> Expected:
    ratio = factor / before if factor and before else 1.0
    # What is too short to be sampled has no CPU time.
    cpu = wall if pd.isna(cpu) else cpu
    return Expected(ratio * cpu, ratio * wall, float(memory), size, source, bool(factor and before))
