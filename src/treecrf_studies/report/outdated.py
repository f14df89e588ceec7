"""What is put right when a run starts: manifest and pages that name what is gone, times of files. Imports are light."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from treecrf.io.files import is_noted, read_json, sha256
from treecrf.io.messages import counted

_LINK = re.compile(r'href="([^":#?]+\.html)')
"""To another page of the site, or of the results."""


def remove_outdated(manifest: Path, page: Path, explorer: Path, unfinished: Path, is_dry_run: bool) -> Iterator[str]:
    """Remove the manifest, and the first page of a site, if a file that they name is gone; yields a sentence for each.

    The manifest is also outdated where a file is another one, and the page where a run has failed since it was written,
    which left the page `unfinished`. With `is_dry_run` nothing is removed.
    """
    wrong = {manifest: _differing(manifest), page: _broken_links(page, explorer)}
    for path, files in wrong.items():
        if files:
            more = f" and {counted(len(files) - 1, 'other file')}" if len(files) > 1 else ""
            yield f"{path} names {files[0]}{more}, gone or changed since: a run makes them anew."
    for path in [path for path, files in wrong.items() if files] + [page] * (page.is_file() and unfinished.is_file()):
        if not is_dry_run:
            path.unlink(missing_ok=True)


def settle_times(folders: Iterable[Path], now: float) -> Iterator[str]:
    """Set times of files that are later than `now` (seconds since 1970) to it; yields a sentence for each such folder.

    They were written while the clock was ahead, and Snakemake fails where a result is older than what it is made of.
    """
    for folder in folders:
        n_late = 0
        for path in folder.rglob("*"):
            with suppress(OSError):  # gone, or another user's
                if path.is_file() and path.stat().st_mtime > now:
                    os.utime(path, (now, now))
                    n_late += 1
        if n_late:
            yield f"{folder}: {counted(n_late, 'file')} of a time to come, when the clock was ahead; that time is now."


def _differing(manifest: Path) -> list[str]:
    """The files of a manifest that are gone or other ones; of those with a noted checksum the size counts."""
    if not manifest.is_file():
        return []
    try:
        files = read_json(manifest)["files"]
        return [file["path"] for file in files if _differs(manifest.parent / file["path"], file)]
    except (ValueError, TypeError, LookupError):
        return [manifest.name]


def _differs(path: Path, listed: Mapping[str, Any]) -> bool:
    if not path.is_file() or path.stat().st_size != listed["bytes"]:
        return True
    return not is_noted(path) and sha256(path) != listed["sha256"]


def _broken_links(page: Path, explorer: Path) -> list[str]:
    """The pages that are gone of those that a page, or one that it links to, leads to, but for Snakemake's explorer."""
    first = _linked(page) - {explorer}
    every = {path for other in first for path in _linked(other)} | first
    return sorted(str(path) for path in every - {explorer} if not path.is_file())


def _linked(page: Path) -> set[Path]:
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    return {page.parent / unquote(link) for link in _LINK.findall(text)}
