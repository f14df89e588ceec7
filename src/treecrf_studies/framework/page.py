"""The page of a study: sections of items, each of which gives the parts that it shows of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from treecrf_studies.datasets import describe
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings, TableDataset
from treecrf_studies.framework.study import Study
from treecrf_studies.options import StudySettings
from treecrf_studies.rendering import parts
from treecrf_studies.rendering.cells import DASH, window_text
from treecrf_studies.rendering.parts import (
    Downloads,
    Figure,
    Markdown,
    Part,
    Section,
    Table,
    anchor_of,
    captioned,
    escaped,
    listed,
    paragraph,
    setting_text,
)
from treecrf_studies.rendering.style import NOTHING


class Words(NamedTuple):
    """What a figure shows in this run: a sentence, the number first, what is seen, its numbers, and the files of all
    points where these are too many for a page.
    """

    sentence: str
    alt: str
    numbers: pd.DataFrame
    points: Mapping[str, Path] = {}


Tell = Callable[[Frames], Words | None]
"""Gives the words of a figure of a run; None where it has nothing to show."""


@dataclass(frozen=True)
class PageContext:
    """What a page is made of: a study, the settings of the run, its layouts by file, and whether it is about papers.

    The data sets that are finished are those of the run unless they are given.
    """

    study: Study
    settings: Settings
    layouts: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    of_papers: bool = True
    given: Sequence[str] | None = None

    @property
    def own(self) -> Any:
        """The settings of the study."""
        return getattr(self.settings, self.study.name)

    @property
    def results(self) -> Path:
        """The folder of results of the run."""
        return Path(self.settings.results)

    @property
    def folder(self) -> Path:
        """The folder of results of the study."""
        return self.results / self.study.name

    @cached_property
    def datasets(self) -> list[str]:
        """The data sets that are finished."""
        return StudyFiles(self.study, self.settings).finished() if self.given is None else list(self.given)

    @cached_property
    def run(self) -> Frames:
        """The frames of the run."""
        return Frames(self.settings)

    def frames(self, *names: str) -> list[pd.DataFrame]:
        """Frames on all data sets that are finished; none where one of them is not there."""
        read = self.run.several(self.study.name, names, ["", *self.datasets])
        return list(read.values()) if len(read) == len(names) else []

    def caption(self, name: str) -> str:
        """The text of a caption."""
        return self.study.caption(name, self.of_papers)

    def titled(self, title: str, reference: str) -> str:
        """A title after the number that a paper gives to a table, where the run is about papers."""
        return f"{reference}: {title}" if reference and self.of_papers else title

    def table(self, name: str, title: str) -> list[Table]:
        """A table, if there is one that has rows."""
        if not len(self.layouts.get(name, ())):
            return []
        return [Table(title, self.layouts[name], f"{self.study.name}/{flat_name(name)}", self.anchor(name))]

    def anchor(self, name: str) -> str:
        """What links name of a table or figure that a paper numbers; empty for others."""
        return anchor_of(name) if self.of_papers else ""

    def figure(self, name: str, alt: str, caption: str = "", label: str = "", tell: Tell | None = None) -> list[Part]:
        """A figure with its caption (text of `captioned`), if it has been drawn and has something to show.

        What `save_figure` has seen in it is told after `alt`; where the run is about papers, `tell` has other words.
        """
        path = self.folder / f"{name}.svg"
        begin = path.read_text(encoding="utf-8")[:4000] if path.is_file() else NOTHING
        if NOTHING in begin:
            return []
        seen = re.search("<dc:description>(.*?)</dc:description>", begin, re.DOTALL)
        told = f"{alt} {unescape(seen[1])}" if seen else alt
        file, shown = f"{self.study.name}/{flat_name(name)}", captioned(caption).text
        words = tell(self.run) if tell and self.of_papers else None
        if words is None:
            return [Figure(path, told, shown, file, self.anchor(path.stem), label=label)]
        sentence = Markdown(f"{escaped(words.sentence)}\n\n{shown}".strip())
        return [
            Figure(path, words.alt, sentence, file, self.anchor(path.stem), label=label),
            Table("The numbers of this figure", words.numbers, f"{file}_numbers"),
            *([Downloads("Every point of the curves:", words.points)] if words.points else []),
        ]


def flat_name(name: str) -> str:
    """Of a table or figure in the folder of a site, which has no folders of data sets."""
    return name.replace("/", "_")


SETTINGS = "settings"
"""Name of the table of `choices`."""

DATASETS = "datasets"
"""Name of the table of `datasets`."""

ALL = "all"
"""Data sets that have no setting of their own."""

Item = Callable[[PageContext], Sequence[Part]]
"""Gives the parts that stand at one place of a page; none where a run has nothing for it."""

Value = Callable[[PageContext], object]


class PageSection(NamedTuple):
    """A section of a page; without a table or figure it is left out.

    The reference is what papers number, such as "figures 3.1 and 3.2": part of the title where the run is about papers.
    """

    identifier: str
    title: str
    items: Sequence[Item]
    reference: str = ""

    def show(self, context: PageContext) -> Section:
        """What the section shows of a run."""
        title = f"{self.title} ({self.reference})" if self.reference and context.of_papers else self.title
        return Section(self.identifier, title, [part for item in self.items for part in item(context)])


class StudyPage(NamedTuple):
    """The declaration of a study's page: its sections, and what gives the answers to the first questions of one's own
    data.
    """

    sections: Sequence[PageSection]
    answers: Item | None = None


def study_page(
    study: Study,
    settings: Settings,
    layouts: Mapping[str, pd.DataFrame],
    of_papers: bool = True,
    datasets: Sequence[str] | None = None,
) -> parts.Study | None:
    """What a page shows of a study, with its limitations; None where a run has no table or figure of it.

    The ``page.py`` of the study has `PAGE`, a `StudyPage`; `datasets` are the finished ones, where the files do not say
    it.
    """
    page: StudyPage = study.module("page").PAGE
    context = PageContext(study, settings, layouts, of_papers, datasets)
    sections = [section.show(context) for section in page.sections]
    sections = [section for section in sections if any(map(_is_exhibit, section.parts))]
    if not sections:
        return None
    limitations = Section(
        f"{study.name}-limitations", f"Limitations: {study.title.lower()}", listed(study.limitations(of_papers))
    )
    answers = page.answers(context) if page.answers and not of_papers else ()
    return parts.Study(study.name, study.title, [*sections, limitations], answers)


def _is_exhibit(part: Part) -> bool:
    """Whether a part shows results; tables of settings and data sets do not."""
    is_about = isinstance(part, Table) and part.name.endswith((f"/{SETTINGS}", f"/{DATASETS}"))
    return isinstance(part, Table | Figure) and not is_about


# --- items ------------------------------------------------------------------------------------------


def text(template: str, papers: str = "", **values: Value | str) -> Item:
    """A paragraph (Markdown that is trusted) with values of the run, and `papers` after it where the run is about
    papers.
    """

    def show(context: PageContext) -> list[Part]:
        filled = {name: value(context) if callable(value) else value for name, value in values.items()}
        shown = f"{template.strip()} {papers.strip()}" if papers and context.of_papers else template
        return [paragraph(shown, **filled)]

    return show


def setting(name: str, shown: Callable[[Any], str] = str) -> Value:
    """The value of a setting of the study in a `text`, with those of single data sets."""
    return lambda context: by_dataset(context.own, name, shown)


def table(name: str, title: str, reference: str = "", has_caption: bool = True) -> Item:
    """A table over its caption; one that is only of papers is left out where the run is about none.

    `reference` is the number that a paper gives to it, such as "Table 3.5".
    """

    def show(context: PageContext) -> list[Part]:
        if not context.of_papers and any(each.only_papers for each in context.study.tables if each.name == name):
            return []
        tables = context.table(name, context.titled(title, reference))
        return [*tables, captioned(context.caption(name))] if has_caption and tables else [*tables]

    return show


def with_caption(figures: Sequence[Part], caption: str) -> list[Part]:
    """Figures of one kind with the caption of all of them, if there are any."""
    return [*figures, captioned(caption)] if figures else []


def figure(name: str, alt: str, tell: Tell | None = None) -> Item:
    """A figure with its caption; of one that there is for each data set all of them.

    `alt` is what a reader is told who cannot see it; ``{names}`` in it are the data sets. `tell` as of
    `PageContext.figure`.
    """

    def show(context: PageContext) -> list[Part]:
        (declared,) = (each for each in context.study.figures if each.name == name)
        if not context.datasets and context.study.summary.of_dataset:
            return []
        caption = context.caption(declared.caption or name)
        if declared.over != "dataset":
            return context.figure(name, alt.replace("{names}", ", ".join(context.datasets)), caption, tell=tell)
        each = (context.figure(f"{of}/{name}", f"{of}. {alt}", label=of) for of in context.datasets)
        return with_caption([part for parts in each for part in parts], caption)

    return show


def datasets(has_window: bool = True) -> Item:
    """A table of kind, options, source and stand-in of each data set; its window, unless a study has several."""

    def row(name: str, settings: Settings) -> dict[str, str]:
        dataset = settings.datasets[name]
        known, options = (
            (describe("table"), {})
            if isinstance(dataset, TableDataset)
            else (describe(dataset.source or name), dataset.options)
        )
        return {
            "data set": name,
            "labels": known.summary,
            "options": ", ".join(f"{key}: {setting_text(value)}" for key, value in options.items()),
            "window": window_text(known.window if dataset.window is None else dataset.window) if has_window else "",
            "source": known.source,
            "stands in for": known.stand_in or "",
        }

    def show(context: PageContext) -> list[Part]:
        layout = pd.DataFrame([row(name, context.settings) for name in context.datasets])
        layout = layout.loc[:, (layout != "").any()].replace("", DASH)
        return [Table("Data sets", layout, f"{context.study.name}/{DATASETS}")]

    return show


def computed(function: Callable[..., Sequence[Part]], *frames: str) -> Item:
    """What a function gives of frames of the study; nothing where one of them is not there."""

    def show(context: PageContext) -> Sequence[Part]:
        given = context.frames(*frames)
        return function(*given) if given else []

    return show


def choices(names: Sequence[str], more: Callable[[Any], Mapping[str, Any]] | None = None) -> Item:
    """Settings that a reader needs to repeat the study, by their names, then those that single data sets have instead.

    `more` gives others from the settings of the study.
    """

    def show(context: PageContext) -> list[Part]:
        values = context.own.model_dump(mode="json")
        rows = [(name, ALL, values[name]) for name in names]
        rows += [(name, ALL, value) for name, value in (more(context.own) if more else {}).items()]
        alike: dict[tuple[str, str], list[str]] = {}
        for dataset, own in values["overrides"].items():
            if dataset in context.own.datasets:
                for name, value in own.items():
                    alike.setdefault((name, setting_text(value)), []).append(dataset)
        rows += [(name, ", ".join(datasets), value) for (name, value), datasets in alike.items()]
        texts = [(name, datasets, setting_text(value)) for name, datasets, value in rows]
        layout = pd.DataFrame(texts, columns=["setting", "data sets", "value"])
        title = "Choices that the papers leave open" if context.of_papers else "Other settings"
        return [Table(title, layout, f"{context.study.name}/{SETTINGS}")]

    return show


def downloads(title: str, files: Callable[[PageContext], Mapping[str, str]]) -> Item:
    """Links to tables that are too long for a page: their files below the folder of tables without suffix, by what is
    clicked.
    """

    def show(context: PageContext) -> list[Part]:
        paths = {name: context.folder / "tables" / f"{file}.csv" for name, file in files(context).items()}
        return [Downloads(title, paths)]

    return show


# --- texts ------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.0f} %"


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
