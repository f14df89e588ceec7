"""Common parts of the commands: options, reading files, progress, tables on the terminal."""

from __future__ import annotations

import errno
import inspect
import io
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import typer
from typer.core import TyperCommand, TyperGroup

from treecrf.io.messages import printable
from treecrf.io.streams import discard_output

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from treecrf.io.columns import Kind
    from treecrf.readers.tables import TableColumns, TypedTable
    from treecrf.readers.text_files import Dialect
    from treecrf.sequences import SequenceSet

    _Base = TyperCommand
else:
    _Base = object

DATA, METHOD, MISSING, SEARCH, FILE = "Data", "Method", "Missing values", "Search", "File format"
"""Groups of options in help texts."""


def option(
    help_: str, metavar: str, *names: str, group: str = "Options", default: str | bool = True, **others: Any
) -> Any:
    """An option in a group of the help text; `default` is what the help text calls a default of None."""
    return typer.Option(
        *names, help=help_, metavar=metavar, rich_help_panel=group, show_default=default, readable=False, **others
    )


def argument(metavar: str, help_: str) -> Any:
    """A file or files; one that cannot be read is wrong input and not wrong usage."""
    return typer.Argument(metavar=metavar, help=help_, readable=False)


def version_option(command: str) -> Any:
    """The option ``--version`` of a command."""

    def show(is_wanted: bool) -> None:
        if is_wanted:
            typer.echo(f"{command} {version('treecrf')}")
            raise typer.Exit

    return typer.Option("--version", is_eager=True, callback=show, help="Show the version and exit.")


Sequence_ = Annotated[
    str,
    option(
        "Column that identifies sequences; a columns file has blank lines instead.", "COLUMN", "--sequence", group=DATA
    ),
]
Label = Annotated[
    str, option("Column with the labels; in a columns file by default the last.", "COLUMN", "--label", group=DATA)
]
Attributes = Annotated[
    str | None,
    option("Input columns, such as word,shape.", "COLUMNS", "--attributes", group=DATA, default="all other columns"),
]
Groups = Annotated[
    str | None,
    option(
        "Column of what related sequences share, such as a person or a document: they are held out together.",
        "COLUMN",
        "--groups",
        group=DATA,
        default="every sequence by itself",
    ),
]
Kinds = Annotated[
    str | None,
    option(
        "Types of columns, such as zip=category,age=number.",
        "COLUMN=KIND,..",
        "--kinds",
        group=DATA,
        default="detected",
    ),
]
Window = Annotated[
    str,
    option("Observations before and after a position that the labeller sees.", "N,N", "--window", group=METHOD),
]
Decoder = Annotated[
    Literal["forward_backward", "viterbi"] | None,
    option(
        "forward_backward: most probable label of each position. viterbi: most probable label sequence.",
        "NAME",
        "--decoder",
        default="what the model was chosen for: forward_backward, or, of spans, the most probable possible labels",
    ),
]
Format = Annotated[
    str | None,
    option(
        "csv, columns, conllu, parquet, feather, jsonl or arff.",
        "NAME",
        "--format",
        group=FILE,
        default="by the file name",
    ),
]
Separator = Annotated[
    str | None,
    option(
        "Field separator of a CSV file, such as ; or tab.", "CHARACTER", "--separator", group=FILE, default="detected"
    ),
]
Decimal = Annotated[
    str | None,
    option("Decimal mark of a CSV file, . or a comma.", "MARK", "--decimal", group=FILE, default="detected"),
]
Encoding = Annotated[
    str | None,
    option("Encoding, such as utf-8, cp1252 or utf-16.", "NAME", "--encoding", group=FILE, default="detected"),
]
Unknown = Annotated[
    float,
    option(
        "Share of the cells of a column with values that training did not have, above which a warning names the "
        "column. 1 labels a file whose column has no other values, too.",
        "SHARE",
        "--unknown",
        group=DATA,
        min=0.0,
        max=1.0,
    ),
]
Threads = Annotated[
    int | None,
    option(
        "Number of threads; does not change results.",
        "N",
        "--threads",
        default="all processors",
        min=1,
        callback=lambda number: None if number is None else min(number, n_processors()),
    ),
]

MOST_CELLS = 2**32
"""Of all windows together; each takes at least a byte."""

Tick = Callable[[int, str], None]
"""Called with how much is done and a few words."""


def note(text: str) -> None:
    """Write a line to stderr."""
    say(text, err=True)


def say(text: str = "", *, err: bool = False) -> None:
    """Print a text on stdout or stderr; on a terminal, lines break between words."""
    text = printable(text)
    if (sys.stderr if err else sys.stdout).isatty():
        wrapper = TextWrapper(shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(map(wrapper.fill, text.split("\n")))
    typer.echo(text, err=err)


def help_text(text: str) -> str:
    """A docstring as help: lines of a paragraph joined, but for examples, which stand line by line."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(part if part.startswith(("treecrf ", "[")) else part.replace("\n", " ") for part in paragraphs)


def check_choice(option: str, value: str, known: Sequence[str]) -> None:
    """Refuse a value that an option does not have: wrong usage."""
    if value not in known:
        raise typer.BadParameter(f"{value!r} is not known; choose one of {', '.join(known)}.", param_hint=option)


def parse_window(text: str, option: str = "--window") -> tuple[int, int]:
    """`LEFT,RIGHT` as two numbers; wrong usage of the option otherwise."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise typer.BadParameter(
            f"{text!r} is not two whole numbers with a comma between, such as 3,3.", param_hint=option
        )
    return int(parts[0]), int(parts[1])


def parse_kinds(text: str | None) -> dict[str, Kind]:
    """`COLUMN=KIND,..` as a mapping; wrong usage if a kind is not known."""
    from treecrf.io.columns import KINDS

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
    """Format and dialect of a file; wrong usage if a value is unknown."""
    from treecrf.readers.text_files import Dialect

    try:
        return Dialect(cast("Any", format_), separator, decimal, encoding)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


class _PlainHelp(_Base):
    """Help without braces in its usage, types of flags, and ranges, which the texts name."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The parts of the usage line."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; nothing is parsed after it."""
        for parameter in self.get_params(ctx):
            vars(parameter).update(min=None, max=None)
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        super().format_help(ctx, formatter)


class Command(_PlainHelp, TyperCommand):
    """A command with plain help."""


class Group(_PlainHelp, TyperGroup):
    """A group of commands with plain help, which end quietly where the reader of their output has closed the pipe."""

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            discard_output()
            raise typer.Exit(0) from None


def run_program(app: typer.Typer, name: str) -> None:
    """Run a command line; wrong input ends it with one sentence and exit code 1."""
    warnings.simplefilter("ignore")  # warnings of libraries mean nothing to users of the command line
    if isinstance(sys.stdout, io.TextIOWrapper):  # do not crash on characters the terminal cannot encode
        sys.stdout.reconfigure(errors="replace")
    try:
        app(prog_name=name)
    except (ValueError, OSError, ImportError, MemoryError) as error:
        if any(isinstance(cause, SystemExit | KeyboardInterrupt) for cause in _causes(error)):
            raise  # a signal made a library that was loading fail: `treecrf.cli.main` says so
        print(printable(f"{name}: {_sentence(error)}"), file=sys.stderr)
        if getattr(error, "errno", None) == errno.EBADF:
            discard_output()
        sys.exit(1)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory; use a smaller file, fewer attributes or a smaller window."
    if isinstance(error, OSError) and error.errno is not None:  # the system's
        advice = _ADVICE.get(error.errno, "choose another place.")
        unnamed = "standard output" if advice in (_FULL, _CLOSED) else "working folder"
        return f"{error.filename or unnamed}: {os.strerror(error.errno).lower()}; {advice}"
    return str(error)


_FULL, _FORBIDDEN = "choose another place, or make room.", "change the permissions, or choose another place."
_GONE, _CLOSED = "check that it is still there.", "redirect it to a file."

_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM), _FORBIDDEN),
    **dict.fromkeys((errno.ENOENT, errno.ESTALE), _GONE),
    errno.EBADF: _CLOSED,
}
"""What to do about errors of the system."""


class TableOptions(NamedTuple):
    """Options about a file with labels: its columns, their types, and the format and dialect of the file.

    `attributes` are all other columns where they are None.
    """

    sequence: str
    label: str
    attributes: tuple[str, ...] | None
    kinds: Mapping[str, Kind]
    dialect: Dialect
    groups: str | None = None

    @classmethod
    def parse(
        cls,
        sequence: str,
        label: str,
        attributes: str | None,
        kinds: str | None,
        *dialect: *tuple[str | None, str | None, str | None, str | None],
        groups: str | None = None,
    ) -> TableOptions:
        """From the command line; wrong usage if a value is not known."""
        names = None if attributes is None else tuple(name.strip() for name in attributes.split(","))
        return cls(sequence, label, names, parse_kinds(kinds), parse_dialect(*dialect), groups)


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

    With `strict`, cells such as "NA" among numbers are refused, and columns without any cell, those that identify rows
    and those that seem to hold groups are left out unless they were named.
    """
    from treecrf.readers.reading import read_table

    table = read_table(path, options.dialect, options.sequence, note)
    options = _guessed(table, options._replace(label=table.label_column(options.label)))
    label, names, advice = (
        options.label,
        options.attributes,
        "name yours by --sequence, --label, --attributes and --groups",
    )
    table.check_columns([options.sequence, label, *(names or ()), *filter(None, [options.groups])], advice)
    if names is None:
        names = tuple(name for name in table if name not in (options.sequence, label, options.groups))
        names = _useful(table, names, options) if strict else names
    columns = table.decide_columns(options.sequence, label, names, options.kinds, options.groups)
    if strict:
        table.check_marks([name for name in columns.categories if name not in options.kinds])
    return table, columns, table.encode(columns)


def _guessed(table: TypedTable, options: TableOptions) -> TableOptions:
    """The options with the columns of sequences and labels that the table seems to have, where those of usual names are
    not there; what is guessed is said on stderr.
    """
    from treecrf.automl.roles import guess_label, guess_sequence
    from treecrf.readers.columns import SEQUENCE
    from treecrf.readers.tables import LABEL

    said = []
    if options.sequence == SEQUENCE and SEQUENCE not in table and len(table.frame):
        guess = guess_sequence(table, options.label)
        if guess is not None:
            options = options._replace(sequence=guess)
            said.append(f"sequences from the column {guess!r} (--sequence)")
    if options.label == LABEL and LABEL not in table and options.sequence in table and len(table.frame):
        guess = guess_label(table, options.sequence)
        if guess is not None:
            options = options._replace(label=guess)
            said.append(f"labels from the column {guess!r} (--label)")
    if said:
        note(f"Taking {' and '.join(said)}.")
    return options


def _useful(table: TypedTable, names: tuple[str, ...], options: TableOptions) -> tuple[str, ...]:
    """The columns that have a cell, do not identify rows and do not seem to hold groups; others are named on stderr."""
    from treecrf.automl.roles import is_identifier, is_order, likely_groups
    from treecrf.inputs.derived import are_times

    if table.frame.empty:
        return names
    full = tuple(name for name in names if len(table[name].distinct[1]))
    for name in names:
        if name not in full:
            note(f"Column {name!r} is left out: it is empty.")
    if names and not full:
        raise ValueError(f"table {table.path}: all input columns are empty.")
    useful = tuple(name for name in full if not is_identifier(table[name])) or full
    for name in full:
        if name not in useful:
            note(f"Column {name!r} is left out: its value identifies the row; name it in --attributes to use it.")
    for name in useful:
        column = table[name]
        if (
            column.strange.any()
            and is_order(column, table[options.sequence])
            and not are_times(tuple(column.distinct[1]))
        ):
            useful = tuple(other for other in useful if other != name) or useful
            note(
                f"Column {name!r} is left out: its values rise with the rows, as times or row numbers do; write times "
                "as in 2024-01-31T13:45:00 to derive inputs from them, or name it in --attributes to use it as it is."
            )
    groups = likely_groups(table, useful, options.sequence) if options.groups is None else {}
    for name, n_groups in groups.items():
        note(
            f"Column {name!r} is left out: it has one value in each sequence, and {n_groups:,} in all, as a person or a "
            f"document has. If related sequences share it, hold them out together by --groups {name}; name it in "
            "--attributes to use it as an input."
        )
    return tuple(name for name in useful if name not in groups) or useful


def check_labels(table: TypedTable, column: str, advice: str) -> None:
    """A ValueError with advice if a table has no label in its column of labels."""
    if column not in table or not len(table[column].distinct[1]):
        raise ValueError(f"table {table.path} has no labels in a column {column!r}; {advice}.")


def read_training_set(path: Path, options: TableOptions, *, derives: bool = False) -> tuple[TableColumns, SequenceSet]:
    """The sequences at `path`, and how its columns are read; columns of little use are named on stderr.

    Time stamps that identify rows are left out unless other inputs are derived from them (`derives`).
    """
    from treecrf.automl.description import column_warnings, inputs_sentence
    from treecrf.inputs.derived import identifying_times

    table, columns, data = read_labelled_table(path, options, strict=True)
    stamps = identifying_times(data)
    for name in stamps:
        used, also = ("used for derived inputs alone", "") if derives else ("left out", "; --derive times uses them")
        note(f"Column {name!r} is {used}: its time stamps identify the rows{also}.")
    others = replace(columns, attributes=tuple(name for name in columns.attributes if name not in stamps))
    if stamps and not derives:
        columns, data = others, table.encode(others)
    if len(data.label_names) < 2:
        raise ValueError(
            f"table {path}, column {columns.label!r}: every label is {data.label_names[0]!r}; training needs at least "
            "two different labels."
        )
    for sentence in [inputs_sentence(others), *column_warnings(table, others)]:
        note(sentence)
    return columns, data


def n_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_suffix(path: Path, *known: str, option: str = "--output") -> None:
    """Refuse an output whose name does not say what it is: wrong usage."""
    if path.suffix.lower() not in known:
        ending = known[0] if len(known) == 1 else f"one of {', '.join(known)}"
        raise typer.BadParameter(f"{path.name!r} does not end in {ending}.", param_hint=option)


def check_writable(path: Path, *inputs: Path, make: bool = False) -> None:
    """Refuse a place that cannot be written to, or is an input, before anything takes long; with `make`, make its
    folder.
    """
    folder = Path(os.path.realpath(path)).parent
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    if not folder.is_dir():
        raise FileNotFoundError(f"the folder {folder} for {path.name} does not exist; make it first.")
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError(f"{path} is not a regular file; choose another place.")
    if not os.access(folder, os.W_OK) or path.is_dir() or (path.exists() and not os.access(path, os.W_OK)):
        raise PermissionError(f"{path} cannot be written; choose another place.")
    for file in inputs:
        if path.exists() and file.exists() and path.samefile(file):
            raise ValueError(f"{path} is the input {file}, which the output would replace; choose another place.")


def console(*, stderr: bool = False) -> Console:
    """A terminal, or whatever stands for one; without colours where output goes to a file."""
    from rich.console import Console

    class Piped(Console):
        """A terminal whose closed pipe is an error like that of other output."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(stderr=stderr, highlight=False, soft_wrap=False)


@contextmanager
def progress(title: str, total: int) -> Iterator[Tick]:
    """Show progress on stderr: a bar with the time left on a terminal, elsewhere a line at each tenth."""
    if not sys.stderr.isatty():
        n_tenths = 0

        def tell(done: int, words: str) -> None:
            nonlocal n_tenths
            if done == total or 10 * done // total > n_tenths:
                n_tenths = 10 * done // total
                note(f"{title}: {done} of {total}{', ' if words else ''}{words}")

        yield tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    columns = (
        TextColumn("{task.fields[title]}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
    )
    with Progress(*columns, console=console(stderr=True), expand=True) as bars:
        task = bars.add_task("", total=total, title=printable(title))
        yield lambda done, words: bars.update(task, completed=done, description=printable(words))


def show_table(frame: pd.DataFrame, title: str = "", *, most: int | None = None) -> None:
    """Print a frame: text left-aligned, numbers right-aligned."""
    from rich.table import Table
    from rich.text import Text

    if title:
        console().print(Text(printable(title), style="bold"))
    table = Table(box=None, pad_edge=False)
    for name in frame.columns:
        is_number = frame[name].dtype.kind in "iuf"
        table.add_column(Text(printable(name)), justify="right" if is_number else "left", overflow="fold")
    shown = frame if most is None else frame.head(most)
    for row in shown.itertuples(index=False, name=None):
        table.add_row(*(Text(printable(cell_text(cell)).replace("\n", "\\n")) for cell in row))
    console().print(table)
    if len(shown) < len(frame):
        console().print(f"... and {len(frame) - len(shown):,} more")
    console().print()


def cell_text(cell: object) -> str:
    """A number with thousands separators, a fraction with three digits, – for NaN."""
    if isinstance(cell, float):
        return "–" if cell != cell else f"{cell:.3f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
