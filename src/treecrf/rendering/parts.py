"""What the page and the snapshot show of a study, before it is HTML or Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from treecrf.options import StudySettings


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


def caption_html(text: str) -> str:
    """A caption (reStructuredText without markup but ``literals``) as HTML."""
    return re.sub(r"``(.+?)``", r"<code>\1</code>", escape(text, quote=False))


def listed(items: Sequence[str], style: str = "") -> list[Part]:
    """A list of texts (HTML), if there are any."""
    style = f' class="{style}"' if style else ""
    return [Note(f"<ul{style}>{''.join(f'<li>{item}</li>' for item in items)}</ul>")] if items else []


def by_dataset(settings: StudySettings, name: str, shown: Callable[[Any], str] = str) -> str:
    """The value of a setting, then those that single data sets have instead: "10 (protein: 3; hyphen, nettalk: 2)"."""
    usual = shown(getattr(settings, name))
    alike: dict[str, list[str]] = {}
    for dataset in settings.datasets:
        alike.setdefault(shown(getattr(settings.of(dataset), name)), []).append(dataset)
    if len(alike) == 1:
        return next(iter(alike))
    instead = "; ".join(f"{', '.join(names)}: {value}" for value, names in alike.items() if value != usual)
    return f"{usual} ({instead})" if instead else usual


def open_choices(settings: StudySettings, names: Sequence[str], more: dict[str, Any] | None = None) -> Fold:
    """Settings of a study that the papers leave open, then those that single data sets have instead."""
    values = settings.model_dump(mode="json")
    alike: dict[str, list[str]] = {}
    for dataset, own in values["overrides"].items():
        if dataset in settings.datasets:
            alike.setdefault(_named_values(own), []).append(dataset)
    instead = [f"{escape(', '.join(datasets))}: {text}" for text, datasets in alike.items()]
    heading = [paragraph("Instead, on single data sets:")] if instead else []
    chosen = Note(f"<p>{_named_values({name: values[name] for name in names} | (more or {}))}</p>")
    return Fold("Choices that the papers leave open", [chosen, *heading, *listed(instead)])


def _named_values(values: dict[str, Any]) -> str:
    return ", ".join(f"<code>{escape(name)}: {escape(_shown(value))}</code>" for name, value in values.items())


def _shown(value: Any) -> str:
    """A value as the configuration writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_shown(part)}' for name, part in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def drawn(path: Path, alt: str, caption: str) -> list[Part]:
    """A figure, if it has been drawn."""
    return [Figure(path, alt, caption.strip())] if path.is_file() else []
