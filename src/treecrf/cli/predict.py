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
    n_best: Annotated[
        int | None,
        typer.Option(
            "--n-best",
            min=1,
            metavar="N",
            help="The N likeliest label sequences: predicted, predicted_2, .., and the probability of each as a whole.",
        ),
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            "--constraints",
            metavar="NAME",
            help="bio or bioes: only labellings that encode entities, such as no I-PER after O.",
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known", metavar="COLUMN", help="Column with labels that are known already; its other cells are empty."
        ),
    ] = None,
    lag: Annotated[
        int | None,
        typer.Option(
            "--lag", min=0, metavar="N", help="Label each row by what is seen N rows later, as a stream is labelled."
        ),
    ] = None,
) -> None:
    """Label every row of a file: its own columns, in its own order, and a last one, predicted.

    [bold]Examples[/bold]
    treecrf predict model.npz new.csv -o labelled.csv
    treecrf predict model.npz new.conll -o labelled.conll
    treecrf predict model.npz new.csv --probabilities | head
    treecrf predict model.npz new.csv --n-best 3 --known label -o labelled.csv
    """
    from treecrf.datasets.columns import SUFFIXES, has_suffix

    if output is not None:
        shared.check_suffix(output, ".csv", ".tsv", ".parquet", *SUFFIXES)
        shared.check_writable(output, model, file)
    from treecrf.datasets.table import read_stored, read_table
    from treecrf.tabular.labeller import TableLabeller
    from treecrf.tabular.predicting import Wanted, add_predictions

    labeller = TableLabeller.load(model)
    frame = read_table(file)
    wanted = Wanted(decoder, probabilities, n_best, constraints, lag, known)
    labelled = add_predictions(labeller, frame, file, wanted)
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
