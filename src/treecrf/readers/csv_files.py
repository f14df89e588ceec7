"""CSV files as programs write them: any separator, decimal commas, any encoding."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from treecrf.io.columns import MOST_MARKS
from treecrf.io.files import Content
from treecrf.io.messages import counted, listed, quoted, repeated
from treecrf.readers.text_files import Dialect, Tell, check_names, find_encoding, open_text, separator_name, text_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


SEPARATORS = (",", ";", "\t", "|")
"""What may stand between cells where it is not given."""

_SAMPLE = 1 << 16
"""Characters by which the separator is found."""

_ODD = (b'"', b"\n\n", b"\n\r", b"\r\r")
"""A quote, and blank lines."""

_ROWS = 1 << 15
"""Rows that are kept as lists at a time."""

_Parsed = tuple[dict[str, "pa.ChunkedArray"], Sequence[int]]

_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_ANNOUNCED = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)')
"""First line by which spreadsheets announce a separator."""


def read_csv(content: Content, dialect: Dialect, tell: Tell) -> pd.DataFrame:
    """Read a CSV file whose first line names the columns.

    Options that `dialect` leaves open are detected, and reported where they are not UTF-8, commas (tabs in a .tsv file)
    and decimal points. Quotes between tabs are characters where rows would not be lines otherwise, as in files of
    words. Not pandas' reader, which fills up short rows and renames columns without a word.

    Returns
    -------
    DataFrame of str
        Missing where a cell is empty; numbers with decimal points, whatever the file has; the index holds the lines.

    Raises
    ------
    ValueError
        One sentence that names the file, and the line where one is at fault.
    """
    encoding = find_encoding(content, dialect.encoding)
    notes = [] if encoding.note is None else [encoding.note]
    sample = open_text(content, encoding.codec, "").read(_SAMPLE + 1)
    quoting = csv.QUOTE_NONE if dialect.quote == "none" else csv.QUOTE_MINIMAL
    announced = _ANNOUNCED.match(sample)
    usual = "\t" if content.suffix == ".tsv" else ","
    separator = dialect.separator or (
        announced[1] if announced else _find_separator(sample, usual, content.name, quoting)
    )
    if dialect.separator is None and separator != usual:
        notes.insert(0, f"{separator_name(separator)} between cells")
    is_plain = encoding.codec.startswith("utf-8") and separator.isascii() and announced is None
    parsed = parse_plain(content, separator, sample) if is_plain else None
    if parsed is None and dialect.quote is None:
        parsed = _parse_quotes(content, encoding.codec, separator, announced is not None, tell)
    columns, lines = parsed or parse_strictly(content, encoding.codec, separator, announced is not None, quoting)
    _refuse_names(columns, lines, content.name)
    columns, of_decimals = with_points(columns, dialect.decimal, content.name)
    notes += of_decimals
    if notes:
        tell(f"{content.name}: read with {listed(notes, str)} (separator, decimal and encoding say otherwise).")
    return text_frame(columns, lines)


def _find_separator(sample: str, usual: str, name: str, quoting: int) -> str:
    """The separator by which all rows of a sample have as many cells, more than one; by several, the one that makes
    most.

    Where there is no such one: that which makes most of the first line.
    """
    widths_by_separator = {}
    for separator in sorted(SEPARATORS, key=lambda each: each != usual):
        rows = _sampled(sample, separator, quoting)
        widths_by_separator[separator] = [len(row) for row in rows]
    fitting = {
        each: lengths[0]
        for each, lengths in widths_by_separator.items()
        if set(lengths[:1]) - {1} and len(set(lengths)) == 1
    }
    widths = fitting or {each: lengths[0] if lengths else 0 for each, lengths in widths_by_separator.items()}
    most = max(widths.values())
    first, *rivals = [each for each, width in widths.items() if width == most]
    if rivals and fitting:
        raise ValueError(
            f"{name}: {separator_name(first)} and {separator_name(rivals[0])} could both stand between cells; say "
            "which (separator)."
        )
    return first


def _sampled(sample: str, separator: str, quoting: int) -> list[list[str]]:
    """The rows of a sample but for the last one of a sample that is cut off; those before the first one that is not
    CSV.
    """
    rows = []
    lines = io.StringIO(sample, newline="")
    try:
        for row in csv.reader(lines, delimiter=separator, strict=True, quoting=quoting):  # type: ignore[arg-type]
            if row:
                rows.append(row)
    except csv.Error:
        return rows
    return rows if len(sample) <= _SAMPLE else rows[:-1]


def parse_plain(content: Content, separator: str, sample: str) -> _Parsed | None:
    """What `parse_strictly` gives of a file in UTF-8 without quotes and blank lines, many times faster; else None.

    The sample is the beginning of the text, with the first line at least.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    names = next(csv.reader(io.StringIO(sample, newline=""), delimiter=separator), [])
    is_whole = "\n" in sample  # the line of the names
    if not is_whole or len(names) < 2 or repeated(names) is not None or any(odd in content.data for odd in _ODD):
        return None
    check_names(content.name, names)
    try:
        table = arrow.read_csv(
            pa.BufferReader(content.data),
            arrow.ReadOptions(skip_rows=1, column_names=names),
            arrow.ParseOptions(delimiter=separator, quote_char=False),
            arrow.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), null_values=[""], strings_can_be_null=True
            ),
        )
    except (pa.ArrowInvalid, UnicodeError):
        return None
    return dict(zip(names, table.columns, strict=True)), range(2, len(table) + 2)


def _parse_quotes(content: Content, codec: str, separator: str, is_announced: bool, tell: Tell) -> _Parsed:
    """What `parse_strictly` gives, with quotes as characters where rows between tabs are lines only then."""
    try:
        return parse_strictly(content, codec, separator, is_announced)
    except ValueError as error:
        if separator != "\t":
            raise
        try:
            columns, lines = parse_strictly(content, codec, separator, is_announced, csv.QUOTE_NONE)
        except ValueError:
            raise error from None
        if any('"' in name for name in columns):  # a writer that quotes cells has another fault
            raise
    tell(f"{content.name}: quotes are characters of words, since rows would not be lines otherwise.")
    return columns, lines


def parse_strictly(
    content: Content, codec: str, separator: str, is_announced: bool, quoting: int = csv.QUOTE_MINIMAL
) -> _Parsed:
    """Columns of a CSV file (large_string, null where a cell is empty), and the lines in which rows end.

    Names of columns are in the second line where the first one announces the separator; `quoting` is as in `csv`.

    Raises
    ------
    ValueError
        Names the file and the line.
    """
    import pyarrow as pa

    name = content.name
    stream = open_text(content, codec, "")
    n_before = 1 if is_announced and stream.readline() else 0
    reader = csv.reader(stream, delimiter=separator, strict=True, quoting=quoting)  # type: ignore[arg-type]
    lines, rows = array("q"), []
    chunks: list[list[pa.Array]] = []
    end = n_before
    try:
        names = next(reader, [])
        if not any(names):
            raise ValueError(f"{name} is empty or its first line has no column names; give it some.")
        check_names(name, names)
        end += reader.line_num
        for row in reader:
            begin, end = end + 1, n_before + reader.line_num
            if begin < end and _has_rows(row, separator):
                raise ValueError(
                    f"{name}, lines {begin} to {end}: a quote opens a cell in the first of these lines that ends in "
                    "the last one, and each line looks like a row; write a quote that is a character twice and in "
                    'quotes (""""), take the line ends out of that cell, or read quotes as characters (--quote none).'
                )
            if len(row) == len(names):
                rows.append(row)
                lines.append(end)
                if len(rows) == _ROWS:
                    chunks.append(_cells(rows))
                    rows = []
            elif row:  # no blank line
                are_all_so = len(lines) == 0 and {len(other) for other in islice(reader, 1000)} - {0} == {len(row)}
                raise ValueError(
                    f"{name}, line {end}: {_counted(row, separator)}, {'as all rows have, ' if are_all_so else ''}but "
                    f"the first line names {counted(len(names), 'column')}; "
                    f"{'name all columns there' if are_all_so else 'fix that line'}."
                )
    except csv.Error as error:
        advice = "" if quoting == csv.QUOTE_NONE else ", or read quotes as characters (--quote none)"
        raise ValueError(
            f"{name}, line {end + 1}: the row that begins there is not readable as CSV with "
            f"{separator_name(separator)} between cells ({error}); fix it{advice}."
        ) from None
    chunks.append(_cells(rows) if rows else [pa.array([], pa.large_string()) for _ in names])
    return {k: pa.chunked_array(cells) for k, cells in zip(names, zip(*chunks, strict=True), strict=True)}, lines


def _has_rows(row: list[str], separator: str) -> bool:
    """Whether each line of a row of several lines has as many separators as the row, so that a quote may have swallowed
    rows.

    Separators in cells of one line may be part of these, or end cells that are quotes.
    """
    for cells in (row, [cell if _LINE_ENDS.search(cell) else "" for cell in row]):
        lines = [line for line in _LINE_ENDS.split(separator.join(cells)) if line]
        if len(lines) > 1 and {line.count(separator) for line in lines} == {len(row) - 1}:
            return len(row) > 1
    return False


def _refuse_names(columns: Mapping[str, pa.ChunkedArray], lines: Sequence[int], name: str) -> None:
    """Raise where a row is the first line again."""
    import pyarrow.compute as pc

    rows = np.arange(len(lines))
    for column, cells in columns.items():
        rows = rows[pc.fill_null(pc.equal(cells.take(rows), column), False).to_numpy()]
        if not len(rows):
            return
    raise ValueError(
        f"{name}, line {lines[rows[0]]}: the names of the columns stand there again, as where files were joined; take "
        "that line out, and see to it that no sequence of one file has a name of the other."
    )


def _cells(rows: list[list[str]]) -> list[pa.Array]:
    """The columns of rows; null where a cell is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = (pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True))
    return [pc.replace_with_mask(cells, pc.equal(cells, ""), pa.scalar(None, cells.type)) for cells in columns]


def _counted(row: list[str], separator: str) -> str:
    return counted(len(row), "cell") + (f" (with {separator_name(separator)} between them)" if separator != "," else "")


# --- decimal marks ----------------------------------------------------------------------------------

_OTHER = {".": ",", ",": "."}


def _number(decimal: str) -> str:
    mark, between = rf"\{decimal}", rf"\{_OTHER[decimal]}"
    whole = rf"(\d+|[1-9]\d{{0,2}}({between}\d{{3}})+)"
    return rf"^\s*[+-]?({whole}({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?\s*$"


_NUMBERS = {decimal: _number(decimal) for decimal in _OTHER}
"""Regular expressions of numbers by their decimal mark."""


def with_points(
    columns: Mapping[str, pa.ChunkedArray], decimal: str | None, name: str
) -> tuple[dict[str, pa.ChunkedArray], list[str]]:
    """Columns of text, in which those that hold numbers with commas are written with a decimal point alone.

    Unless `decimal` is given, a comma is a decimal mark if some column of numbers shows it, such as by 1,5 or 1.234,5,
    and none shows the opposite, such as by 1.5 or 1,234.5. Only cells of columns of numbers are changed; these may have
    `MOST_MARKS` other values, such as NA, in fewer cells.

    Parameters
    ----------
    columns : mapping of str to large_string arrays
        Null where a cell is empty.
    decimal : "." or ",", optional
    name : str
        What an error calls the table.

    Returns
    -------
    columns : dict
    notes : list of str
        A sentence about the decimal mark where it was detected.

    Raises
    ------
    ValueError
        If all numbers with commas are such as 1,500, which may be 1.5 or 1500.
    """
    commas = [column for column, cells in columns.items() if _any(cells, ",")]
    if decimal is not None:
        concerned = (
            commas if decimal == "." else [c for c, cells in columns.items() if _any(cells, ",") or _any(cells, ".")]
        )
        return _changed(columns, concerned, decimal), []
    marks = {column: [mark for mark in _OTHER if _holds(columns[column], mark)] for column in commas}
    if not any(marks.values()):
        return dict(columns), []
    unmarked = {column: cells for column, cells in columns.items() if column not in marks and _any(cells, ".")}
    points = [c for c, cells in unmarked.items() if _holds(cells, ".") and not _holds(cells, _OTHER["."])]
    points += [column for column, decimals in marks.items() if decimals == ["."]]
    decimal_commas = [column for column, decimals in marks.items() if decimals == [","]]
    if decimal_commas and points:
        note = (
            f"commas in the numbers of {listed(decimal_commas)} as they are, since {listed(points)} has decimal points"
        )
        return dict(columns), [note]
    if not decimal_commas and not points:
        column = next(column for column, decimals in marks.items() if decimals)
        raise ValueError(
            f"{name}, column {quoted(column)}: {quoted(_first(columns[column], ','))} may have a decimal comma or one "
            "between thousands, and no number of the table shows which; say it (decimal)."
        )
    mark = "," if decimal_commas else "."
    note = f"{'decimal commas' if decimal_commas else 'commas between thousands'} in {listed(decimal_commas or commas)}"
    return _changed(columns, list(columns), mark), [note]


def _changed(columns: Mapping[str, pa.ChunkedArray], concerned: list[str], decimal: str) -> dict[str, pa.ChunkedArray]:
    """The columns; numbers of the concerned ones without marks between thousands and with decimal points."""
    import pyarrow.compute as pc

    changed = dict(columns)
    for column in concerned:
        cells = columns[column]
        if _holds(cells, decimal):
            plain = pc.replace_substring(cells, pattern=_OTHER[decimal], replacement="")
            plain = pc.replace_substring(plain, pattern=decimal, replacement=".")
            changed[column] = pc.if_else(pc.match_substring_regex(cells, _NUMBERS[decimal]), plain, cells)
    return changed


def _holds(cells: pa.ChunkedArray, decimal: str) -> bool:
    """Whether a column holds numbers with this decimal mark, apart from a few marks of missing values."""
    import pyarrow.compute as pc

    is_number = pc.match_substring_regex(cells, _NUMBERS[decimal])
    non_numbers = cells.filter(pc.invert(is_number))
    n_numbers = pc.sum(is_number).as_py() or 0
    return len(non_numbers) < n_numbers and (not len(non_numbers) or len(pc.unique(non_numbers)) <= MOST_MARKS)


def _any(cells: pa.ChunkedArray, mark: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(cells, mark)).as_py())


def _first(cells: pa.ChunkedArray, mark: str) -> str:
    import pyarrow.compute as pc

    return str(cells.filter(pc.match_substring(cells, mark))[0].as_py())
