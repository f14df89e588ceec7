"""A run in one file: results, pages, claims and manifest, to keep, to publish, and to compare years later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from treecrf.io.files import atomic
from treecrf.report.crate import crate_members
from treecrf.report.manifest import KINDS, MANIFEST, listed_files, read_manifest
from treecrf.studies.framework.settings import Settings

LEFT_OUT = ("data",)
"""Kinds of files of the manifest that an archive has not: training and test sets are made from the raw files, whose terms may
not let others pass them on."""

PAGES = ("*.html", "*.md", "claims/*.html")
"""The pages of a run in its folder of reports, which may also hold a comparison, or the reports of another run."""

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the same run gives the same bytes."""


def write_archive(settings: Settings) -> Path:
    """Write the archive of a finished run, named by date and commit, into the folder of archives; returns its path.

    Raises
    ------
    ValueError
        If there is no manifest, or a file is not the one that it lists.
    """
    results = Path(settings.results)
    if not (results / MANIFEST).is_file():
        raise ValueError(f"{results / MANIFEST} is not there; run `make results`, which writes it last.")
    manifest = read_manifest(results / MANIFEST)
    members: dict[str, bytes | Path] = {address(settings, path): path for path in _files(settings, manifest)}
    members |= dict(crate_members(Path(settings.results), manifest, members.keys(), root(settings)))
    path = Path(settings.archives) / f"{archive_name(manifest)}.zip"
    with atomic(path) as temporary, ZipFile(temporary, "w") as archive:
        for name in sorted(members):
            member = ZipInfo(name, OLDEST)
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            content = members[name]
            archive.writestr(member, content if isinstance(content, bytes) else content.read_bytes(), compresslevel=6)
    return path


def archive_name(manifest: dict[str, Any]) -> str:
    """The name of the archive of a run, without a suffix: date and commit."""
    commit, _, is_dirty = (manifest["commit"] or "").partition("-")
    return "-".join(filter(None, ("treecrf", manifest["written"][:10], commit[:10], is_dirty)))


def address(settings: Settings, path: str | os.PathLike[str]) -> str:
    """The name in the archive of a file of the run. Results and reports lie to each other as on disk: links of the page work."""
    return Path(os.path.relpath(Path(path).resolve(), root(settings))).as_posix()


def root(settings: Settings) -> Path:
    """The folder on disk that is the root of the archive."""
    folders = [Path(folder).resolve().parent for folder in (settings.results, settings.reports)]
    return Path(os.path.commonpath(folders))


def _files(settings: Settings, manifest: dict[str, Any]) -> Iterator[Path]:
    """Manifest, results and pages; a ValueError if a file is not the one that the manifest lists."""
    results = Path(settings.results)
    yield results / MANIFEST
    kinds = [kind for kind in KINDS if kind not in LEFT_OUT]
    yield from (path for _, path in listed_files(results, manifest, kinds))
    yield from (path for pattern in PAGES for path in Path(settings.reports).glob(pattern))
