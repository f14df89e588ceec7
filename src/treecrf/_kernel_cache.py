"""Where compiled kernels are kept.

numba looks at the file of a kernel alone to tell whether its compiled form is still good; a kernel that has
another file's kernel inlined would go on with the old one after an edit. So the forms are kept in a folder
named after the content of all the package's kernels.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba import config as _numba_config

_config: Any = _numba_config  # its settings are made at run time

_PACKAGE = Path(__file__).resolve().parent
_WITH_KERNELS = ("_chain_kernels.py", "trees", "models")


def kernel_digest() -> str:
    """A digest of the source files that may hold kernels."""
    digest = hashlib.sha256()
    for part in _WITH_KERNELS:
        path = _PACKAGE / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def kernel_cache() -> Iterator[None]:
    """Kernels that are defined inside are cached in the folder of the digest.

    The folder is below ``NUMBA_CACHE_DIR`` where that is set, else below the package's ``__pycache__``; where
    the package cannot be written to, numba chooses as it always does.
    """
    before = _config.CACHE_DIR
    name = f"kernels-{kernel_digest()}"
    if before and Path(before).name == name:  # one such block within another
        yield
        return
    if before or os.access(_PACKAGE, os.W_OK):
        root = Path(before) if before else _PACKAGE / "__pycache__"
        _config.CACHE_DIR = str(root / name)
    try:
        yield
    finally:
        _config.CACHE_DIR = before
