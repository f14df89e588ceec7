"""Folder of compiled kernels.

numba looks at the file of a kernel alone to tell whether its compiled form is still good; a kernel that has
another file's kernel inlined would go on with the old one after an edit. So the forms are kept in a folder
named after the content of all the package's kernels, and after the processor and the numba that they are for.

Many processes may compile at once, on one machine or on many with one file system. numba writes a form to a
temporary name and renames it, but names it by its number in an index that two processes may read before either
writes it, and then one finds the other's form under its own name. So no two different forms of a kernel share a
folder: whichever process writes last, it writes the same.

numba does not look whether a compiled form is whole. So each file ends in a digest of itself, and one that is cut or
changed counts as not there: the kernel is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from numba import __version__
from numba import config as _numba_config
from numba.core import caching as _numba_caching
from numba.core.registry import cpu_target

_config: Any = _numba_config  # its settings are made at run time
_caching: Any = _numba_caching

_PACKAGE = Path(__file__).resolve().parents[1]
_DEFINES_KERNELS = "from treecrf.compiled.kernel import "
_IMPORTED = re.compile(r"^from (\w+)\.([\w.]+) import ", re.MULTILINE)
_LOCK = Lock()  # numba's settings are the whole process's
_DIGEST_SIZE = hashlib.sha256().digest_size


def processor() -> str:
    """Name and features of the processor that numba compiles for."""
    return " ".join(cpu_target.target_context.codegen().magic_tuple())


@cache
def kernel_digest(package: str = "") -> str:
    """A digest of the source files that decide how kernels are compiled, the processor, and numba's version.

    The kernels of another `package` call those of this one, and have a digest of the files of both.
    """
    digest = hashlib.sha256(f"{processor()} {__version__}".encode())
    others = (Path(folder).resolve() for folder in getattr(sys.modules.get(package), "__path__", ()))
    for folder in dict.fromkeys((_PACKAGE, *others)):
        for file in kernel_files(folder):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def kernel_files(package: Path) -> list[Path]:
    """The files of a package that define kernels, sorted, with the modules whose names these files import."""
    files, packages = set((package / "compiled").glob("*.py")), {_PACKAGE.name: _PACKAGE, package.name: package}
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if _DEFINES_KERNELS in text:
            imported = [(packages[top], name) for top, name in _IMPORTED.findall(text) if top in packages]
            paths = [folder.joinpath(*name.split(".")) for folder, name in imported]
            files |= {file, *(path.with_suffix(".py") for path in paths), *(path / "__init__.py" for path in paths)}
    return sorted(file for file in files if file.is_file())


class CheckedCacheFile(_numba_caching.IndexDataCacheFile):
    """numba's index and data files of one kernel, each with a digest at its end."""

    def _dump(self, obj: Any) -> bytes:
        content = super()._dump(obj)
        return content + hashlib.sha256(content).digest()

    def _load_index(self) -> dict[Any, str]:
        version = pickle.dumps(self._version, protocol=-1)  # stands before what was dumped
        return super()._load_index() if _is_whole(Path(self._index_path), version) else {}

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if not _is_whole(path):
            raise FileNotFoundError(f"{path} is damaged")  # numba takes it for gone
        return super()._load_data(name)


def _is_whole(path: Path, start: bytes = b"") -> bool:
    """Whether a file begins with `start` and ends in a digest of the rest."""
    content = path.read_bytes() if path.is_file() else b""
    middle, end = content[len(start) : -_DIGEST_SIZE], content[-_DIGEST_SIZE:]
    return content.startswith(start) and hashlib.sha256(middle).digest() == end


def cache_root() -> Path | None:
    """``NUMBA_CACHE_DIR`` where that is set, else the package's ``__pycache__``; None where the package cannot be
    written to.
    """
    if _config.CACHE_DIR:
        root = Path(_config.CACHE_DIR)
        _refuse_shared((root, *root.absolute().parents))
        return root
    if not os.access(_PACKAGE, os.W_OK):
        return None
    if not _is_shared(_PACKAGE):  # else others may change the code itself
        _refuse_shared((_PACKAGE / "__pycache__",))
    return _PACKAGE / "__pycache__"


@cache
def _refuse_shared(folders: tuple[Path, ...]) -> None:
    """A ValueError if others may put machine code into one of these folders, which this process would run."""
    for folder in folders:
        if _is_shared(folder):
            raise ValueError(
                f"the folder {folder} of compiled kernels can be written by others, whose machine code would run; take "
                "their permission (chmod go-w), or name a folder of your own by NUMBA_CACHE_DIR."
            )


def _is_shared(folder: Path) -> bool:
    """Whether others may replace files of a folder that is there, as OpenSSH asks of the folders of keys."""
    if not hasattr(os, "getuid") or not folder.exists():
        return False
    status = folder.stat()
    if status.st_uid not in (0, os.getuid()):
        return True
    if status.st_mode & stat.S_ISVTX:  # as /tmp: others have files of their own there
        return False
    by_group = status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)
    return bool(by_group or status.st_mode & stat.S_IWOTH)


def _is_private(group: int) -> bool:
    """Whether a group is this user's alone."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.getuid())
        return group == user.pw_gid and set(grp.getgrgid(group).gr_mem) <= {user.pw_name}
    except KeyError:  # a container has neither
        return group == os.getgid()


@contextmanager
def kernel_cache(*constants: int, package: str = "") -> Iterator[None]:
    """Kernels that are defined inside are cached in the folder of the digest.

    The folder is below ``NUMBA_CACHE_DIR`` where that is set, else below the package's ``__pycache__``; where
    the package cannot be written to, numba chooses as it always does.

    Parameters
    ----------
    constants : int
        Constants that the kernels have compiled into them, so that each has forms of its own for them.
    package : str
        The package that defines them (see `kernel_digest`).
    """
    with _LOCK:
        before, files_before = _config.CACHE_DIR, _caching.IndexDataCacheFile
        root = cache_root()
        if root is not None:
            folder = root / "-".join([f"kernels-{kernel_digest(package)}", *map(str, constants)])
            _refuse_shared((folder,))
            _config.CACHE_DIR = str(folder)
        _caching.IndexDataCacheFile = CheckedCacheFile
        try:
            yield
        finally:
            _config.CACHE_DIR, _caching.IndexDataCacheFile = before, files_before
