"""``treecrf fit --continue``: further training of a model."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from treecrf.cli import shared, tables
from treecrf.io.messages import counted

if TYPE_CHECKING:
    from treecrf.readers.text_files import Dialect

CONTINUED = (
    "--continue",
    "--output",
    "-o",
    "--iterations",
    "--weights",
    "--threads",
    "--format",
    "--separator",
    "--decimal",
    "--encoding",
    "--quote",
    "--na",
)
"""Options of a further training."""

N_MORE = 20
"""Iterations, unless --iterations says otherwise."""


def continue_fit(
    model: Path,
    files: list[Path],
    output: Path,
    dialect: Dialect,
    iterations: int | None,
    weights: str | None,
    n_threads: int,
    options: Sequence[str],
) -> None:
    """Add iterations on one file to a model; some `options` of the command line are of a first training alone."""
    given = [name for name in options if name not in CONTINUED]
    if given:
        raise typer.BadParameter(
            f"{', '.join(given)}: the model has decided that already; leave it out with --continue."
        )
    if len(files) > 1:
        raise typer.BadParameter("--continue takes one training file.")
    [file] = files
    shared.check_writable(output, file)
    from treecrf.automl.labeller import TableLabeller, check_continuable, continue_training
    from treecrf.readers.reading import read_table

    shared.tell_replaced(output)
    labeller = TableLabeller.load(model)
    done = len(check_continuable(labeller, str(model)).steps_)
    table = read_table(file, labeller.dialect(dialect), labeller.columns.sequence, shared.note)
    shared.check_labels(table, labeller.columns.label, "training needs labels")
    data = labeller.encode(table, labelled=True)
    sample_weight = None if weights is None else tables.read_weights(table, weights, data)
    former = {} if labeller.origin is None else labeller.origin.options
    if weights is None and "weights" in former:
        shared.note(f"All rows count the same; those of the first training had weights ({former['weights']!r}).")
    for sentence in labeller.notices(table):
        shared.note(sentence)
    n_more = iterations or N_MORE
    shared.note(
        f"{file}: {counted(len(data), 'sequence')}, {counted(data.n_positions, 'position')}; "
        f"{counted(n_more, 'iteration')} after the {done} of {model}, on this file alone."
    )
    with shared.progress("training", n_more) as tick:

        def follow(iteration: int, _: Any, value: float) -> None:
            words = f"log likelihood {round(value):,}" if isfinite(value) else ""
            tick(max(iteration - done, 0), words)

        continue_training(labeller, data, n_more, file, n_threads, follow, sample_weight)
    labeller.save(output)
    shared.say(f"Wrote {output}. Next: treecrf evaluate {output} TEST_FILE")
