"""Provenance of results: settings, versions, commit, machine, seeds, CPU time, checksums of raw files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_frame, sha256
from treecrf.readers.reading import files_of
from treecrf_studies.datasets import describe
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings, TableDataset
from treecrf_studies.framework.study import Study, combinations
from treecrf_studies.records import environment
from treecrf_studies.records.environment import commit as commit
from treecrf_studies.records.jobs import BENCHMARKS, ENVIRONMENTS, MACHINES, read_described, read_records
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import DASH, count_text, seconds_text
from treecrf_studies.rendering.parts import Table

NOT_SETTINGS = ("results", "reports", "archives", "raw", "mirror", "compare", "overwrite")
"""Folders of the run and of another: they say nothing of its numbers."""

SHARED = "all studies"
"""The study of jobs that belong to no study alone."""

SHOWN = ("commit", "python", "treecrf", "numba", "numpy")
"""Versions that are always shown; of others, those that differ."""

JOBS = "jobs of each study"
"""Heading of how many jobs of each study a machine or environment ran, as text."""


def versions() -> pd.DataFrame:
    """Versions of Python, treecrf and the packages that runs need; columns package, version."""
    return pd.DataFrame(environment.versions().items(), columns=["package", "version"]).fillna(DASH)


def machine() -> str:
    """The system, the processor and the number of its cores."""
    here = environment.machine()
    return f"{here['system']}, {here['processor']}, {here['cores']} cores"


def machines_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per machine: system, processor, cores, memory in MiB, and the jobs of each study that it ran."""
    known, jobs = read_described(results, MACHINES), _jobs(records, "machine")
    rows = [{**known.get(name, {}), JOBS: jobs[name]} for name in jobs]
    columns = ["system", "processor", "cores", "memory_mib", JOBS]
    return pd.DataFrame(rows, columns=columns).rename(columns={"memory_mib": "memory, MiB"})


def environments_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per environment: `SHOWN` and versions in which they differ, and the jobs of each study that it ran."""
    known, jobs = read_described(results, ENVIRONMENTS), _jobs(records, "environment")
    frame = pd.DataFrame([known.get(name, {}) for name in jobs], dtype=object)
    differ = [str(name) for name in frame if name not in SHOWN and len(set(frame[name])) > 1]
    return frame.reindex(columns=[*SHOWN, *differ]).assign(**{JOBS: list(jobs.values())})


def computed_by(results: Path) -> list[Table]:
    """The machines and the environments that computed a run; nothing where no job has left a record."""
    records = read_records(results)
    if records.empty:
        return []
    frames = {"Machines": machines_frame(results, records), "Environments": environments_frame(results, records)}
    return [Table(title, frame.map(_cell_text)) for title, frame in frames.items()]


def study_of(name: str) -> str:
    """The study of the job with a name (see `treecrf_studies.records.jobs.read_records`), or `SHARED`."""
    first = name.split("/")[0]
    return first if first in {study.name for study in registry()} else SHARED


def _jobs(records: pd.DataFrame, kind: str) -> dict[str, str]:
    """How many jobs of each study each environment or machine ran, most first, as text."""
    counts = records.groupby([kind, records["name"].map(study_of)]).size()
    order = counts.groupby(level=0).sum().sort_values(ascending=False, kind="stable").index
    return {name: ", ".join(f"{study} {count}" for study, count in counts[name].items()) for name in order}


def used_settings(settings: Settings, studies: Sequence[Study]) -> dict[str, Any]:
    """Every setting that decides numbers of these studies; of data sets and overrides those of the studies alone."""
    others = {study.name for study in registry()} - {study.name for study in studies}
    values = settings.model_dump(mode="json", exclude={*NOT_SETTINGS, *others})
    values["datasets"] = {name: values["datasets"][name] for name in used_datasets(settings, studies)}
    for study in studies:
        used, of_study = StudyFiles(study, settings).all_datasets(), values[study.name]
        if "overrides" in of_study:
            of_study["overrides"] = {name: value for name, value in of_study["overrides"].items() if name in used}
    return values


def used_datasets(settings: Settings, studies: Sequence[Study]) -> list[str]:
    """The data sets of these studies, each once."""
    return list(dict.fromkeys(name for study in studies for name in StudyFiles(study, settings).all_datasets()))


def seeds(settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """Every seed of these studies; columns setting, value."""
    values = used_settings(settings, studies)
    rows = [(".".join(names), str(value)) for names, value in leaves(values) if "seed" in names[-1]]
    return pd.DataFrame(rows, columns=["setting", "value"])


def raw_checksums(settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """The raw files of these studies that are there; columns data set, file, SHA-256."""
    rows = []
    for name in used_datasets(settings, studies):
        dataset = settings.datasets[name]
        if isinstance(dataset, TableDataset):
            paths = {str(file): file for path in (dataset.path, dataset.test) if path for file in files_of(path)}
        else:
            paths = {file: Path(settings.raw) / file for file in describe(dataset.source or name).files}
        rows += [(name, shown, sha256(path)) for shown, path in paths.items() if path.is_file()]
    return pd.DataFrame(rows, columns=["data set", "file", "SHA-256"])


# --- CPU time ---------------------------------------------------------------------------------------


def job_costs(results: Path, datasets: Iterable[str]) -> pd.DataFrame:
    """Seconds and memory of the jobs, from Snakemake's benchmark files; CPU seconds from the records, as Snakemake only
    samples them.

    Parameters
    ----------
    results : Path
        Its folder of benchmarks has a folder per study, and in it a file per step, or a folder per step with files
        whose names start with that of a data set; steps of all studies are not in a study's folder.
    datasets : iterable of str

    Returns
    -------
    DataFrame of str
        A row per study, step and data set.
    """
    folder, names = results / BENCHMARKS, sorted(datasets, key=len, reverse=True)
    cpu_seconds = read_records(results).set_index("name")["cpu_seconds"]
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        job = path.relative_to(folder).with_suffix("")
        parts = job.parts
        study = study_of(parts[0])
        step, *of = parts if study == SHARED else parts[1:]
        measured = pd.read_csv(path, sep="\t", na_values=["-", "NA"])[["s", "max_rss"]].mean()
        dataset = next((name for name in names if of and f"{of[-1]}_".startswith(f"{name}_")), DASH)
        cpu = cpu_seconds.get(job.as_posix())
        rows.append({"study": study, "step": step, "data set": dataset, "cpu": cpu, **measured})
    if not rows:
        return pd.DataFrame(columns=["study", "step", "data set"])
    by_step = pd.DataFrame(rows).groupby(["study", "step", "data set"])
    frame = by_step.agg(
        jobs=("s", "size"), wall=("s", "sum"), cpu=("cpu", "sum"), memory=("max_rss", "max")
    ).reset_index()
    return pd.DataFrame(
        {
            **{name: frame[name].astype(str) for name in ("study", "step", "data set", "jobs")},
            "wall s": frame["wall"].map("{:.1f}".format),
            "CPU s": frame["cpu"].map("{:.1f}".format),
            "most memory, MiB": frame["memory"].map(count_text),
        }
    )


def costs_of(study: Study, jobs: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """The rows of a study, and those of the data that it shares with others.

    Parameters
    ----------
    study : Study
    jobs : DataFrame
        From `job_costs`.
    settings : Settings
    """
    shared = [] if study.draws else used_datasets(settings, [study])
    is_shared = (jobs["study"] == SHARED) & jobs["data set"].isin(shared)
    return jobs[(jobs["study"] == study.name) | is_shared]


def study_costs(jobs: pd.DataFrame) -> pd.DataFrame:
    """What each study took, from `job_costs`, and the total."""
    numbers = jobs.assign(**{name: jobs[name].astype(float) for name in ("jobs", "wall s", "CPU s")})
    sums = numbers.groupby("study")[["jobs", "wall s", "CPU s"]].sum()
    sums.loc["total"] = sums.sum()
    texts = {name: sums[name].map("{:.0f}".format) for name in sums}
    return pd.DataFrame({"study": sums.index, **texts}).reset_index(drop=True)


def phase_costs(results: Path, settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """CPU seconds by phase of the trainings that the studies keep.

    Parameters
    ----------
    results : Path
    settings : Settings
    studies : sequence of Study

    Returns
    -------
    DataFrame of str
        A row per study, data set and method; a column per phase, then the total. The study of future features measures
        whole trainings only.
    """
    rows = pd.concat([*_phases_of_studies(results, settings, studies), _phases("", "", [], [], [])])
    if rows.empty:
        return pd.DataFrame()
    names = ["study", "data set", "method"]
    sums = rows.pivot_table(index=names, columns="phase", values="cpu_seconds", aggfunc="sum", sort=False)
    sums["total"] = sums.sum(axis=1)
    texts = pd.DataFrame({phase: [seconds_text(value) for value in sums[phase]] for phase in sums})
    return pd.concat([sums.index.to_frame(index=False).astype(str), texts], axis=1)


def _phases(study: str, dataset: str, method: Any, phase: Any, seconds: Any) -> pd.DataFrame:
    return pd.DataFrame({"study": study, "data set": dataset, "method": method, "phase": phase, "cpu_seconds": seconds})


def _phases_of_studies(results: Path, settings: Settings, studies: Sequence[Study]) -> Iterator[pd.DataFrame]:
    for study in studies:
        files = StudyFiles(study, settings)
        for name in files.all_datasets() if study.phases else []:
            paths = combinations(study.phases, {"methods": files.batches(name)})
            for path in filter(Path.is_file, (results / study.name / name / path for path in paths)):
                frame = read_frame(path)
                phase = frame.get("phase", "whole training")
                yield _phases(study.name, name, frame["method"], phase, frame["cpu_seconds"])


# --- parts ------------------------------------------------------------------------------------------


def _cell_text(value: Any) -> str:
    if isinstance(value, int | float):
        return count_text(value)
    return DASH if value is None else str(value)


def leaves(value: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values in nested mappings with the names that lead to them; an empty mapping is a value."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, (*names, str(name)))
    else:
        yield names, value
