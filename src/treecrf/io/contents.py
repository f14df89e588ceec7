"""The bytes of an input: a file or standard input, unpacked where it is compressed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from treecrf.io.messages import quoted

STANDARD_INPUT = "-"
"""What stands for standard input where a file is named."""

_PACKED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}
"""How files begin that are compressed, and what unpacks them."""

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
"""Suffixes of compressed files; the suffix before it says what is in the file."""


class Content(NamedTuple):
    """What a file holds: how errors name it, its suffix in small letters (`plain_suffix`) and its bytes."""

    name: str
    suffix: str
    data: bytes


def check_file(path: str | os.PathLike[str], what: str, advice: str) -> None:
    """Raise where there is no regular file.

    Parameters
    ----------
    path : path-like
    what : str
        What an error calls it, such as "table".
    advice : str
        What to do where nothing is there.
    """
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"{what} {file} does not exist; {advice}.")
    if not file.is_file():
        found = "a folder" if file.is_dir() else "not a regular file"
        raise ValueError(f"{what} {file} is {found}; name a file.")


def plain_suffix(path: str | os.PathLike[str]) -> str:
    """The suffix of a file in small letters, that of its compression left out."""
    file = Path(path)
    return Path(file.stem if file.suffix.lower() in PACKED_SUFFIXES else file.name).suffix.lower()


def read_content(path: str | os.PathLike[str], what: str = "table") -> Content:
    """All that a file, or standard input (`STANDARD_INPUT`), holds; standard input can be read again.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file: it is not there, no regular file, or damaged where it is compressed.
    """
    if os.fspath(path) == STANDARD_INPUT:
        data = _all_of(sys.stdin.buffer)
    else:
        check_file(path, what, "correct the path")
        data = Path(path).read_bytes()
    name = f"{what} {os.fspath(path)}"
    unpack = next((unpack for start, unpack in _PACKED.items() if data.startswith(start)), None)
    if unpack is not None:
        try:
            data = unpack(data)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise ValueError(
                f"{name} is compressed and cannot be unpacked ({quoted(str(error))}); copy it again."
            ) from error
    return Content(name, plain_suffix(path), data)


@lru_cache(maxsize=1)
def _all_of(stream: BinaryIO) -> bytes:
    return stream.read()
