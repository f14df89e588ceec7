"""The page that shows a whole run: one file, no network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from treecrf.datasets import describe
from treecrf.io.files import read_frames, read_json, resource, write_text
from treecrf.rendering.cells import window_text
from treecrf.rendering.folders import Folders
from treecrf.rendering.layouts import read_layout
from treecrf.rendering.parts import Fold, Part, Section, Study, Table, listed, paragraph
from treecrf.rendering.plain import plain_study
from treecrf.rendering.templates import render_page
from treecrf.report import provenance
from treecrf.report.differing import differing_parts
from treecrf.report.ledger import read_ledger, verdicts, verdicts_by_rule
from treecrf.report.ledger_page import ledger_fragment, ledger_summary
from treecrf.report.rules import rules_parts
from treecrf.report.similar_sequences import relatives_table
from treecrf.studies import registry
from treecrf.studies.framework.claims.judge import NOT_RUN
from treecrf.studies.framework.paths import StudyFiles
from treecrf.studies.framework.settings import Settings, TableDataset
from treecrf.studies.framework.study import Study as Declared

JOBS_NOTE = """
Seconds and memory of the jobs behind this page, start of Python included, as Snakemake sampled them. Downloads and the
writing of this page itself are not counted.
"""

PHASES_NOTE = "CPU seconds with one thread, as the labellers count them: {phases}."

PAGE, UNFINISHED_PAGE = "index.html", "unfinished.html"

EXPLORER = "explorer.html"
"""The page to explore the results (`treecrf.explorer`), beside that of a whole run."""

LIMITATIONS = "limitations.txt"
"""In the folder of each study: a limitation a line."""

_ABOUT_PAPERS = re.compile("paper|publi|thesis", re.IGNORECASE)
"""What stands in limitations of the comparison with the papers."""

SUFFIXES = (".csv", ".parquet", ".svg", ".pdf", ".png")
"""Files of results that are listed."""


def write_page(settings: Settings, logs: str | os.PathLike[str], finished: bool = True) -> None:
    """Write ``index.html`` into the reports folder from whatever the results folder holds.

    `logs` is the folder of the jobs' logs: a data set without results is shown with the first line of its failed jobs'
    logs. The page of a run that is not finished is ``unfinished.html``: Snakemake must not take it for that of the
    whole run. It is removed when that one is written.
    """
    results, reports = Path(settings.results), Path(settings.reports)
    decides = settings.decides_claims
    claims, by_rule = (
        read_ledger(results) if finished else (verdicts(results, decides), verdicts_by_rule(results, decides))
    )
    is_published = bool((claims["verdict"] != NOT_RUN).any())
    shown = studies(settings, results, finished, is_published)
    wanted = [study for study in registry() if getattr(settings, study.name).is_wanted]
    page = render_page(
        "page.html",
        title="TreeCRF: published and measured" if is_published else "TreeCRF and other labellers: a comparison",
        note=settings.banner,
        is_published=is_published,
        explorer=EXPLORER if finished else "",
        folders=Folders(results, reports),
        studies=shown if is_published else [plain_study(study) for study in shown],
        absent=_absent(settings, results, Path(logs)),
        claims=ledger_summary(claims),
        ledger=ledger_fragment(claims, by_rule),
        rules=rules_parts(claims, by_rule),
        datasets=(described := _datasets(settings, results)),
        relatives=relatives_table(described),
        window_text=window_text,
        costs=_costs(settings, results),
        differing=differing_parts(settings, [study.name for study in wanted]),
        commit=provenance.commit(),
        machine=provenance.machine(),
        versions=[*provenance.computed_by(results), Table("Versions", provenance.versions())],
        settings=yaml.safe_dump(provenance.used_settings(settings, registry()), sort_keys=False, allow_unicode=True),
        files=_files(results),
    )
    write_text(page, reports / (PAGE if finished else UNFINISHED_PAGE))
    if finished:
        (reports / UNFINISHED_PAGE).unlink(missing_ok=True)


def studies(settings: Settings, results: Path, finished: bool = True, is_published: bool = True) -> list[Study]:
    """The studies that have something to show, with their limitations; of a run that is not finished, tables of the data
    sets that are. Without `is_published`, limitations of the comparison with the papers are left out."""
    found = []
    for study in registry():
        layouts = _tables(study, settings) if finished else _finished_tables(study, settings, results)
        shown = study.module("page").study_page(settings, results, layouts)
        if shown is not None:
            found.append(shown._replace(sections=[*shown.sections, _limitations(study, is_published)]))
    return found


def unfinished(study: Declared, settings: Settings, results: Path) -> list[str]:
    """The data sets of a study without all results."""
    return [name for name in StudyFiles(study, settings).all_datasets() if not study.is_finished(results, name)]


def _tables(study: Declared, settings: Settings) -> dict[str, pd.DataFrame]:
    """The layouts that the run has written."""
    files = StudyFiles(study, settings)
    paths = {name: Path(files.folder, "tables", f"{name}.json") for name, *_ in files.calls()}
    return {name: read_layout(path) for name, path in paths.items() if path.is_file()}


def _finished_tables(study: Declared, settings: Settings, results: Path) -> dict[str, pd.DataFrame]:
    """The layouts of the data sets that are finished; the run stopped before it wrote those of all."""
    files = StudyFiles(study, settings)
    done = [name for name in files.all_datasets() if study.is_finished(results, name)]
    frames = {
        name: read_frames(there)
        for name, paths in files.frames(study.tabulated, done).items()
        if (there := [path for path in paths if Path(path).is_file()])
    }
    return study.tabulate(files.calls(), frames) if done else {}


# --- sections ---------------------------------------------------------------------------------------


def _absent(settings: Settings, results: Path, logs: Path) -> dict[str, str]:
    """The data sets that were not finished, and why."""
    return {
        name: _reason(name, _raw_files(settings, name), logs)
        for study in registry()
        for name in unfinished(study, settings, results)
    }


def _datasets(settings: Settings, results: Path) -> dict[str, dict[str, Any]]:
    """The descriptions of the data sets that were finished."""
    done = {
        name: results / "data" / name / "description.json"
        for study in registry()
        if not study.draws
        for name in StudyFiles(study, settings).all_datasets()
        if study.is_finished(results, name)
    }
    return {name: read_json(path) for name, path in done.items() if path.is_file()}


def _costs(settings: Settings, results: Path) -> list[Part]:
    jobs, phases = (
        provenance.job_costs(results / "benchmarks", provenance.used_datasets(settings, registry())),
        provenance.phase_costs(results, settings, registry()),
    )
    parts: list[Part] = []
    if len(jobs):
        parts += [
            paragraph(JOBS_NOTE),
            Table("Jobs by study", provenance.study_costs(jobs)),
            Fold("Jobs by step and data set", [Table("Jobs by step and data set", jobs)]),
        ]
    if len(phases):
        notes = [f"{study.phases_note} ({study.name})" for study in registry() if study.phases]
        parts += [
            Fold(
                "CPU seconds by phase",
                [paragraph(PHASES_NOTE, phases=", ".join(notes)), Table("CPU seconds by phase", phases)],
            )
        ]
    return parts


def _limitations(study: Declared, is_published: bool) -> Section:
    """What the results of a study do not show."""
    lines = resource(f"treecrf.studies.{study.name}", LIMITATIONS).splitlines()
    kept = [line for line in lines if is_published or not _ABOUT_PAPERS.search(line)]
    return Section(f"{study.name}-limitations", "Limitations", listed(kept))


def _files(results: Path) -> dict[str, list[Path]]:
    """The files of results by their folder."""
    folders: dict[str, list[Path]] = {}
    for path in sorted(results.rglob("*")):
        if path.suffix in SUFFIXES and path.relative_to(results).parts[0] not in ("logs", "benchmarks"):
            folders.setdefault(path.parent.relative_to(results).as_posix(), []).append(path)
    return folders


# --- reasons ----------------------------------------------------------------------------------------


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
