"""One member of a downloaded archive."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import zipfile
import zlib
from pathlib import Path


class DamagedArchive(Exception):
    """An archive does not give the member."""


def extract(archive: Path, member: str) -> None:
    """Replace a .zip or (compressed) .tar file by one of its members.

    A tar file packed by compress(1), which Python cannot read, is unpacked by the program gzip. Temporary files
    begin with the archive's name less its last suffix and end in ``tmp``.

    Raises
    ------
    DamagedArchive
        If the archive is damaged, lacks the member, or needs gzip where there is none.
    """
    unpacked = archive.with_suffix(".member.tmp")
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle, bundle.open(member) as source, open(unpacked, "wb") as out:
                shutil.copyfileobj(source, out)
        else:
            plain = archive if tarfile.is_tarfile(archive) else _uncompressed(archive)
            with tarfile.open(plain) as tar:
                contents = tar.extractfile(member)
                if contents is None:
                    raise KeyError(member)
                with contents, open(unpacked, "wb") as out:
                    shutil.copyfileobj(contents, out)
    except (KeyError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError) as error:
        raise DamagedArchive(f"its archive does not give {member} ({type(error).__name__})") from error
    os.replace(unpacked, archive)


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
