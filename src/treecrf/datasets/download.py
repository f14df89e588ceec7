"""Raw files: where each comes from, how it is checked, and how it is had."""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple


class RawFile(NamedTuple):
    """A raw file: path below the folder of raw files, size, SHA-256, and public addresses.

    An address ``ARCHIVE#MEMBER`` means a member of a .zip or (compressed) .tar archive.
    """

    path: str
    bytes: int
    sha256: str
    addresses: tuple[str, ...]


class RawFileError(OSError):
    """A raw file cannot be had; the message names file, addresses, checksum and the folder to put it in."""


@cache
def raw_files() -> Mapping[str, RawFile]:
    """All raw files by path."""
    table = json.loads(Path(__file__).with_name("raw_files.json").read_text(encoding="utf-8"))
    return {row["path"]: RawFile(row["path"], row["bytes"], row["sha256"], tuple(row["addresses"])) for row in table}


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

    Returns
    -------
    Path

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
            problem = _download(address, temporary, file.sha256, timeout, retries, wait)
            if problem is None:
                return _put(temporary, target)
            problems.append(f"{address}: {problem}")
    raise RawFileError(
        f"raw file {path} cannot be had ({'; '.join(problems)}); get it from {' or '.join(file.addresses)} and put it at "
        f"{target} (SHA-256 {file.sha256})."
    )


def _matches(path: Path, sha256: str) -> bool:
    import pooch

    return path.is_file() and pooch.file_hash(str(path), alg="sha256") == sha256


def _put(temporary: Path, target: Path) -> Path:
    with open(temporary, "rb") as stream:
        os.fsync(stream.fileno())
    os.replace(temporary, target)
    return target


@contextmanager
def _temporary(target: Path, file: RawFile, folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A name beside the target that is gone afterwards; a full disk is told in one sentence."""
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
    except RawFileError:
        raise
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else f"{error.strerror or error}"
        raise RawFileError(
            f"raw file {file.path} ({file.bytes:,} bytes) cannot be written below {os.fspath(folder)}: {reason}; "
            "make room or name another folder."
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def _download(address: str, target: Path, sha256: str, timeout: float, retries: int, wait: float) -> str | None:
    """Try one address; what went wrong, or None where `target` now has the checksum."""
    import pooch
    import requests

    url, _, member = address.partition("#")
    downloader = pooch.HTTPDownloader(progressbar=False, timeout=timeout)
    problem = "not tried"
    for attempt in range(retries + 1):
        if attempt:
            time.sleep(wait * 2 ** (attempt - 1))
        try:
            downloader(url, str(target), None, check_only=False)
            if member:
                _extract(target, member)
        except requests.HTTPError as error:
            status = error.response.status_code
            problem = f"the server answers {status}"
            if status < 500:
                return problem  # asking again does not help
        except requests.RequestException as error:
            problem = type(error).__name__
        except _DamagedArchive as error:
            problem = str(error)
        else:
            if _matches(target, sha256):
                return None
            problem = "another checksum"
    return problem


class _DamagedArchive(Exception):
    pass


def _extract(archive: Path, member: str) -> None:
    """Replace an archive by one of its members; compress(1) and its kin are undone by gzip."""
    import subprocess
    import tarfile
    import zipfile

    unpacked = archive.with_suffix(".member.tmp")
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle, bundle.open(member) as source, open(unpacked, "wb") as out:
                shutil.copyfileobj(source, out)
        else:
            plain = archive
            if not tarfile.is_tarfile(archive):
                plain = archive.with_suffix(".tar.tmp")
                with open(plain, "wb") as out:
                    subprocess.run(
                        ["gzip", "-dc"], stdin=open(archive, "rb"), stdout=out, check=True, capture_output=False
                    )
            with tarfile.open(plain) as bundle:
                source = bundle.extractfile(member)
                if source is None:
                    raise KeyError(member)
                with open(unpacked, "wb") as out:
                    shutil.copyfileobj(source, out)
            if plain != archive:
                plain.unlink()
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, subprocess.CalledProcessError, FileNotFoundError) as error:
        raise _DamagedArchive(f"its archive does not give {member} ({type(error).__name__})") from error
    finally:
        if unpacked.exists() and not unpacked.stat().st_size:
            unpacked.unlink()
    os.replace(unpacked, archive)
