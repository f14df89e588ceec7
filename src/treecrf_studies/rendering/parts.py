"""Parts of a report on a study, before they are HTML or Markdown."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pandas as pd
from markupsafe import Markup, escape

from treecrf_studies.rendering.cells import Link, number, signed
from treecrf_studies.rendering.layouts import Address, to_fragment


@dataclass(frozen=True)
class Note:
    """A text: a paragraph or a list."""

    html: Markup
    kind: ClassVar = "note"


@dataclass(frozen=True)
class Table:
    """A layout with its caption, the files that hold the same, without their suffix, and its name among those of a
    page.

    Attributes
    ----------
    caption : str
    layout : DataFrame
        See `treecrf_studies.rendering.layouts`.
    path : Path or None
    anchor : str
        Such as "table-3-5"; none if empty.
    links : tuple of Link
        Claims that rest on it.
    is_list : bool
        Whether narrow screens show its cells below one another.
    """

    caption: str
    layout: pd.DataFrame
    path: Path | None = None
    anchor: str = ""
    links: tuple[Link, ...] = ()
    is_list: bool = False
    kind: ClassVar = "table"

    def html(self, address: Address = str) -> Markup:
        return to_fragment(self.layout, self.caption, address, self.is_list)


@dataclass(frozen=True)
class Interval:
    """A line of a forest plot: a value with its interval, and the values behind it, such as those of single data sets."""

    label: str
    value: float
    low: float
    high: float
    note: str = ""
    target: str = ""
    standing: str = ""
    dots: tuple[float, ...] = ()


@dataclass(frozen=True)
class Forest:
    """Values with their intervals, a line each, and the values that matter.

    Attributes
    ----------
    caption : str
    rows : sequence of Interval
    limits : tuple of float
        Values at which vertical lines stand.
    unit : str
    """

    caption: str
    rows: Sequence[Interval]
    limits: tuple[float, ...] = (0.0,)
    unit: str = "points"
    kind: ClassVar = "forest"

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis: of all values, and of intervals unless they are far longer than most."""
        values = [row.value for row in self.rows] + [dot for row in self.rows for dot in row.dots] + [*self.limits]
        known = [row for row in self.rows if isfinite(row.low) and isfinite(row.high)]
        halves = sorted((row.high - row.low) / 2 for row in known)
        longest = 3 * halves[len(halves) // 2] if halves else 0.0
        values += [max(row.low, row.value - longest) for row in known] + [
            min(row.high, row.value + longest) for row in known
        ]
        low, high = min(values), max(values)
        room = 0.04 * (high - low) or 1.0
        return low - room, high + room

    def place(self, value: float) -> float:
        """Percent of the width of the axis, from 0 to 100."""
        low, high = self.ends
        return round(100 * min(max((value - low) / (high - low), 0.0), 1.0), 2)

    @property
    def ticks(self) -> list[float]:
        """Round values along the axis."""
        low, high = self.ends
        step = float(f"{(high - low) / 4:.0e}")
        step = min((size for size in _steps(step)), key=lambda size: abs(size - (high - low) / 4))
        first = ceil(low / step)
        return [step * place for place in range(first, floor(high / step) + 1)]

    def text(self, row: Interval) -> str:
        """The value with its interval."""
        shown = signed if self.unit == "points" else number
        if not (isfinite(row.low) and isfinite(row.high)):
            return shown(row.value)
        return f"{shown(row.value)} [{shown(row.low)}, {shown(row.high)}]"


def _steps(size: float) -> list[float]:
    power = 10.0 ** floor(log10(size))
    return [power * factor for factor in (0.5, 1.0, 2.0, 2.5, 5.0, 10.0)]


@dataclass(frozen=True)
class Figure:
    """An SVG file; what a reader who cannot see it is told (text); what stands below (text, or markup); as of `Table`."""

    path: Path
    alt: str
    caption: str
    anchor: str = ""
    links: tuple[Link, ...] = ()
    kind: ClassVar = "figure"

    @property
    def name(self) -> str:
        """The start of what is told."""
        return re.split("[,;:.]", self.alt)[0]

    @property
    def data(self) -> str:
        """The file as an address that needs no file."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.path.read_bytes()).decode()}"


@dataclass(frozen=True)
class Fold:
    """Parts that are closed until their title is clicked."""

    title: str
    parts: Sequence[Part]
    kind: ClassVar = "fold"


@dataclass(frozen=True)
class Downloads:
    """Tables that are too long for a page: a text, and their names and files, without suffix."""

    text: str
    paths: Mapping[str, Path]
    kind: ClassVar = "downloads"


Part = Note | Table | Figure | Forest | Fold | Downloads


class Section(NamedTuple):
    """Parts under a heading."""

    identifier: str
    title: str
    parts: Sequence[Part]


class Group(NamedTuple):
    """Sections of a page that belong together; a group without a title stands first."""

    title: str
    sections: Sequence[Section]


class Page(NamedTuple):
    """A page of the site.

    The path is that of its file from the folder of the site, with the suffix ``.html``; the title is its heading, the
    name what links to it say, and the lead what stands under the heading.
    """

    path: str
    title: str
    name: str
    groups: Sequence[Group]
    lead: Sequence[Part] = ()


class Study(NamedTuple):
    """The sections on one study, and what is asked first of data that nobody published on."""

    identifier: str
    title: str
    sections: Sequence[Section]
    answers: Sequence[Part] = ()


def paragraph(text: str, **values: Any) -> Note:
    """A paragraph of a template (HTML that is trusted); the values are escaped."""
    return Note(Markup(f"<p>{text.strip()}</p>").format(**values))


def caption_html(text: str) -> Markup:
    """A caption (reStructuredText without markup but ``literals``) as HTML."""
    return Markup(re.sub(r"``(.+?)``", r"<code>\1</code>", str(escape(text))))


def captioned(text: str) -> Note:
    """A caption as a paragraph."""
    return Note(Markup("<p>{}</p>").format(caption_html(text)))


def listed(items: Sequence[str], style: str = "") -> list[Part]:
    """A list of texts, if there are any; those that are no `Markup` are escaped."""
    head = Markup('<ul class="{}">').format(style) if style else Markup("<ul>")
    lines = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
    return [Note(head + lines + Markup("</ul>"))] if items else []


def setting_text(value: Any) -> str:
    """A value as the configuration writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {setting_text(part)}' for name, part in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(setting_text, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def anchor_of(name: str) -> str:
    """The anchor of a table or figure that a paper numbers, from its name such as "table_3_5"; empty for others."""
    return name.replace("_", "-") if re.fullmatch(r"(table|figure)_\d.*", name) else ""
