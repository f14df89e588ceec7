"""Logger plugin of Snakemake: a bar and the running steps on a terminal, elsewhere one line per finished step.

Snakemake finds it by its name where this folder's parent is on the path (``workflow/progress.py``), and hands it
events.
"""

from __future__ import annotations

from collections.abc import Iterator
from logging import ERROR, LogRecord
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from treecrf.io.messages import printable

MOST_STEPS = 3
"""Running steps that are shown."""

SUMMARIES = ("Exiting because a job execution failed", "At least one job did not complete successfully")
"""What Snakemake says at the end of a run whose failures it has reported one at a time."""

LOCKED = (
    "Another run is at work in this folder; wait for it, or end it. Where there is none, call `snakemake --unlock`."
)

SIGKILL = ("died with <Signals.SIGKILL", "returned non-zero exit status 137")
"""What Snakemake says of a step that the system has killed, which leaves no reason in its log."""

KILLED = (
    "The step {} was killed, most likely for its memory; run fewer at a time (--cores), or use a machine with more."
)


class StepProgress(Progress):
    """A bar, and below it a line for each running step."""

    def __init__(self, console: Console) -> None:
        self.steps: dict[int, str] = {}
        columns = TextColumn("[bold]treecrf"), BarColumn(bar_width=30), MofNCompleteColumn(), TimeElapsedColumn()
        super().__init__(*columns, console=console, disable=not console.is_terminal, refresh_per_second=2)

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bar, and lines that are cut where the terminal ends."""
        yield self.make_tasks_table(self.tasks)
        steps = list(self.steps.values())
        more = [f"and {len(steps) - MOST_STEPS} more"] if len(steps) > MOST_STEPS else []
        for line in (*steps[:MOST_STEPS], *more):
            yield Text(f"  {line}", no_wrap=True, overflow="ellipsis")


class LogHandler(LogHandlerBase):
    """Shows the progress of a run, and failed steps with the first line of their logs."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.progress = StepProgress(self.console)
        self.task = self.progress.add_task("", total=None)
        self.any_error = self.was_killed = False
        self.progress.start()

    def emit(self, record: LogRecord) -> None:
        """Show one event."""
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self.progress.update(self.task, total=record.stats["total"])
            case LogEvent.JOB_INFO:
                self.progress.steps[record.jobid] = printable(record.rule_msg or record.rule_name)
            case LogEvent.JOB_FINISHED:
                step = self.progress.steps.pop(record.job_id, None)
                if step and self.progress.disable:
                    self._print(f"  {step}")
            case LogEvent.PROGRESS:
                self.progress.update(self.task, completed=record.done, total=record.total)
            case LogEvent.JOB_ERROR:
                self.progress.steps.pop(record.jobid, None)
                killed, self.was_killed = self.was_killed, False
                for log in record.log:
                    reason = KILLED.format(record.rule_name) if killed else first_line(log)
                    self._print_error(f"{reason}\n  (details: {log})")
                if not record.log:
                    self._print_error(f"The step {record.rule_name} failed.")
            case _ if getattr(record, "exception", None) == "RuleException":  # the step's own event follows
                self.was_killed = any(text in record.getMessage() for text in SIGKILL)
            case _ if getattr(record, "exception", None) == "LockException":
                self._print_error(LOCKED)
            case _ if record.levelno >= ERROR and not self._is_repeated(record):
                self._print_error(record.getMessage())

    def close(self) -> None:
        """Take the bar away."""
        self.progress.stop()
        super().close()

    def _is_repeated(self, record: LogRecord) -> bool:
        """Whether an error sums up those that were shown."""
        return self.any_error and any(text in record.getMessage() for text in SUMMARIES)

    def _print_error(self, text: str) -> None:
        self.any_error = True
        self._print(text)

    def _print(self, text: str) -> None:
        """Print lines, broken between words on a terminal and not at all elsewhere."""
        self.console.print(printable(text), soft_wrap=not self.console.is_terminal)


def first_line(log: str) -> str:
    """The first line of a failed step's log; of a traceback the last one."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    if not lines:
        return f"A step failed before it wrote its log {log}."
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
