"""The command line: one module per command, thin; what they do is in the layers below, loaded when a command runs."""

from __future__ import annotations

import atexit
import signal
import sys
from importlib import import_module
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from treecrf.io.process import open_closed_streams

__all__ = ["app", "main", "run_command"]

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal."""

TERMINATED = 143
"""The exit code after a request to end."""

SECONDS_TO_STOP = 5.0
"""After a signal, what has not stopped in so many seconds is interrupted again."""


def main() -> None:
    """Run ``treecrf``."""
    run_command("treecrf", "treecrf.cli._app")


def run_command(program: str, module: str) -> None:
    """Call ``run`` of a module; Ctrl-C and a request to end stop it with one sentence, also while the module is
    loading.
    """
    open_closed_streams()
    received: list[int] = []  # a library that is loading may turn what a handler raises into an error of its own

    def end(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        sys.unraisablehook = lambda _: None  # where compiled code calls Python nothing can be raised
        if hasattr(signal, "setitimer"):  # ... or catch it and go on, so that it is raised again
            signal.signal(signal.SIGALRM, end)
            signal.setitimer(signal.ITIMER_REAL, SECONDS_TO_STOP)
        raise SystemExit(128 + received[0])

    is_main = current_thread() is main_thread()  # others have no handlers
    if is_main:
        atexit.register(_ignore_signals)
    heeded = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded} if is_main else {}
    hook = sys.unraisablehook
    try:
        import_module(module).run()
    except KeyboardInterrupt:
        _stop(program, INTERRUPTED)
    except (Exception, SystemExit) as error:
        code = 128 + received[0] if received else getattr(error, "code", None)
        if code not in (INTERRUPTED, TERMINATED):
            raise
        _stop(program, code)
    finally:
        if received and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore_signals() -> None:
    """What has done its work ends with its own exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _stop(program: str, code: int) -> None:
    print(f"{program}: interrupted; no partial output was written.", file=sys.stderr)
    sys.exit(code)


def __getattr__(name: str) -> Any:
    """The application, which takes long to import."""
    if name == "app":
        return import_module("treecrf.cli._app").app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
