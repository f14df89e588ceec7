"""Versions, commit and machine at work."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import uuid
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import treecrf

COMMIT = "TREECRF_COMMIT"
"""The environment variable in which a run tells its jobs the commit: they need not ask git again."""

ABSENT = "–"
"""In texts, in place of the version of a package that is not installed."""

_PACKAGE = Path(__file__).resolve().parents[1]
_LIBRARY = Path(treecrf.__file__).resolve().parent


def versions() -> dict[str, str | None]:
    """Versions of Python, treecrf and the packages that runs need, by name; None of those that are not installed."""
    tools = [text for text in requires("treecrf") or [] if 'extra == "dev"' not in text]
    needed = {re.split(r"[^A-Za-z0-9_.-]", text)[0] for text in tools} - {"treecrf"}
    return {"python": platform.python_version(), **{name: _version(name) for name in ("treecrf", *sorted(needed))}}


def commit() -> str | None:
    """The commit of the code, with "-dirty" where a package differs from it; None where it is not under git."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], cwd=_PACKAGE, capture_output=True, text=True)

    try:
        if git("ls-files", "--error-unmatch", "__init__.py").returncode:
            return None
        dirty = "-dirty" if git("diff", "--quiet", "HEAD", "--", ".", str(_LIBRARY)).returncode else ""
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


_MIB = 2**20


def machine() -> dict[str, Any]:
    """System, processor, cores and memory (MiB, None where the system does not say)."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_mib": _memory(),
    }


def processor() -> str:
    """The processor's model as the system calls it."""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return " ".join(value.split())
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return platform.processor() or platform.machine()


def machine_id() -> str:
    """12 hexadecimal digits that differ between machines, and between two starts of one: its speed may be another
    then.
    """
    boot = Path("/proc/sys/kernel/random/boot_id")
    start = boot.read_text(encoding="ascii").strip() if boot.is_file() else str(uuid.getnode())
    return hashlib.sha256(f"{start} {processor()}".encode()).hexdigest()[:12]


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _MIB
    except (ValueError, OSError, AttributeError):
        return None
