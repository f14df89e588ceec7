"""``treecrf predict``: label the rows of a file."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treecrf.cli import shared
from treecrf.io.messages import counted, printable

if TYPE_CHECKING:
    import pandas as pd


def predict(
    model: Annotated[Path, shared.argument("MODEL", "Model file of treecrf fit.")],
    file: Annotated[Path, shared.argument("FILE", "File to label; needs no labels.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="CSV, Parquet or columns file to write (default: CSV on standard output).",
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column with the probability of each label.")
    ] = False,
    decoder: shared.Decoder = None,
    n_best: Annotated[
        int | None,
        typer.Option(
            "--n-best",
            min=1,
            metavar="N",
            help="Write the N most probable label sequences (predicted, predicted_2, ..) and their probabilities.",
        ),
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            "--constraints",
            metavar="NAME",
            help="Allow only valid entities of a scheme, bio, bioes, bilou or bmes: no I-PER after O.",
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            "--known", metavar="COLUMN", help="Column with known labels, which are kept; empty cells are predicted."
        ),
    ] = None,
    lag: Annotated[
        int | None,
        typer.Option(
            "--lag", min=0, metavar="N", help="Label each row as in a stream, from the rows up to N rows later."
        ),
    ] = None,
    unknown: shared.Unknown = 0.0,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    quote: shared.Quote = None,
    na: shared.Na = None,
) -> None:
    """Label every row of a file. The output has its columns in order and a last column, predicted.

    CSV is written in UTF-8 with commas, decimal points and quotes where needed, whatever the dialect of the input. A
    CoNLL-U file (.conllu to .conllu) keeps every line and gets predicted=LABEL in MISC.

    [bold]Examples[/bold]
    treecrf predict model.npz new.csv -o labelled.csv
    treecrf predict model.npz new.conll -o labelled.conll
    treecrf predict model.npz new.csv --probabilities | head
    treecrf predict model.npz new.csv --n-best 3 --known label -o labelled.csv
    """
    from treecrf.readers.columns import SUFFIXES

    dialect = shared.parse_dialect(format_, separator, decimal, encoding, quote, na)
    if output is not None:
        shared.check_suffix(output, ".csv", ".tsv", ".parquet", ".conllu", *SUFFIXES)
        shared.check_writable(output, model, file)
    from treecrf.automl.labeller import TableLabeller
    from treecrf.automl.prediction import PredictOptions, add_predictions
    from treecrf.io.files import read_content, write_text
    from treecrf.readers.columns import add_to_conllu
    from treecrf.readers.reading import format_of, read_stored, read_table

    labeller = TableLabeller.load(model)
    dialect = labeller.dialect(dialect)
    table = labeller.complete(read_table(file, dialect, labeller.columns.sequence, shared.note), unknown)
    kind = None if file.is_dir() else format_of(read_content(file), dialect)
    if output is not None and output.suffix.lower() == ".conllu" and kind != "conllu":
        raise ValueError(f"{output} cannot be CoNLL-U, since {file} is not; name it .conll or .csv.")
    options = PredictOptions(decoder, probabilities, n_best, constraints, lag, known)
    for sentence in labeller.notices(table, unknown):
        shared.note(sentence)
    labelled = add_predictions(labeller, table, options)
    if output is None:
        if sys.stdout.isatty():
            sys.stdout.write(printable(labelled.to_csv(index=False, float_format="%.4g")))
            return
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # as every file that is written
        _write_csv(labelled, sys.stdout, ",")
        return
    if output.suffix.lower() == ".conllu":
        added = {name: labelled[name].tolist() for name in labelled.columns.difference(table.frame.columns, sort=False)}
        write_text(add_to_conllu(read_content(file), added, table.frame.index.tolist(), dialect.encoding), output)
    else:
        if kind == "parquet" and output.suffix.lower() == ".parquet":
            labelled[table.frame.columns] = read_stored(file, labeller.columns.sequence)
        write(labelled, output, labeller.columns.sequence)
    shared.say(f"Wrote {output}: {counted(len(labelled), 'row')}.")


def write(frame: pd.DataFrame, path: Path, sequence: str) -> None:
    """A frame as the suffix says."""
    from treecrf.io.files import atomic
    from treecrf.readers.columns import SUFFIXES, UNSPECIFIED, write_columns

    with atomic(path) as temporary:
        if path.suffix.lower() in SUFFIXES:
            n_unspecified = int((frame.drop(columns=sequence) == UNSPECIFIED).to_numpy().sum())
            if n_unspecified:
                shared.note(f"{path}: {counted(n_unspecified, 'cell')} with _, which stands for a missing value there.")
            write_columns(frame, temporary, sequence)
        elif path.suffix.lower() == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            _write_csv(frame, temporary, "\t" if path.suffix.lower() == ".tsv" else ",")


def _write_csv(frame: pd.DataFrame, target: Any, separator: str) -> None:
    """Write CSV, with quotes around every cell where one has line ends: pandas forgets them for a carriage return."""
    columns = [
        frame.columns.to_series(),
        *(frame[name] for name in frame.columns if frame[name].dtype.kind not in "iuf"),
    ]
    has_ends = any(cells.astype(str).str.contains("[\r\n]").any() for cells in columns)
    frame.to_csv(target, index=False, sep=separator, quoting=csv.QUOTE_ALL if has_ends else csv.QUOTE_MINIMAL)
