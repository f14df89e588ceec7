"""Standard streams of a process that was started without them (``>&-``)."""

from __future__ import annotations

import os
import sys


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
