"""Whether manifest and pages of a run are still right; looked at whenever a run starts, so nothing here takes long to import."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from treecrf.io.checksums import is_noted, sha256
from treecrf.io.files import read_json

_LINK = re.compile(r'href="([^":#?]+\.html)')
"""To another page of the site, or of the results."""


def is_outdated_manifest(manifest: Path) -> bool:
    """Whether a manifest is there that cannot be read, or lists a file that is gone or another one.

    Of files with a noted checksum, which `treecrf.io.checksums.refuse_damaged` compares, only the size is looked at.
    """
    if not manifest.is_file():
        return False
    try:
        return any(_differs(manifest.parent / file["path"], file) for file in read_json(manifest)["files"])
    except (ValueError, TypeError, LookupError):
        return True


def _differs(path: Path, listed: Mapping[str, Any]) -> bool:
    if not path.is_file() or path.stat().st_size != listed["bytes"]:
        return True
    return not is_noted(path) and sha256(path) != listed["sha256"]


def is_outdated_page(page: Path, explorer: Path, unfinished: Path) -> bool:
    """Whether the first page of a site is there although another one is gone, or a run has failed since (`unfinished`)."""
    if not page.is_file():
        return False
    linked = _linked(page) - {explorer}
    return unfinished.is_file() or not all(path.is_file() for first in linked for path in {first, *_linked(first)} - {explorer})


def _linked(page: Path) -> set[Path]:
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return {page.parent / unquote(link) for link in _LINK.findall(text)}
