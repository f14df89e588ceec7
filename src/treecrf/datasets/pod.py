"""Plain text of POD, the markup of Perl's documentation (perlpod, perlpodspec)."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from treecrf.datasets._text import text_lines


class Paragraph(NamedTuple):
    """A paragraph's command ("" for text) and the lines that are left of it without markup."""

    command: str
    lines: tuple[str, ...]


_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*")
_SPECIAL = re.compile(r"([A-Z])(?:(<<+)(?=\s)|<)|>")
_NUMBERS = {16: r"0[xX]([0-9a-fA-F]{1,8})", 8: r"0([0-7]{1,11})", 10: r"([1-9][0-9]{0,9}|0)"}  # by base
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_BAR = "\ue000"  # stands for E<verbar> until a link's text has been told from its address
_ENTITIES = {"verbar": _BAR, "sol": "/", "lchevron": "«", "rchevron": "»"}


def plain(text: str) -> str:
    """Text without formatting codes, which may be nested and run over lines.

    Of ``L<text|address>`` the text stays, ``E<name>`` becomes its character, the index entries ``X<..>`` and the
    empty ``Z<>`` go; of all other codes the contents stay. A code that is never closed stays as it is, and so does
    an ``E<..>`` of no character.
    """
    open_codes: list[tuple[str, int]] = []  # letter and number of angle brackets
    pieces: list[list[str]] = [[]]  # text so far, outside and within each open code
    place = 0
    while special := _SPECIAL.search(text, place):
        pieces[-1].append(text[place : special.start()])
        place = special.end()
        if special[1]:
            open_codes.append((special[1], len(special[2] or "<")))
            pieces.append([])
            continue
        width = _closing(text, special.start(), open_codes[-1][1]) if open_codes else 0
        if width:
            letter, brackets = open_codes.pop()
            contents = "".join(pieces.pop())
            pieces[-1].append(_rendered(letter, contents.strip() if brackets > 1 else contents))
            place = special.start() + width
        else:
            pieces[-1].append(">")
    result = [*pieces[0]]
    for (letter, brackets), unclosed in zip(open_codes, pieces[1:], strict=True):
        result += [letter, brackets * "<", *unclosed]
    result.append(text[place:])
    return "".join(result).replace(_BAR, "|")


def _closing(text: str, place: int, brackets: int) -> int:
    """Number of characters at `place` that close a code opened by `brackets` brackets; 0 if they do not."""
    if brackets == 1:
        return int(text[place] == ">")
    closed = text[place - 1].isspace() and text.startswith(brackets * ">", place)
    return brackets if closed else 0


def _rendered(letter: str, contents: str) -> str:
    if letter in "XZ":
        return ""
    if letter == "L":
        return contents.split("|")[0]
    return contents if letter != "E" else _character(contents)


def _character(name: str) -> str:
    """What ``E<name>`` stands for: a number, decimal, octal from 0, hexadecimal from 0x, or a name of HTML's."""
    if name in _ENTITIES:
        return _ENTITIES[name]
    for base, pattern in _NUMBERS.items():
        number = re.fullmatch(pattern, name)
        if number:
            code = int(number[1], base)
            is_character = code <= sys.maxunicode and not 0xD800 <= code <= 0xDFFF  # those are halves of characters
            return chr(code) if is_character else f"E<{name}>"
    return html.unescape(f"&{name};") if _NAME.fullmatch(name) else f"E<{name}>"


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
