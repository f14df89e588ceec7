"""CoNLL-U, the files of Universal Dependencies, read and written (https://universaldependencies.org/format.html)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from treecrf.datasets.columns import SEQUENCE, UNSPECIFIED, is_blank, text_lines
from treecrf.datasets.dialects import Tell
from treecrf.datasets.encodings import find_encoding
from treecrf.datasets.names import check_names
from treecrf.datasets.text_frames import text_frame
from treecrf.io.files import Content
from treecrf.io.messages import counted, quoted

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""Of a file that does not name others in its first line, as CoNLL-U Plus has it."""

_PLUS = "# global.columns ="
_WORD, _RANGE, _EMPTY_NODE = re.compile(r"[1-9][0-9]*"), re.compile(r"[0-9]+-[0-9]+"), re.compile(r"[0-9]+\.[0-9]+")


def read_conllu(content: Content, encoding: str | None, tell: Tell) -> pd.DataFrame:
    """The words of a CoNLL-U file; ranges of several words (2-3), empty nodes (8.1) and comments are left out.

    A cell with ``_`` is empty, but for a form, which is a word then, and the lemma of that form.

    Parameters
    ----------
    content : Content
    encoding : str, optional
        UTF-8, or what the file shows, unless given.
    tell : callable

    Returns
    -------
    DataFrame of str
        `SEQUENCE`, which numbers the sentences from 0, and the columns by name; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names file and line: a line with another number of cells, an ID that is none, a file with no word.
    """
    found = find_encoding(content, encoding)
    if found.told is not None:
        tell(f"{content.name}: read with {found.told} (encoding says otherwise).")
    names: Sequence[str] = COLUMNS
    rows: list[list[str | None]] = []
    lines: list[int] = []
    n_ranges = n_nodes = n_sentences = n_before = 0
    for number, text in text_lines(content, found.codec):
        if is_blank(text):
            n_sentences += len(rows) > n_before
            n_before = len(rows)
            continue
        if text.startswith("#"):
            names = _names(text) if number == 1 else names
            continue
        cells = text.split("\t")
        if len(cells) != len(names):
            raise ValueError(
                f"{content.name}, line {number}: {counted(len(cells), 'cell')} between tabs, and CoNLL-U has {len(names)}; fix "
                "that line, or name the file .conll if it is another kind of columns file."
            )
        if _WORD.fullmatch(cells[0]):
            rows.append([str(n_sentences), *_without_blanks(names, cells)])
            lines.append(number)
            continue
        is_range, is_node = _RANGE.fullmatch(cells[0]), _EMPTY_NODE.fullmatch(cells[0])
        if not is_range and not is_node:
            raise ValueError(
                f"{content.name}, line {number}: the ID {quoted(cells[0])} is none of CoNLL-U, such as 1, 2-3 or 8.1; fix that "
                "line, or name the file .conll if it is another kind of columns file."
            )
        n_ranges += is_range is not None
        n_nodes += is_node is not None
    if not rows:
        raise ValueError(f"{content.name} has no words; give one line per word.")
    check_names(content.name, [SEQUENCE, *names])
    left_out = [counted(n, what) for n, what in ((n_ranges, "multiword range"), (n_nodes, "empty node")) if n]
    if left_out:
        tell(f"{content.name}: {' and '.join(left_out)} left out; what is labelled are words.")
    return text_frame(dict(zip([SEQUENCE, *names], zip(*rows, strict=True), strict=True)), lines)


def add_to_conllu(
    content: Content, added: Mapping[str, Sequence[object]], lines: Sequence[int], encoding: str | None
) -> str:
    """The text of a CoNLL-U file with attributes added to the MISC of its words; every other line stays.

    Parameters
    ----------
    content : Content
        What `read_conllu` has read.
    added : mapping of str to sequence
        Values of each attribute, one for each word; a bar in them, which separates attributes, is written as a broken one.
    lines : sequence of int
        Those of the words.
    encoding : str, optional
        As for `read_conllu`.

    Raises
    ------
    ValueError
        If the file names columns of its own and MISC is not among them.
    """
    attributes = zip(
        *([f"{name}={value}".replace("|", "¦") for value in of_it] for name, of_it in added.items()), strict=True
    )
    by_line = dict(zip(lines, attributes, strict=True))
    texts = list(text_lines(content, find_encoding(content, encoding).codec))
    names = _names(texts[0][1])
    if "MISC" not in names:
        raise ValueError(f"{content.name} has no column 'MISC' for what is predicted; write a .conll or .csv file.")
    place = list(names).index("MISC")
    return "".join(f"{_with_misc(text, place, by_line.get(number))}\n" for number, text in texts)


def _with_misc(text: str, place: int, attributes: Sequence[str] | None) -> str:
    """A line with more attributes in the cell at `place`; as it is without any."""
    if attributes is None:
        return text
    cells = text.split("\t")
    cells[place] = "|".join([*([] if cells[place] == UNSPECIFIED else [cells[place]]), *attributes])
    return "\t".join(cells)


def _names(first_line: str) -> Sequence[str]:
    """The columns that the first line of a file names; those of CoNLL-U unless it does."""
    return first_line.removeprefix(_PLUS).split() if first_line.startswith(_PLUS) else COLUMNS


def _without_blanks(names: Sequence[str], cells: Sequence[str]) -> list[str | None]:
    """The cells, None where one is empty."""
    words = {"FORM"} | ({"LEMMA"} if cells[1] == UNSPECIFIED else set())
    return [
        None if not cell or (cell == UNSPECIFIED and name not in words) else cell
        for name, cell in zip(names, cells, strict=True)
    ]
