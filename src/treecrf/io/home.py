"""A place for caches where the user's home cannot be written, as in many containers and batch systems."""

from __future__ import annotations

import os
from pathlib import Path


def place_caches(folder: Path) -> None:
    """Unless the user's folder of caches can be written, make `folder` that of this process and those it starts."""
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "snakemake"
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK):
            return
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        pass
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(folder.resolve())
    os.environ.setdefault("MPLCONFIGDIR", str(folder.resolve() / "matplotlib"))
