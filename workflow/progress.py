"""Run Snakemake and show how far it is: ``python workflow/progress.py SNAKEMAKE_OPTION ...``.

On a terminal a bar with the steps at work; elsewhere one line per finished step. Snakemake's own messages
go to ``.snakemake/log``; a failed step is shown with what its log says. Ends by naming the page to read.
"""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

STARTED = re.compile(r"^Job (?P<job>\d+): (?P<message>.*)$")
FINISHED = re.compile(r"^Finished jobid: (?P<job>\d+)")
DONE = re.compile(r"^(?P<done>\d+) of (?P<total>\d+) steps")
TOTAL = re.compile(r"^total\s+(?P<total>\d+)\s*$")
STEP_FAILED = re.compile(r"^Error in rule (?P<rule>\w+):")
STEP_LOG = re.compile(r"^    log: (?P<log>.*?)(?: \(check log file.*)?$")
FAILED = re.compile(r"^(LockException|\w+(?<!CalledProcess)(Error|Exception) in |WorkflowError:|Error:)")
OTHER = re.compile(
    r"^(\[\w{3} \w{3}|Select jobs|Execute \d|Complete log|Shutting down|Exiting because|At least one job)"
)


def run(options: list[str]) -> int:
    """Run Snakemake with `options`; returns its exit code."""
    console = Console(stderr=True, highlight=False)
    command = [sys.executable, "-m", "snakemake", "--nocolor", *options]
    began = time.monotonic()
    mark = take_mark(console)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        pass_fds=[mark.fileno()],
    )
    assert process.stdout is not None
    columns = (
        TextColumn("[bold]treecrf"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("starts (the first time, routines are compiled)", total=None)
        try:
            messages = show(process.stdout, progress, task, console)
            code = process.wait()
        except KeyboardInterrupt:
            stop(process)
            drop_mark(mark)
            console.print("Stopped. The same command goes on where this one was.")
            return 130
    drop_mark(mark)
    if code:
        console.print("\n".join(messages), markup=False, soft_wrap=True)
        console.print("[bold]Not all was done.[/bold] The same command goes on where this one was.")
    else:
        console.print(f"Done in {time.monotonic() - began:.0f} s.")
    return code


def take_mark(console: Console) -> IO[str]:
    """Hold a file while this run lasts; where an earlier run was killed, free the folder that it left locked.

    The system lets go of a killed process's hold on the file, but what the file says stays. So a file that
    nobody holds and that says "running" is that of a killed run, whose Snakemake lock means nothing any more.
    """
    path = Path(".snakemake/progress.lock")
    path.parent.mkdir(exist_ok=True)
    mark = open(path, "a+", encoding="utf-8")  # noqa: SIM115 (held until the run ends)
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return mark  # another run is at work here: Snakemake's own lock says so
    mark.seek(0)
    if mark.read() == "running":
        console.print("An earlier run was killed here; going on where it was.")
        for lock in Path(".snakemake/locks").glob("*.lock"):
            lock.unlink(missing_ok=True)
    mark.truncate(0)
    mark.write("running")
    mark.flush()
    return mark


def drop_mark(mark: IO[str]) -> None:
    """Say that the run has ended by itself."""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # another run's
    mark.truncate(0)
    mark.close()


def stop(process: subprocess.Popen[str]) -> None:
    """Wait for Snakemake, which a terminal's Ctrl-C reaches too; ask it to end if nothing did."""
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def show(lines: Iterable[str], progress: Progress, task: TaskID, console: Console) -> list[str]:
    """Follow Snakemake's messages; returns what to say of failures."""
    at_work: dict[str, str] = {}
    failures: list[str] = []
    failing = False
    for line in map(str.rstrip, lines):
        if match := STARTED.match(line):
            at_work[match["job"]] = match["message"]
        elif match := FINISHED.match(line):
            step = at_work.pop(match["job"], None)
            if step and progress.disable:
                console.print(f"  {step}", markup=False)
        elif match := DONE.match(line):
            progress.update(task, completed=int(match["done"]), total=int(match["total"]))
        elif match := TOTAL.match(line):
            progress.update(task, total=int(match["total"]))
        elif match := STEP_FAILED.match(line):
            failures.append(f"The step {match['rule']} failed.")
        elif match := STEP_LOG.match(line):
            failures[-1:] = [first_line(match["log"]), f"  (details: {match['log']})"]
        failing = bool(FAILED.match(line)) or (failing and bool(line) and not OTHER.match(line))
        if failing and line != "WorkflowError:" and not line.startswith("  File "):
            failures.append(line)
        progress.update(task, description="; ".join(list(at_work.values())[:2]))
    progress.update(task, description="")
    return failures


def first_line(log: str) -> str:
    """What a failed step says of itself: the first line of its log."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    if not lines:
        return f"A step failed before it wrote its log {log}."
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def page_of(options: list[str], finished: bool) -> Path | None:
    """The page that a run with `options` writes, when it ends well or else, if it can be told and is there."""
    from treecrf.io.configuration import read_configuration
    from treecrf.studies.settings import load_settings  # here, so that the view opens before numba is loaded

    given = [options[i + 1] for i, option in enumerate(options[:-1]) if option == "--configfile"]
    try:
        settings = load_settings(read_configuration(["config/config.yaml", *given]))
    except (OSError, ValueError):
        return None
    page = Path(settings.reports).resolve() / ("index.html" if finished else "unfinished.html")
    return page if page.is_file() else None


if __name__ == "__main__":
    began = time.time()
    exit_code = run(sys.argv[1:])
    page = page_of(sys.argv[1:], finished=not exit_code)
    if page is not None and (not exit_code or page.stat().st_mtime >= began):
        print(f"The report{' of what was finished' if exit_code else ''} is {page}")
    sys.exit(exit_code)
