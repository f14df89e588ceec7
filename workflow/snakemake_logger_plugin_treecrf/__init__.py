"""Logger plugin of Snakemake: a bar with the steps at work on a terminal, elsewhere one line per finished step.

Snakemake finds it by its name where this folder's parent is on the path (``workflow/progress.py``), and hands it events.
"""

from __future__ import annotations

from logging import ERROR, LogRecord
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

ENDINGS = ("Exiting because a job execution failed", "At least one job did not complete successfully")
"""What Snakemake says at the end of a run whose failures it has reported one at a time."""


class LogHandler(LogHandlerBase):
    """Shows how far a run is; failed steps with the first line of their logs."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        columns = (
            TextColumn("[bold]treecrf"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self.progress = Progress(*columns, console=self.console, disable=not self.console.is_terminal)
        self.task = self.progress.add_task("starting", total=None)
        self.at_work: dict[int, str] = {}
        self.any_shown = False
        self.progress.start()

    def emit(self, record: LogRecord) -> None:
        """Show one event."""
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self.progress.update(self.task, total=record.stats["total"])
            case LogEvent.JOB_INFO:
                self.at_work[record.jobid] = record.rule_msg or record.rule_name
            case LogEvent.JOB_FINISHED:
                self._finish(record.job_id)
            case LogEvent.PROGRESS:
                self.progress.update(self.task, completed=record.done, total=record.total)
            case LogEvent.JOB_ERROR:
                self.at_work.pop(record.jobid, None)
                self._show_failure(record.rule_name, [str(file) for file in record.log])
            case _ if record.levelno >= ERROR and not self._is_told(record):
                self.any_shown = True
                self._print(record.getMessage())
        self.progress.update(self.task, description="; ".join(list(self.at_work.values())[:2]))

    def close(self) -> None:
        """Take the bar away."""
        self.progress.stop()
        super().close()

    def _finish(self, job: int) -> None:
        step = self.at_work.pop(job, None)
        if step and self.progress.disable:
            self._print(f"  {step}")

    def _is_told(self, record: LogRecord) -> bool:
        """Whether an error is that of a failed step, which has an event of its own, or sums up those that were shown."""
        ends = any(ending in record.getMessage() for ending in ENDINGS)
        return getattr(record, "exception", None) == "RuleException" or (ends and self.any_shown)

    def _show_failure(self, rule: str, logs: list[str]) -> None:
        """Show the first line of each log of a failed step; without a log, name the step."""
        self.any_shown = True
        for log in logs:
            self._print(f"{first_line(log)}\n  (details: {log})")
        if not logs:
            self._print(f"The step {rule} failed.")

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)


def first_line(log: str) -> str:
    """The first line of a failed step's log; of a traceback the last one."""
    try:
        lines = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    if not lines:
        return f"A step failed before it wrote its log {log}."
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
