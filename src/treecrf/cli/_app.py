"""The application: its commands and exit codes."""

from __future__ import annotations

from typing import Annotated

import typer

from treecrf.cli.describe import describe
from treecrf.cli.evaluate import evaluate
from treecrf.cli.explain import explain
from treecrf.cli.fit import fit
from treecrf.cli.predict import predict
from treecrf.cli.shared import Command, Group, help_text, run_program, version_option
from treecrf.moved import gone

HELP = """
Label sequences with conditional random fields made of regression trees.

A file has one row per observation: CSV (.csv, .tsv), Parquet (.parquet), Feather (.feather), JSON lines (.jsonl), ARFF
(.arff), CoNLL-U (.conllu), or a CoNLL columns file (.conll, .iob, .bio, .txt: spaces or tabs between columns, a blank
line between sequences; the columns are called 1, 2, .., the labels are in the last one). An empty cell is a missing
value; in a columns file _ is one too. A folder holds one file per sequence; - is standard input.

[bold]A first session[/bold]
treecrf describe train.csv                       [dim]describe the file[/dim]
treecrf fit train.csv -o model.npz               [dim]train the best of three methods[/dim]
treecrf evaluate model.npz test.csv              [dim]measure the accuracy[/dim]
treecrf explain model.npz test.csv               [dim]show which inputs matter[/dim]
treecrf predict model.npz new.csv -o out.csv     [dim]label new data[/dim]
"""

app = typer.Typer(
    name="treecrf",
    cls=Group,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=help_text(HELP),
    epilog="Exit codes: 0 success; 1 wrong input, described in one sentence; 2 wrong usage; 130 or 143 interrupted.",
)


for command in (fit, predict, evaluate, explain, describe):
    app.command(cls=Command, help=help_text(command.__doc__ or ""))(command)

_ANY = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command("missing", hidden=True, context_settings=_ANY)
@app.command("report", hidden=True, context_settings=_ANY)
def _gone(context: typer.Context) -> None:
    name = context.info_name
    raise typer.Exit(gone(f"treecrf {name}", f"treecrf-studies {'compare' if name == 'report' else name}"))


@app.callback()
def _start(_version: Annotated[bool, version_option("treecrf")] = False) -> None:
    pass


def run() -> None:
    """Run the command line."""
    run_program(app, "treecrf")
