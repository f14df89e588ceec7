"""The site that shows a whole run: pages as Markdown, and HTML of them that needs no network."""

from __future__ import annotations

import datetime
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.datasets import describe
from treecrf_studies.framework.claims.judge import NOT_RUN, REPLICATED
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.page import study_page
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings, TableDataset
from treecrf_studies.framework.study import Study as Declared
from treecrf_studies.framework.views import distinct_accuracies, nearness_texts, published_values
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import texts_of
from treecrf_studies.rendering.findings import Finding
from treecrf_studies.rendering.glossary import glossary_pages
from treecrf_studies.rendering.parts import (
    NO_BANNER,
    Markdown,
    Note,
    Page,
    Part,
    Section,
    Study,
    escaped,
    joined,
    link,
    listed,
    md,
    paragraph,
    slug,
)
from treecrf_studies.rendering.site import write_site
from treecrf_studies.rendering.style import training_method_name
from treecrf_studies.report import claim_pages, ledger, provenance
from treecrf_studies.report.conclusions import choose, conclude
from treecrf_studies.report.figures import PUBLISHED, STRIP, WAYS, published_frame, strip_frame
from treecrf_studies.report.lessons import learnt_pages
from treecrf_studies.report.paper_plots import table_drawings
from treecrf_studies.report.papers import (
    PAPERS,
    counts_text,
    missing_pages,
    paper_pages,
    papers_list,
    verdict_text,
)
from treecrf_studies.report.provenance import CITE, cite_page, run_page
from treecrf_studies.training.findings import COSTS, GAPS, cost_frame, gap_frame
from treecrf_studies.training.lessons import at_choice
from treecrf_studies.training.rivals import against_rivals, by_dataset, comparisons

UNFINISHED_FOLDER = "unfinished"
"""The folder of the site of a run that is not finished."""

UNFINISHED = "This run is not finished: the overview lists the data sets without results and why."

EXPLORER = "explorer.html"
"""The page to explore the results (`treecrf_studies.explorer`), beside those of a whole run."""


def write_page(settings: Settings, logs: str | os.PathLike[str], finished: bool = True, study: str = "") -> None:
    """Write the site into the reports folder from whatever the results folder holds; its first page is ``index.html``.

    `logs` is the folder of the jobs' logs: a data set without results is shown with the first line of its failed jobs'
    logs. The site of a run that is not finished is in `UNFINISHED_FOLDER`: Snakemake must not take it for that of the
    whole run. It is removed when that one is written. The site of one finished `study` is in a folder of its name.
    """
    results, frames = Path(settings.results), Frames(settings)
    reports = Path(settings.reports, study) if finished else Path(settings.reports, UNFINISHED_FOLDER)
    chosen = [each for each in registry() if study in ("", each.name)]
    explorer = EXPLORER if finished and not study else ""
    is_whole = finished and not study
    judged = ledger.read_ledger(results) if is_whole else ledger.judge(results, settings.decides_claims)
    is_published = about_papers(settings, judged.claims)
    shown = studies(frames, finished, is_published, chosen)
    jobs = provenance.job_costs(results, provenance.used_datasets(settings, chosen))
    absent = _absent(frames, chosen, Path(logs))
    pages = pages_of_results(frames, shown, judged if is_published else None, absent, jobs, explorer)
    commit = provenance.commit()
    run = f"results at commit {commit}" if commit else ""
    pages += [run_page(settings), *glossary_pages(), cite_page(run, f"{datetime.datetime.now(tz=datetime.UTC):%Y}")]
    banner = settings.banner if finished else f"{UNFINISHED} {settings.banner}".strip()
    write_site(pages, reports, "treecrf: results", Markdown(f"> {escaped(banner)}") if banner else NO_BANNER, explorer)
    if finished:
        shutil.rmtree(Path(settings.reports, UNFINISHED_FOLDER), ignore_errors=True)


def pages_of_results(
    frames: Frames,
    shown: Sequence[Study],
    judged: ledger.Ledger | None,
    absent: Mapping[str, str],
    jobs: pd.DataFrame,
    explorer: str = "",
) -> list[Page]:
    """The first page, then what was learnt, the papers, missing values and claims, as far as there is something; of a
    run that says nothing of papers (`judged` is None) a page for each study instead.

    `absent` has the data sets that were not finished, and why; `jobs` is from
    `treecrf_studies.report.provenance.job_costs`; `explorer` as of `treecrf_studies.report.papers.paper_pages`.
    """
    if judged is None:
        pages = [Page(f"{each.identifier}.md", each.title, each.sections) for each in shown]
        return [_overview(frames, shown, None, absent, jobs, explorer, pages), *pages]
    pages = learnt_pages(frames)
    for paper in PAPERS:
        conclusion, drawings = conclude(paper, frames, judged), table_drawings(frames, paper)
        table = claim_pages.claims_table(judged, paper)
        pages += paper_pages(paper, shown, judged.claims, conclusion, drawings, explorer, table)
    pages += [*missing_pages(shown), *claim_pages.claim_pages(*judged)]
    return [_overview(frames, shown, judged.claims, absent, jobs, explorer, pages), *pages]


def about_papers(settings: Settings, claims: pd.DataFrame) -> bool:
    """Whether the run says something of papers: some claim has been judged, and the settings do not exclude it."""
    return settings.may_concern_papers and bool((claims["verdict"] != NOT_RUN).any())


def studies(frames: Frames, finished: bool, is_published: bool, chosen: Iterable[Declared]) -> list[Study]:
    """Those chosen studies that have something to show; of a run that is not finished, tables of data sets that are.
    Without `is_published` they say nothing of papers.
    """
    shown = []
    for study in chosen:
        done = None if finished else frames.files[study.name].finished()
        layouts = {} if done == [] else frames.layouts(study, done and ["", *done])
        shown.append(study_page(study, frames.settings, layouts, is_published))
    return [study for study in shown if study is not None]


# --- reasons ----------------------------------------------------------------------------------------


def _absent(frames: Frames, chosen: Iterable[Declared], logs: Path) -> dict[str, str]:
    """By study, the data sets that were not finished, and why."""
    shown = {}
    for study in chosen:
        by_reason: dict[str, list[str]] = {}
        for name in frames.files[study.name].unfinished():
            by_reason.setdefault(_reason(name, _raw_files(frames.settings, name), logs), []).append(name)
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


# --- first page -----------------------------------------------------------------------------------

PATH = "index.md"

ABOUT_PAPERS = """
treecrf trains conditional random fields whose potentials are sums of regression trees (TreeCRF), and computes the
tables and figures of five papers anew. A run computed every number on these pages, except those headed *published*.
"""

ABOUT_OWN = """
This run compares {methods} on {datasets}. Every number on these pages was computed by the run that wrote them.
"""

VERDICTS = """
✓ *replicated*, ◐ *partly*, ✗ *not replicated*: a test decides. ? *undecided*: the test shows neither the claim nor its
contrary. = *checked*: a theorem or an exact example. *No verdict*: the paper, its data or one timing do not allow one.
*Not run*: the run lacks a data set or method.
"""

OURS = "treecrf_newton"


def _overview(
    frames: Frames,
    studies: Sequence[Study],
    claims: pd.DataFrame | None,
    absent: Mapping[str, str],
    jobs: pd.DataFrame,
    explorer: str,
    pages: Sequence[Page],
) -> Page:
    """The first page; without `claims` the run says nothing of papers. `pages` are the others, the rest as of
    `pages_of_results`.
    """
    settings, tests = frames.settings, comparisons(frames)
    methods = set(tests["method"]) | set(tests["other"])
    sections = [
        Section(f"method-{name}", f"Your method: {name}", by_dataset(name, tests)) for name in settings.labellers
    ]
    guide = choose(frames) if claims is not None else Section("choose", "", [])
    sections += [guide, *findings(frames, claims)]
    if claims is not None:
        sections.append(Section("papers", "Papers", papers_list(claims, pages)))
    if OURS in methods:
        sections.append(Section("rivals", f"{training_method_name(OURS)} vs its rivals", against_rivals(OURS, tests)))
    if claims is None:
        sections += [Section(study.identifier, study.title, study.answers) for study in studies]
    items = [md("**{name}**: {reason}", name=name, reason=reason) for name, reason in absent.items()]
    sections.append(Section("absent", "Data sets without results", listed(items)))
    names = {name for study in studies for name in _measured(frames.files[study.identifier])}
    compared = counted(len(methods or settings.training.methods), "method")  # one alone is compared with none
    lead: list[Part] = [
        (
            paragraph(ABOUT_OWN, methods=compared, datasets=counted(len(names), "data set"))
            if claims is None
            else paragraph(ABOUT_PAPERS)
        ),
        *listed(
            md("**{value}** {text}", value=value, text=text) for value, text in _numbers(frames, claims, methods, jobs)
        ),
        _ways(explorer, bool(guide.parts), claims is not None),
    ]
    title = "TreeCRF: published and reproduced results" if claims is not None else "Comparison of sequence labellers"
    return Page(PATH, title, sections, lead, "Overview")


def _ways(explorer: str, has_guide: bool, has_papers: bool) -> Note:
    """Where a reader goes on."""
    ways: list[Markdown] = [link("Choose a method", f"{PATH}#choose")] if has_guide else []
    ways += [link("Find a table or figure of a paper", f"{PATH}#papers")] if has_papers else []
    ways.append(link("Explore all results", explorer) if explorer else md("docs/explorer.md"))
    ways += [md("docs/own_data.md"), link("How to cite", CITE)]
    return Note(joined(ways, " · "))


# --- numbers ----------------------------------------------------------------------------------------


def _numbers(
    frames: Frames, claims: pd.DataFrame | None, methods: set[str], jobs: pd.DataFrame
) -> Iterator[tuple[str, str]]:
    """Numbers, what they are of, and remarks."""
    if claims is not None:
        met, of, _ = nearness_texts(distinct_accuracies(published_values(frames)))
        yield met, f"published accuracies met within one point: {of}"
        is_replicated = claims["verdict"] == REPLICATED
        rest = counts_text(claims[~is_replicated])
        yield f"{is_replicated.sum()} of {len(claims)}", f"claims replicated by the sequence-level test: {rest}"
    yield str(len({name for files in frames.files.values() for name in _measured(files)})), "data sets"
    if claims is None and methods:
        yield str(len(methods)), "methods"
    if len(jobs):
        seconds = jobs["CPU s"].astype(float).sum()
        unit, name = next((pair for pair in ((1, "s"), (60, "min")) if seconds < 120 * pair[0]), (3600, "h"))
        yield f"{seconds / unit:.0f} {name}", "CPU time"


def _measured(files: StudyFiles) -> list[str]:
    """The data sets of a study that have results, without those that are another one with other folds or options."""
    return [name for name in files.distinct_datasets() if next(Path(files.folder, name).glob("*.csv"), None)]


# --- findings ---------------------------------------------------------------------------------------


def findings(frames: Frames, claims: pd.DataFrame | None) -> list[Section]:
    """Published and measured accuracies, claims, gaps to the best method, and accuracy against cost; those that the run
    has results of.

    `claims` are from `treecrf_studies.report.ledger`; None for a run that says nothing of papers.
    """
    shown: list[tuple[Finding, pd.DataFrame, list[Part]]] = []
    if claims is not None:
        shown.append((PUBLISHED, published_frame(published_values(frames)), []))
        shown.append((STRIP, strip_frame(claims), [paragraph(VERDICTS)]))
    gaps = gap_frame(frames.read("training", "ranks"), at_choice(frames, "comparisons"))
    costs = cost_frame(at_choice(frames, "summary"))
    shown += [(GAPS, gaps, []), (COSTS, costs if len(costs) > 1 else costs.iloc[:0], [])]
    return [
        Section(slug(finding.title), finding.title, [finding.drawing(frame, _layout(frame)), *more])
        for finding, frame, more in shown
        if len(frame)
    ]


def _layout(frame: pd.DataFrame) -> pd.DataFrame:
    """The numbers of a finding with the names that readers see."""
    heads = {
        "is_best": "best",
        "is_shown": "test finds it worse",
        "is_optimal": "no method beats it in both",
        "way": "test",
    }
    known: dict[str, Callable[[str], str]] = {
        "method": training_method_name,
        "way": WAYS.__getitem__,
        "verdict": verdict_text,
    }
    shown = frame.assign(**{name: frame[name].map(known[name]) for name in known if name in frame})
    return texts_of(shown).rename(columns=heads)
