"""The raw files: their registry, their download, and what archives give."""

from __future__ import annotations

import errno
import glob
import json
import lzma
import os
import shutil
import struct
import subprocess
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

from treecrf.io.files import sha256
from treecrf.io.messages import needs_extra

_STALE = 3600.0
"""Seconds after which the temporary file of another process counts as left behind."""

MOST_ARCHIVE = 2**30
"""Bytes of an archive, packed or unpacked, that are taken; files by themselves have the size that the registry says."""

MOST_SECONDS = 3600.0
"""Of a transfer, however slowly the server goes on sending."""

_TRY_AGAIN = (408, 425, 429)
"""Answers of the 400s after which asking again may help."""


class RawFile(NamedTuple):
    """A raw file: path below the folder of raw files, size, SHA-256, and public addresses.

    An address ``ARCHIVE#MEMBER`` means a member of a .zip or (compressed) .tar archive.
    """

    path: str
    bytes: int
    sha256: str
    addresses: tuple[str, ...]


class RawFileError(OSError):
    """A raw file is not available; the message names file, addresses, checksum and the folder to put it in."""


@cache
def raw_files() -> Mapping[str, RawFile]:
    """All raw files by path, from the registry of the package."""
    rows = json.loads(Path(__file__).with_name("raw_files.json").read_bytes())
    return {row["path"]: RawFile(row["path"], row["bytes"], row["sha256"], tuple(row["addresses"])) for row in rows}


def fetch(
    path: str,
    folder: str | os.PathLike[str],
    *,
    mirror: str | os.PathLike[str] | None = None,
    timeout: float = 30.0,
    retries: int = 2,
    wait: float = 1.0,
    files: Mapping[str, RawFile] | None = None,
) -> Path:
    """Have a raw file at ``folder/path``: as it lies there, from a mirror folder, or from its addresses in turn.

    Parameters
    ----------
    path : str
        A key of `raw_files`.
    folder : path
    mirror : path, optional
        A folder with copies, laid out alike; ``TREECRF_MIRROR`` unless given.
    timeout : float
        Seconds without an answer after which an address is given up.
    retries : int
        How often an address is tried again, after `wait`, 2 `wait`, .. seconds.
    files : mapping, optional
        Another registry than `raw_files`.

    Raises
    ------
    RawFileError
        If no place has the file with its checksum, or the disk is full. Nothing half-written is left.
    """
    registry = raw_files() if files is None else files
    if path not in registry:
        raise RawFileError(f"raw file {path!r} is not known; the registry has {', '.join(registry)}.")
    file = registry[path]
    target = Path(folder) / path
    problems = []
    if target.exists():
        if _matches(target, file.sha256):
            return target
        problems.append(f"{target} has another checksum")
    mirror = mirror or os.environ.get("TREECRF_MIRROR")
    with _temporary(target, file, folder) as temporary:
        if mirror:
            source = Path(mirror) / path
            if not source.is_file():
                problems.append(f"mirror {mirror} does not have it")
            else:
                shutil.copyfile(source, temporary)
                if _matches(temporary, file.sha256):
                    return _put(temporary, target)
                problems.append(f"{source} has another checksum")
        for address in file.addresses:
            problem = _download(address, temporary, file, timeout, retries, wait)
            if problem is None:
                return _put(temporary, target)
            problems.append(f"{address}: {problem}")
        if not file.addresses:
            problems.append("it has no public address")
    raise RawFileError(
        f"raw file {path} is not available ({'; '.join(problems)}); put a copy with SHA-256 {file.sha256} at {target}."
    )


def _matches(path: Path, checksum: str) -> bool:
    return path.is_file() and sha256(path) == checksum


def _put(temporary: Path, target: Path) -> Path:
    with open(temporary, "rb") as stream:
        os.fsync(stream.fileno())
    os.replace(temporary, target)
    return target


@contextmanager
def _temporary(target: Path, file: RawFile, folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name in the folder of the target, removed afterwards; a full disk is reported in one sentence."""
    name = f"{target.name}.{os.getpid()}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in target.parent.glob(f"{glob.escape(target.name)}.*.tmp"):  # of a process that was killed
            if time.time() - left.stat().st_mtime > _STALE:
                left.unlink(missing_ok=True)
        yield target.with_name(f"{name}.tmp")
    except RawFileError:
        raise
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else f"{error.strerror or error}"
        raise RawFileError(
            f"raw file {file.path} ({file.bytes:,} bytes, SHA-256 {file.sha256}) cannot be written below "
            f"{os.fspath(folder)}: {reason}; make room or name another folder."
        ) from error
    finally:
        for left in target.parent.glob(f"{glob.escape(name)}.*tmp"):
            left.unlink(missing_ok=True)


def _download(address: str, target: Path, file: RawFile, timeout: float, retries: int, wait: float) -> str | None:
    """Try one address; what went wrong, or None where `target` has the checksum. Later attempts ask for the rest."""
    with needs_extra("workflow"):
        import requests
    from urllib3.exceptions import HTTPError

    url, _, member = address.partition("#")
    problem, end = "not tried", time.monotonic() + MOST_SECONDS
    target.unlink(missing_ok=True)  # of another address
    for attempt in range(retries + 1):
        if attempt:
            time.sleep(wait * 2 ** (attempt - 1))
        try:
            _receive(url, target, MOST_ARCHIVE if member else file.bytes, timeout, end)
            if member:
                extract(target, member, file.bytes)
            if _matches(target, file.sha256):
                return None
            problem = f"gives {target.stat().st_size:,} bytes with another checksum"
        except TooSlow as error:
            return str(error)
        except requests.HTTPError as error:
            status = 0 if error.response is None else error.response.status_code
            problem = f"the server answers {status}"
            if 400 <= status < 500 and status not in _TRY_AGAIN:
                return problem
        except (requests.RequestException, HTTPError) as error:
            problem = _reason(error, timeout)
            continue  # with what has come
        except (DamagedArchive, TooMuch) as error:
            problem = str(error)
        target.unlink(missing_ok=True)
    return problem


class TooMuch(Exception):
    """A server sends more than it should."""


class TooSlow(Exception):
    """A server sends for too long."""


def _receive(url: str, target: Path, most_bytes: int, timeout: float, end: float) -> None:
    """Write what an address gives, or the rest after a broken transfer, to `target` until the time `end`."""
    import requests

    n_bytes = target.stat().st_size if target.is_file() else 0
    rest = {"Range": f"bytes={n_bytes}-"} if n_bytes else {}
    headers = {"Accept-Encoding": "identity", **rest}
    with requests.get(url, headers=headers, timeout=timeout, stream=True) as response:
        response.raise_for_status()
        is_rest = response.status_code == requests.codes.partial_content
        n_bytes = n_bytes if is_rest else 0
        with open(target, "ab" if is_rest else "wb") as out:
            while block := response.raw.read1(_BLOCK, decode_content=True):  # as it comes: a slow one is noticed
                n_bytes += len(block)
                if n_bytes > most_bytes:
                    raise TooMuch(f"more than {most_bytes:,} bytes")
                if time.monotonic() > end:
                    raise TooSlow(f"no end after {MOST_SECONDS:g} s")
                out.write(block)


def _reason(error: Exception, timeout: float) -> str:
    import requests
    from urllib3.exceptions import ProtocolError, TimeoutError

    if isinstance(error, requests.Timeout | TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(error, requests.exceptions.ChunkedEncodingError | ProtocolError):
        return "the transfer broke off"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return type(error).__name__


_DAMAGE = (
    KeyError,
    EOFError,
    ValueError,
    OverflowError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    tarfile.TarError,
)
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
        with (
            open(archive, "rb") as source,
            subprocess.Popen(
                ["gzip", "-dc"], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            ) as process,
        ):
            assert process.stdout is not None
            _copy(process.stdout, plain, MOST_ARCHIVE)
    except FileNotFoundError as error:
        raise DamagedArchive("its archive needs the program gzip, which is not here") from error
    if process.returncode:
        raise DamagedArchive("its archive is neither zip nor tar")
    return plain
