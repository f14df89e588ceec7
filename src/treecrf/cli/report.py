"""The command ``treecrf-report``: what can be done with the results of a run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from treecrf.cli._shared import version_option

app = typer.Typer(
    name="treecrf-report",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Work with the results of a run of the studies.",
    epilog="Exit codes: 0 fine; 1 wrong input, described in one sentence; 2 wrong usage.",
)


@app.callback()
def _options(_version: Annotated[bool, version_option("treecrf-report")] = False) -> None:
    """Options of the command itself; with one command and no callback, typer would leave out the command's name."""


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(metavar="RUN_A", help="Folder of results or archive of the first run.")],
    run_b: Annotated[Path, typer.Argument(metavar="RUN_B", help="The same of the second run.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the page and its CSV files.")
    ] = Path("comparison"),
) -> None:
    """Compare two runs: settings that differ, numbers that differ, verdicts that flip."""
    from treecrf.report.comparing import PAGE, write_comparison

    typer.echo(write_comparison(run_a, run_b, output))
    typer.echo(f"Open {output / PAGE}")


def main() -> None:
    """Run the command line; wrong input ends it with one sentence and exit code 1."""
    try:
        app(prog_name="treecrf-report")
    except (ValueError, OSError) as error:
        print(f"treecrf-report: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
