"""``treecrf fit``: train a labeller on a file."""

from __future__ import annotations

from contextlib import ExitStack
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treecrf.cli import _shared as shared
from treecrf.io.messages import counted
from treecrf.models.labellers import LABELLERS, TABLES
from treecrf.models.treatments import CHOICES

if TYPE_CHECKING:
    from treecrf.models.base import Monitor

MISSING = ("auto", *CHOICES, "error")


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="TRAIN",
            help="Training file: CSV, Parquet, columns or CoNLL-U; a folder of such files; - for standard input.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Model file (.npz) to write.")],
    sequence: shared.Sequence_ = "sequence",
    label: shared.Label = "label",
    attributes: shared.Attributes = None,
    window: shared.Window = "3,3",
    method: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(TABLES)}.")] = "treecrf_newton",
    missing: Annotated[
        str,
        typer.Option(
            help=f"What to do with missing cells: one of {', '.join(MISSING)}. auto: instance weighting in trees, "
            "imputation elsewhere."
        ),
    ] = "auto",
    iterations: Annotated[
        int, typer.Option(min=1, metavar="N", help="Iterations of training; the most, with --held-out.")
    ] = 100,
    held_out: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.9,
            metavar="SHARE",
            help="Share of the sequences that first choose the number of iterations, such as 0.25; then all train. "
            "In stacking they train what combines the experts, which is cross-fitted unless given.",
        ),
    ] = 0.0,
    experts: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Methods that stacking combines, such as treecrf_newton,linear_crf,lightgbm."
        ),
    ] = None,
    max_leaves: Annotated[int | None, typer.Option(min=2, metavar="N", help="Most leaves of a tree.")] = None,
    l2: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="X", help="Regularization of trees (lambda) or of the network's weights."),
    ] = None,
    variance: Annotated[
        float | None, typer.Option(metavar="X", help="Variance of the prior of linear CRFs' weights.")
    ] = None,
    order: Annotated[
        int | None, typer.Option(min=0, max=4, metavar="N", help="Previous labels that a label depends on.")
    ] = None,
    kinds: shared.Kinds = None,
    bins: Annotated[int | None, typer.Option(min=2, metavar="N", help="Most bins that a number is cut into.")] = None,
    min_count: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Take values that the file has less often as one, (rare).")
    ] = None,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    threads: shared.Threads = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Decides what is held out, and random starts.")] = 0,
) -> None:
    """Train a labeller on a file and write it to a model file, which remembers the columns.

    [bold]Examples[/bold]
    treecrf fit train.csv -o model.npz
    treecrf fit train.csv -o model.npz --sequence sentence --label tag --attributes word,shape
    treecrf fit train.conll -o model.npz --iterations 200 --held-out 0.25
    treecrf fit german.csv -o model.npz --separator ";" --decimal ,
    treecrf fit train.conllu -o model.npz --label UPOS --attributes FORM
    treecrf fit train.csv -o linear.npz --method linear_crf --missing indicator
    """
    sides, kind_of = shared.parse_window(window), shared.parse_kinds(kinds)
    dialect = shared.parse_dialect(format_, separator, decimal, encoding)
    shared.check_choice("--method", method, TABLES)
    shared.check_choice("--missing", missing, MISSING)
    shared.check_suffix(output, ".npz")
    shared.check_writable(output, file)
    from treecrf.models.memory import GIB
    from treecrf.tabular import fitting
    from treecrf.tabular.labeller import TableLabeller

    given: dict[str, Any] = {
        "max_leaves": max_leaves, "l2_regularization": l2, "variance": variance, "order": order, "n_threads": threads,
        "n_bins": bins, "min_count": min_count,
        "experts": None if experts is None else tuple(name.strip() for name in experts.split(",")),
    }  # fmt: skip
    settings = {"window": sides, "iterations": iterations} | {k: v for k, v in given.items() if v is not None}
    try:
        labeller = fitting.build(method, settings)
        way = fitting.choose_missing(method, missing)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if held_out and not (labeller.has_stages or "held_out" in labeller.get_params()):
        raise typer.BadParameter(f"the method {method} gives its last iteration alone; leave --held-out out.")
    if threads is None and "n_threads" in labeller.get_params():
        labeller.set_params(n_threads=shared.n_processors())
    if LABELLERS[method].start == "random":
        labeller.set_params(random_state=seed)

    columns, data = shared.read_training_set(file, sequence, label, attributes, kind_of, dialect)
    labeller.set_params(window=shared.window_within(sides, data))
    holes = fitting.handle_holes(labeller, way, data)
    n_holes = data.n_missing
    handled = f"; {counted(n_holes, 'missing cell')} ({n_holes / data.n_cells:.1%}): {way}" if n_holes else ""
    shared.note(
        f"{file}: {counted(len(data), 'sequence')}, {counted(data.n_positions, 'position')}, "
        f"{counted(len(columns.attributes), 'attribute')}{handled}."
    )

    ready = data if holes is None else holes.transform(data)
    if (n_bytes := fitting.expected_memory(labeller, ready)) > GIB:
        shared.note(f"Training takes about {n_bytes / GIB:.1f} GiB of memory.")

    with ExitStack() as stack:

        def follow(title: str) -> Monitor:
            total = fitting.n_reports(labeller)
            tick = stack.enter_context(shared.progress(title, total))
            return lambda stage, _, value: tick(
                min(stage, total), f"log likelihood {round(value):,}" if isfinite(value) else ""
            )

        choice = fitting.fit(labeller, ready, held_out, seed, follow)
    TableLabeller(labeller, columns, holes).save(output)
    if choice is not None:
        shared.note(
            f"Chose {counted(choice.iteration, 'iteration')}: {choice.accuracy:.2%} of the positions of the "
            f"{counted(choice.n_sequences, 'held-out sequence')} are right."
        )
    typer.echo(f"Wrote {output}.")
