"""A Slurm of one node on this machine, from Debian's packages: ``with one_node(): ...``."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "munged")
CONFIGURATION = Path("/etc/slurm/slurm.conf")  # the one place where jobs look for it too
TEMPLATE = Path(__file__).with_name("slurm.conf")
SECONDS_TO_START = 60


class CannotRunError(Exception):
    """Why Slurm cannot run here, in one sentence."""


@contextmanager
def one_node() -> Iterator[None]:
    """Run Slurm inside the block, and leave the machine as it was, but for the packages.

    Raises
    ------
    CannotRunError
        If the user is not root, if a Slurm already runs, or if its packages are not available.
    """
    if os.geteuid() != 0:
        raise CannotRunError("starting Slurm needs root: run `sudo make test-slurm`.")
    if running("slurmctld") or running("slurmd"):
        raise CannotRunError("a Slurm already runs on this machine; it is left alone, and nothing was tested.")
    install()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="treecrf-slurm-")))
        stack.enter_context(configured(folder))
        if not running("munged"):
            stack.enter_context(munge())
        stack.enter_context(daemons(folder))
        yield


def running(program: str) -> list[int]:
    """Process ids of a program."""
    found = subprocess.run(["pidof", program], capture_output=True, text=True).stdout
    return [int(word) for word in found.split()]


def install() -> None:
    """Install Slurm's packages where one is absent."""
    if all(shutil.which(program) for program in PROGRAMS):
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        for words in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            subprocess.run(["apt-get", "-q", *words], env=environment, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        names = " ".join(PACKAGES)
        raise CannotRunError(f"Slurm is not here and apt-get cannot install it; install {names} by hand.") from None


@contextmanager
def configured(folder: Path) -> Iterator[None]:
    """Write Slurm's configuration, and put back the one that was there."""
    node = subprocess.run(["slurmd", "-C"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    host = socket.gethostname().split(".")[0]
    kept = CONFIGURATION.with_suffix(".conf.before-treecrf")
    if kept.exists():
        raise CannotRunError(f"an earlier test was killed and left {kept}; move it back to {CONFIGURATION} first.")
    CONFIGURATION.parent.mkdir(exist_ok=True)
    if CONFIGURATION.exists():
        CONFIGURATION.rename(kept)
    try:
        CONFIGURATION.write_text(TEMPLATE.read_text().format(host=host, folder=folder, node=node))
        yield
    finally:
        CONFIGURATION.unlink(missing_ok=True)
        if kept.exists():
            kept.rename(CONFIGURATION)


@contextmanager
def munge() -> Iterator[None]:
    """Run munge, by which Slurm knows its users."""
    subprocess.run(["install", "-d", "-o", "munge", "-g", "munge", "-m", "755", "/run/munge"], check=True)
    subprocess.run(["runuser", "-u", "munge", "--", shutil.which("munged") or "munged"], check=True)
    try:
        yield
    finally:
        stop(running("munged"))


@contextmanager
def daemons(folder: Path) -> Iterator[None]:
    """Run Slurm's two daemons; on leaving, cancel jobs and stop both."""
    try:
        subprocess.run(["slurmctld", "-c"], check=True)
        subprocess.run(["slurmd"], check=True)
        wait_until_idle(folder)
        yield
    finally:
        subprocess.run(["scancel", "--quiet", "--state=PENDING"], check=False, timeout=60)
        subprocess.run(["scancel", "--quiet", "--state=RUNNING"], check=False, timeout=60)
        wait_for_no_jobs()
        stop([pid for program in ("slurmd", "slurmctld") for pid in running(program)])


def wait_until_idle(folder: Path) -> None:
    """Wait until the node takes jobs."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        states = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True).stdout
        if states.split() == ["idle"]:
            return
        time.sleep(0.5)
    messages = (folder / "slurmctld.log").read_text().strip().splitlines()[-5:]
    raise CannotRunError("Slurm has started but takes no jobs; it says: " + " / ".join(messages))


def wait_for_no_jobs() -> None:
    """Wait a little until cancelled jobs are gone."""
    for _ in range(60):
        jobs = subprocess.run(["squeue", "--noheader"], capture_output=True, text=True)
        if jobs.returncode or not jobs.stdout.strip():
            return
        time.sleep(0.5)


def stop(pids: list[int]) -> None:
    """End processes, with force after ten seconds."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for pid in filter(is_there, pids):
            os.kill(pid, sign)
        deadline = time.monotonic() + 10
        while any(map(is_there, pids)) and time.monotonic() < deadline:
            time.sleep(0.1)


def is_there(pid: int) -> bool:
    """Whether a process is at work (one that waits for its parent to notice its end is not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
