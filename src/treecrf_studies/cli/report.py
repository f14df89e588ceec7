"""``treecrf-studies report``: the pages of a run, and a figure of it for a paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from treecrf.cli.shared import say


def report(
    config: Annotated[
        list[Path] | None,
        typer.Option(
            "--config",
            "-c",
            metavar="FILE",
            help="Settings of the run, laid over config/config.yaml as Snakemake does.",
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead of pages, write a figure that ends in .pdf, .svg or .png."),
    ] = None,
    width: Annotated[str, typer.Option(metavar="WIDTH", help="Width of the figure in in, cm or mm.")] = "6.8in",
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Methods of the figure, with commas between them; the first is compared with."
        ),
    ] = "",
) -> None:
    """Write the pages of a run again, or a figure of it for a paper."""
    from treecrf.io.files import read_configuration
    from treecrf_studies.framework.settings import load_settings

    inches = _inches(width)
    protocol = Path("config/config.yaml")
    below = [protocol] if protocol.is_file() or not config else []
    settings = load_settings(read_configuration([*below, *(config or [])]))
    if figure is not None:
        from treecrf_studies.report.page import write_paper_figure

        write_paper_figure(settings, figure, inches, [name.strip() for name in methods.split(",") if name.strip()])
        say(f"Wrote {figure}")
        return
    from treecrf_studies.report.ledger import CLAIMS
    from treecrf_studies.report.page import PAGE, UNFINISHED_FOLDER, write_page

    is_finished = Path(settings.results, CLAIMS).is_file()
    write_page(settings, Path(settings.results, "logs"), is_finished)
    say(f"Open {Path(settings.reports, '' if is_finished else UNFINISHED_FOLDER, PAGE)}")


def _inches(width: str) -> float:
    """A width with its unit in inches."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(in|cm|mm)?", width.strip())
    inches = float(found[1]) / {"cm": 2.54, "mm": 25.4}.get(found[2] or "in", 1.0) if found else 0.0
    if not 1 <= inches <= 40:
        raise ValueError(f"--width {width!r} is no width of 1 to 40 inches; write it like 3.3in or 84mm.")
    return inches
