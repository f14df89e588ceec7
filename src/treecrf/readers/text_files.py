"""Dialects of text files, the names of their columns, and their encodings."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from treecrf.io.files import Content
from treecrf.io.messages import counted, listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["csv", "columns", "conllu", "parquet", "feather", "jsonl", "arff"]
FORMATS: tuple[Format, ...] = get_args(Format)
DECIMALS = (".", ",")

Tell = Callable[[str], None]
"""Called with a sentence on how a file was understood, where that is not plain."""

_SPELT = {"\\t": "\t", "tab": "\t", "space": " "}
_NO_SEPARATORS = '"\r\n\0\ufeff'
_NAMES = {"\t": "tabs", " ": "spaces"}


@dataclass(frozen=True)
class Dialect:
    r"""Format and dialect of a file; None is detected.

    Parameters
    ----------
    format : "csv", "columns", "conllu", "parquet", "feather", "jsonl" or "arff", optional
        What the suffix says unless given.
    separator : str, optional
        One character, or "tab", "space" or a backslash and t: the field separator of a CSV file.
    decimal : "." or ",", optional
        What stands before the fraction of a number in a CSV file. The other one may stand between its thousands.
    encoding : str, optional
        Any that Python knows, such as "utf-8", "latin-1", "utf-16".
    quote : "none", optional
        Quotes in a CSV file are characters like others; else they may stand around cells.
    na : sequence of str
        Texts that mean that a cell is missing, such as "NA" and "?", beside the empty one; the column of sequences has
        none.

    Raises
    ------
    ValueError
        For a value that is none of these; one sentence.
    """

    format: Format | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    quote: str | None = None
    na: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format={quoted(self.format)}: choose one of {listed(FORMATS, str)}.")
        if self.separator is not None:
            separator = _SPELT.get(self.separator, self.separator)
            if len(separator) != 1 or separator in _NO_SEPARATORS:
                raise ValueError(f"separator={quoted(self.separator)}: give one character, such as ; or tab.")
            object.__setattr__(self, "separator", separator)
        if self.decimal is not None and self.decimal not in DECIMALS:
            raise ValueError(f"the decimal mark is {quoted(self.decimal)}: give . or a comma.")
        if self.quote not in (None, "none"):
            raise ValueError(f"quote={quoted(self.quote)}: give none, or leave it out where quotes stand around cells.")
        object.__setattr__(self, "na", tuple(self.na))
        if not all(isinstance(text, str) and text for text in self.na) or isinstance(self.na, str):
            raise ValueError(f"na={quoted(self.na)}: give texts that mean missing, such as NA and ?.")
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise ValueError(
                f"encoding={quoted(self.encoding)} is not known; give one such as utf-8, cp1252, latin-1 or utf-16."
            )


def separator_name(separator: str) -> str:
    """What a message calls a separator."""
    return _NAMES.get(separator, quoted(separator))


def say_nothing(sentence: str) -> None:
    """A `Tell` for readers that need not be told."""


def _is_encoding(name: str) -> bool:
    """Whether Python decodes text by it: it has codecs of bytes to bytes too, and names with a NUL are refused."""
    try:
        b"aaaa".decode(name)
    except UnicodeError:
        return True
    except (LookupError, ValueError):
        return False
    return True


MOST_COLUMNS = 1000
"""Of a table of any format: more are a file without line ends, or a table that stands on its side."""


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise where a table, called `name` in the error, has too many columns or two of one name."""
    if len(columns) > MOST_COLUMNS:
        raise ValueError(
            f"{name} has {counted(len(columns), 'column')}, and {MOST_COLUMNS:,} are the most; leave out those that "
            "are no input."
        )
    twice = repeated(columns)
    if twice is not None:
        raise ValueError(f"{name}: column {quoted(twice)} appears twice; rename one.")


def tell_comments(name: str, mark: str, lines: Sequence[int], tell: Tell) -> None:
    """Say of lines that were left out, since they begin with the mark of a comment, that they have as many cells as
    rows.
    """
    if lines:
        tell(
            f"{name}: {counted(len(lines), 'line')} left out as comments, which begin with {mark} and have as many "
            f"cells as rows; the first is line {lines[0]}."
        )


def text_frame(columns: Mapping[str, Any], lines: Sequence[int]) -> pd.DataFrame:
    """A frame of text (dtype str) from columns of an Arrow array or of texts, None where a cell is empty, and their
    lines.
    """
    import pandas as pd
    import pyarrow as pa

    text = pa.large_string()
    arrays = {k: v if isinstance(v, pa.ChunkedArray) else pa.array(v, text) for k, v in columns.items()}
    frame: pd.DataFrame = pa.table(arrays).to_pandas()
    frame.index = pd.Index(np.array(lines, dtype=np.int64))
    return frame


# --- encodings --------------------------------------------------------------------------------------

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""How files begin that say their encoding; a mark that begins another one comes after it."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_SAMPLE = 4096


class Encoding(NamedTuple):
    """Name of a codec that takes a mark at the start away, and a note on it; None where it was given or is UTF-8."""

    codec: str
    note: str | None = None


def find_encoding(content: Content, encoding: str | None) -> Encoding:
    """The encoding of a text: the one that is given, or that its mark says, else UTF-8, else Windows-1252.

    Windows-1252 stands for Latin-1, too, which has nothing but control characters where they differ. No byte tells it
    from other encodings of one byte, so it is told with the first word that depends on it; and it is not taken for a
    text that is UTF-8 elsewhere or has control characters.

    Raises
    ------
    ValueError
        One sentence that names the line where the file cannot be read so.
    """
    mark = next((codec for mark, codec in _MARKS.items() if content.data.startswith(mark)), None)
    if encoding is not None:
        name = codecs.lookup(encoding).name
        codec = mark if mark is not None and name.startswith(mark.removesuffix("-sig")) else name
        _check(content, codec, f"read it with the encoding it has (encoding), which is not {encoding}")
        return Encoding(codec)
    codec = mark or _without_mark(content.data[:_SAMPLE])
    note = None if codec.startswith("utf-8") else codec.upper()
    try:
        content.data.decode(codec)
    except UnicodeDecodeError:
        first_word = _windows(content.data) if codec == "utf-8" else None
        if first_word is None:
            _check(content, codec, "save the file as UTF-8, or say which encoding it has (encoding)")
        return Encoding("cp1252", f"Windows-1252 ({first_word})")
    return Encoding(codec, note)


def open_text(content: Content, codec: str, newline: str) -> io.TextIOWrapper:
    """A stream of the text of a file."""
    if not codec.startswith("utf-8"):  # not every codec decodes piece by piece
        return io.TextIOWrapper(io.BytesIO(content.data.decode(codec).encode()), encoding="utf-8", newline=newline)
    return io.TextIOWrapper(io.BytesIO(content.data), encoding=codec, newline=newline)


def _without_mark(sample: bytes) -> str:
    """UTF-16 where every other byte of much of the text is 0, else UTF-8."""
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if 8 * max(first, second) > len(sample) and not (first and second):
        return "utf-16-be" if first else "utf-16-le"
    return "utf-8"


def _windows(data: bytes) -> str | None:
    """The first word that only Windows-1252 explains, with its line, for a text that may be in it."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    if _CONTROLS.search(text) or not data.decode("utf-8", errors="ignore").isascii():
        return None
    first_word = re.search(r"\w*[^\x00-\x7f]\w*", text)
    return None if first_word is None else f"{quoted(first_word[0])} in line {_line(text[: first_word.start()])}"


def _check(content: Content, codec: str, advice: str) -> None:
    try:
        content.data.decode(codec).encode()  # some codecs give halves of surrogate pairs, which are no text
    except UnicodeDecodeError as error:
        line = _line(error.object[: error.start].decode(codec, errors="replace"))
        reason = error.reason
    except UnicodeError as error:
        line, reason = 1, str(error)
    else:
        return
    name = "UTF-8" if codec.startswith("utf-8") else codec
    raise ValueError(f"{content.name}, line {line}: not readable as {name} ({reason}); {advice}.")


def _line(before: str) -> int:
    """The line of what follows a text."""
    return len(_LINE_ENDS.findall(before)) + 1
