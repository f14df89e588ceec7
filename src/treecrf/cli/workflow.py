"""``treecrf-workflow``: what a run of the studies would do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

_SCRIPT = Path("workflow/plan.py")

app = typer.Typer(name="treecrf-workflow", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def workflow() -> None:
    """Run the studies of the papers with Snakemake; to be called in the folder of treecrf's Snakefile."""


@app.command()
def plan(
    targets: Annotated[list[str] | None, typer.Argument(help="Studies or files; the whole page unless given.")] = None,
    cores: Annotated[int | None, typer.Option(help="Cores of the run; all unless given.", min=1)] = None,
    configfile: Annotated[list[str] | None, typer.Option(help="Laid over config/config.yaml.")] = None,
) -> None:
    """Say which jobs a run would do, why, and what they take."""
    if not _SCRIPT.is_file():
        raise ValueError(f"{_SCRIPT} is not here; call this in the folder of treecrf's Snakefile.")
    options = [option for name in configfile or [] for option in ("--configfile", name)]
    command = [sys.executable, str(_SCRIPT), *(targets or []), "--cores", str(cores or os.cpu_count()), *options]
    raise typer.Exit(subprocess.run(command, check=False).returncode)


def main() -> None:
    """Run the command line; wrong input ends it with one sentence and exit code 1."""
    try:
        app(prog_name="treecrf-workflow")
    except ValueError as error:
        print(f"treecrf-workflow: {error}", file=sys.stderr)
        sys.exit(1)
