"""Parts of a report on a study, before they are HTML or Markdown."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pandas as pd
from markupsafe import Markup, escape

from treecrf.options import StudySettings
from treecrf.rendering.layouts import to_fragment


@dataclass(frozen=True)
class Note:
    """A text: a paragraph or a list."""

    html: Markup
    kind: ClassVar = "note"

    @property
    def n_lines(self) -> int:
        return self.html.count("\n")


@dataclass(frozen=True)
class Table:
    """A layout (frame of texts) with its caption, and the files that hold the same, without their suffix."""

    caption: str
    layout: pd.DataFrame
    path: Path | None = None
    kind: ClassVar = "table"

    @property
    def html(self) -> Markup:
        return to_fragment(self.layout, self.caption)

    @property
    def n_lines(self) -> int:
        """Rows, the caption and the lines of the head."""
        return len(self.layout) + 1 + self.layout.columns.nlevels


@dataclass(frozen=True)
class Figure:
    """An SVG file; what a reader who cannot see it is told (text); what stands below (text, or markup)."""

    path: Path
    alt: str
    caption: str
    kind: ClassVar = "figure"
    n_lines: ClassVar = 0

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

    @property
    def n_lines(self) -> int:
        return sum(part.n_lines for part in self.parts)


Part = Note | Table | Figure | Fold


class Section(NamedTuple):
    """Parts under a heading."""

    identifier: str
    title: str
    parts: Sequence[Part]


class Study(NamedTuple):
    """The sections on one study, its main results in sentences (text, the first one alone says the main one), and what is asked
    first of data that nobody published on."""

    identifier: str
    title: str
    headline: str
    sections: Sequence[Section]
    answers: Sequence[Part] = ()


def first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the others."""
    first, *others = re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)
    return first, "".join(others)


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


def open_choices(
    settings: StudySettings,
    names: Sequence[str],
    more: dict[str, Any] | None = None,
    of_papers: bool = True,
) -> Fold:
    """Settings of a study, then those that single data sets have instead; `of_papers` says whether it is one of papers."""
    values = settings.model_dump(mode="json")
    alike: dict[Markup, list[str]] = {}
    for dataset, own in values["overrides"].items():
        if dataset in settings.datasets:
            alike.setdefault(_named_values(own), []).append(dataset)
    instead = [Markup("{}: {}").format(", ".join(datasets), text) for text, datasets in alike.items()]
    heading = [paragraph("Instead, on single data sets:")] if instead else []
    chosen = paragraph("{chosen}", chosen=_named_values({name: values[name] for name in names} | (more or {})))
    title = "Choices that the papers leave open" if of_papers else "Other settings"
    return Fold(title, [chosen, *heading, *listed(instead)])


def _named_values(values: dict[str, Any]) -> Markup:
    code = Markup("<code>{}: {}</code>")
    return Markup(", ").join(code.format(name, setting_text(value)) for name, value in values.items())


def setting_text(value: Any) -> str:
    """A value as the configuration writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {setting_text(part)}' for name, part in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(setting_text, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def drawn(path: Path, alt: str, caption: str) -> list[Part]:
    """A figure with its caption (text of `caption_html`), if it has been drawn."""
    return [Figure(path, alt, caption_html(caption))] if path.is_file() else []


class Exhibits(NamedTuple):
    """Tables and figures of a study by the names of their files below its results, and its captions."""

    folder: Path
    layouts: Mapping[str, pd.DataFrame]
    caption: Callable[[str], str]

    def table(self, name: str, title: str) -> Table:
        """A table; a ValueError if the study has not written it."""
        place = self.folder / "tables" / name
        if name not in self.layouts:
            raise ValueError(f"{place}.json is not there: this study is not finished; run `make results` first.")
        return Table(title, self.layouts[name], place)

    def folded_table(self, name: str, title: str) -> Fold:
        """A table that is closed until its title is clicked."""
        return Fold(title, [self.table(name, title)])

    def captioned_table(self, name: str, title: str) -> list[Part]:
        """A caption and its table, if there is one that has rows."""
        return [captioned(self.caption(name)), self.table(name, title)] if len(self.layouts.get(name, ())) else []

    def figure(self, name: str, alt: str) -> list[Part]:
        """A figure with its caption, if it has been drawn."""
        return drawn(self.folder / f"{name}.svg", alt, self.caption(name))
