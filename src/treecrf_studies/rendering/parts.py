"""Parts of a page: texts, tables and figures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd


@dataclass(frozen=True)
class Note:
    """A text: paragraphs or a list."""

    text: Markdown


@dataclass(frozen=True)
class Table:
    """A table, which a page folds under its caption.

    Attributes
    ----------
    caption : str
    layout : DataFrame of str
    name : str
        Of its file in the folder of the site, without suffix, such as "training/accuracy".
    anchor : str
        What links name, such as "table-3-5"; none if empty.
    links : tuple of Markdown
        Claims that rest on it.
    is_headed : bool
        Whether its anchor is that of a heading of its own.
    """

    caption: str
    layout: pd.DataFrame
    name: str = ""
    anchor: str = ""
    links: tuple[Markdown, ...] = ()
    is_headed: bool = True


@dataclass(frozen=True)
class Figure:
    """An SVG file; what a reader who cannot see it is told; what stands below; its file in the folder of the site
    without suffix; the rest as of `Table`.

    The label tells it from others of its kind in a section, of which the first is open and the others are folded.
    """

    path: Path
    alt: str
    caption: Markdown
    name: str
    anchor: str = ""
    links: tuple[Markdown, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure that is drawn for a page; the rest as of `Figure`, and the same as a table.

    Attributes
    ----------
    figure : matplotlib Figure
    alt : str
    caption : Markdown
    layout : DataFrame of str
    name : str
        Of its files among those of the page.
    anchor : str
        As of `Table`.
    """

    figure: Any
    alt: str
    caption: Markdown
    layout: pd.DataFrame
    name: str
    anchor: str = ""


@dataclass(frozen=True)
class Downloads:
    """Tables that are too long for a page: a text, and their CSV files by name."""

    text: str
    paths: Mapping[str, Path]


Part = Note | Table | Figure | Drawing | Downloads


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

    The path is that of its file from the folder of the site, such as "claims/P3.1.md"; the title is its heading, the
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


def paragraph(text: str, /, **values: Any) -> Note:
    """A paragraph of a template (Markdown that is trusted); the values are escaped."""
    return Note(md(text, **values))


def caption(text: str) -> Markdown:
    """A caption (reStructuredText without markup but ``literals``)."""
    pieces = re.split(r"``(.+?)``", text.strip())
    return Markdown("".join(f"`{piece}`" if place % 2 else _plain(piece) for place, piece in enumerate(pieces)))


def _plain(text: str) -> str:
    """Escaped, in the lines that it has."""
    return "\n".join(escaped(line) for line in text.split("\n"))


def captioned(text: str) -> Note:
    """A caption as a paragraph."""
    return Note(caption(text))


def listed(items: Iterable[object]) -> list[Part]:
    """A list of texts, if there are any; those that are no `Markdown` are escaped."""
    lines = [f"- {escaped(item)}" for item in items]
    return [Note(Markdown("\n".join(lines)))] if lines else []


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


SITE = "site:"
"""Before the target of a link to another page of the site: its file and the identifier of what is there."""


class Markdown(str):
    """Text that is Markdown already; every other text is escaped where it joins it."""

    __slots__ = ()


def escaped(text: object) -> Markdown:
    """Text in one line, in which Markdown finds nothing but letters: no emphasis, link, code, entity or HTML."""
    if isinstance(text, Markdown):
        return text
    one_line = re.sub(r"[\n\r\v\f\x85\u2028\u2029]+", " ", str(text))
    shown = re.sub(r"([\\`*_{}\[\]<>|~$^@]|&(?=#?\w+;)|://|(?<![\w.])www\.)", _escaped_sign, one_line)
    return Markdown(re.sub(r"^(\s*)([-+#=:(]|\d+(?=[.)](?:\s|$)))", _escaped_start, shown))


def _escaped_sign(found: re.Match[str]) -> str:
    return {"://": r"\://", "www.": r"www\."}.get(found[0], f"\\{found[0]}")


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}"


def md(template: str, /, **values: Any) -> Markdown:
    """A template (Markdown that is trusted) with its places filled by values: texts are escaped unless they are `Markdown`,
    numbers may have a format.
    """
    shown = {name: value if isinstance(value, int | float) else escaped(value) for name, value in values.items()}
    return Markdown(template.strip().format(**shown))


def code(text: object) -> Markdown:
    """Text as code."""
    one_line = re.sub(r"\s+", " ", str(text)).strip()
    ticks = "`" * (max((len(run) for run in re.findall("`+", one_line)), default=0) + 1)
    room = " " if one_line.startswith("`") or one_line.endswith("`") else ""
    return Markdown(f"{ticks}{room}{one_line}{room}{ticks}")


def code_block(text: str, language: str = "") -> Markdown:
    """Lines as a block of code."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    return Markdown(f"{fence}{language}\n{text.rstrip()}\n{fence}")


def link(text: object, target: str) -> Markdown:
    """A link to a page of the site: its file such as "claims.md", and after a "#" the identifier of a section, table or
    figure there.

    A page that the site does not have leaves the text alone.
    """
    return Markdown(f"[{escaped(text)}]({SITE}{target})")


def joined(items: Iterable[object], separator: str = ", ") -> Markdown:
    """Texts one after another, escaped."""
    return Markdown(separator.join(escaped(item) for item in items))


def slug(title: str) -> str:
    """The anchor that code hosts and MyST give to a heading."""
    text = re.sub(r"\\(.)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
