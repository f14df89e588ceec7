"""The machine at work: system, processor, memory, and a name that holds until it is started again."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import uuid
from pathlib import Path
from typing import Any

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
    """12 hexadecimal digits that differ between machines, and between two starts of one: its speed may be another then."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    start = boot.read_text(encoding="ascii").strip() if boot.is_file() else str(uuid.getnode())
    return hashlib.sha256(f"{start} {processor()}".encode()).hexdigest()[:12]


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _MIB
    except (ValueError, OSError, AttributeError):
        return None
