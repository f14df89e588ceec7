"""The application: its commands and exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treecrf.cli.shared import Command, Group, argument, help_text, run_program, say, version_option
from treecrf_studies.cli.missing import missing
from treecrf_studies.cli.report import report


def compare(
    run_a: Annotated[Path, argument("RUN_A", "Folder, folder of results or archive of the first run.")],
    run_b: Annotated[Path, argument("RUN_B", "The same of the second run.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the page and its CSV files.")
    ] = Path("comparison"),
) -> None:
    """Compare two runs: settings that differ, numbers that differ, verdicts that flip."""
    from treecrf_studies.rendering.site import PAGE
    from treecrf_studies.report.comparing import write_comparison

    say(write_comparison(run_a, run_b, output))
    say(f"Open {output / PAGE}")


app = typer.Typer(
    name="treecrf-studies",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Study the missing values of your own data, and work with the results of a run of the studies.",
    epilog="Exit codes: 0 success; 1 wrong input, described in one sentence; 2 wrong usage; 130 or 143 interrupted.",
)


for command in (missing, compare, report):
    app.command(cls=Command, help=help_text(command.__doc__ or ""))(command)


@app.callback()
def _start(_version: Annotated[bool, version_option("treecrf-studies")] = False) -> None:
    pass


def run() -> None:
    """Run the command line."""
    run_program(app, "treecrf-studies")
