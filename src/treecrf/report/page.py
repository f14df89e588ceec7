"""The page that shows a whole run: one file, no network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import pandas as pd
import yaml

from treecrf.datasets import describe
from treecrf.io.files import read_frames, read_json, resource, write_text
from treecrf.rendering.cells import window_text
from treecrf.rendering.layouts import read_layout
from treecrf.rendering.markup import Folders, address, contents, parts_markup, scrolled, section_markup, study_markup
from treecrf.rendering.parts import Fold, Note, Part, Section, Study, Table, listed, paragraph
from treecrf.report.ledger import read_verdicts, verdicts
from treecrf.report.ledger_page import ledger_fragment, ledger_summary
from treecrf.report.provenance import (
    commit,
    job_costs,
    machine,
    phase_costs,
    seeds,
    study_costs,
    used_datasets,
    used_settings,
    versions,
)
from treecrf.studies import registry
from treecrf.studies.paths import StudyFiles
from treecrf.studies.settings import Settings, TableDataset
from treecrf.studies.study import Study as Declared

INTRODUCTION = """
Conditional random fields whose potentials are sums of regression trees, trained and tested as in chapters 3 to 5 of the
dissertation. Every number below was computed by the run that wrote this page, but for those headed <em>published</em>. A
click on a heading of a table sorts it. Everything shown is inside this file; the links to CSV, LaTeX and picture files lead
to the folder of results beside it, and lead nowhere where the page is sent alone.
"""

DATASET_NOTE = """
Training: {train[sequences]:,} sequences, {train[positions]:,} positions. Test: {test[sequences]:,} sequences,
{test[positions]:,} positions. {labels} labels; attributes: {attributes}; {window}.
"""

JOBS_NOTE = """
Seconds and memory of the jobs behind this page, start of Python included, as Snakemake sampled them. Downloads and the
writing of this page itself are not counted.
"""

PHASES_NOTE = """
CPU seconds with one thread, as the labellers count them: of the training after the choice of settings (training), of all
trainings, choices and predictions (missing), of the chosen trainings of all draws (future).
"""

PAGE, UNFINISHED_PAGE = "index.html", "unfinished.html"

SUFFIXES = (".csv", ".parquet", ".svg", ".pdf", ".png")
"""Files of results that are listed."""


def write_page(settings: Settings, logs: str | os.PathLike[str], finished: bool = True) -> None:
    """Write ``index.html`` into the reports folder from whatever the results folder holds.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting, which the page lists.
    logs : path-like
        Folder of the jobs' logs: a data set without results is shown with the first line of its failed jobs' logs.
    finished : bool
        If not, the page is ``unfinished.html``: Snakemake must not take it for the page of the whole run. It is removed
        when that one is written.
    """
    results, reports = Path(settings.results), Path(settings.reports)
    page = resource("treecrf.rendering", "page.html")
    for key, value in _parts(settings, results, reports, Path(logs), finished).items():
        page = page.replace(f"{{{{{key}}}}}", value)
    write_text(page, reports / (PAGE if finished else UNFINISHED_PAGE))
    if finished:
        (reports / UNFINISHED_PAGE).unlink(missing_ok=True)


def studies(settings: Settings, results: Path, finished: bool = True) -> list[Study]:
    """The studies that have something to show; of a run that is not finished, tables of the data sets that are."""
    found = []
    for study in registry():
        layouts = _tables(study, results) if finished else _finished_tables(study, settings, results)
        found.append(study.module("page").study_page(settings, results, layouts))
    return [study for study in found if study is not None]


def unfinished(settings: Settings, results: Path) -> list[str]:
    """The data sets without all results, each once."""
    absent = [
        name
        for study in registry()
        for name in StudyFiles(study, settings).all_datasets()
        if not study.module("page").is_finished(results, name)
    ]
    return list(dict.fromkeys(absent))


def _tables(study: Declared, results: Path) -> dict[str, pd.DataFrame]:
    """The layouts that the run has written."""
    return {path.stem: read_layout(path) for path in (results / study.name / "tables").glob("*.json")}


def _finished_tables(study: Declared, settings: Settings, results: Path) -> dict[str, pd.DataFrame]:
    """The layouts of the data sets that are finished; the run stopped before it wrote those of all."""
    files = StudyFiles(study, settings)
    done = [name for name in files.all_datasets() if study.module("page").is_finished(results, name)]
    frames = {
        name: read_frames(there)
        for name, paths in files.frames(study.tabulated, done).items()
        if (there := [path for path in paths if Path(path).is_file()])
    }
    return study.module("tables").tabulate(frames) if done and frames else {}


def _parts(settings: Settings, results: Path, reports: Path, logs: Path, finished: bool) -> dict[str, str]:
    """What stands in each place of page.html."""
    folders = Folders(results, reports)
    shown = studies(settings, results, finished)
    claims = read_verdicts(results) if finished else verdicts(results)
    reference = [
        _ledger(claims),
        _datasets(settings, results),
        *_cost(settings, results),
        _settings(settings),
        _files(results, reports),
    ]
    entries = [
        (study.identifier, study.title, [(part.identifier, part.title) for part in study.sections]) for study in shown
    ]
    entries += [(section.identifier, section.title, []) for section in reference]
    body = [study_markup(study, folders) for study in shown]
    body += [section_markup(section, folders, level=2) for section in reference]
    return {
        "style": resource("treecrf.rendering", "page.css"),
        "script": resource("treecrf.rendering", "page.js"),
        "introduction": paragraph(INTRODUCTION).html,
        "headlines": _headlines(shown, ledger_summary(claims)),
        "absent": parts_markup(_absent(settings, results, logs), folders),
        "contents": contents(entries),
        "body": "\n".join(body),
    }


def _headlines(shown: Sequence[Study], of_claims: str) -> str:
    entries = [(study.identifier, study.title, study.headline) for study in shown if study.headline]
    items = "".join(
        f'<dt><a href="#{identifier}">{escape(title)}</a></dt><dd>{escape(headline)}</dd>'
        for identifier, title, headline in [*entries, ("claims", "Claims of the papers", of_claims)]
    )
    return f'<dl class="headlines">{items}</dl>'


# --- sections ---------------------------------------------------------------------------------------


def _absent(settings: Settings, results: Path, logs: Path) -> list[Part]:
    """The data sets that were not finished, and why."""
    reasons = {name: _reason(name, _raw_files(settings, name), logs) for name in unfinished(settings, results)}
    if not reasons:
        return []
    items = [f"<b>{escape(name)}</b>: {escape(reason)}" for name, reason in reasons.items()]
    return [Note('<section class="warning"><h2>Not in this page</h2>'), *listed(items), Note("</section>")]


def _ledger(claims: pd.DataFrame) -> Section:
    """Every claim with its verdict."""
    return Section("claims", "Claims of the papers", [Note(scrolled(ledger_fragment(claims), "Ledger of claims"))])


def _datasets(settings: Settings, results: Path) -> Section:
    done = {
        name: None
        for study in registry()
        if not study.draws
        for name in StudyFiles(study, settings).all_datasets()
        if study.module("page").is_finished(results, name) and (results / "data" / name / "description.json").is_file()
    }
    return Section("datasets", "Data sets", [part for name in done for part in _dataset(name, results)])


def _dataset(name: str, results: Path) -> list[Part]:
    description = read_json(results / "data" / name / "description.json")
    counts = paragraph(
        DATASET_NOTE,
        **{side: description[side] for side in ("train", "test")},
        labels=len(description["labels"]),
        attributes=description["n_attributes"],
        window=window_text(description["window"]),
    )
    stand_in, terms = (description[key] and escape(str(description[key])) for key in ("stand_in", "terms"))
    return [
        Note(f'<h3 id="data-{escape(name)}">{escape(name)}</h3><p>{escape(description["title"])}</p>'),
        *([Note(f'<p class="stand-in">Stand-in: {stand_in}</p>')] if stand_in else []),
        counts,
        *([Note(f"<p>Source: {terms}.</p>")] if terms else []),
    ]


def _cost(settings: Settings, results: Path) -> list[Section]:
    jobs, phases = job_costs(results / "benchmarks", used_datasets(settings)), phase_costs(results, settings)
    parts: list[Part] = []
    if len(jobs):
        parts += [
            paragraph(JOBS_NOTE),
            Table("Jobs by study", study_costs(jobs)),
            Fold("Jobs by step and data set", [Table("Jobs by step and data set", jobs)]),
        ]
    if len(phases):
        parts += [Fold("CPU seconds by phase", [paragraph(PHASES_NOTE), Table("CPU seconds by phase", phases)])]
    return [Section("cpu-time", "CPU time", parts)] if parts else []


def _settings(settings: Settings) -> Section:
    text = escape(yaml.safe_dump(used_settings(settings), sort_keys=False, allow_unicode=True))
    code = commit()
    said = f"Code: commit <code>{escape(code)}</code>. {machine()}." if code else f"{machine()}."
    parts: list[Part] = [
        Note(f"<p>{said}</p>"),
        Table("Seeds", seeds(settings)),
        Table("Versions", versions()),
        Fold("Every setting", [Note(f'<pre tabindex="0">{text}</pre>')]),
    ]
    return Section("settings", "Settings, seeds and versions", parts)


def _files(results: Path, reports: Path) -> Section:
    folders: dict[Path, list[Path]] = {}
    for path in sorted(results.rglob("*")):
        if path.suffix in SUFFIXES and path.relative_to(results).parts[0] not in ("logs", "benchmarks"):
            folders.setdefault(path.parent, []).append(path)
    parts: list[Part] = [
        Fold(
            folder.relative_to(results).as_posix(),
            listed([f'<a href="{address(path, reports)}">{escape(path.name)}</a>' for path in paths], "files"),
        )
        for folder, paths in folders.items()
    ]
    return Section("files", "Files of results", parts)


# --- parts ------------------------------------------------------------------------------------------


def _raw_files(settings: Settings, name: str) -> tuple[str, ...]:
    dataset = settings.datasets[name]
    return () if isinstance(dataset, TableDataset) else tuple(describe(dataset.source or name).files)


def _reason(name: str, raw_files: Iterable[str], logs: Path) -> str:
    """The first line of the newest failed job's log that belongs to the data set."""
    candidates = [path for path in logs.rglob("*.log") if path.name.startswith((f"{name}.", f"{name}_"))]
    candidates += [path for file in raw_files if (path := logs / "download" / f"{file}.log").is_file()]
    for path in sorted(candidates, key=lambda path: path.stat().st_mtime, reverse=True):
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if any(line.startswith(("Where it happened", "Traceback")) for line in lines):
            return lines[0] if not lines[0].startswith("Traceback") else lines[-1]
    return "not computed; see Snakemake's messages."
