"""Paths of a configuration: folders that are written are inside the working folder, or where an absolute path says."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

_SHELL = re.compile(r"^~|\$\w|\$\{")
"""What a shell would put another text for."""


def _read(path: str) -> str:
    if not path.strip():
        raise ValueError("is empty; name a file or folder, or leave the key out")
    if _SHELL.search(path):
        raise ValueError(f"is {path!r}, where no shell fills in ~ or $; write the whole path")
    if "\n" in path or "\t" in path:
        raise ValueError(f"is {path!r}, which has a line break or tab; rename it")
    return path


def _written(path: str) -> str:
    normal = os.path.normpath(_read(path))
    if normal != normal.strip():
        raise ValueError(f"is {path!r}, which begins or ends with a blank; remove it")
    if "{" in normal or "}" in normal:
        raise ValueError(f"is {path!r}, and braces have a meaning for Snakemake; choose another name")
    if normal.startswith(".."):
        raise ValueError(f"is {path!r}, outside the working folder; name a folder inside it, or an absolute path")
    here = Path.cwd().resolve()
    if Path(normal).resolve() in (here, *here.parents):
        raise ValueError(f"is {path!r}, which holds the working folder; name a folder inside it, or an absolute path")
    return normal


ReadPath = Annotated[str, AfterValidator(_read)]
"""A file or folder that a run reads."""

WrittenFolder = Annotated[str, AfterValidator(_written)]
"""A folder that a run writes to; without a slash at its end."""


def refuse_same(folders: Mapping[str, str]) -> None:
    """Raise a ValueError where two of the folders that a run writes to, given by names of settings, are one."""
    names: dict[Path, str] = {}
    for name, folder in folders.items():
        other = names.setdefault(Path(folder).resolve(), name)
        if other != name:
            raise ValueError(f"{name} and {other} are the same folder, {folder!r}; choose another for one of them")
