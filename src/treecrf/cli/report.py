"""The command ``treecrf-report``: what can be done with the results of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treecrf.cli._shared import Group, argument, run_program, say, version_option

app = typer.Typer(
    name="treecrf-report",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Work with the results of a run of the studies.",
    epilog="Exit codes: 0 success; 1 wrong input, described in one sentence; 2 wrong usage; 130 or 143 interrupted.",
)


@app.callback()
def _options(_version: Annotated[bool, version_option("treecrf-report")] = False) -> None:
    """Options of the command itself; with one command and no callback, typer would leave out the command's name."""


@app.command()
def compare(
    run_a: Annotated[Path, argument("RUN_A", "Folder of results or archive of the first run.")],
    run_b: Annotated[Path, argument("RUN_B", "The same of the second run.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the page and its CSV files.")
    ] = Path("comparison"),
) -> None:
    """Compare two runs: settings that differ, numbers that differ, verdicts that flip."""
    from treecrf.report.comparing import PAGE, write_comparison

    say(write_comparison(run_a, run_b, output))
    say(f"Open {output / PAGE}")


def run() -> None:
    """Run the command line."""
    run_program(app, "treecrf-report")
