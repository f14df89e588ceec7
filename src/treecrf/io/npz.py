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
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import Arrays
from treecrf.io.files import AnyPath, atomic
from treecrf.io.messages import quoted
from treecrf.io.process import check_memory

_DAMAGE = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    EOFError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
)
"""What numpy and zipfile raise where a file is not what they wrote."""


MOST_SHRUNK, _BLOCK = 1040, 2**20
"""How many times smaller deflation can make a part, and bytes that are unpacked at a time."""
_OTHER_FORMATS = (".pkl", ".pickle", ".joblib", ".json", ".onnx", ".csv", ".parquet")


def check_npz_name(path: AnyPath) -> None:
    """Refuse the name of a file of another format, which other tools would take it for."""
    if (ending := Path(path).suffix.lower()) in _OTHER_FORMATS:
        raise ValueError(
            f"{os.fspath(path)} is written as .npz, whatever its name; give it that ending in place of {ending}."
        )


def write_npz(path: AnyPath, header: dict[str, Any], arrays: Arrays) -> None:
    """Write a file that `read_npz` reads, under a temporary name, then rename it.

    Besides the header (anything that JSON can hold) and the arrays it holds a digest of both.
    """
    check_npz_name(path)
    if not Path(path).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder of the file does not exist; make it first", os.fspath(path))
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    digest = np.frombuffer(_digest(text, arrays), dtype=np.uint8)
    with atomic(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {"header": text, "digest": digest, **arrays}.items():
            # savez of numpy 2.1 cannot refuse pickles.
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_npz(path: AnyPath, expected_format: str) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_npz` wrote; ValueError if the file is damaged, changed or of another format."""
    damaged = f"{os.fspath(path)} is damaged or not a treecrf file"
    try:
        with open(path, "rb") as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            for member in members:
                if member.file_size > MOST_SHRUNK * max(member.compress_size, 1):
                    raise ValueError(f"its part {member.filename} has another size than it says")
            check_memory(sum(member.file_size for member in members), "its parts", "use a machine with more")
            arrays = {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}
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
        format_of_file = header.get("format") if isinstance(header, dict) else header
        raise ValueError(
            f"{os.fspath(path)} holds {quoted(format_of_file)}, not {expected_format!r}; give another file."
        )
    return header, arrays


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An array, of which no more is unpacked than its shape says; to its end, where zipfile compares the checksum."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"its part {member.filename} is packed in another way")
    with archive.open(member) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"its part {member.filename} has another version of numpy's format")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        if dtype.hasobject:
            raise ValueError(f"its part {member.filename} holds objects")
        if prod(shape) * dtype.itemsize != member.file_size - stream.tell():
            raise ValueError(f"its part {member.filename} has another size than it says")
        content = bytearray(member.file_size - stream.tell())
        n_read, view = 0, memoryview(content)
        while n_read < len(content):
            part = stream.read(min(_BLOCK, len(content) - n_read))
            if not part:
                raise EOFError(f"its part {member.filename} ends early")
            view[n_read : n_read + len(part)] = part
            n_read += len(part)
        stream.read(1)  # the end, where zipfile compares the checksum
        return np.ndarray(shape, dtype, content, order="F" if is_fortran else "C")


def _digest(text: NDArray[np.uint8], arrays: Arrays) -> bytes:
    """SHA-256 of a header and arrays: zip's own checksums do not see a member that is gone or from another file."""
    digest = hashlib.sha256(text.tobytes())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes() if not array.flags.c_contiguous else np.atleast_1d(array).view(np.uint8).data)
    return digest.digest()
