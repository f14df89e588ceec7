"""Plain text of POD, the markup of Perl's documentation (perlpod, perlpodspec)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from treecrf.datasets._text import text_lines


class Paragraph(NamedTuple):
    """A paragraph's command ("" for text) and the lines that are left of it without markup."""

    command: str
    lines: tuple[str, ...]


_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*")
_OPENING = re.compile(r"([A-Z])(?:(<<+)(?=\s)|<)")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)$")
_BAR = "\ue000"  # stands for E<verbar> until a link's text has been told from its address
_ENTITIES = {"verbar": _BAR, "sol": "/", "lchevron": "«", "rchevron": "»"}


def plain(text: str) -> str:
    """Text without formatting codes, which may be nested and run over lines.

    Of ``L<text|address>`` the text stays, ``E<name>`` becomes its character, the index entries ``X<..>`` and the
    empty ``Z<>`` go; of all other codes the contents stay. A code that is never closed stays as it is.
    """
    open_codes: list[tuple[str, int]] = []  # letter and number of angle brackets
    pieces = [""]  # text so far, outside and within each open code
    place = 0
    while place < len(text):
        opening = _OPENING.match(text, place)
        if opening:
            open_codes.append((opening[1], len(opening[2] or "<")))
            pieces.append("")
            place = opening.end()
            continue
        width = _closing(text, place, open_codes[-1][1]) if open_codes else 0
        if width:
            letter, brackets = open_codes.pop()
            contents = pieces.pop()
            pieces[-1] += _rendered(letter, contents.strip() if brackets > 1 else contents)
            place += width
        else:
            pieces[-1] += text[place]
            place += 1
    while open_codes:
        letter, brackets = open_codes.pop()
        contents = pieces.pop()
        pieces[-1] += letter + brackets * "<" + contents
    return pieces[0].replace(_BAR, "|")


def _closing(text: str, place: int, brackets: int) -> int:
    """Number of characters at `place` that close a code of so many brackets; 0 if they do not."""
    if brackets == 1:
        return int(text[place] == ">")
    closed = text[place - 1].isspace() and text.startswith(brackets * ">", place)
    return brackets if closed else 0


def _rendered(letter: str, contents: str) -> str:
    if letter in "XZ":
        return ""
    if letter == "L":
        return contents.split("|")[0]
    if letter != "E":
        return contents
    if contents in _ENTITIES:
        return _ENTITIES[contents]
    if _NUMBER.match(contents):
        octal = contents.startswith("0") and contents.isdigit() and len(contents) > 1
        return chr(int(contents, 8 if octal else 0))
    return html.unescape(f"&{contents};")


def paragraphs(data: bytes) -> Iterator[Paragraph]:
    """The paragraphs of a POD file.

    A verbatim paragraph (its first line is indented) keeps its lines; others lose their formatting codes, and
    lines that held nothing but codes without text. Blank lines are text paragraphs of one empty line. What
    leaves no text (``=over``, ``=back``, ``=for``, a block from ``=begin`` to ``=end``, a line of index entries,
    what stands outside POD after ``=cut``) leaves no line, and neither do the blank lines behind it: a reader of
    the rendered text would not see them.
    """
    hidden = False
    after_nothing = False
    for block in _blocks(text_lines(data)):
        if not block[0].strip():
            if not hidden and not after_nothing:
                yield from (Paragraph("", ("",)) for _ in block)
            continue
        command = _COMMAND.match(block[0])
        name = command[1] if command else ""
        if name in ("begin", "cut"):
            hidden = True
        elif name and (name != "for"):
            hidden = False  # ``=end``, or any command after ``=cut``
        lines: tuple[str, ...] = ()
        if command is None and block[0][0].isspace():
            lines = tuple(block)
        elif command is None or re.fullmatch(r"head\d|item", name):
            start = command.end() if command else 0
            rendered = plain("\n".join(block)[start:]).split("\n")
            lines = tuple(line for line in rendered if line.strip())
        after_nothing = hidden or not lines
        if not hidden and (name or lines):
            yield Paragraph(name, lines)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Runs of blank lines and of other lines; a command begins a run of its own."""
    block: list[str] = []
    for line in lines:
        if block and (bool(line.strip()) != bool(block[0].strip()) or _COMMAND.match(line)):
            yield block
            block = []
        block.append(line)
    if block:
        yield block
