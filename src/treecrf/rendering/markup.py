"""Parts of a report as HTML."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from treecrf.rendering.layouts import to_fragment
from treecrf.rendering.parts import Figure, Fold, Note, Part, Section, Study, Table

FILE_KINDS = {".csv": "CSV", ".tex": "LaTeX", ".svg": "SVG", ".pdf": "PDF", ".png": "PNG"}
"""Files that are linked, in this order, by what they end in."""
PRINTED_ROWS = 80
"""Folded parts of more rows or lines, more than about a page, are printed only if they are open."""


class Folders(NamedTuple):
    """Where the files are that a page links to, and where the page is."""

    results: Path
    reports: Path

    def below_results(self, file: Path) -> str:
        """The way from the folder of results to a file."""
        return Path(os.path.relpath(file, self.results)).as_posix()


def study_markup(study: Study, folders: Folders) -> str:
    """A study, open; each of its sections can be jumped to."""
    sections = "".join(section_markup(section, folders) for section in study.sections)
    return (
        f'<section id="{study.identifier}" aria-labelledby="{study.identifier}-title" class="study"><details open>'
        f'<summary><h2 id="{study.identifier}-title">{escape(study.title)}</h2></summary>'
        f'<p class="headline">{escape(study.headline)}</p>{sections}</details></section>'
    )


def section_markup(section: Section, folders: Folders, level: int = 3) -> str:
    """A section with its heading, of the given level."""
    return (
        f'<section id="{section.identifier}"><h{level}>{escape(section.title)}</h{level}>'
        f"{parts_markup(section.parts, folders)}</section>"
    )


def parts_markup(parts: Iterable[Part], folders: Folders) -> str:
    """Parts, one after another; links lead from the folder of reports."""
    return "".join(_part(part, folders) for part in parts)


def _part(part: Part, folders: Folders) -> str:
    match part:
        case Note():
            return part.html
        case Table():
            links = file_links(part.path, folders) if part.path else ""
            return f"{scrolled(to_fragment(part.layout, part.caption), part.caption)}{links}"
        case Figure():
            return _figure(part, folders)
        case Fold():
            return _fold(part.title, parts_markup(part.parts, folders))


def _fold(title: str, inside: str) -> str:
    """Parts that are closed until somebody opens them; long ones stay closed on paper."""
    kind = ' class="long"' if max(inside.count("<tr"), inside.count("\n")) > PRINTED_ROWS else ""
    return f"<details{kind}><summary>{escape(title)}</summary>{inside}</details>"


def scrolled(table: str, caption: str) -> str:
    """A table in a box that scrolls by itself, also by keyboard."""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">{table}</div>'


def file_links(path: Path, folders: Folders) -> str:
    """Links to the files that are `path` but for the suffix."""
    found = [(kind, file) for suffix, kind in FILE_KINDS.items() if (file := Path(f"{path}{suffix}")).is_file()]
    links = ", ".join(
        f'<a href="{address(file, folders.reports)}" aria-label="{escape(f"{kind}: {folders.below_results(file)}")}">{kind}</a>'
        for kind, file in found
    )
    return f'<p class="files">{links}</p>' if links else ""


def address(file: Path, reports: Path) -> str:
    """The way from the folder `reports` to a file."""
    return quote(Path(os.path.relpath(file, reports)).as_posix())


def _figure(figure: Figure, folders: Folders) -> str:
    name = re.split("[,;:.]", figure.alt)[0]
    image = base64.b64encode(figure.path.read_bytes()).decode()
    links = file_links(figure.path.with_suffix(""), folders)
    return (
        f'<figure><div class="picture" tabindex="0" role="region" aria-label="Figure: {escape(name)}">'
        f'<img alt="{escape(figure.alt)}" src="data:image/svg+xml;base64,{image}"></div>'
        f"<figcaption>{figure.caption}</figcaption>{links}</figure>"
    )


def contents(entries: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]) -> str:
    """The table of contents: (identifier, title, entries below) of each part."""

    def link(identifier: str, title: str) -> str:
        return f'<a href="#{identifier}">{escape(title)}</a>'

    items = []
    for identifier, title, below in entries:
        inner = f"<ul>{''.join(f'<li>{link(*entry)}</li>' for entry in below)}</ul>" if below else ""
        items.append(f"<li>{link(identifier, title)}{inner}</li>")
    return (
        f'<nav aria-label="Contents"><details open><summary>Contents</summary><ul>{"".join(items)}</ul></details></nav>'
    )
