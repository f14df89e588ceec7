"""``treecrf-studies compare``: two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treecrf.cli.shared import argument, say


def compare(
    run_a: Annotated[Path, argument("RUN_A", "Folder of results or archive of the first run.")],
    run_b: Annotated[Path, argument("RUN_B", "The same of the second run.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the page and its CSV files.")
    ] = Path("comparison"),
) -> None:
    """Compare two runs: settings that differ, numbers that differ, verdicts that flip."""
    from treecrf_studies.report.comparing import PAGE, write_comparison

    say(write_comparison(run_a, run_b, output))
    say(f"Open {output / PAGE}")
