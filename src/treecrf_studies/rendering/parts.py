"""Pages: their parts, and Markdown of them with tables as CSV and figures as SVG beside them. Code hosts show it, and
`treecrf_studies.rendering.site` makes HTML of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pandas as pd

from treecrf.io.files import read_json, write_frame, write_json, write_text


class Markdown(str):
    """Text that is Markdown already; every other text is escaped where it joins it."""

    __slots__ = ()


NO_BANNER = Markdown()


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
    """Tables that are too long for a page: a text, and their CSV files by name.

    Files in the folder of the site are linked, others copied to it.
    """

    text: str
    paths: Mapping[str, Path]


Part = Note | Table | Figure | Drawing | Downloads


class Section(NamedTuple):
    """Parts under a heading."""

    identifier: str
    title: str
    parts: Sequence[Part]


class Page(NamedTuple):
    """A page of the site.

    The path is that of its file from the folder of the site, such as "claims/P3.1.md"; the title is its heading, the
    banner what stands under the heading, that of the site unless given, the lead what follows, and the name what links
    to it say, its title unless given. Sections without parts are left out.
    """

    path: str
    title: str
    sections: Sequence[Section] = ()
    lead: Sequence[Part] = ()
    name: str = ""
    banner: Markdown = NO_BANNER


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


def escaped(text: object) -> Markdown:
    """Text in one line, in which Markdown finds nothing but letters: no emphasis, link, code, entity or HTML."""
    if isinstance(text, Markdown):
        return text
    one_line = re.sub(r"[\n\r\v\f\x85\u2028\u2029]+", " ", str(text))
    shown = re.sub(r"([\\`*_{}\[\]<>|~$^@]|&(?=#?\w+;)|://|(?<![\w.])www\.)", _escaped_sign, one_line)
    return Markdown(re.sub(r"^(\s*)([-+#=:(]|\d+(?=[.)](?:\s|$)))", _escaped_start, shown))


def _escaped_sign(match: re.Match[str]) -> str:
    return {"://": r"\://", "www.": r"www\."}.get(match[0], f"\\{match[0]}")


def _escaped_start(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}"


def md(template: str, /, **values: Any) -> Markdown:
    """A template (Markdown that is trusted) with its places filled by values: texts are escaped unless they are
    `Markdown`, numbers may have a format.
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


# --- Markdown -------------------------------------------------------------------------------------

PAGES = "pages.json"
"""File and name of each page of a site that its list of contents names, in their order."""

LINKS = "---\n\n"
"""Before the links to all pages at the end of a page."""

MOST_LETTERS = 60
"""Of a file that is named for its caption."""

HTML = "html:"
"""Before the target of a link to an HTML file of the site that is no page of it."""

GLOSSARY = "glossary.md"
"""The page of words, of the site or of the documentation: others link to it from the first place of each word."""

PLAIN = ("sequence", "position", "observation", "number", "attribute", "order", "claim", "verdict", "frame", "marks")
"""Words of the glossary that need no link."""

NO_WORDS = r"^(?:#|\||---).*|!?\[(?:[^\[\]\\]|\\.)*\]\([^)]*\)|`[^`]*`|\*\*[^*]*\*\*"
"""Pieces of a page in which no word becomes a link: headings, tables, links, code and what is bold."""

LINK = re.compile(rf"\[((?:[^\[\]\\]|\\.)*)\]\({SITE}([^)#]*)#?([^)]*)\)")


def write_pages(
    pages: Sequence[Page],
    folder: Path,
    banner: Markdown = NO_BANNER,
    explorer: str = "",
    documentation: str = "",
) -> None:
    """Write pages with their tables and figures into a folder.

    Parameters
    ----------
    pages : sequence of Page
        Those at the top of the folder are named in `PAGES`.
    folder : Path
        What is there stays, but for files of the same names.
    banner : Markdown
        Under the title of every page that has none of its own.
    explorer : str
        An HTML file beside the first page of the site that every page links to; none if empty.
    documentation : str
        The way from the folder to the documentation, whose pages are linked where a text names them; without it they
        are not, and `GLOSSARY` is one of the pages, if there is one.
    """
    pages = [page._replace(sections=[section for section in page.sections if section.parts]) for page in pages]
    named = {page.path: page.name or page.title for page in pages if "/" not in page.path}
    write_json([*named.items()], folder / PAGES)
    if explorer:
        named[explorer] = "Explore"
    anchors = {page.path: _anchors(page) for page in pages}
    words = "".join(
        part.text for page in pages if page.path == GLOSSARY for part in page.lead if isinstance(part, Note)
    )
    if documentation and (path := folder / documentation / GLOSSARY).is_file():
        words = path.read_text(encoding="utf-8")
    terms = glossary_terms(words)
    for page in pages:
        writer = _Writer(page, folder, anchors, documentation, {} if page.path == GLOSSARY else terms)
        write_text(writer.text(named, banner), folder / page.path)


def glossary_terms(text: str) -> dict[str, str]:
    """The words that a glossary explains, but for `PLAIN` ones, with the anchors of their headings."""
    anchors: dict[str, str] = {}
    anchor = ""
    for heading, entry in re.findall(r"^(?:## (.+)|\*\*(.+?)\.\*\*)", text, re.MULTILINE):
        anchor = slug(heading) if heading else anchor
        anchors |= {word: anchor for word in filter(None, entry.split(", ")) if word.lower() not in PLAIN}
    return anchors


def flattened(layout: pd.DataFrame) -> pd.DataFrame:
    """A layout with one line of headings, and texts only."""
    heads = [" ".join(filter(None, head)) if isinstance(head, tuple) else str(head) for head in layout.columns]
    return layout.set_axis(heads, axis=1).map(str)


def listed_pages(folder: Path) -> list[tuple[str, str]]:
    """File and name of the pages in a folder that `write_pages` wrote; none where it wrote none."""
    path = folder / PAGES
    return [(file, name) for file, name in read_json(path)] if path.is_file() else []


def read_layout(path: Path) -> pd.DataFrame:
    """A layout that was written as CSV."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def is_number(text: str) -> bool:
    """Whether a cell is a number, perhaps with a deviation, an interval, a sign of a test or a unit: such columns stand
    at the right.
    """
    return bool(re.fullmatch(r"[<>≥≤~]?\s*[+−-]?(\d|\.\d|∞).*", text)) and not re.search(r"[A-Za-z]{4}", text)


def parts_text(parts: Iterable[Part], folder: Path) -> str:
    """Parts, one after another, as a text in a folder of its own."""
    return _Writer(Page("page.md", ""), folder, {}, "", {}).parts(parts)


def _heading(part: Part) -> str:
    """Of what a paper numbers, such as "Table 3.5"; empty for others."""
    anchor = (
        "" if isinstance(part, Note | Downloads) or (isinstance(part, Table) and not part.is_headed) else part.anchor
    )
    kind, *numbers = anchor.split("-")
    return f"{kind.capitalize()} {'.'.join(numbers)}".strip()


def _anchors(page: Page) -> dict[str, str]:
    """The anchors that a code host gives to headings, by the identifiers of what is under them.

    A heading that repeats an earlier one has a number after it.
    """
    counts: dict[str, int] = {}
    anchors: dict[str, str] = {}
    for identifier, heading in _headings(page):
        name = slug(escaped(heading))
        place = counts.get(name, 0)
        counts[name] = place + 1
        if identifier:
            anchors.setdefault(identifier, f"{name}-{place}" if place else name)
    return anchors


def _headings(page: Page) -> Iterator[tuple[str, str]]:
    yield "", page.title
    for section in page.sections:
        if section.title:
            yield section.identifier, section.title
        yield from _numbered(section)


def _numbered(section: Section) -> Iterator[tuple[str, str]]:
    for part in section.parts:
        if isinstance(part, Table | Figure | Drawing) and _heading(part):
            yield part.anchor, _heading(part)


def numbered(page: Page) -> list[tuple[str, str]]:
    """Anchors and names, such as "Table 3.5", of what a page shows of what a paper numbers."""
    return [each for section in page.sections for each in _numbered(section)]


class _Writer:
    """A page, and the files that are written beside it."""

    def __init__(
        self, page: Page, folder: Path, anchors: dict[str, dict[str, str]], documentation: str, terms: dict[str, str]
    ) -> None:
        self.page, self.folder, self.anchors, self.documentation = page, folder, anchors, documentation
        self.names: set[str] = set()
        self.terms = {word[:1].upper() + word[1:]: anchor for word, anchor in terms.items()}

    def text(self, named: Mapping[str, str], banner: Markdown) -> str:
        banner = self.page.banner or banner
        texts = [f"# {escaped(self.page.title)}\n\n", f"{banner}\n\n" if banner else "", self.parts(self.page.lead)]
        texts += map(self._section, self.page.sections)
        bar = " · ".join(f"[{escaped(name)}]({SITE}{path})" for path, name in named.items())
        return self._with_words(self._linked("".join([*texts, f"{LINKS}{bar}\n"])))

    def parts(self, parts: Iterable[Part]) -> str:
        return "".join(map(self._part, parts))

    def _section(self, section: Section) -> str:
        heading = f"## {escaped(section.title)}\n\n" if section.title else ""
        return f"{heading}{self.parts(section.parts)}"

    def _part(self, part: Part) -> str:
        heading = f"### {_heading(part)}\n\n" if _heading(part) else ""
        match part:
            case Note():
                return f"{part.text}\n\n"
            case Table():
                return f"{heading}{self._table(part.caption, part.layout, part.name)}{_claims(part.links)}"
            case Figure():
                self._copy(part.path, f"{part.name}.svg")
                below = f"{part.caption}\n\n" if part.caption else ""
                return f"{heading}{self._picture(part.alt, f'{part.name}.svg', part.label)}{below}{_claims(part.links)}"
            case Drawing():
                return self._drawing(part, heading)
            case Downloads():
                return self._downloads(part)

    def _table(self, caption: str, layout: pd.DataFrame, name: str) -> str:
        """A link alone in its paragraph, under which `treecrf_studies.rendering.site` shows the table."""
        file = f"{name or self._own_name(slug(caption)[:MOST_LETTERS])}.csv"
        write_frame(flattened(layout), self.folder / file)
        return f"[{escaped(caption)}]({self._way(file)})\n\n"

    def _drawing(self, part: Drawing, heading: str) -> str:
        from treecrf_studies.rendering.panels import save_figure  # loads matplotlib, which most pages do without

        name = self._own_name(part.name)
        path = self.folder / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_figure(part.figure, path, "svg", with_fonts=False)
        picture = self._picture(part.alt, f"{name}.svg")
        table = self._table("The numbers of this figure", part.layout, name)
        return f"{heading}{picture}{part.caption}\n\n{table}"

    def _downloads(self, part: Downloads) -> str:
        links = []
        for name, path in part.paths.items():
            if path.is_file():
                there, folder = path.resolve(), self.folder.resolve()
                if there.is_relative_to(folder):
                    file = there.relative_to(folder).as_posix()
                else:
                    study, *rest = path.parts[-4 if path.parts[-3] == "tables" else -3 :]
                    file = f"{study}/{'_'.join(name for name in rest if name != 'tables')}"
                    self._copy(path, file)
                links.append(f"[{escaped(name)}]({self._way(file)})")
        return f"{escaped(part.text)} {', '.join(links)}.\n\n" if links else ""

    def _picture(self, alt: str, file: str, label: str = "") -> str:
        """With a label, the extension of `treecrf_studies.rendering.site` folds it if it is not the first."""
        return f"{f'**{escaped(label)}** ' if label else ''}![{escaped(alt)}]({self._way(file)})\n\n"

    def _own_name(self, name: str) -> str:
        """A file of this page alone; one that repeats an earlier one has a number."""
        start = f"{PurePosixPath(self.page.path).with_suffix('')}_files/{name}"
        shown = next(each for k in count(1) if (each := f"{start}-{k}" if k > 1 else start) not in self.names)
        self.names.add(shown)
        return shown

    def _copy(self, source: Path, file: str) -> None:
        target = self.folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.resolve() != target.resolve():
            shutil.copyfile(source, target)

    def _way(self, file: str) -> str:
        """The way from the page to a file of the site."""
        way = PurePosixPath(os.path.relpath(file, PurePosixPath(self.page.path).parent)).as_posix()
        return f"<{way}>" if re.search(r"[\s()]", way) else way

    def _linked(self, text: str) -> str:
        """The text with its links to pages of the site and of the documentation."""
        text = LINK.sub(self._link, text)
        if not self.documentation:
            return text
        return re.sub(
            r"(?<![\w/`])(?<!\]\()(`?)docs/(\w+\.md)\1",
            lambda match: f"[{page_name(match[2])}]({self._way(f'{self.documentation}/{match[2]}')})",
            text,
        )

    def _with_words(self, text: str) -> str:
        """The text with links to the glossary, from the first place of each of its words."""
        left, glossary = dict(self.terms), self._way(f"{self.documentation or '.'}/{GLOSSARY}")
        names = "|".join(r"\s+".join(map(re.escape, word.split())) for word in sorted(left, key=len, reverse=True))

        def linked(match: re.Match[str]) -> str:
            word = " ".join((match[1] or "").split())
            word = word[:1].upper() + word[1:]
            return f"[{match[0]}]({glossary}#{left.pop(word)})" if word in left else match[0]

        pattern = rf"{NO_WORDS}|(?<![\w-])({names})(?![\w-])"
        return re.sub(pattern, linked, text, flags=re.MULTILINE | re.IGNORECASE) if left else text

    def _link(self, match: re.Match[str]) -> str:
        text, path, identifier = match.groups()
        if path.endswith(".html"):
            return f"[{text}]({HTML}{self._way(path)}{f'#{identifier}' if identifier else ''})"
        if path not in self.anchors:
            return text
        if identifier and identifier not in self.anchors[path]:  # a section may stand on another page
            path = next((other for other, known in self.anchors.items() if identifier in known), path)
        name = self.anchors[path].get(identifier, "")
        anchor = f"#{name}" if name else ""
        return f"[{text}]({'' if path == self.page.path and anchor else self._way(path)}{anchor})"


def page_name(file: str) -> str:
    """What a link to a page of the documentation says: "Own data" for own_data.md."""
    return file.removesuffix(".md").replace("_", " ").capitalize()


def _claims(links: Sequence[Markdown]) -> str:
    return f"Claims: {joined(links, ' · ')}\n\n" if links else ""
