"""Run Snakemake with the project's progress view: ``python workflow/progress.py SNAKEMAKE_OPTION ...``.

Snakemake's own messages go to ``.snakemake/log``; a failed step is shown with what its log says. Ends by naming the
page to read.
"""

from __future__ import annotations

import fcntl
import sys
import time
from pathlib import Path
from typing import IO

WRONG_USAGE = 2
"""Snakemake's exit code, which then says what is wrong."""


def run(options: list[str]) -> int:
    """Run Snakemake with `options`; returns its exit code."""
    from snakemake.cli import main

    began = time.monotonic()
    mark = take_mark()
    sys.path[1:1] = [""]  # classes of the user's own are found in the working folder, as with python -m snakemake
    try:
        main([*options, "--logger", "treecrf"])  # which would take targets after it for loggers
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    drop_mark(mark)
    if code == WRONG_USAGE:
        return code
    if code:
        _print("Not all was done. The same command continues from here.")
    else:
        _print(f"Done in {time.monotonic() - began:.0f} s.")
    return code


def take_mark() -> IO[str]:
    """Hold a file while this run lasts; where an earlier run was killed, unlock the folder that it left locked.

    The system releases a killed process's hold on the file, but the file's contents stay. So a file that nobody holds
    and that says "running" is that of a killed run, whose Snakemake lock means nothing any more.
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
        _print("An earlier run was killed here; continuing where it stopped.")
        for lock in Path(".snakemake/locks").glob("*.lock"):
            lock.unlink(missing_ok=True)
    mark.truncate(0)
    mark.write("running")
    mark.flush()
    return mark


def drop_mark(mark: IO[str]) -> None:
    """Record that the run ended by itself."""
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return  # another run's
    mark.truncate(0)
    mark.close()


def page_of(options: list[str], finished: bool) -> Path | None:
    """The page that a run with `options` writes, if it is there: the whole one, or after a failure the unfinished one."""
    from treecrf.io.files import read_configuration
    from treecrf.studies.settings import load_settings

    given = [options[i + 1] for i, option in enumerate(options[:-1]) if option == "--configfile"]
    try:
        settings = load_settings(read_configuration(["config/config.yaml", *given]))
    except (OSError, ValueError):
        return None
    page = Path(settings.reports).resolve() / ("index.html" if finished else "unfinished.html")
    return page if page.is_file() else None


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    began = time.time()
    exit_code = run(sys.argv[1:])
    page = page_of(sys.argv[1:], finished=not exit_code)
    if page is not None and (not exit_code or page.stat().st_mtime >= began):
        print(f"The report{' of what was finished' if exit_code else ''} is {page}")
    sys.exit(exit_code)
