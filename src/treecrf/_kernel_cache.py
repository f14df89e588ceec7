"""Where compiled kernels are kept.

numba looks at the file of a kernel alone to tell whether its compiled form is still good; a kernel that has
another file's kernel inlined would go on with the old one after an edit. So the forms are kept in a folder
named after the content of all the package's kernels, and after the processor and the numba that they are for.

Many processes may compile at once, on one machine or on many with one file system. numba writes a form to a
temporary name and renames it, but names it by its number in an index that two processes may read before either
writes it, and then one finds the other's form under its own name. So no two different forms of a kernel share a
folder: whichever process writes last, it writes the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from numba import __version__
from numba import config as _numba_config
from numba.core.registry import cpu_target

_config: Any = _numba_config  # its settings are made at run time

_PACKAGE = Path(__file__).resolve().parent
_WITH_KERNELS = ("_chain_kernels.py", "trees", "models")


def processor() -> str:
    """Name and features of the processor that numba compiles for."""
    return " ".join(cpu_target.target_context.codegen().magic_tuple())


@cache
def kernel_digest() -> str:
    """A digest of the source files that may hold kernels, the processor, and numba's version."""
    digest = hashlib.sha256(f"{processor()} {__version__}".encode())
    for part in _WITH_KERNELS:
        path = _PACKAGE / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def kernel_cache(*constants: int) -> Iterator[None]:
    """Kernels that are defined inside are cached in the folder of the digest.

    The folder is below ``NUMBA_CACHE_DIR`` where that is set, else below the package's ``__pycache__``; where
    the package cannot be written to, numba chooses as it always does.

    Parameters
    ----------
    constants : int
        Constants that the kernels have compiled into them, so that each has forms of its own for them.
    """
    before = _config.CACHE_DIR
    name = f"kernels-{kernel_digest()}"
    root = Path(before) if before else _PACKAGE / "__pycache__"
    if root.name.startswith(name):  # one such block within another
        root = root.parent
    if before or os.access(_PACKAGE, os.W_OK):
        _config.CACHE_DIR = str(root / "-".join([name, *map(str, constants)]))
    try:
        yield
    finally:
        _config.CACHE_DIR = before
