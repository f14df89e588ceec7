"""Parts of a report as Markdown that Git hosts render, with the files that it needs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from markupsafe import escape

from treecrf.io.files import write_frame
from treecrf.rendering.layouts import flattened, to_markdown
from treecrf.rendering.parts import Figure, Fold, Note, Part, Study, Table


def study_markdown(study: Study, folder: Path) -> str:
    """A page on a study; its tables (CSV) and figures are written to `folder` / `study.identifier`."""
    place = folder / study.identifier
    sections = "\n".join(f"## {section.title}\n\n{parts_markdown(section.parts, place)}" for section in study.sections)
    return f"# {study.title}\n\n{study.headline}\n\n{sections}"


def parts_markdown(parts: Iterable[Part], place: Path) -> str:
    """Parts, one after another; links lead from the folder that holds `place`."""
    return "".join(_part(part, place) for part in parts)


def table_markdown(table: Table, place: Path) -> str:
    """A table with its caption and a link to it as CSV."""
    file = place / f"{table_name(table)}.csv"
    write_frame(flattened(table.layout), file)
    return f"**{table.caption}** ([CSV]({place.name}/{file.name}))\n\n{to_markdown(table.layout)}\n"


def figure_markdown(figure: Figure, place: Path) -> str:
    """A figure with its caption."""
    file = figure.path
    copy = place / f"{file.parent.name}_{file.name}" if file.parent.name != place.name else place / file.name
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copy)
    return f"![{figure.alt}]({place.name}/{copy.name})\n\n<p>{escape(figure.caption)}</p>\n\n"


def table_name(table: Table) -> str:
    """A name for a table's file; that of one data set among several starts with the data set."""
    if table.path is None:
        return re.sub(r"[^a-z0-9]+", "_", table.caption.lower()).strip("_")
    owner = table.path.parent.name
    return table.path.name if owner == "tables" else f"{owner}_{table.path.name}"


def _part(part: Part, place: Path) -> str:
    match part:
        case Note():
            return f"{part.html}\n\n"
        case Table():
            return table_markdown(part, place)
        case Figure():
            return figure_markdown(part, place)
        case Fold():
            inside = parts_markdown(part.parts, place)
            return f"<details><summary>{escape(part.title)}</summary>\n\n{inside}</details>\n\n"
