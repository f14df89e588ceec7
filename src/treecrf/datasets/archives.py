"""One member of a downloaded archive."""

from __future__ import annotations

import errno
import lzma
import os
import struct
import subprocess
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import IO

_DAMAGE = (
    KeyError, EOFError, ValueError, OverflowError, RuntimeError, zlib.error, lzma.LZMAError, struct.error,
    zipfile.BadZipFile, tarfile.TarError,
)  # fmt: skip
"""What the libraries raise: RuntimeError where a file is encrypted or its compression is not known."""

_BLOCK = 1 << 20


class DamagedArchive(Exception):
    """An archive does not give the member."""


def extract(archive: Path, member: str, most_bytes: int) -> None:
    """Replace a .zip or (compressed) .tar file by one of its members; a link is no member.

    A tar file packed by compress(1), which Python cannot read, is unpacked by the program gzip. Temporary files begin
    with the archive's name less its last suffix and end in ``tmp``. `DamagedArchive` is raised where the archive lacks
    the member or has more than `most_bytes` of it, is damaged, or needs gzip where there is none.
    """
    unpacked = archive.with_suffix(".member.tmp")
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle, bundle.open(member) as source:
                _copy(source, unpacked, most_bytes)
        else:
            plain = archive if tarfile.is_tarfile(archive) else _uncompressed(archive)
            with tarfile.open(plain) as tar:
                contents = tar.extractfile(member) if tar.getmember(member).isreg() else None
                if contents is None:
                    raise KeyError(member)
                with contents:
                    _copy(contents, unpacked, most_bytes)
    except _DAMAGE as error:
        raise DamagedArchive(f"its archive does not give {member} ({type(error).__name__})") from error
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk's; an archive may send a reader before its begin
            raise
        raise DamagedArchive(f"its archive does not give {member} ({error})") from error
    os.replace(unpacked, archive)


def _copy(source: IO[bytes], path: Path, most_bytes: int) -> None:
    n_bytes = 0
    with open(path, "wb") as out:
        while block := source.read(_BLOCK):
            n_bytes += len(block)
            if n_bytes > most_bytes:
                raise ValueError(f"it has more than {most_bytes:,} bytes")
            out.write(block)


def _uncompressed(archive: Path) -> Path:
    plain = archive.with_suffix(".tar.tmp")
    try:
        with open(archive, "rb") as source, open(plain, "wb") as out:
            subprocess.run(["gzip", "-dc"], stdin=source, stdout=out, stderr=subprocess.DEVNULL, check=True)
    except FileNotFoundError as error:
        raise DamagedArchive("its archive needs the program gzip, which is not here") from error
    except subprocess.CalledProcessError as error:
        raise DamagedArchive("its archive is neither zip nor tar") from error
    return plain
