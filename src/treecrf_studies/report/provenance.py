"""Provenance of results: settings, versions, commit, machine, seeds, CPU time, checksums of raw files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_frame, read_json, sha256, stacked
from treecrf.io.messages import counted
from treecrf.readers.reading import files_of
from treecrf_studies.datasets import describe
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Difference, Settings, TableDataset
from treecrf_studies.framework.study import Study, combinations
from treecrf_studies.records import environment
from treecrf_studies.records.environment import commit as commit
from treecrf_studies.records.jobs import BENCHMARKS, ENVIRONMENTS, MACHINES, read_described, read_records
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import DASH, count_text, grouped, seconds_text, window_text
from treecrf_studies.rendering.parts import (
    Note,
    Page,
    Part,
    Section,
    Table,
    code,
    code_block,
    link,
    listed,
    md,
    paragraph,
    setting_text,
)

NOT_SETTINGS = ("results", "reports", "archives", "raw", "mirror", "compare", "overwrite")
"""Folders of the run and of another: they say nothing of its numbers."""

SHARED = "all studies"
"""The study of jobs that belong to no study alone."""

SHOWN = ("commit", "python", "treecrf", "numba", "numpy")
"""Versions that are always shown; of others, those that differ."""

JOBS = "jobs of each study"
"""Heading of how many jobs of each study a machine or environment ran, as text."""


def origin(settings: Settings, studies: Sequence[Study]) -> dict[str, Any]:
    """Where the numbers of studies come from: commit and machine of this process, versions, seeds, settings, and the
    checksums of raw files.
    """
    used = used_settings(settings, studies)
    return {
        "commit": commit(),
        "machine": machine(),
        "versions": versions(),
        "seeds": {name: str(value) for name, value in dotted(used).items() if "seed" in name.rpartition(".")[2]},
        "settings": used,
        "raw_files": raw_checksums(settings, studies),
    }


def versions() -> dict[str, str]:
    """Versions of Python, treecrf and the packages that runs need, by their names."""
    return {name: version or environment.ABSENT for name, version in environment.versions().items()}


def machine() -> str:
    """The system, the processor and the number of its cores."""
    here = environment.machine()
    return f"{here['system']}, {here['processor']}, {counted(here['cores'], 'core')}"


def machines_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per machine: system, processor, cores, memory in MiB, and the jobs of each study that it ran."""
    columns = ["system", "processor", "cores", "memory_mib", JOBS]
    return _described(results, records, MACHINES).reindex(columns=columns).rename(columns={"memory_mib": "memory, MiB"})


def environments_frame(results: Path, records: pd.DataFrame) -> pd.DataFrame:
    """A row per environment: `SHOWN` and versions in which they differ, and the jobs of each study that it ran."""
    frame = _described(results, records, ENVIRONMENTS)
    differ = [str(name) for name in frame if name not in (*SHOWN, JOBS) and len(set(frame[name])) > 1]
    return frame.reindex(columns=[*SHOWN, *differ, JOBS])


def computed_by(results: Path) -> list[Table]:
    """The machines and the environments that computed a run; nothing where no job has left a record."""
    records = read_records(results)
    frames = {"Machines": machines_frame, "Environments": environments_frame} if len(records) else {}
    return [Table(title, frame(results, records).map(_cell_text)) for title, frame in frames.items()]


def study_of(name: str) -> str:
    """The study of the job with a name (see `treecrf_studies.records.jobs.read_records`), or `SHARED`."""
    first = name.split("/")[0]
    return first if first in {study.name for study in registry()} else SHARED


def _described(results: Path, records: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The environments or machines (`kind`) and how many jobs of each study they ran, as text; most jobs first."""
    known, counts = read_described(results, kind), records.groupby([kind[:-1], records["name"].map(study_of)]).size()
    order = counts.groupby(level=0).sum().sort_values(ascending=False, kind="stable").index
    jobs = {name: ", ".join(f"{study} {count}" for study, count in counts[name].items()) for name in order}
    return pd.DataFrame([known.get(name, {}) | {JOBS: jobs[name]} for name in order], dtype=object)


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


def raw_checksums(settings: Settings, studies: Sequence[Study]) -> list[dict[str, str]]:
    """The raw files of these studies that are there: data set, file and SHA-256 of each."""
    rows: list[dict[str, str]] = []
    for name in used_datasets(settings, studies):
        dataset = settings.datasets[name]
        if isinstance(dataset, TableDataset):
            paths = {str(file): Path(file) for path in (dataset.path, dataset.test) if path for file in files_of(path)}
        else:
            paths = {file: Path(settings.raw, file) for file in describe(dataset.source or name).files}
        there = {shown: path for shown, path in paths.items() if path.is_file()}
        rows += [{"data set": name, "file": shown, "SHA-256": sha256(path)} for shown, path in there.items()]
    return rows


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
        study = study_of(job.parts[0])
        step, *of = job.parts[study != SHARED :]
        measured = pd.read_csv(path, sep="\t", na_values=["-", "NA"])[["s", "max_rss"]].mean()
        dataset = next((name for name in names if of and f"{of[-1]}_".startswith(f"{name}_")), DASH)
        rows.append((study, step, dataset, *measured, cpu_seconds.get(job.as_posix())))
    keys = ["study", "step", "data set"]
    frame = pd.DataFrame(rows, columns=[*keys, "s", "max_rss", "cpu"])
    sums = frame.groupby(keys).agg(jobs=("s", "size"), wall=("s", "sum"), cpu=("cpu", "sum"), memory=("max_rss", "max"))
    tenths = "{:.1f}".format
    texts: dict[str, Callable[[float], str]] = {"jobs": str, "wall": tenths, "cpu": tenths, "memory": count_text}
    sums = pd.DataFrame({name: sums[name].map(text) for name, text in texts.items()}).reset_index()
    return sums.rename(columns={"wall": "wall s", "cpu": "CPU s", "memory": "most memory, MiB"})


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
    names = ["study", "data set", "method", "phase", "cpu_seconds"]
    parts = [pd.DataFrame(columns=names)]
    for study in studies:
        files = StudyFiles(study, settings)
        for dataset in files.all_datasets() if study.phases else []:
            paths = combinations(study.phases, {"methods": files.batches(dataset)})
            for path in filter(Path.is_file, (results / study.name / dataset / path for path in paths)):
                frame = read_frame(path)
                phase = frame.get("phase", "whole training")
                parts.append(frame.assign(**{"study": study.name, "data set": dataset, "phase": phase})[names])
    rows = stacked(parts)
    if rows.empty:
        return pd.DataFrame()
    sums = rows.pivot_table(index=names[:3], columns="phase", values="cpu_seconds", aggfunc="sum", sort=False)
    return sums.assign(total=sums.sum(axis=1)).map(seconds_text).rename_axis(columns=None).reset_index()


# --- parts ------------------------------------------------------------------------------------------


def _cell_text(value: Any) -> str:
    if isinstance(value, int | float):
        return count_text(value)
    return DASH if value is None else str(value)


def dotted(value: Any, name: str = "") -> dict[str, Any]:
    """The values in nested mappings by the names that lead to them, parted by dots; an empty mapping is a value."""
    if not (isinstance(value, dict) and value):
        return {name: value}
    parts = (dotted(inner, f"{name}.{key}".removeprefix(".")) for key, inner in value.items())
    return {full: inner for part in parts for full, inner in part.items()}


PATH = "run.md"
"""The page on the run, also of a snapshot."""

JOBS_NOTE = """
The tables show CPU seconds and memory of the jobs behind these pages, with the start of Python. They leave out
downloads and the writing of the pages.
"""

PHASES_NOTE = "CPU seconds with one thread, as the labellers count them: {phases}."

RELATED_NOTE = """
Accuracy is too optimistic where a related sequence was trained on. Related sequences are therefore kept together in
folds and hold-outs, and count as one in tests. The setting `groups` of a data set says which are related; the other
columns show the groups under other rules. Short words share a run by chance.
"""


def run_page(settings: Settings) -> Page:
    """The page of a run."""
    wanted = {study.name for study in registry() if getattr(settings, study.name).is_wanted}
    of_protocol = settings.may_concern_papers
    sections = [
        Section("datasets", "Data sets", _datasets(settings)),
        Section("cpu-time", "CPU time", _costs(settings)),
        Section("differing", TITLE, _differing(settings, wanted) if of_protocol else []),
        Section("settings", "Settings and versions", _settings(settings)),
    ]
    return Page(PATH, "This run", sections)


CITE = "cite.md"
"""The page on how to cite."""


ADDRESS = "address of this page"
"""Where a reader fills in what only the browser knows; results.js does it on a server."""


def cite_page(run: str, year: str) -> Page:
    """Authors, title, version and licence, from the package's metadata, and what `run` says of the run: its date and
    commit, and the year.
    """
    about = metadata("treecrf")
    fields = {
        "author": f"{{{about['Author']}}}",
        "title": about["Name"],
        "version": about["Version"],
        "year": year,
        "url": ADDRESS,
        "note": run,
    }
    entry = "@software{treecrf,\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text) + "}"
    items = [
        *([md("**Run**: {run}.", run=run)] if run else []),
        md(
            "**Licence** of code, texts, figures and numbers: {licence}. The data sets have terms of their own "
            "(docs/datasets.md).",
            licence=about["License-Expression"],
        ),
        md(
            "**A figure or table**: give its number or heading, and title, address and run of its page, such as "
            "“Figure 3.1 of *Dissertation, chapter 3*”. Click a figure to save it as SVG, which Inkscape and "
            "rsvg-convert turn into PDF. Its numbers are the CSV file below it. Figures of your own runs: "
            "docs/own_data.md."
        ),
        md("**Computed with**: {page} names versions, seeds and checksums.", page=link("What was run", PATH)),
        md("**Papers**: please cite also the paper whose method or table you use; each page gives its reference."),
    ]
    return Page(CITE, "How to cite", lead=[Note(code_block(entry, "bibtex")), *listed(items)])


def _datasets(settings: Settings) -> list[Part]:
    done = {
        name: Path(settings.results) / "data" / name / "description.json"
        for study in registry()
        if not study.draws
        for name in StudyFiles(study, settings).finished()
    }
    described = {name: read_json(path) for name, path in done.items() if path.is_file()}
    rows = [
        {
            "data set": name,
            "what": each["title"],
            "labels": len(each["labels"]),
            "attributes": each["n_attributes"],
            "window": window_text(each["window"]),
            **{
                name: f"{counted(each[side]['sequences'], 'sequence')}, {counted(each[side]['positions'], 'position')}"
                for side, name in (("train", "training set"), ("test", "test set"))
            },
            "stands in for": each["stand_in"] or DASH,
            "source": each["terms"] or DASH,
        }
        for name, each in described.items()
    ]
    return [Table("Data sets of the run", pd.DataFrame(rows).map(str)), *related_sequences(described)] if rows else []


def related_sequences(described: Mapping[str, Mapping[str, Any]]) -> list[Part]:
    """How many groups of related sequences there are, as kept together and by other rules."""
    named = list(described.values())
    columns: dict[tuple[str, str], list[str]] = {("", "data set"): list(described)}
    for count, name in (("sequences", "training sequences"), ("groups", "in groups")):
        columns["kept together", name] = [count_text(each["train"][count]) for each in named]
    for place, relatives in enumerate(named[0]["relatives"]):
        rule = relatives["rule"]
        if not isinstance(rule, str):
            rule = f"> {100 * rule['share']:.0f} % of runs of {rule['length']} in common"
        for count, name in (("groups", "groups"), ("related_tests", "tests with a relative")):
            columns[rule, name] = [count_text(each["relatives"][place][count]) for each in named]
    return [paragraph(RELATED_NOTE), Table("Related sequences", grouped(columns))]


def _costs(settings: Settings) -> list[Part]:
    results = Path(settings.results)
    jobs = job_costs(results, used_datasets(settings, registry()))
    phases = phase_costs(results, settings, registry())
    parts: list[Part] = []
    if len(jobs):
        parts += [paragraph(JOBS_NOTE), Table("Jobs by study", study_costs(jobs))]
        parts.append(Table("Jobs by step and data set", jobs))
    if len(phases):
        notes = [f"{study.phases_note} ({study.name})" for study in registry() if study.phases]
        parts += [paragraph(PHASES_NOTE, phases=", ".join(notes)), Table("CPU seconds by phase", phases)]
    return parts


def _settings(settings: Settings) -> list[Part]:
    known = commit()
    of_commit = md("Code: commit {commit}. ", commit=code(known)) if known else ""
    rows = [(name, setting_text(value)) for name, value in dotted(used_settings(settings, registry())).items()]
    return [
        paragraph("{commit}{machine}.", commit=of_commit, machine=machine()),
        *computed_by(Path(settings.results)),
        Table("Versions", pd.DataFrame(versions().items(), columns=["package", "version"])),
        Table("Every setting", pd.DataFrame(rows, columns=["setting", "value"])),
    ]


TITLE = "Settings that differ from the protocol"

LISTED_VALUES = 6
"""So many values of a setting are listed one by one."""

NOTE = "The protocol is the default of every setting. Profile of this run: {profile}."


def _differing(settings: Settings, studies: Collection[str]) -> list[Part]:
    """The profile of the run, and the settings of these studies that differ from the protocol."""
    layout = differing_layout(each for each in settings.differences if each.study in studies)
    note = paragraph(NOTE, profile=settings.profile)
    return [note, Table(TITLE, layout)] if len(layout) else [note, paragraph("No setting differs.")]


def differing_layout(differences: Iterable[Difference]) -> pd.DataFrame:
    """Study, data sets, settings with the protocol's values and the run's, and the reason; a row for each reason."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for each in differences:
        key = each.study, ", ".join(each.datasets) or "all", each.why or "not given"
        alike.setdefault(key, []).append(f"{each.setting}: {_change(each)}")
    rows = [(study, sets, "; ".join(changes), why) for (study, sets, why), changes in alike.items()]
    return pd.DataFrame(rows, columns=["study", "data sets", "protocol → this run", "why"])


def _change(difference: Difference) -> str:
    """The protocol's value and the run's; of several methods or samples, which ones are left out or added."""
    before, now = difference.protocol, difference.used
    if not (isinstance(before, list | dict) and len({*map(str, before), *map(str, now)}) > LISTED_VALUES):
        return f"{setting_text(before)} → {setting_text(now)}"
    gone, new = ([name for name in these if name not in those] for these, those in ((before, now), (now, before)))
    if len(gone) > len(now):
        return f"{len(before)} → {len(now)}, only {', '.join(map(str, now))}"
    texts = [f"{word} {', '.join(map(str, names))}" for word, names in (("without", gone), ("also", new)) if names]
    return f"{len(before)} → {len(now)}, {', '.join(texts)}"
