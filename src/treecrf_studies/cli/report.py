"""``treecrf-studies report``: a run on one's own data, the pages of a run, and a figure of it for a paper."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from treecrf.cli import shared, tables
from treecrf.cli.shared import say

PROTOCOL, PROGRESS = Path("config/config.yaml"), Path("workflow/progress.py")

USUAL_METHODS = "treecrf_newton,linear_crf,lightgbm"


def report(
    data: Annotated[
        Path | None,
        shared.argument("[DATA]", "File with labels, to run the methods on; without it, name a run by --config."),
    ] = None,
    sequence: shared.Sequence_ = "sequence",
    label: shared.Label = "label",
    attributes: shared.Attributes = None,
    window: shared.Window = "3,3",
    groups: shared.Groups = None,
    runs: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder with a folder for each run on DATA.")] = Path(
        "runs"
    ),
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
        typer.Option(
            metavar="FILE",
            help="Write a figure that ends in .pdf, .svg or .png: instead of pages, or after the run on DATA.",
        ),
    ] = None,
    width: Annotated[str, typer.Option(metavar="WIDTH", help="Width of the figure in in, cm or mm.")] = "6.8in",
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Methods to run on DATA ({USUAL_METHODS}), or of the figure, with commas between them; the first is "
            "compared with.",
        ),
    ] = "",
    threads: shared.Threads = None,
) -> None:
    """Train methods on a file and compare them by tests, or write the pages of a run again, or a figure of it.

    With DATA the workflow runs in the folder of the repository. Each combination of settings has a folder of its own
    below --runs, and a page lists all runs with their settings and results, and compares each with the one before it.

    [bold]Examples[/bold]
    treecrf-studies report words.csv --sequence word --label hyphen --window 2,3
    treecrf-studies report words.csv --sequence word --label hyphen --methods treecrf_newton,linear_crf
    treecrf-studies report --config runs/words-1/config.yaml --figure gaps.pdf --width 3.3in
    """
    named, inches = _names(methods), _inches(width)
    if data is not None:
        if config:
            raise typer.BadParameter("DATA makes a run by itself; leave --config out.")
        reading = tables.TableOptions.parse(sequence, label, attributes, None, groups=groups)
        sides = shared.parse_window(window)
        named = named or _names(USUAL_METHODS)
        if figure is not None:
            _check_figure(figure, named)
        runs = _written_folder(runs)
        folder = _run(data, runs, reading, sides, named, threads or shared.n_processors())
        from treecrf_studies.report.runs import CONFIGURATION, REPORTS, write_runs

        if figure is not None:  # before the site, whose packages have loggers tell every step of a PDF
            _draw([PROTOCOL, folder / CONFIGURATION], figure, inches, named)
        listed = write_runs(runs)
        say(f"All runs: {listed}\nOpen {folder / REPORTS / 'index.html'}")
        return
    below = [PROTOCOL] if PROTOCOL.is_file() or not config else []
    files = [*below, *(config or [])]
    if figure is not None:
        _draw(files, figure, inches, named)
        return
    from treecrf.io.files import read_configuration
    from treecrf_studies.framework.settings import load_settings
    from treecrf_studies.rendering.site import PAGE
    from treecrf_studies.report.ledger import CLAIMS
    from treecrf_studies.report.page import UNFINISHED_FOLDER, write_page

    settings = load_settings(read_configuration(files))
    is_finished = Path(settings.results, CLAIMS).is_file()
    write_page(settings, Path(settings.results, "logs"), is_finished)
    say(f"Open {Path(settings.reports, '' if is_finished else UNFINISHED_FOLDER, PAGE)}")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _written_folder(folder: Path) -> Path:
    """The folder, by its whole path where it is outside the working folder, as settings of a run ask for."""
    return folder.resolve() if os.path.normpath(folder).startswith("..") else folder


def _check_figure(figure: Path, methods: list[str]) -> None:
    """Refuse, before a run, a figure that could not be written after it."""
    from treecrf_studies.training.rivals import paper_format

    paper_format(figure)
    if len(methods) < 2:
        raise typer.BadParameter("A figure compares methods; name two or more.", param_hint="--methods")


def _draw(configuration: list[Path], figure: Path, inches: float, methods: list[str]) -> None:
    """Write the figure of the run with these settings."""
    from treecrf.io.files import read_configuration
    from treecrf_studies.framework.settings import load_settings
    from treecrf_studies.training.rivals import write_paper_figure

    write_paper_figure(load_settings(read_configuration(configuration)), figure, inches, methods)
    say(f"Wrote {figure}")


def _run(
    data: Path, runs: Path, reading: tables.TableOptions, window: tuple[int, int], methods: list[str], n_cores: int
) -> Path:
    """Run the workflow on the inputs that `treecrf fit` would take of a file, and return the folder of the run."""
    if not data.exists():
        raise FileNotFoundError(f"{data} does not exist; name a file with labels.")
    if not (PROTOCOL.is_file() and PROGRESS.is_file()):
        raise FileNotFoundError(
            f"{PROTOCOL} and {PROGRESS} are not here; run this command in the folder of the repository."
        )
    from treecrf_studies.report.runs import CONFIGURATION, place_run

    columns, _, _ = tables.read_training_set(data, reading)
    dataset: dict[str, Any] = {
        "path": str(data),
        "sequence": columns.sequence,
        "label": columns.label,
        "attributes": list(columns.attributes),
        "window": list(window),
    }
    if columns.groups is not None:
        dataset["groups"] = columns.groups
    name = re.sub(r"\W+", "_", data.name.partition(".")[0]) or "data"
    folder = place_run(runs, name, dataset, methods)
    shared.note(f"Running {', '.join(methods)} in {folder}")
    command = [sys.executable, str(PROGRESS), "--cores", str(n_cores), "--configfile", str(folder / CONFIGURATION)]
    code = subprocess.run(command).returncode
    if code:
        raise typer.Exit(code)
    return folder


def _inches(width: str) -> float:
    """A width with its unit in inches."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(in|cm|mm)?", width.strip())
    inches = float(match[1]) / {"cm": 2.54, "mm": 25.4}.get(match[2] or "in", 1.0) if match else 0.0
    if not 1 <= inches <= 40:
        raise ValueError(f"--width {width!r} is no width of 1 to 40 inches; write it like 3.3in or 84mm.")
    return inches
