"""`Dialect`: how a text file is written, as its reader is told or finds out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from treecrf.io.messages import listed, quoted

Format = Literal["csv", "columns", "conllu", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
DECIMALS = (".", ",")

Tell = Callable[[str], None]
"""Called with a sentence on how a file was understood, where that is not plain."""

_SPELT = {"\\t": "\t", "tab": "\t", "space": " "}
_NO_SEPARATORS = '"\r\n\0\ufeff'
_NAMES = {"\t": "tabs", " ": "spaces"}


@dataclass(frozen=True)
class Dialect:
    r"""How a file is written; None is found out from the file.

    Parameters
    ----------
    format : "csv", "columns", "conllu" or "parquet", optional
        What the suffix says unless given.
    separator : str, optional
        One character, or "tab", "space" or a backslash and t: what stands between the cells of a CSV file.
    decimal : "." or ",", optional
        What stands before the fraction of a number in a CSV file. The other one may stand between its thousands.
    encoding : str, optional
        Any that Python knows, such as "utf-8", "latin-1", "utf-16".

    Raises
    ------
    ValueError
        For a value that is none of these; one sentence.
    """

    format: Format | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

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
