"""What a process has: memory that it may still take, a place for caches, standard streams."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# --- memory ----------------------------------------------------------------------------------------

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

CGROUPS = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/memory")
_LIMITS = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
"""What the group of processes that a batch system or a container gives may take, and what it has taken."""

GIB = 2**30


def available_memory() -> int | None:
    """Bytes that this process may still take, as far as the system tells; None where it does not."""
    try:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):  # with what the system only keeps in case it is needed again
            free = 1024 * int(line.split()[1])
    for group, names in zip(CGROUPS, _LIMITS, strict=True):
        limit, taken = (_text(group / name).strip() for name in names)
        if limit.isdecimal() and taken.isdecimal():
            free = min(free, max(int(limit) - int(taken), 0))
    addresses = free_addresses()
    return free if addresses is None else min(free, addresses)


def free_addresses() -> int | None:
    """Bytes of addresses that ``ulimit -v`` leaves this process; None without such a limit."""
    if resource is None:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(Path("/proc/self/statm")).split()
    if limit == resource.RLIM_INFINITY or not pages:
        return None
    return max(limit - int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), 0)


def check_memory(n_bytes: int, what: str, advice: str, n_reserved: int = 0) -> None:
    """Raise a ValueError that says how much memory `what` takes and how much there is, if that is less.

    `n_reserved` are bytes of addresses more, which it does not use, as libraries with threads do: they count where
    addresses are limited.
    """
    available, addresses = available_memory(), free_addresses()
    if addresses is not None and n_bytes + n_reserved > addresses:
        n_bytes, available = n_bytes + n_reserved, addresses
    if available is not None and n_bytes > available:
        raise ValueError(
            f"{what} would take {n_bytes / GIB:.1f} GiB of memory and {available / GIB:.1f} GiB are available; "
            f"{advice}."
        )


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


# --- caches ----------------------------------------------------------------------------------------


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


# --- standard streams ------------------------------------------------------------------------------


def open_closed_streams() -> None:
    """Put another stream in the place of each closed one: writing to standard output fails, and messages go nowhere.

    Without it Python has None there, and the next file that is opened gets the number of the closed one, so that what a
    library prints ends up in it.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, mode)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def discard_output() -> None:
    """Let what is not yet written to standard output, which cannot be written, go nowhere when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
