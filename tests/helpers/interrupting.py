"""Commands that get a signal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEEDING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores the signal
from {package} import main
sys.stderr.write("begun\\n")
sys.stderr.flush()
main()
"""


def at_moments(*moments):
    """Ctrl-C and a request to end at moments, seconds, in turn; each at the others in `make test-slow`."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    return [
        pytest.param(number, moment, marks=[] if place % 2 == turn else [pytest.mark.slow])
        for place, moment in enumerate(moments)
        for turn, number in enumerate(numbers)
    ]


def interrupted(package, arguments, number, moment):
    """Exit code and messages of the program of a package (``treecrf.cli``), and all its processes, after a signal.

    The signal comes `moment` seconds after the start of the program.
    """
    command = [sys.executable, "-c", HEEDING.format(package=package), *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr.readline() == "begun\n"
    time.sleep(moment)
    os.killpg(process.pid, signal.Signals(number))
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def session_members(leader: int) -> list[int]:
    """The living processes of a session."""
    members = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, *rest = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # gone
                continue
            if state != "Z" and int(rest[2]) == leader:
                members.append(int(entry.name))
    return members
