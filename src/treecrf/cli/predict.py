"""``treecrf predict``: label the rows of a file."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treecrf.cli import _shared as shared

if TYPE_CHECKING:
    import pandas as pd


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model file of treecrf fit.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to label; needs no column with labels.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="CSV, Parquet or columns file to write; CSV on the terminal unless given.",
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column with the probability of each label.")
    ] = False,
    decoder: shared.Decoder = "forward_backward",
) -> None:
    """Label every row of a file: its own columns, in its own order, and a last one, predicted.

    [bold]Examples[/bold]
    treecrf predict model.npz new.csv -o labelled.csv
    treecrf predict model.npz new.conll -o labelled.conll
    treecrf predict model.npz new.csv --probabilities | head
    """
    from treecrf.datasets.columns import SUFFIXES, has_suffix

    if output is not None:
        shared.check_suffix(output, ".csv", ".tsv", ".parquet", *SUFFIXES)
        shared.check_writable(output, model, file)
    from treecrf.datasets.table import read_stored, read_table
    from treecrf.tabular.labeller import TableLabeller
    from treecrf.tabular.predicting import add_predictions

    labeller = TableLabeller.load(model)
    frame = read_table(file)
    labelled = add_predictions(labeller, frame, file, decoder, probabilities)
    for sentence in labeller.unseen(frame, file):
        shared.note(sentence)
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
            sys.stdout.reconfigure(encoding="utf-8")  # as every file that is written
        labelled.to_csv(sys.stdout, index=False)
        return
    if has_suffix(file, ".parquet") and has_suffix(output, ".parquet"):
        labelled[frame.columns] = read_stored(file)
    _write(labelled, output)
    typer.echo(f"Wrote {output}: {len(labelled):,} rows.")


def _write(frame: pd.DataFrame, path: Path) -> None:
    """A frame as the suffix says."""
    from treecrf.datasets.columns import has_suffix, is_columns_file, write_columns
    from treecrf.io.files import atomic

    with atomic(path) as temporary:
        if is_columns_file(path):
            write_columns(frame, temporary)
        elif has_suffix(path, ".parquet"):
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False, sep="\t" if has_suffix(path, ".tsv") else ",")
