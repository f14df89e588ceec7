"""Common parts of the commands: options, checks of places, progress, tables on the terminal."""

from __future__ import annotations

import errno
import inspect
import io
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from typer.core import TyperCommand, TyperGroup

from treecrf.io.messages import printable
from treecrf.io.process import discard_output

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from treecrf.automl.labeller import TableLabeller
    from treecrf.io.columns import Kind
    from treecrf.readers.tables import TypedTable
    from treecrf.readers.text_files import Dialect

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
GroupsOfModel = Annotated[
    str | None,
    option(
        "Column of what related sequences share, such as a person: intervals and tests are by group.",
        "COLUMN",
        "--groups",
        group=DATA,
        default="that of the training",
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
Quote = Annotated[
    str | None,
    option(
        "none: quotes in a CSV file are characters like others.", "none", "--quote", group=FILE, default="around cells"
    ),
]
Na = Annotated[
    str | None,
    option(
        "Texts that mean that a cell is missing, such as NA,?; not of sequences.",
        "TEXT,..",
        "--na",
        group=FILE,
        default="empty cells",
    ),
]
Weights = Annotated[
    str | None,
    option(
        "Column with the weight of each row: in training, or in the mean of explain. Stacking takes none.",
        "COLUMN",
        "--weights",
        group=DATA,
        default="all 1",
    ),
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
        "Threads that grow trees in the training on the whole file; trials, other methods and other commands take one. "
        "Does not change results.",
        "N",
        "--threads",
        default="all processors",
        min=1,
        callback=lambda number: None if number is None else min(number, n_processors()),
    ),
]

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


def split_names(text: str) -> tuple[str, ...]:
    """The names of a text with commas between, without blanks around them."""
    return tuple(name.strip() for name in text.split(","))


def parse_window(text: str, option: str = "--window") -> tuple[int, int]:
    """`LEFT,RIGHT` as two numbers; wrong usage of the option otherwise."""
    parts = split_names(text)
    if len(parts) != 2 or not all(map(str.isdecimal, parts)):
        raise typer.BadParameter(
            f"{text!r} is not two whole numbers with a comma between, such as 3,3.", param_hint=option
        )
    return int(parts[0]), int(parts[1])


def parse_kinds(text: str | None) -> dict[str, Kind]:
    """`COLUMN=KIND,..` as a mapping; wrong usage if a kind is not known."""
    from treecrf.io.columns import COLUMN_KINDS

    kinds: dict[str, Kind] = {}
    for part in () if text is None else split_names(text):
        name, _, kind = part.rpartition("=")
        if not name or kind not in COLUMN_KINDS:
            raise typer.BadParameter(
                f"{part!r} is not a column and its kind, such as age=number or zip=category.", param_hint="--kinds"
            )
        kinds[name] = kind
    return kinds


def parse_dialect(
    format_: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    quote: str | None = None,
    na: str | None = None,
) -> Dialect:
    """Format and dialect of a file; wrong usage if a value is unknown."""
    from treecrf.readers.text_files import Dialect

    try:
        texts = () if na is None else split_names(na)
        return Dialect(cast("Any", format_), separator, decimal, encoding, quote, texts)
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
    """A command with plain help, and errors of options without the words that pydantic puts before them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


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


def given_options(context: typer.Context) -> list[str]:
    """The options that stand on the command line."""
    sources = ((each, context.get_parameter_source(str(each.name))) for each in context.command.params)
    return [
        each.opts[0]
        for each, source in sources
        if each.param_type_name == "option" and source is not None and source.name == "COMMANDLINE"
    ]


def check_labels(table: TypedTable, column: str, advice: str) -> None:
    """A ValueError with advice if a table has no label in its column of labels."""
    if column not in table or not len(table[column].distinct[1]):
        raise ValueError(f"table {table.path} has no labels in a column {column!r}; {advice}.")


def group_by(model: TableLabeller, table: TypedTable, groups: str | None) -> None:
    """Let a model read a column of groups, its own unless another is named; say where the file does not have it.

    Raises
    ------
    ValueError
        If a named column is not there.
    """
    if groups is not None:
        table.check_columns([groups], "name a column of it by --groups")
        model.columns = replace(model.columns, groups=groups)
    elif model.columns.groups is not None and model.columns.groups not in table:
        note(
            f"{table.path} has no column {model.columns.groups!r}, whose groups the model's sequences have: intervals "
            "and tests are by sequence. Name another column by --groups."
        )


def tell_replaced(output: Path) -> None:
    """Say what is in a model file that will be written anew."""
    if not output.exists():
        return
    from treecrf.automl.labeller import TableLabeller

    try:
        model = TableLabeller.load(output)
    except (OSError, ValueError):
        note(f"{output} is there already, is no model that can be read, and will be replaced.")
        return
    about = "" if model.origin is None else f" {' '.join(list(model.origin.sentences())[:-1])}"  # without the versions
    note(f"{output} is there already, and will be replaced ({type(model.labeller).__name__}).{about}")


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
        return "–" if cell != cell else f"{cell:z.3f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
