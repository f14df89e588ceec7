"""Frame of every script around its one call: log, checksums, and one sentence where something is wrong."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from treecrf.io.files import forget, leftovers, note, refuse_damaged
from treecrf_studies.records.jobs import record_place, recorded

if TYPE_CHECKING:
    from treecrf_studies.framework.study import Study


SECONDS_TO_STOP = 5.0
"""After a signal, what has not stopped in so many seconds is interrupted again."""


def sentence(error: Exception) -> str:
    """What to say of an error that is not a mistake of the program."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"{error.filename or 'The results'}: the disk is full; free space and run again."
    return str(error)


def tidy(outputs: Iterable[str], record: Path) -> None:
    """Remove what a killed attempt has left: temporary files beside outputs and record, and notes."""
    for file in (*map(Path, outputs), record):
        for left in leftovers(file):
            left.unlink(missing_ok=True)
    forget(outputs)


def end(number: int, _frame: FrameType | None) -> None:
    """End on a signal, so that temporary files are removed, which a second signal at once must not interrupt."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    if hasattr(signal, "setitimer"):  # what does not end is interrupted again
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(128 + number))
        signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_STOP)
    sys.exit(128 + number)


@contextmanager
def job(snakemake: Any, noted: bool = True) -> Iterator[None]:
    """Send all messages to the log, see that inputs and outputs are whole, and leave a record.

    See `treecrf_studies.records.jobs`. A job with a damaged input, wrong input or a full disk ends with one sentence.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives a script.
    noted : bool
        Whether the outputs' checksums are written down; no for what others may replace.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C goes to jobs too
        signal.signal(number, end)
    with open(snakemake.log[0], "w", encoding="utf-8", buffering=1) as stream:
        sys.stdout = sys.stderr = stream
        try:
            refuse_damaged(snakemake.input)
            tidy(snakemake.output, Path(*record_place(snakemake.log[0])))
            with recorded(snakemake):
                yield
            if noted:
                note(snakemake.output)
        except (ValueError, OSError) as error:
            print(sentence(error))
            print("\nWhere it happened:", file=stream)
            traceback.print_exc(file=stream)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=stream)
            sys.exit(1)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def find_study(name: str) -> Study:
    """The study of a name, without loading the others."""
    return import_module(f"treecrf_studies.{name}").STUDY
