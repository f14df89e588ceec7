"""What the page and the snapshot show of a study, before it is HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd


class Note(NamedTuple):
    """A text (HTML): a paragraph or a list."""

    html: str


class Table(NamedTuple):
    """A layout (frame of texts) with its caption, and the files that hold the same, without their suffix."""

    caption: str
    layout: pd.DataFrame
    path: Path | None = None


class Figure(NamedTuple):
    """An SVG file; what a reader who cannot see it is told (text); what stands below (HTML)."""

    path: Path
    alt: str
    caption: str


class Fold(NamedTuple):
    """Parts that are closed until their title is clicked."""

    title: str
    parts: Sequence[Part]


Part = Note | Table | Figure | Fold


class Section(NamedTuple):
    """Parts under a heading."""

    identifier: str
    title: str
    parts: Sequence[Part]


class Study(NamedTuple):
    """The sections on one study, and what came out of it in a sentence (text)."""

    identifier: str
    title: str
    headline: str
    sections: Sequence[Section]


def paragraph(text: str, **values: Any) -> Note:
    """A paragraph of a template (HTML)."""
    return Note(f"<p>{text.strip().format(**values)}</p>")


def listed(items: Sequence[str], style: str = "") -> list[Part]:
    """A list of texts (HTML), if there are any."""
    style = f' class="{style}"' if style else ""
    return [Note(f"<ul{style}>{''.join(f'<li>{item}</li>' for item in items)}</ul>")] if items else []


def named_values(values: dict[str, Any]) -> str:
    """Settings with their values (HTML)."""
    return ", ".join(f"<code>{escape(name)}: {escape(str(value))}</code>" for name, value in values.items())


def drawn(path: Path, alt: str, caption: str) -> list[Part]:
    """A figure, if it has been drawn."""
    return [Figure(path, alt, caption.strip())] if path.is_file() else []
