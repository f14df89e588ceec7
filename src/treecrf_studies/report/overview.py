"""The first page: what was run, four numbers, TreeCRF-Newton beside its rivals, the papers; of own data, the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.io.messages import counted
from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.framework.claims.judge import REPLICATED
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.views import distinct_accuracies, nearness_texts, published_values
from treecrf_studies.registry import registry
from treecrf_studies.rendering.forest import Forest, Interval
from treecrf_studies.rendering.parts import (
    Group,
    Markdown,
    Note,
    Page,
    Part,
    Section,
    Study,
    joined,
    link,
    listed,
    md,
    paragraph,
)
from treecrf_studies.rendering.style import training_method_name
from treecrf_studies.report.claim_pages import papers_list
from treecrf_studies.report.findings import overview_findings
from treecrf_studies.report.guide import CITE, choose
from treecrf_studies.report.lessons import Frames
from treecrf_studies.report.papers import counts_text
from treecrf_studies.training.choices import BETTER

PATH = "index.md"

ABOUT_PAPERS = """
treecrf trains conditional random fields whose potentials are sums of regression trees (TreeCRF), and computes the tables and
figures of five papers anew. A run computed every number on these pages, except those headed *published*.
"""

ABOUT_OWN = """
This run compares {methods} on {datasets}. Every number on these pages was computed by the run that wrote them.
"""

STRIP = "verdicts-on-the-claims"
"""The section that shows all verdicts."""

VERDICTS = """
✓ *replicated*, ◐ *partly*, ✗ *not replicated*: a test decides. ? *undecided*: the test shows neither the claim nor its contrary.
= *checked*: a theorem or an exact example. *No verdict*: the paper, its data or one timing do not allow one. *Not run*: the run
lacks a data set or method.
"""

INTERVALS = (
    ", with 95 % intervals (Bonferroni). A significant difference may have an interval with 0 (docs/statistics.md)."
)
COMPARED = ["dataset", "method", "other", "value", "family_low", "family_high", "decision"]
"""Columns of comparisons that the page reads."""

OURS = "treecrf_newton"


def overview(
    settings: Settings,
    studies: Sequence[Study],
    claims: pd.DataFrame | None,
    absent: Mapping[str, str],
    jobs: pd.DataFrame,
    explorer: str = "",
) -> Page:
    """The first page; without `claims` the run says nothing of papers.

    `absent` has the data sets that were not finished, and why; `jobs` is from
    `treecrf_studies.report.provenance.job_costs`; `explorer` as of `treecrf_studies.report.papers.paper_pages`.
    """
    comparisons = _comparisons(settings)
    sections = [
        Section(f"method-{name}", f"Your method: {name}", _by_dataset(name, comparisons)) for name in settings.labellers
    ]
    methods = set(comparisons["method"]) | set(comparisons["other"])
    guide = choose(Frames(settings)) if claims is not None else Section("choose", "", [])
    sections += [guide, *map(_with_verdicts, overview_findings(settings, claims))]
    if claims is not None:
        sections.append(Section("papers", "Papers", papers_list(claims)))
    if OURS in methods:
        sections.append(_rivals(OURS, comparisons))
    if claims is None:
        sections += [Section(study.identifier, study.title, study.answers) for study in studies]
    if absent:
        items = [md("**{name}**: {reason}", name=name, reason=reason) for name, reason in absent.items()]
        sections.append(Section("absent", "Data sets without results", listed(items)))
    title = "TreeCRF: published and reproduced results" if claims is not None else "Comparison of sequence labellers"
    lead: list[Part] = [
        paragraph(ABOUT_PAPERS) if claims is not None else _about_own(settings, studies, methods),
        *listed(_numbers(settings, claims, methods, jobs)),
        _ways(explorer, bool(guide.parts)),
    ]
    return Page(PATH, title, "Overview", [Group("", [section for section in sections if section.parts])], lead)


def _ways(explorer: str, has_guide: bool) -> Note:
    """Where a reader goes on."""
    ways: list[Markdown] = [link("Choose a method", f"{PATH}#choose")] if has_guide else []
    ways.append(link("Explore all results", explorer) if explorer else md("Explorer: docs/explorer.md"))
    ways += [md("Your own data: docs/own_data.md"), link("How to cite", CITE)]
    return paragraph("{ways}", ways=joined(ways, " · "))


def _with_verdicts(section: Section) -> Section:
    """The section, with what verdicts mean where it shows them."""
    return section._replace(parts=[*section.parts, paragraph(VERDICTS)]) if section.identifier == STRIP else section


# --- numbers ----------------------------------------------------------------------------------------


def _numbers(settings: Settings, claims: pd.DataFrame | None, methods: set[str], jobs: pd.DataFrame) -> list[Markdown]:
    """Numbers, what they are of, and remarks."""
    found = []
    if claims is not None:
        met, of, apart = nearness_texts(distinct_accuracies(published_values(settings)))
        found.append((met, f"published accuracies met within one point: {of}. Counted apart: {apart}"))
        n_replicated = int((claims["verdict"] == REPLICATED).sum())
        rest = counts_text(claims[claims["verdict"] != REPLICATED])
        found.append((f"{n_replicated} of {len(claims)}", f"claims replicated by the sequence-level test: {rest}"))
    found.append((str(len({name for study in registry() for name in _measured(study.name, settings)})), "data sets"))
    if claims is None and methods:
        found.append((str(len(methods)), "methods"))
    if len(jobs):
        found.append((_duration(jobs["CPU s"].astype(float).sum()), "CPU time"))
    return [md("**{value}** {text}", value=value, text=text) for value, text in found]


def _measured(study: str, settings: Settings) -> list[str]:
    """The data sets of a study that have results, without those that are another one with other folds or options."""
    declared = next(each for each in registry() if each.name == study)
    names, folder = StudyFiles(declared, settings).distinct_datasets(), Path(settings.results, study)
    return [name for name in names if next((folder / name).glob("*.csv"), None)]


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _about_own(settings: Settings, studies: Sequence[Study], methods: set[str]) -> Note:
    names = {name for study in studies for name in _measured(study.identifier, settings)}
    methods = methods or set(settings.training.methods)  # one alone is compared with none
    return paragraph(ABOUT_OWN, methods=counted(len(methods), "method"), datasets=counted(len(names), "data set"))


# --- methods beside their rivals --------------------------------------------------------------------


def _comparisons(settings: Settings) -> pd.DataFrame:
    """Tests between methods of the training study, at the choice, with the preferred decoder."""
    frame = Frames(settings).read("training", "comparisons")
    return (frame[frame["decoder"] == BETTER] if len(frame) else frame).reindex(columns=COMPARED)


def _rivals(method: str, comparisons: pd.DataFrame) -> Section:
    """A method minus each rival, mean over the data sets."""
    name, rows = training_method_name(method), []
    title, n_sets = f"{name} vs its rivals", comparisons["dataset"].nunique()
    if n_sets == 1:
        return Section("rivals", title, _by_dataset(method, comparisons))
    for other, of in facing(comparisons, method).groupby("other", sort=False):
        low, high = mean_with_interval(of["value"])[1] if len(of) > 1 else of[["family_low", "family_high"]].iloc[0]
        counts = of["decision"].value_counts()
        note = f"better on {counts.get('better', 0)}, worse on {counts.get('worse', 0)} of {len(of)}"
        values = tuple(of["value"])
        rows.append(Interval(training_method_name(str(other)), np.mean(values), low, high, note, dots=values))
    rows.sort(key=lambda row: -row.value)
    text = (
        f"{name} minus each rival, mean over the data sets with a 95 % interval that takes data sets as independent. "
        f"Small dots are single data sets. Right of zero {name} is more accurate."
    )
    return Section("rivals", title, [Forest(text, rows).part()])


def _by_dataset(method: str, comparisons: pd.DataFrame) -> list[Part]:
    """The gap of a method to each rival on each data set."""
    name = training_method_name(method)
    parts: list[Part] = []
    for dataset, rows in facing(comparisons, method).groupby("dataset", sort=False):
        ordered = rows.sort_values("value", ascending=False)[["other", *COMPARED[3:]]].itertuples(index=False)
        lines = [Interval(training_method_name(other), *rest) for other, *rest in ordered]
        text = f"{name} minus each rival on {dataset}{INTERVALS} Right of zero {name} is more accurate."
        parts.append(Forest(text, lines).part())
    return parts
