"""The site that shows a whole run: pages as Markdown, and HTML of them that needs no network."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frames
from treecrf_studies.datasets import describe
from treecrf_studies.framework.claims.judge import NOT_RUN
from treecrf_studies.framework.page import study_page
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings, TableDataset
from treecrf_studies.framework.study import Study as Declared
from treecrf_studies.registry import registry
from treecrf_studies.rendering.markdown import GLOSSARY, read_layout, write_pages
from treecrf_studies.rendering.parts import Group, Markdown, Note, Page, Study, escaped
from treecrf_studies.rendering.site import build_site
from treecrf_studies.report import claim_pages, ledger, provenance
from treecrf_studies.report.conclusions import conclude
from treecrf_studies.report.findings import learnt_page, table_drawings, words_of_figures
from treecrf_studies.report.guide import cite_page
from treecrf_studies.report.lessons import Frames
from treecrf_studies.report.overview import overview
from treecrf_studies.report.papers import PAPERS, Paper, Seen, missing_pages, paper_pages
from treecrf_studies.report.provenance import run_page

PAGE, MARKDOWN = "index.html", "markdown"
"""The first page of a site, and the folder of its Markdown, below that of its HTML."""

UNFINISHED_FOLDER = "unfinished"
"""The folder of the site of a run that is not finished."""

UNFINISHED = "This run is not finished: the overview lists the data sets without results and why."

EXPLORER = "explorer.html"
"""The page to explore the results (`treecrf_studies.explorer`), beside those of a whole run."""

TITLE = "treecrf: results"


def write_page(settings: Settings, logs: str | os.PathLike[str], finished: bool = True, study: str = "") -> None:
    """Write the site into the reports folder from whatever the results folder holds; its first page is ``index.html``.

    `logs` is the folder of the jobs' logs: a data set without results is shown with the first line of its failed jobs'
    logs. The site of a run that is not finished is in `UNFINISHED_FOLDER`: Snakemake must not take it for that of the
    whole run. It is removed when that one is written. The site of one finished `study` is in a folder of its name.
    """
    results = Path(settings.results)
    reports = Path(settings.reports, study) if finished else Path(settings.reports, UNFINISHED_FOLDER)
    chosen = [each for each in registry() if study in ("", each.name)]
    explorer = EXPLORER if finished and not study else ""
    if finished and not study:
        claims, by_rule = ledger.read_ledger(results)
        compared = ledger.read_comparisons(results)
    else:
        claims, by_rule = ledger.verdicts(results, settings.decides_claims), ledger.verdicts_by_rule(results)
        compared = ledger.comparisons(results)
    is_published = about_papers(settings, claims)
    shown = studies(settings, finished, is_published, chosen)
    if is_published:
        pages = pages_of_papers(settings, shown, claims, by_rule, compared, explorer)
    else:
        pages = [Page(f"{each.identifier}.md", each.title, each.title, [Group("", each.sections)]) for each in shown]
    told = claims if is_published else None
    jobs = provenance.job_costs(results, provenance.used_datasets(settings, chosen))
    commit = provenance.commit()
    pages += [run_page(settings), *_glossary(), cite_page(f"results at commit {commit}" if commit else "")]
    pages.insert(0, overview(settings, shown, told, _absent(settings, chosen, Path(logs)), jobs, explorer))
    banner = settings.banner if finished else f"{UNFINISHED} {settings.banner}".strip()
    shutil.rmtree(reports / MARKDOWN, ignore_errors=True)
    write_pages(pages, reports / MARKDOWN, Markdown(f"> {escaped(banner)}") if banner else Markdown(), explorer)
    build_site(reports / MARKDOWN, reports, TITLE)
    if finished:
        shutil.rmtree(Path(settings.reports, UNFINISHED_FOLDER), ignore_errors=True)


def pages_of_papers(
    settings: Settings,
    shown: Sequence[Study],
    claims: pd.DataFrame,
    by_rule: pd.DataFrame,
    compared: pd.DataFrame,
    explorer: str = "",
) -> list[Page]:
    """What was learnt, the papers, missing values and claims, as far as there is something; `explorer` as of
    `paper_pages`.
    """
    words, frames = words_of_figures(settings), Frames(settings)

    def seen(paper: Paper) -> Seen:
        return Seen(table_drawings(settings, paper), words, conclude(paper, frames, claims, compared))

    learnt = learnt_page(settings)
    papers = [page for paper in PAPERS for page in paper_pages(paper, shown, claims, seen(paper), explorer)]
    return [
        *([learnt] if learnt else []),
        *papers,
        *missing_pages(shown),
        *claim_pages.claim_pages(claims, by_rule, compared),
    ]


def _glossary() -> list[Page]:
    """The documentation's glossary as a page of the site, where the documentation is beside the package."""
    text = _glossary_text()
    return [Page(GLOSSARY, "Glossary", "Glossary", [], [Note(Markdown(text))])] if text else []


def glossary() -> dict[str, str]:
    """The words of the documentation's glossary and the first sentence on each; none where it is not there."""
    entries = re.findall(r"^\*\*(.+?)\.\*\* (.+?\.)(?= |$)", _glossary_text(), re.MULTILINE)
    return {word: re.sub(r"[*`]", "", text) for words, text in entries for word in words.split(", ")}


def _glossary_text() -> str:
    path = Path(__file__).resolve().parents[3] / "docs" / GLOSSARY
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8").partition("\n")[2].strip()
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # other pages of the documentation are not there


def about_papers(settings: Settings, claims: pd.DataFrame) -> bool:
    """Whether the run says something of papers: some claim has been judged, and the settings do not exclude it."""
    return settings.may_concern_papers and bool((claims["verdict"] != NOT_RUN).any())


def studies(
    settings: Settings, finished: bool = True, is_published: bool = True, chosen: Iterable[Declared] | None = None
) -> list[Study]:
    """The studies, or those `chosen`, that have something to show; of a run that is not finished, tables of data sets
    that are. Without `is_published` they say nothing of papers.
    """
    tables = _tables if finished else _finished_tables
    shown = [study_page(study, settings, tables(study, settings), is_published) for study in chosen or registry()]
    return [study for study in shown if study is not None]


def unfinished(study: Declared, settings: Settings) -> list[str]:
    """The data sets of a study without all results."""
    files = StudyFiles(study, settings)
    return [name for name in files.all_datasets() if not files.is_finished(name)]


def _tables(study: Declared, settings: Settings) -> dict[str, pd.DataFrame]:
    """The layouts that the run has written; a ValueError where a study has finished data sets and none of its tables."""
    files = StudyFiles(study, settings)
    paths = {name: Path(files.folder, "tables", f"{name}.csv") for name, *_ in files.calls()}
    found = {name: read_layout(path) for name, path in paths.items() if path.is_file()}
    if paths and not found and study.summary.of_dataset and files.finished():
        raise ValueError(f"{files.folder}/tables has no table: this study is not finished; run `make results` first.")
    return found


def _finished_tables(study: Declared, settings: Settings) -> dict[str, pd.DataFrame]:
    """The layouts of the data sets that are finished; the run stopped before it wrote those of all."""
    files = StudyFiles(study, settings)
    done = files.finished()
    frames = {
        name: read_frames(there)
        for name, paths in files.frames(study.tabulated, done).items()
        if (there := [path for path in paths if Path(path).is_file()])
    }
    return study.tabulate(files.calls(), frames) if done else {}


# --- reasons ----------------------------------------------------------------------------------------


def _absent(settings: Settings, chosen: Iterable[Declared], logs: Path) -> dict[str, str]:
    """By study, the data sets that were not finished, and why."""
    shown = {}
    for study in chosen:
        by_reason: dict[str, list[str]] = {}
        for name in unfinished(study, settings):
            by_reason.setdefault(_reason(name, _raw_files(settings, name), logs), []).append(name)
        if by_reason:
            shown[study.title] = " ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
    return shown


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
