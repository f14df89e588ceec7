"""Columns files as of the CoNLL shared tasks, and CoNLL-U, the files of Universal Dependencies.

Both have one row per observation and a blank line between sequences. The columns of a columns file have no names and
are called by their number, "1" the first. They are separated by tabs where the first row has one, by spaces and tabs
otherwise; other white space, such as a no-break space, is part of a cell. The labels are in the last column unless
stated otherwise. CoNLL-U has names (https://universaldependencies.org/format.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from treecrf.io.files import AnyPath, Content, plain_suffix
from treecrf.io.messages import counted, quoted
from treecrf.readers.text_files import (
    MOST_COLUMNS,
    Tell,
    check_names,
    find_encoding,
    open_text,
    say_nothing,
    tell_comments,
    text_frame,
)

if TYPE_CHECKING:
    import pandas as pd


SUFFIXES = (".conll", ".conllx", ".conll2003", ".iob", ".iob2", ".bio", ".txt")
"""Ends of the names of files that are read as columns files."""

SEQUENCE = "sequence"
"""Name of the column that numbers the sequences, from 0: the file itself has blank lines for that."""

_BREAKS = re.compile("[\t\n]")
"""What stands between cells and rows."""

_MARK = "\ufeff"
"""A reader takes it for the mark of the encoding where it is a file's first character."""

UNSPECIFIED = "_"
"""What a cell without a value holds, as in CoNLL-X; between tabs it may be empty too."""

_DOCUMENT = "-DOCSTART-"
"""Begins the line that stands before a document in the files of CoNLL-2003; it is no observation."""


def has_suffix(path: AnyPath, *suffixes: str) -> bool:
    """Whether a file's name ends in one of the suffixes, in capitals or not, compressed or not."""
    return plain_suffix(path) in suffixes


def read_columns(content: Content, encoding: str | None, tell: Tell) -> pd.DataFrame:
    """Read a columns file.

    A line that begins with ``#`` before the first row of a sequence is a comment if it has another number of cells than
    the rows of the file, or, where spaces are between cells, if its last cell is never the last one of a row. White
    space at the end of a line means nothing, nor does a tab at the end of every row. Lines that begin with
    ``-DOCSTART-`` are left out.

    Returns
    -------
    DataFrame of str
        `SEQUENCE`, then "1", "2", ..; missing for a cell without a value; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names file and line: bytes that are no text, a row with more or fewer cells than the first
        one, a row of more than `MOST_COLUMNS` cells, a file with no row.
    """
    texts = list(_lines(content, encoding, tell))
    n_documents = sum(text.startswith(_DOCUMENT) for _, text in texts)
    if n_documents:
        tell(f"{content.name}: {counted(n_documents, _DOCUMENT + ' line')} left out.")
    groups = _groups(texts)
    first = min((line for group in groups for line in group), key=lambda line: _rank(line[1]), default=(0, "#"))
    if _rank(first[1]) == 2:
        raise ValueError(f"{content.name} has no rows; give one line per observation.")
    tabs = "\t" in first[1]
    n_cells = len(_cells(first[1], tabs))
    if n_cells > MOST_COLUMNS:
        raise ValueError(
            f"{content.name}, line {first[0]}: {counted(n_cells, 'cell')}, and {MOST_COLUMNS:,} are the most; give "
            "each observation a line of its own."
        )
    _refuse_csv(content.name, [text for group in groups for _, text in group], first[1], n_cells)
    labels = {_cells(text, tabs)[-1] for group in groups for _, text in group if not text.startswith("#")}
    rows: list[list[str | None]] = []
    lines: list[int] = []
    comments: list[int] = []
    n_sequences = 0
    for group in groups:
        n_before = len(rows)
        for number, text in group:
            cells = _cells(text, tabs)
            fits = len(cells) == n_cells
            if text.startswith("#") and len(rows) == n_before and not (fits and (tabs or cells[-1] in labels)):
                comments += [number] * fits
                continue
            if not fits:
                raise ValueError(
                    f"{content.name}, line {number}: {counted(len(cells), 'cell')}, but the first row (line "
                    f"{first[0]}) has {n_cells}; fix that line."
                )
            rows.append([str(n_sequences), *(None if cell in ("", UNSPECIFIED) else cell for cell in cells)])
            lines.append(number)
        n_sequences += len(rows) > n_before
    tell_comments(content.name, "#", comments, tell)
    names = [SEQUENCE, *(str(place) for place in range(1, n_cells + 1))]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    if tabs and n_cells > 1 and all(text.endswith("\t") for group in groups for _, text in group):
        del columns[names[-1]]  # every line ends in a tab
    return text_frame(columns, lines)


def write_columns(frame: pd.DataFrame, path: AnyPath, sequence: str = SEQUENCE) -> None:
    """Write a frame so that `read_columns` gives it: tabs between cells, a blank line after each sequence, whose column
    is left out.

    Raises
    ------
    ValueError
        Names the row and the column of a cell that such a file cannot hold.
    """
    names = frame.columns.drop(sequence)
    for name in names:
        for row, cell in enumerate(frame[name]):
            if isinstance(cell, str) and (_BREAKS.search(cell) or (name == names[-1] and cell != cell.rstrip("\r "))):
                raise ValueError(
                    f"row {row}, column {quoted(name)}: a columns file cannot hold {quoted(cell)} with its tabs, line "
                    "ends or last spaces; write a .csv or .parquet file."
                )
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        before = None
        rows = zip(frame[sequence], frame[names].itertuples(index=False, name=None), strict=True)
        for sequence, cells in rows:
            first = before is None
            if not first and sequence != before:
                stream.write("\n")
            before = sequence
            line = "\t".join(UNSPECIFIED if _is_empty(cell) else str(cell) for cell in cells)
            if first and line.startswith(_MARK):
                stream.write(_MARK)
            stream.write(line + "\n")


def _lines(content: Content, encoding: str | None, tell: Tell) -> Iterator[tuple[int, str]]:
    """The lines, numbered from 1, without their ends and the spaces before these."""
    text_encoding = find_encoding(content, encoding)
    if text_encoding.note is not None:
        tell(f"{content.name}: read with {text_encoding.note} (encoding says otherwise).")
    with open_text(content, text_encoding.codec, "\n") as stream:
        for number, line in enumerate(stream, 1):
            yield number, line.rstrip("\r\n ")


def _rank(text: str) -> int:
    """0 for a line that is a row, 1 for one that may be a row or a comment, 2 for a comment."""
    return 0 if not text.startswith("#") else 1 if "\t" in text else 2


def _is_blank(text: str) -> bool:
    """Whether a line has nothing but spaces and tabs."""
    return not text.strip(" \t")


def _refuse_csv(name: str, texts: list[str], first: str, n_cells: int) -> None:
    """Raise where lines of one cell have as many cells by another separator, or the first row names columns."""
    separators = [
        mark for mark in ",;|" if len(texts) > 1 and mark in first and len({text.count(mark) for text in texts}) == 1
    ]
    if n_cells == 1 and separators:
        raise ValueError(
            f"{name}: {quoted(separators[0])} stands equally often in every line; if it separates cells, read the file "
            "as CSV (format)."
        )
    if {SEQUENCE, "label"} <= set(_cells(first, "\t" in first)):
        raise ValueError(f"{name}: its first line names columns; read the file as CSV (format).")


def _groups(texts: list[tuple[int, str]]) -> list[list[tuple[int, str]]]:
    """The lines of each sequence: blank lines and those before documents end one."""
    groups: list[list[tuple[int, str]]] = [[]]
    for number, text in texts:
        if _is_blank(text) or text.startswith(_DOCUMENT):
            groups.append([])
        else:
            groups[-1].append((number, text))
    return [group for group in groups if group]


def _cells(text: str, tabs: bool) -> list[str]:
    return text.split("\t") if tabs else re.split("[ \t]+", text.strip(" \t"))


def _is_empty(cell: object) -> bool:
    return cell is None or cell == "" or cell != cell  # NaN


# --- CoNLL-U ----------------------------------------------------------------------------------------

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""Of a file that does not name others in its first line, as CoNLL-U Plus has it."""

_PLUS = "# global.columns ="
_WORD, _RANGE, _EMPTY_NODE = re.compile(r"[1-9][0-9]*"), re.compile(r"[0-9]+-[0-9]+"), re.compile(r"[0-9]+\.[0-9]+")


def read_conllu(content: Content, encoding: str | None, tell: Tell) -> pd.DataFrame:
    """The words of a CoNLL-U file; ranges of several words (2-3), empty nodes (8.1) and comments are left out.

    A cell with ``_`` is empty, but for a form, which is a word then, and the lemma of that form.

    Returns
    -------
    DataFrame of str
        `SEQUENCE`, which numbers the sentences from 0, and the columns by name; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names file and line: a line with another number of cells, an ID that is none, a file with no
        word.
    """
    names: Sequence[str] = COLUMNS
    rows: list[list[str | None]] = []
    lines: list[int] = []
    n_ranges = n_nodes = n_sentences = n_before = 0
    for number, text in _lines(content, encoding, tell):
        if _is_blank(text):
            n_sentences += len(rows) > n_before
            n_before = len(rows)
            continue
        if text.startswith("#"):
            names = _names_in(text) if number == 1 else names
            continue
        cells = text.split("\t")
        if len(cells) != len(names):
            raise ValueError(
                f"{content.name}, line {number}: {counted(len(cells), 'cell')} between tabs, and CoNLL-U has "
                f"{len(names)}; fix that line, or name the file .conll if it is another kind of columns file."
            )
        if _WORD.fullmatch(cells[0]):
            rows.append([str(n_sentences), *_without_blanks(names, cells)])
            lines.append(number)
            continue
        is_range, is_node = _RANGE.fullmatch(cells[0]), _EMPTY_NODE.fullmatch(cells[0])
        if not is_range and not is_node:
            raise ValueError(
                f"{content.name}, line {number}: the ID {quoted(cells[0])} is none of CoNLL-U, such as 1, 2-3 or 8.1; "
                "fix that line, or name the file .conll if it is another kind of columns file."
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
        Values of each attribute, one for each word; a bar in them, which separates attributes, is written as a broken
        one.
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
    texts = list(_lines(content, encoding, say_nothing))
    names = _names_in(texts[0][1])
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


def _names_in(first_line: str) -> Sequence[str]:
    """The columns that the first line of a file names; those of CoNLL-U unless it does."""
    return first_line.removeprefix(_PLUS).split() if first_line.startswith(_PLUS) else COLUMNS


def _without_blanks(names: Sequence[str], cells: Sequence[str]) -> list[str | None]:
    """The cells, None where one is empty."""
    words = {"FORM"} | ({"LEMMA"} if cells[1] == UNSPECIFIED else set())
    return [
        None if not cell or (cell == UNSPECIFIED and name not in words) else cell
        for name, cell in zip(names, cells, strict=True)
    ]
