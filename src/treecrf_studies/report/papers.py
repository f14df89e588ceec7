"""The papers: where each stands in the site, and which sections of the studies are its own, in its order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.framework.claims.judge import VERDICTS
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.rendering.parts import (
    Drawing,
    Figure,
    Markdown,
    Page,
    Part,
    Section,
    Study,
    Table,
    joined,
    link,
    listed,
    md,
    numbered,
    paragraph,
)

NEW = "New methods and studies"
"""Heading of what the papers do not have."""

MISSING = "missing-values.md"
"""The page on missing values."""

OF_MISSING = ("missing-advice", "missing-mechanisms", "missing-trees", "missing-cost")
"""Its sections."""


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    start : str
        That ids of its claims begin with.
    source : str
        What the sources of its claims begin with.
    path : str
        Of its page.
    name, title, reference : str
        Short name, heading, and citation.
    studies : tuple of str
        Studies whose other sections follow its own.
    own : tuple of str
        Identifiers of the sections that show its tables and figures, in its order.
    places : mapping of str to str
        Anchors of what it numbers, where the name of the table or figure does not give them.
    more : str
        Name of a page of its own for the sections of `own` from `more_from` on, so that no page is too long.
    more_from : str
    samples : (str, str)
        Its test sets, and the larger sample, as readers see them.
    """

    start: str
    source: str
    path: str
    name: str
    title: str
    reference: str
    studies: tuple[str, ...]
    own: tuple[str, ...]
    places: Mapping[str, str]
    more: str = ""
    more_from: str = ""
    samples: tuple[str, str] = ("the paper's test sets", "a larger sample")

    def has(self, claim: str) -> bool:
        """Whether a claim with this id is the paper's."""
        return claim.startswith(self.start)

    def numbers(self, source: str) -> bool:
        """Whether a table or figure such as "PhD table 3.5" is the paper's, or the chapter's."""
        place = source.partition(" ")[2]
        chapter = re.search(r"(\d+)\.", place)
        return source.startswith(self.source) and (len(self.start) == 1 or (chapter and chapter[1]) == self.start[1:])

    def beside(self, name: str) -> str:
        """A page beside that of the paper."""
        return self.path.replace(".md", f"-{name}.md")

    def target(self, source: str) -> str:
        """The page and the anchor of what the source of a claim names, such as "PhD table 3.5"."""
        place = source.partition(" ")[2]
        return f"{self.path}#{self.places.get(place, place.replace(' ', '-').replace('.', '-'))}"


_DISSERTATION = (
    "Guohua Hao: Efficient training and feature induction in sequential supervised learning. Oregon State University, "
    "2009."
)

PAPERS = (
    Paper(
        "P3",
        "PhD",
        "chapter-3.md",
        "Dissertation, chapter 3",
        "Training: PhD dissertation (Hao 2009), chapter 3",
        _DISSERTATION,
        ("training", "cost"),
        ("training-published", "training-curves", "cost-growth", "training-cost"),
        {},
        "cost",
        "cost-growth",
    ),
    Paper(
        "P4",
        "PhD",
        "chapter-4.md",
        "Dissertation, chapter 4",
        "Missing values: PhD dissertation (Hao 2009), chapter 4",
        _DISSERTATION,
        ("missing",),
        ("missing-accuracy", "line-features", "missing-tests"),
        {**{f"table 4.1{letter}": "table-4-1" for letter in "abcd"}, "section 4.4.5": "missing-tests"},
        samples=("the paper's damaged sets", "more damaged sets"),
    ),
    Paper(
        "P5",
        "PhD",
        "chapter-5.md",
        "Dissertation, chapter 5",
        "Future features: PhD dissertation (Hao 2009), chapter 5",
        _DISSERTATION,
        ("future",),
        ("future-example", "future-patterns", "future-orders"),
        {"section 5.1": "future-example"},
    ),
    Paper(
        "M",
        "MS",
        "thesis.md",
        "M.S. thesis",
        "M.S. thesis (Hao 2009)",
        "Guohua Hao: Revisiting output coding for sequential supervised learning. Oregon State University, 2009.",
        ("coding",),
        ("coding-codes", "coding-all"),
        {
            **{f"figure 5.{figure}": "coding-codes" for figure in ("1", "1a", "1b", "2", "4", "6", "6a", "6b")},
            **{f"figure 5.{figure}": "coding-all" for figure in ("3", "5")},
            "section 3.3": "coding-codes",
            "section 5.2.2": "coding-codes",
        },
    ),
    Paper(
        "I",
        "ICML",
        "icml-2004.md",
        "ICML 2004",
        "ICML 2004 (Dietterich, Ashenfelter and Bulatov)",
        "Thomas G. Dietterich, Adam Ashenfelter and Yaroslav Bulatov: Training conditional random fields via "
        "gradient tree boosting. ICML 2004, pages 217 to 224.",
        (),
        ("training-seconds", "cost-windows", "cost-sampling"),
        {"results": "training-seconds", "table of run times": "cost-windows", "section 3": "cost-sampling"},
    ),
    Paper(
        "U",
        "UAI",
        "uai-2004.md",
        "UAI 2004",
        "UAI 2004 (Altun, Smola and Hofmann)",
        "Yasemin Altun, Alex J. Smola and Thomas Hofmann: Exponential families for conditional random fields. UAI "
        "2004.",
        ("kernels",),
        ("kernels-accuracy",),
        {},
    ),
    Paper(
        "E",
        "ESP",
        "espboost-2014.md",
        "ESPBoost 2014",
        "ESPBoost 2014 (Cortes, Kuznetsov and Mohri)",
        "Corinna Cortes, Vitaly Kuznetsov and Mehryar Mohri: Boosting ensembles of structured prediction rules. 2014.",
        ("ensembles",),
        ("ensembles-table_1", "ensembles-bound"),
        {"theorem 3": "ensembles-bound"},
    ),
)
"""In the order of their claims."""


def paper_of(claim: str) -> Paper:
    """The paper of a claim with this id."""
    return next(paper for paper in PAPERS if paper.has(claim))


def claim_path(claim: str) -> str:
    """The page of a claim."""
    return f"claims/{claim}.md"


def claim_link(row: Mapping[Any, Any]) -> Markdown:
    """A link to the page of a claim, a row of the ledger."""
    return link(f"{row['id']} {SIGNS[row['verdict']]}", claim_path(row["id"]))


def counts_text(claims: pd.DataFrame, column: str = "verdict") -> str:
    """How many claims have each verdict of a column that one of them has."""
    counts = claims[column].value_counts()
    return ", ".join(f"{counts[name]} {verdict_text(name)}" for name in VERDICTS if name in counts)


THREE = {
    "verdict_papers_test": "By the papers' own tests",
    "verdict": "By the sequence-level test on the same test sets",
    "verdict_larger": "By that test on a larger sample or more damaged sets",
}
"""The verdicts that a claim may have, in the order in which they are told."""


def three_counts(claims: pd.DataFrame) -> list[str]:
    """How many claims have each verdict, a text for each of the three ways to judge; those without a verdict in a way
    are left out there.
    """
    texts = []
    for column, name in THREE.items():
        judged = claims[claims[column] != ""]
        if len(judged):
            n = f" ({counted(len(judged), 'claim')})" if len(judged) < len(claims) else ""
            texts.append(f"{name}{n}: {counts_text(judged, column)}.")
    return texts


def papers_list(claims: pd.DataFrame, pages: Sequence[Page] = ()) -> list[Part]:
    """The papers with links to their pages, the verdicts on their claims, and links to what they number."""
    items = []
    for paper in PAPERS:
        of_paper = claims[claims["id"].map(paper.has)]
        n, counts = counted(len(of_paper), "claim"), counts_text(of_paper) or "none judged"
        item = md("{paper}: {n}; {counts}", paper=link(paper.title, paper.path), n=n, counts=counts)
        own = [page for page in pages if page.path in (paper.path, paper.beside(paper.more))]
        exhibits = joined(
            (link(name, f"{page.path}#{anchor}") for page in own for anchor, name in numbered(page)), " · "
        )
        items.append(Markdown(f"{item}\n\n  {exhibits}") if exhibits else item)
    return listed(items)


def paper_pages(
    paper: Paper,
    studies: Sequence[Study],
    claims: pd.DataFrame,
    conclusion: Sequence[Markdown],
    drawings: Mapping[str, Sequence[Drawing]],
    explorer: str,
    table: Sequence[Part] = (),
) -> list[Page]:
    """The page of a paper, from all studies that the run has, and one on what its studies add; those without a section
    are left out.

    `claims` are from `treecrf_studies.report.ledger`; `conclusion` has the sentences that the page begins with,
    `drawings` those of tables by the anchors of these; `explorer` is the page that shows the runs behind a row, empty
    without one; `table` lists the claims of the paper.
    """
    of_paper = claims[claims["id"].map(paper.has)]
    sections = {section.identifier: section for study in studies for section in study.sections}
    own = [_linked(_illustrated(sections[name], drawings), paper, of_paper) for name in paper.own if name in sections]
    taken = {name for each in PAPERS for name in each.own} | {*OF_MISSING}
    added = [study for study in studies if study.identifier in paper.studies]
    new = [
        _illustrated(section, drawings)
        for study in added
        for section in study.sections
        if section.identifier not in taken and section.parts
    ]
    lead: list[Part] = [
        *listed(conclusion),
        paragraph("{reference}", reference=paper.reference),
        paragraph("{n}:", n=counted(len(of_paper), "claim")),
        *listed(three_counts(of_paper)),
    ]
    failed = of_paper[of_paper["verdict"] == "not_replicated"]
    if len(failed):
        names = [claim_link(row) for row in failed.to_dict("records")]
        lead.append(paragraph("Not replicated by the sequence-level test: {names}.", names=joined(names, " · ")))
    if explorer and added:
        runs = [link(study.title, f"{explorer}#leaderboard?study={study.identifier}") for study in added]
        lead.append(paragraph("The runs behind these numbers: {runs}.", runs=joined(runs)))
    cut = next((place for place, section in enumerate(own) if section.identifier == paper.more_from), len(own))
    name = f"{paper.name}: {{}}".format
    first = own[:cut] and [Section("claims", "Claims", table), *own[:cut]]
    pages = [
        Page(paper.path, paper.title, first, lead, paper.name),
        Page(paper.beside(paper.more), name(paper.more), own[cut:]),
        Page(paper.beside("new"), name(NEW.lower()), new, name=name("new")),
    ]
    return [page for page in pages if page.sections]


def _illustrated(section: Section, drawings: Mapping[str, Sequence[Drawing]]) -> Section:
    """The section with the drawings of each table before it."""
    parts: list[Part] = []
    for part in section.parts:
        if isinstance(part, Table) and part.anchor in drawings:
            first, *others = drawings[part.anchor]
            parts += [replace(first, anchor=part.anchor), *others]
            part = replace(part, is_headed=False)
        parts.append(part)
    return section._replace(parts=parts)


def _linked(section: Section, paper: Paper, claims: pd.DataFrame) -> Section:
    """The section with links from its tables and figures to the claims about them."""
    by_target: dict[str, list[Markdown]] = {}
    for row in claims.to_dict("records"):
        by_target.setdefault(paper.target(row["source"]).partition("#")[2], []).append(claim_link(row))
    parts = [
        replace(part, links=tuple(by_target.get(part.anchor, ()))) if isinstance(part, Table | Figure) else part
        for part in section.parts
    ]
    return section._replace(parts=parts)


BEYOND = paragraph(
    "The dissertation asks whether one treatment beats all others by a test ({chapter}, {claim}). This page counts ties"
    " too, over more treatments, mechanisms and trees.",
    chapter=link("chapter 4", "chapter-4.md"),
    claim=link("claim P4.15", claim_path("P4.15")),
)
"""What the page on missing values begins with."""


def missing_pages(studies: Sequence[Study]) -> list[Page]:
    """The page on missing values: which method to use when, by mechanism and with other trees."""
    by_name = {section.identifier: section for study in studies for section in study.sections}
    sections = [by_name[name] for name in OF_MISSING if name in by_name]
    return [Page(MISSING, "Missing values", sections, [BEYOND])] if sections else []


SIGNS = {
    "replicated": "✓",
    "partly": "◐",
    "not_replicated": "✗",
    "undecided": "?",
    "checked": "=",
    "no_verdict": "–",
    "not_run": "–",
}
"""Before the word, so that colour is not needed to tell verdicts apart."""


def verdict_text(verdict: str) -> str:
    """A verdict as readers see it."""
    return verdict.replace("_", " ")


def signed_verdict(verdict: str) -> str:
    """The same after its sign."""
    return f"{SIGNS[verdict]} {verdict_text(verdict)}" if verdict else DASH
