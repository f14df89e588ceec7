"""Paths of a page and of the files that it links to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

FILE_KINDS = {".csv": "CSV", ".tex": "LaTeX", ".svg": "SVG", ".pdf": "PDF", ".png": "PNG"}
"""Files that are linked, in this order, by what they end in."""


class Folders(NamedTuple):
    """The folders of results and of reports, and a page's file below the latter."""

    results: Path
    reports: Path
    page: str = "index.html"

    def link(self, target: str) -> str:
        """The way from the page to another one of the site, whose file (with an anchor) is given."""
        page, hash_sign, anchor = target.partition("#")
        way = "" if page == self.page and anchor else os.path.relpath(page, Path(self.page).parent)
        return f"{quote(Path(way).as_posix()) if way else ''}{hash_sign}{anchor}"

    def files(self, path: Path) -> list[tuple[str, Path]]:
        """The kinds and the paths of the files that are `path` but for the suffix."""
        found = [(kind, Path(f"{path}{suffix}")) for suffix, kind in FILE_KINDS.items()]
        return [(kind, file) for kind, file in found if file.is_file()]

    def address(self, file: Path) -> str:
        """The way from the page to a file."""
        return quote(Path(os.path.relpath(file, (self.reports / self.page).parent)).as_posix())

    def below_results(self, file: Path) -> str:
        """The way from the folder of results to a file."""
        return Path(os.path.relpath(file, self.results)).as_posix()
