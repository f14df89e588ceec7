"""Pages as Markdown that Git hosts render."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import escape

from treecrf_studies.rendering.cells import Cell, Link, framed
from treecrf_studies.rendering.folders import Folders
from treecrf_studies.rendering.layouts import Address, to_markdown
from treecrf_studies.rendering.parts import Downloads, Figure, Fold, Forest, Note, Page, Part, Section, Table


def markdown_path(target: str) -> str:
    """The Markdown file of a page of the site, with an anchor where there is one."""
    return re.sub(r"\.html(?=#|$)", ".md", target)


def linked(text: str, way: str) -> str:
    """Markdown with `way` before its links to files: that to their folder."""
    return re.sub(r"\]\((?!https?:)", f"]({way}/", text)


def page_markdown(page: Page, pages: Sequence[Page], folders: Folders, banner: str = "") -> str:
    """A page with links to `pages`, and a banner below them; paths of its parts are below the folder of reports."""
    address = _address(folders)
    bar = " · ".join(f"[{other.name}]({address(other.path)})" for other in pages)
    texts = [f"# {page.title}\n\n{bar}\n\n", f"> {banner}\n\n" if banner else "", parts_markdown(page.lead, folders)]
    for group in page.groups:
        texts.append(f"## {group.title}\n\n" if group.title else "")
        texts += [_section(section, "###" if group.title else "##", folders) for section in group.sections]
    return _documentation_linked("".join(texts), folders)


def parts_markdown(parts: Iterable[Part], folders: Folders) -> str:
    """Parts, one after another."""
    return "".join(_part(part, folders) for part in parts)


def table_name(table: Table) -> str:
    """A name for a table's file; that of one data set among several starts with the data set."""
    if table.path is None:
        return re.sub(r"[^a-z0-9]+", "_", table.caption.lower()).strip("_")
    owner = table.path.parent.name
    return table.path.name if owner == "tables" else f"{owner}_{table.path.name}"


def _documentation_linked(text: str, folders: Folders) -> str:
    """The text with links to the pages of the documentation that it names; snapshots are a folder of the documentation."""
    return re.sub(
        r"(?<![\w/\"])(<code>)?docs/(\w+\.md)(</code>)?",
        lambda found: f'<a href="{folders.link(f"../{found[2]}")}">docs/{found[2]}</a>',
        text,
    )


def _address(folders: Folders) -> Address:
    """The way from a page to the Markdown of another one."""
    return lambda target: folders.link(markdown_path(target))


def _file(path: Path, folders: Folders) -> str:
    """The way from a page to a file below the folder of reports."""
    return Path(os.path.relpath(path, (folders.reports / folders.page).parent)).as_posix()


def _forest_layout(forest: Forest) -> pd.DataFrame:
    """A forest plot as a table."""
    names = [Cell("", links=(Link(row.label, row.target),)) if row.target else row.label for row in forest.rows]
    columns: dict[str, list[Any]] = {
        "comparison": names,
        f"{forest.unit} [interval]": [forest.text(row) for row in forest.rows],
    }
    if any(row.note for row in forest.rows):
        columns["note"] = [row.note for row in forest.rows]
    return framed(columns)


def _section(section: Section, level: str, folders: Folders) -> str:
    heading = f"{level} {section.title}\n\n" if section.title else ""
    return f'<a id="{section.identifier}"></a>\n\n{heading}{parts_markdown(section.parts, folders)}'


def _part(part: Part, folders: Folders) -> str:
    address = _address(folders)
    match part:
        case Note():
            html = re.sub(r'href="(?!https?:)([^"]+)"', lambda found: f'href="{address(found[1])}"', str(part.html))
            return f"{html}\n\n"
        case Table():
            file = f" ([CSV]({_file(part.path.with_suffix('.csv'), folders)}))" if part.path else ""
            table = to_markdown(part.layout, address)
            return f"{_anchor(part.anchor)}**{part.caption}**{file}\n\n{table}\n{_links(part.links, address)}"
        case Figure():
            shown = f"![{part.alt}]({_file(part.path, folders)})"
            return f"{_anchor(part.anchor)}{shown}\n\n<p>{escape(part.caption)}</p>\n\n{_links(part.links, address)}"
        case Forest():
            return f"**{part.caption}**\n\n{to_markdown(_forest_layout(part), address)}\n"
        case Downloads():
            files = [f"[{name}]({_file(path.with_suffix('.csv'), folders)})" for name, path in part.paths.items()]
            return f"{part.text} {', '.join(files)}.\n\n"
        case Fold():
            inside = parts_markdown(part.parts, folders)
            return f"<details><summary>{escape(part.title)}</summary>\n\n{inside}</details>\n\n"


def _anchor(name: str) -> str:
    return f'<a id="{name}"></a>\n\n' if name else ""


def _links(links: Sequence[Link], address: Address) -> str:
    shown = " ".join(f"[{link.text}]({address(link.target)})" for link in links)
    return f"Claims: {shown}\n\n" if shown else ""
