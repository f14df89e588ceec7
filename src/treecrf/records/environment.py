"""Versions of packages and commit of the code at work."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

COMMIT = "TREECRF_COMMIT"
"""The environment variable in which a run tells its jobs the commit: they need not ask git again."""

_PACKAGE = Path(__file__).resolve().parents[1]


def versions() -> dict[str, str | None]:
    """Versions of Python, treecrf and the packages that runs need, by name; None of those that are not installed."""
    tools = [text for text in requires("treecrf") or [] if 'extra == "dev"' not in text]
    needed = {re.split(r"[^A-Za-z0-9_.-]", text)[0] for text in tools} - {"treecrf"}
    return {"python": platform.python_version(), **{name: _version(name) for name in ("treecrf", *sorted(needed))}}


def commit() -> str | None:
    """The commit of the code, with "-dirty" where the package differs from it; None where it is not under git."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], cwd=_PACKAGE, capture_output=True, text=True)

    try:
        if git("ls-files", "--error-unmatch", "__init__.py").returncode:
            return None
        dirty = "-dirty" if git("diff", "--quiet", "HEAD", "--", ".").returncode else ""
        return git("rev-parse", "HEAD").stdout.strip() + dirty
    except OSError:
        return None


def environment() -> dict[str, str | None]:
    """`versions`, and the commit that the run has told its jobs."""
    return {"commit": os.environ.get(COMMIT) or commit(), **versions()}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
