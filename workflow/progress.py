"""Run Snakemake with the project's progress view, and name what it wrote.

Snakemake's own messages go to .snakemake/log. A failed step is shown with the first line of its log.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def leave(number: int, _frame: FrameType | None = None) -> None:
    """End at once, with one sentence, on a signal."""
    os.write(2, b"Interrupted; the same command continues.\n")
    os._exit(128 + number)


if __name__ == "__main__":  # before the other modules, whose import takes long
    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, leave)

import argparse  # noqa: E402
import fcntl  # noqa: E402
import logging  # noqa: E402
import re  # noqa: E402
import shlex  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import IO  # noqa: E402

COMMAND = "python workflow/progress.py"

JOB_SCRIPTS = "/.snakemake/scripts/"
"""In the first argument of each Python that Snakemake starts for a job on this machine."""

MOST_SECONDS = 10.0
"""A job may take to end by itself after a signal."""

WRONG_USAGE = 2
"""Snakemake's exit code, which then says what is wrong."""


def main(options: list[str]) -> int:
    """Run Snakemake with `options`, name what it wrote and the next command; returns the exit code."""
    from treecrf.io.process import place_caches

    configurations, began = parse(options), time.time()
    place_caches(Path(".snakemake/caches"))
    import_snakemake()
    mark = take_mark()
    code, number = run_snakemake(options)
    drop_mark(mark)
    if number:
        await_threads()
        logging.shutdown()  # takes the bar away
        leave(number)
    if code != WRONG_USAGE and not is_dry(options):
        tell("Not everything is finished." if code else f"Done in {time.time() - began:.0f} s.")
        for line in summary(options, configurations, code, began):
            tell(line)
    return code


def parse(options: list[str]) -> list[str]:
    """The files that ``--configfile`` names; ends for ``-h`` and ``--version``."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=__doc__,
        allow_abbrev=False,
        usage=f"{COMMAND} [TARGET ...] --cores N [--configfile FILE ...] [SNAKEMAKE_OPTION ...]",
        epilog="`snakemake --help` lists all options; without a target, everything is computed.",
    )
    parser.add_argument(
        "--configfile", "--configfiles", metavar="FILE", nargs="+", default=[], help="settings of the run"
    )
    versions = f"treecrf {version('treecrf')}, Snakemake {version('snakemake')}"
    parser.add_argument("--version", action="version", version=versions, help="show the versions and exit")
    return list(parser.parse_known_args(options)[0].configfile)


def is_dry(options: list[str]) -> bool:
    """Whether the options ask for what would run alone."""
    return any(option in ("--dry-run", "--dryrun") or re.fullmatch("-[pqFk]*n[pqFk]*", option) for option in options)


def import_snakemake() -> None:
    """Load Snakemake, which takes long."""
    import snakemake.cli  # noqa: F401


def run_snakemake(options: list[str]) -> tuple[int, int]:
    """The exit code of Snakemake with the progress view, and the signal that ended it, 0 for none."""
    from snakemake.cli import main as snakemake

    sys.path[1:1] = [""]  # classes of the user's own are found in the working folder, as with python -m snakemake
    sys.executable = shlex.quote(sys.executable)  # Snakemake writes it into commands of a shell as it is
    interruption = Interruption()
    interruption.install()
    code = 0
    try:
        view = [] if is_dry(options) else ["--logger", "treecrf"]  # shows what runs, not what would run
        snakemake([*options, *view])  # targets after --logger would be taken for loggers
    except SystemExit as end:
        code = int(end.code or 0)
    except KeyboardInterrupt:
        pass
    return code, interruption.number


def summary(options: list[str], configurations: list[str], code: int, began: float) -> Iterator[str]:
    """What a reader opens, of what is there, and the next command."""
    from treecrf.io.files import read_configuration
    from treecrf_studies.framework.settings import load_settings
    from treecrf_studies.registry import registry
    from treecrf_studies.rendering.site import PAGE
    from treecrf_studies.report.page import EXPLORER, UNFINISHED_FOLDER

    again, alone = shlex.join(options), [study.name for study in registry() if study.name in options]
    try:
        settings = load_settings(read_configuration(["config/config.yaml", *configurations]))
    except (OSError, ValueError):  # a workflow without them, or settings that Snakemake has refused
        settings = None
    if settings is not None:
        reports, results = Path(settings.reports).resolve(), Path(settings.results).resolve()
        unfinished = reports / UNFINISHED_FOLDER / PAGE
        if not code:
            places = {"Report": reports / PAGE, "Explorer": reports / EXPLORER, "Results": results}
            if alone:
                places = {"Report": reports / alone[0] / PAGE, "Results": results / alone[0]}
            archives = sorted(Path(settings.archives).resolve().glob("*.zip"), key=lambda path: path.stat().st_mtime)
            if "archive" in options and archives:
                places = {"Archive": archives[-1]}
            yield from (f"{what + ':':10}{path}" for what, path in places.items() if path.exists())
        elif unfinished.is_file() and unfinished.stat().st_mtime >= began:
            yield f"Report of what is finished: {unfinished}"
    if code:
        yield f"Continue with: {COMMAND} {again}"
    elif settings is None or alone or "archive" in options:
        return
    elif settings.profile == "demo":
        yield "Next: make quick (the papers' data sets, in about 25 minutes)"
    else:
        yield f"Next: {COMMAND} archive {again} (writes one zip)"


# --- signals ----------------------------------------------------------------------------------------


class Interruption:
    """Ends Snakemake and its jobs on Ctrl-C and SIGTERM, without messages of either.

    Attributes
    ----------
    number : int
        The first signal that came, 0 before one came.
    """

    def __init__(self) -> None:
        self.number = 0

    def install(self) -> None:
        """Receive the signals, also those that Snakemake would receive, and keep Ctrl-C from the jobs."""
        import snakemake.workflow
        from snakemake.scheduling.job_scheduler import JobScheduler
        from snakemake.shell import shell

        interruption = self

        class Scheduler(JobScheduler):  # type: ignore[misc, unused-ignore]
            """Ends at once on SIGTERM, and calls no hook for failed jobs after a signal."""

            def schedule(self) -> bool:
                is_right: bool = super().schedule()
                if interruption.number:
                    raise KeyboardInterrupt
                return is_right

            def exit_gracefully(self, number: int, frame: FrameType | None) -> None:
                interruption.receive(number, frame)

        snakemake.workflow.JobScheduler = Scheduler
        shell.prefix("trap '' INT; set -euo pipefail; ")  # a job would print where it was
        signal.signal(signal.SIGINT, self.receive)
        signal.signal(signal.SIGTERM, self.receive)

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """End the jobs, then Snakemake by an exception; at a second signal, end at once."""
        if self.number:
            leave(self.number)
        self.number = number
        logging.disable()
        warnings.simplefilter("ignore")  # such as of what is left unawaited
        sys.unraisablehook = threading.excepthook = lambda _: None  # the exception may come where none is expected
        threading.Thread(target=end_jobs, daemon=True).start()
        raise KeyboardInterrupt


def end_jobs() -> None:
    """Ask jobs on this machine to end, also those that still begin, and end those that do not."""
    import psutil

    asked: dict[psutil.Process, float] = {}
    while True:
        for process in psutil.Process().children(recursive=True):
            try:
                if JOB_SCRIPTS not in "".join(process.cmdline()[1:2]):
                    continue
                if process not in asked:
                    asked[process] = time.monotonic()
                    process.terminate()
                elif time.monotonic() - asked[process] > MOST_SECONDS:
                    process.kill()
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.1)


def await_threads() -> None:
    """Wait for threads that run jobs, also one that a signal kept Snakemake from knowing: its job would outlive us."""
    deadline = time.monotonic() + 2 * MOST_SECONDS
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, deadline - time.monotonic()))


# --- locks ------------------------------------------------------------------------------------------


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
        tell("An earlier run was killed here; continuing where it stopped.")
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


def tell(text: str) -> None:
    """Print a line for the user."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    from treecrf.io.process import open_closed_streams

    open_closed_streams()
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"{error.filename or os.curdir}: {error.strerror}; run in a folder where you may write.")
