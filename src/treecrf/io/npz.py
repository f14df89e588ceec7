"""Files of arrays with a header: written whole, and read only as they were written."""

from __future__ import annotations

import errno
import hashlib
import json
import lzma
import os
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.io.files import atomic
from treecrf.io.messages import quoted

_DAMAGE = (
    ValueError, TypeError, AttributeError, LookupError, EOFError, ArithmeticError, MemoryError, RuntimeError, SyntaxError,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError,
)  # fmt: skip
"""What numpy and zipfile raise where a file is not what they wrote."""


def write_npz(path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file that `read_npz` reads, under a temporary name, then rename it.

    Besides the header (anything that JSON can hold) and the arrays it holds a digest of both.
    """
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder of the file does not exist; make it first", os.fspath(path))
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    digest = np.frombuffer(_digest(text, arrays), dtype=np.uint8)
    with atomic(path) as temporary, open(temporary, "wb") as stream:  # numpy would add a suffix to a name
        np.savez_compressed(stream, allow_pickle=False, header=text, digest=digest, **arrays)


def read_npz(path: str | os.PathLike[str], expected_format: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_npz` wrote; ValueError if the file is damaged, changed or of another format."""
    damaged = f"{os.fspath(path)} is damaged or not a treecrf file"
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            if changed := archive.zip.testzip():  # reading alone stops short of the checksum where a shape was changed
                raise ValueError(f"its part {changed} has another checksum")
            arrays = {name: archive[name] for name in archive.files}
        text, digest = (arrays.pop(name) for name in ("header", "digest"))
        whole = digest.tobytes() == _digest(text, arrays)
        header = json.loads(text.tobytes()) if whole else None
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk's, not the file's: it may send a reader before its begin
            raise
        raise ValueError(f"{damaged} ({quoted(str(error))}); write it again.") from error
    except _DAMAGE as error:
        raise ValueError(f"{damaged} ({quoted(str(error))}); write it again.") from error
    if not whole:
        raise ValueError(f"{damaged} (its contents have another digest); write it again.")
    if not isinstance(header, dict) or header.get("format") != expected_format:
        format_found = header.get("format") if isinstance(header, dict) else header
        raise ValueError(f"{os.fspath(path)} holds {quoted(format_found)}, not {expected_format!r}; give another file.")
    return header, arrays


def _digest(text: NDArray[np.uint8], arrays: dict[str, NDArray[Any]]) -> bytes:
    """SHA-256 of a header and arrays: zip's own checksums do not see a member that is gone or from another file."""
    digest = hashlib.sha256(text.tobytes())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.digest()
