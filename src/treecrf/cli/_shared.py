"""Common parts of the commands: options, reading files, progress, tables on the terminal."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from treecrf.io.frames import Kind
    from treecrf.readers.tables import TableColumns, TypedTable
    from treecrf.readers.text_files import Dialect
    from treecrf.sequences import SequenceSet

Sequence_ = Annotated[
    str,
    typer.Option(
        "--sequence",
        metavar="COLUMN",
        help="Column that tells sequences apart (a columns file has blank lines instead).",
    ),
]
Label = Annotated[
    str,
    typer.Option(
        "--label", metavar="COLUMN", help="Column with the labels; in a columns file the last one unless given."
    ),
]
Attributes = Annotated[
    str | None,
    typer.Option("--attributes", metavar="COLUMNS", help="Input columns, such as word,shape; all others unless given."),
]
Window = Annotated[
    str,
    typer.Option(
        "--window", metavar="N,N", help="Observations before and after a position that the labeller sees, such as 3,3."
    ),
]
Decoder = Annotated[
    Literal["forward_backward", "viterbi"],
    typer.Option(
        "--decoder",
        metavar="NAME",
        help="forward_backward: the likeliest label of each position. viterbi: the likeliest sequence of labels.",
    ),
]

Kinds = Annotated[
    str | None,
    typer.Option(
        "--kinds",
        metavar="COLUMN=KIND,..",
        help="What columns hold, such as zip=category,age=number. Unless given, a column holds numbers if all its cells do, "
        "and categories if these are whole and few.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="csv, columns, conllu or parquet; what the name of the file ends in says it unless given.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="CHARACTER",
        help="What stands between the cells of a CSV file, such as ; or tab; found out unless given.",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="MARK",
        help="Decimal mark of a CSV file: . or a comma (the other may stand between thousands); found out unless given.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Such as utf-8, cp1252 or utf-16; found out unless given.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads, at most one per processor; all unless given. They change no result.",
        callback=lambda number: None if number is None else min(number, n_processors()),
    ),
]

MOST_CELLS = 2**32
"""Of all windows together; each takes at least a byte."""

Tick = Callable[[int, str], None]
"""Called with how much is done and a few words."""


def note(text: str) -> None:
    """Say something beside the result: a line on stderr."""
    typer.echo(text, err=True)


def help_text(text: str) -> str:
    """A docstring as help: lines of a paragraph joined, but for examples, which stand line by line."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(part if part.startswith(("treecrf ", "[")) else part.replace("\n", " ") for part in paragraphs)


def check_choice(option: str, value: str, known: Sequence[str]) -> None:
    """Refuse a value that an option does not have: wrong usage."""
    if value not in known:
        raise typer.BadParameter(f"{value!r} is not known; choose one of {', '.join(known)}.", param_hint=option)


def parse_window(text: str) -> tuple[int, int]:
    """`LEFT,RIGHT` as two numbers; wrong usage otherwise."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise typer.BadParameter(
            f"{text!r} is not two whole numbers with a comma between, such as 3,3.", param_hint="--window"
        )
    return int(parts[0]), int(parts[1])


def parse_kinds(text: str | None) -> dict[str, Kind]:
    """`COLUMN=KIND,..` as a mapping; wrong usage if a kind is not known."""
    from treecrf.io.frames import KINDS

    kinds: dict[str, Kind] = {}
    for part in [] if text is None else text.split(","):
        name, _, kind = part.strip().rpartition("=")
        if not name or kind not in KINDS:
            raise typer.BadParameter(
                f"{part!r} is not a column and its kind, such as age=number or zip=category.", param_hint="--kinds"
            )
        kinds[name] = kind
    return kinds


def parse_dialect(format_: str | None, separator: str | None, decimal: str | None, encoding: str | None) -> Dialect:
    """How a file is written; wrong usage if a value is not known."""
    from treecrf.readers.text_files import Dialect

    try:
        return Dialect(cast("Any", format_), separator, decimal, encoding)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


class TableOptions(NamedTuple):
    """What a user says of a file with labels: its columns, what they hold, and how the file is written.

    `attributes` are all other columns where they are None.
    """

    sequence: str
    label: str
    attributes: tuple[str, ...] | None
    kinds: Mapping[str, Kind]
    dialect: Dialect

    @classmethod
    def parse(
        cls,
        sequence: str,
        label: str,
        attributes: str | None,
        kinds: str | None,
        *dialect: *tuple[str | None, str | None, str | None, str | None],
    ) -> TableOptions:
        """From the command line; wrong usage if a value is not known."""
        names = None if attributes is None else tuple(name.strip() for name in attributes.split(","))
        return cls(sequence, label, names, parse_kinds(kinds), parse_dialect(*dialect))


def window_within(window: tuple[int, int], data: SequenceSet) -> tuple[int, int]:
    """A window without the places that are outside of every sequence; a ValueError if it is too large all the same."""
    import numpy as np

    most = int(np.diff(data.observation_offsets).max()) - 1
    left, right = min(window[0], most), min(window[1], most)
    n_cells = data.n_cells * (left + right + 1)
    if n_cells > MOST_CELLS:
        raise ValueError(f"the windows {left},{right} have {n_cells:,} cells, too many; give a smaller --window.")
    if (left, right) != window:
        note(f"No sequence has more than {most + 1:,} observations: the window is {left},{right}.")
    return left, right


def read_labelled_table(
    path: Path, options: TableOptions, *, strict: bool
) -> tuple[TypedTable, TableColumns, SequenceSet]:
    """The table at `path`, how its columns are read, and its sequences, as a labeller would be trained on them.

    With `strict`, cells such as "NA" among numbers are refused, and columns without any cell are left out unless they were named.
    """
    from treecrf.readers.reading import read_table

    table = read_table(path, options.dialect, options.sequence, note)
    label = table.label_column(options.label)
    names = options.attributes
    if names is None:
        names = tuple(name for name in table if name not in (options.sequence, label))
        names = _with_cells(table, names) if strict else names
    table.check_columns([options.sequence, label, *names], "name yours by --sequence, --label and --attributes")
    columns = table.decide_columns(options.sequence, label, names, options.kinds)
    if strict:
        table.check_marks([name for name in columns.categories if name not in options.kinds])
    return table, columns, table.encode(columns)


def _with_cells(table: TypedTable, names: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that have a cell; others are named on stderr."""
    if table.frame.empty:
        return names
    full = tuple(name for name in names if len(table[name].distinct[1]))
    for name in names:
        if name not in full:
            note(f"Column {name!r} is empty everywhere, and left out.")
    if names and not full:
        raise ValueError(
            f"table {table.path}: no column but those of sequences and labels has a cell; there is nothing to learn from."
        )
    return full


def read_training_set(path: Path, options: TableOptions) -> tuple[TableColumns, SequenceSet]:
    """The sequences at `path`, and how its columns are read; columns of little use are named on stderr."""
    from treecrf.automl.description import column_warnings, kinds_sentence

    table, columns, data = read_labelled_table(path, options, strict=True)
    if len(data.label_names) < 2:
        raise ValueError(
            f"table {path}, column {columns.label!r}: every label is {data.label_names[0]!r}, and labelling needs at least "
            "two."
        )
    decided = kinds_sentence(table, columns)
    for sentence in [*([] if decided is None else [decided]), *column_warnings(table, columns)]:
        note(sentence)
    return columns, data


def n_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_suffix(path: Path, *known: str) -> None:
    """Refuse an output whose name does not say what it is: wrong usage."""
    if path.suffix.lower() not in known:
        ending = known[0] if len(known) == 1 else f"one of {', '.join(known)}"
        raise typer.BadParameter(f"{path.name!r} does not end in {ending}.", param_hint="--output")


def check_writable(path: Path, *inputs: Path, make: bool = False) -> None:
    """Refuse a place that cannot be written to, or is an input, before anything takes long; with `make`, make its folder."""
    folder = path.resolve().parent
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder {folder} for {path.name} does not exist; make it first.")
    if not os.access(folder, os.W_OK) or path.is_dir():
        raise PermissionError(f"{path} cannot be written; choose another place.")
    for file in inputs:
        if path.exists() and file.exists() and path.samefile(file):
            raise ValueError(f"{path} is the input {file}, which the output would replace; choose another place.")


def console(*, stderr: bool = False) -> Console:
    """A terminal, or whatever stands for one; without colours where output goes to a file."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


@contextmanager
def progress(title: str, total: int) -> Iterator[Tick]:
    """Show how far something is: a bar on a terminal, elsewhere a line at each tenth; on stderr."""
    if not sys.stderr.isatty():
        n_tenths = 0

        def tell(done: int, words: str) -> None:
            nonlocal n_tenths
            if done == total or 10 * done // total > n_tenths:
                n_tenths = 10 * done // total
                typer.echo(f"{title}: {done} of {total}{', ' if words else ''}{words}", err=True)

        yield tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.fields[title]}"), BarColumn(bar_width=20), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=console(stderr=True)) as bars:
        task = bars.add_task("", total=total, title=title)
        yield lambda done, words: bars.update(task, completed=done, description=words)


def show_table(frame: pd.DataFrame, title: str = "", *, most: int | None = None) -> None:
    """Print a frame: words to the left, numbers to the right, as they are."""
    from rich.table import Table
    from rich.text import Text

    if title:
        console().print(Text(title, style="bold"))
    table = Table(box=None, pad_edge=False)
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iuf"
        table.add_column(Text(str(name)), justify="right" if is_number else "left", overflow="fold")
    shown = frame if most is None else frame.head(most)
    for row in shown.itertuples(index=False, name=None):
        table.add_row(*(Text(cell_text(cell)) for cell in row))
    console().print(table)
    if len(shown) < len(frame):
        console().print(f"... and {len(frame) - len(shown):,} more")
    console().print()


def show_markdown(text: str) -> None:
    """Print Markdown."""
    from rich.markdown import Markdown

    console().print(Markdown(text))
    console().print()


def cell_text(cell: object) -> str:
    """A number with its thousands apart, a fraction with three digits, – for NaN."""
    if isinstance(cell, float):
        return "–" if cell != cell else f"{cell:.3f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
