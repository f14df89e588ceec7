"""``treecrf fit``: train a labeller on a file."""

from __future__ import annotations

import time
from contextlib import ExitStack
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treecrf.cli import shared, tables
from treecrf.cli.shared import DATA, METHOD, SEARCH
from treecrf.io.messages import counted, quoted
from treecrf.models.registry import IN_TREES, LABELLERS, TRANSFORMS, offered

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from treecrf.automl.candidates import Candidate
    from treecrf.automl.choice import Choice
    from treecrf.automl.fitting import FitOptions, HeldOutChoice
    from treecrf.automl.scores import Metric
    from treecrf.models.base import Labeller, Monitor
    from treecrf.sequences import SequenceSet

AUTO = "auto"
METHODS = tuple(name for name, row in LABELLERS.items() if row.is_offered)
MISSING = (AUTO, *IN_TREES, *TRANSFORMS, "error")

OPTIONS = {
    "n_threads": "--threads",
    "n_bins": "--bins",
    "min_count": "--min-count",
    "max_leaves": "--max-leaves",
    "l2_regularization": "--l2",
    "variance": "--variance",
    "order": "--order",
    "experts": "--experts",
    "anchors": "--anchors",
}
"""By the settings that they decide."""

TREATED = {**IN_TREES, **TRANSFORMS, "error": "handled by the method itself"}
"""What treatments of missing values are called."""

MOST_NAMED = 3
"""Files that a summary names; more are counted."""

LONG = 10.0
"""CPU seconds from which on a training is announced."""


def fit(
    context: typer.Context,
    files: Annotated[
        list[Path],
        shared.argument(
            "TRAIN...",
            "Training file: CSV, Parquet, columns or CoNLL-U; a folder of such files; - for standard input. Several "
            "files with the same columns are joined.",
        ),
    ],
    output: Annotated[Path, shared.option("Model file (.npz) to write.", "FILE", "--output", "-o")],
    sequence: shared.Sequence_ = "sequence",
    label: shared.Label = "label",
    attributes: shared.Attributes = None,
    continued: Annotated[
        Path | None,
        shared.option(
            "Model of one TreeCRF whose training goes on, on this file alone; --iterations: how many more, 20 by "
            "default.",
            "MODEL",
            "--continue",
            group=METHOD,
            default="none",
        ),
    ] = None,
    groups: shared.Groups = None,
    weights: shared.Weights = None,
    kinds: shared.Kinds = None,
    bins: Annotated[
        int | None,
        shared.option(
            "Bins per column of numbers, at most N (at least 2).", "N", group=DATA, default="by method", min=2
        ),
    ] = None,
    min_count: Annotated[
        int | None,
        shared.option(
            "Merge categories seen fewer than N times into (rare).", "N", group=DATA, default="no merging", min=1
        ),
    ] = None,
    method: Annotated[
        str, shared.option(f"auto (compare three methods) or one of {', '.join(METHODS)}.", "NAME", group=METHOD)
    ] = AUTO,
    window: Annotated[
        str | None,
        shared.option(
            "Observations before and after a position that the labeller sees, such as 3,3, or auto (compare a few).",
            "N,N",
            group=METHOD,
            default="auto with --method auto, else 3,3",
        ),
    ] = None,
    anchors: Annotated[
        str | None,
        shared.option(
            "Observations from the start and from the end of the sequence that every position sees, such as 0,4; "
            "beside them the distances of both ends.",
            "N,N",
            group=METHOD,
            default="none",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        shared.option(
            "Training iterations; an upper bound with --held-out and with auto.",
            "N",
            group=METHOD,
            default="100, 60 with auto",
            min=1,
        ),
    ] = None,
    max_leaves: Annotated[
        int | None,
        shared.option("Leaves of a tree, at most N (at least 2).", "N", group=METHOD, default="by method", min=2),
    ] = None,
    l2: Annotated[
        float | None,
        shared.option(
            "L2 regularization of trees (lambda) or of the neural network.",
            "X",
            group=METHOD,
            default="by method",
            min=0.0,
        ),
    ] = None,
    variance: Annotated[
        float | None,
        shared.option("Prior variance of the weights of linear CRFs.", "X", group=METHOD, default="by method"),
    ] = None,
    order: Annotated[
        int | None,
        shared.option(
            "Previous labels that a label depends on, 0 to 4.", "N", group=METHOD, default="by method", min=0, max=4
        ),
    ] = None,
    experts: Annotated[
        str | None,
        shared.option(
            "Methods that stacking combines, such as treecrf_newton,linear_crf,lightgbm.",
            "NAMES",
            group=METHOD,
            default="by method",
        ),
    ] = None,
    missing: Annotated[
        str,
        shared.option(
            f"Treatment of missing values: one of {', '.join(MISSING)}. auto: instance weighting in trees, imputation "
            "in other methods.",
            "NAME",
            group=shared.MISSING,
        ),
    ] = AUTO,
    derive: Annotated[
        str,
        shared.option(
            "Derived inputs: auto (compare with and without), none, or some of words,rolling,times,neighbours, which "
            "are compared too.",
            "NAMES",
            group=DATA,
        ),
    ] = AUTO,
    budget: Annotated[
        float,
        shared.option(
            "Estimated CPU seconds for the choice of method, window and iterations (at least 1).",
            "SECONDS",
            group=SEARCH,
            min=1.0,
        ),
    ] = 40.0,
    held_out: Annotated[
        float,
        shared.option(
            "Share of the sequences that first chooses the number of iterations (0 to 0.9); then all sequences train. "
            "In stacking it trains the combiner. Not needed by auto.",
            "SHARE",
            group=SEARCH,
            min=0.0,
            max=0.9,
        ),
    ] = 0.0,
    metric: Annotated[
        Literal["auto", "accuracy", "span_f1", "segment_f1"],
        shared.option(
            "What models are chosen by. auto: span F1 where labels are of a scheme such as BIO, and predictions then "
            "have no impossible pairs of labels; else accuracy.",
            "NAME",
            group=SEARCH,
        ),
    ] = "auto",
    seed: Annotated[
        int, shared.option("Seed of held-out sequences and of random starts.", "N", group=SEARCH, min=0)
    ] = 0,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    quote: shared.Quote = None,
    na: shared.Na = None,
    threads: shared.Threads = None,
) -> None:
    """Train a labeller on a file and write a model file, which also stores the columns.

    Without --method, cross-validation over whole sequences compares three methods (trees in a CRF, a linear CRF,
    LightGBM) with a few windows. The best method, or an average, is trained on the whole file. The output includes an
    estimate of the accuracy.

    [bold]Examples[/bold]
    treecrf fit train.csv -o model.npz
    treecrf fit train.csv -o model.npz --sequence sentence --label tag --attributes word,shape
    treecrf fit train.conll -o model.npz --method treecrf_newton --iterations 200 --held-out 0.25
    treecrf fit german.csv -o model.npz --separator ";" --decimal ,
    treecrf fit train.conllu -o model.npz --label UPOS --attributes FORM
    treecrf fit train.csv -o linear.npz --method linear_crf --window auto --missing indicator
    treecrf fit new.csv -o newer.npz --continue model.npz --iterations 10
    """
    if continued is not None:
        from treecrf.cli.continuing import continue_fit

        shared.check_suffix(output, ".npz")
        dialect = shared.parse_dialect(format_, separator, decimal, encoding, quote, na)
        n_threads = threads or shared.n_processors()
        continue_fit(continued, files, output, dialect, iterations, weights, n_threads, shared.given_options(context))
        return
    from treecrf.automl import fitting
    from treecrf.automl.candidates import methods_to_compare
    from treecrf.automl.fitting import FitOptions
    from treecrf.automl.labeller import Origin, TableLabeller, ranges_of
    from treecrf.automl.scores import breaks_scheme, choose_metric
    from treecrf.inputs.times import identifying_times

    settings: dict[str, Any] = {
        "max_leaves": max_leaves,
        "l2_regularization": l2,
        "variance": variance,
        "order": order,
        "n_threads": threads,
        "n_bins": bins,
        "min_count": min_count,
        "iterations": iterations,
        "anchors": None if anchors is None else shared.parse_window(anchors, "--anchors"),
        "experts": None if experts is None else shared.split_names(experts),
    }
    options = FitOptions(
        method,
        _parse_window(window, method),
        missing,
        _parse_derive(derive),
        {name: value for name, value in settings.items() if value is not None},
        held_out,
        budget,
        threads or shared.n_processors(),
        seed,
    )
    reading = tables.TableOptions.parse(
        sequence,
        label,
        attributes,
        kinds,
        format_,
        separator,
        decimal,
        encoding,
        quote,
        na,
        groups=groups,
        weights=weights,
    )
    if method not in METHODS:
        shared.check_choice("--method", method, (AUTO, *offered()))
    shared.check_choice("--missing", missing, MISSING)
    shared.check_suffix(output, ".npz")
    shared.check_writable(output, *files)
    file, *more = files
    try:
        compared, left_out = methods_to_compare(options) if options.chooses else ({}, [])
        given = None if options.chooses else options.build()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if weights is not None and given is not None and not fitting.innermost(given[0]).takes_weights:
        raise typer.BadParameter(
            f"--weights: the method {method} takes no weights; choose treecrf_newton or linear_crf."
        )
    if method != AUTO:
        for name in options.settings.keys() - options.used_settings(method).keys():
            shared.note(f"{OPTIONS[name]} is ignored: {method} does not use it.")

    columns, data, sample_weight = tables.read_training_set(file, reading, *more, derives=options.derive != ())
    judged_by = choose_metric(data, metric)
    if judged_by.name == "span_f1" and breaks_scheme(data):
        shared.note(
            "More than a hundredth of the spans break the scheme of the labels, such as I-PER after O, so that "
            "predictions may break it, too; check the labels."
        )
    shared.tell_replaced(output)
    for sentence in left_out:
        shared.note(f"Left out: {sentence}")
    n_missing = data.n_missing
    about_missing = (
        f"; {counted(n_missing, 'missing cell')} ({100 * n_missing / data.n_cells:.1f} %)" if n_missing else ""
    )
    about_missing += f": {TREATED[given[1]]}" if given is not None and n_missing else ""
    shared.note(
        f"{', '.join(map(str, files)) if len(files) <= MOST_NAMED else counted(len(files), 'file')}: "
        f"{counted(len(data), 'sequence')}, {counted(data.n_positions, 'position')}, "
        f"{counted(len(columns.attributes), 'attribute')}{about_missing}."
    )
    has_learnt, accuracy, unit = True, None, "group" if groups else "sequence"
    if given is None:
        choice, unit, has_learnt = _choose(data, compared, options, unit, judged_by, sample_weight)
        labeller, treatment = choice.build(options)
        held_out, accuracy = 0.0, choice.accuracy
    else:
        labeller, treatment = given
        if options.window is not None:
            labeller.set_params(window=tables.window_within(options.window, data))
        blocks = options.derive or (("times",) if identifying_times(data) else None)
        labeller, treatment = fitting.with_derived(labeller, treatment, blocks)
    transform = fitting.prepare_missing(labeller, treatment, data)
    ready = data if transform is None else transform.transform(data)
    _announce(labeller, ready)
    by_holding_out = _train(labeller, ready, held_out, seed, sample_weight)
    described = options.described() | ({} if weights is None else {"weights": weights})
    origin = Origin.of(file, data, accuracy, unit, judged_by.name, described).with_files(*more)
    marks = reading.dialect.na
    TableLabeller(labeller, columns, transform, origin, judged_by.constraints, ranges_of(data), marks).save(output)
    if by_holding_out is not None:
        points, low, high = by_holding_out.accuracy
        interval = f", 95 % confidence interval by {unit} {low:.1f} to {high:.1f} %" if low == low else ""
        shared.note(
            f"Chose {counted(by_holding_out.iteration, 'iteration')}: accuracy {points:.1f} % on "
            f"{counted(by_holding_out.n_sequences, 'held-out sequence')} (the highest of all iterations{interval})."
        )
    shared.say(f"Wrote {output}." + (f" Next: treecrf evaluate {output} TEST_FILE" if has_learnt else ""))


def _parse_window(window: str | None, method: str) -> tuple[int, int] | None:
    """The window, None where a few are to be tried."""
    if window == AUTO or (window is None and method == AUTO):
        return None
    return shared.parse_window(window or "3,3")


def _parse_derive(text: str) -> tuple[str, ...] | None:
    """Blocks of derived inputs, None where they are to be chosen; wrong usage if one is unknown."""
    from treecrf.inputs import BLOCKS, NEIGHBOURS

    if text == AUTO:
        return None
    blocks = () if text == "none" else shared.split_names(text)
    for block in blocks:
        shared.check_choice("--derive", block, (AUTO, "none", *BLOCKS, NEIGHBOURS))
    return blocks


def _choose(
    data: SequenceSet,
    compared: dict[str, dict[str, Any]],
    options: FitOptions,
    unit: str,
    metric: Metric,
    weights: NDArray[np.float64] | None,
) -> tuple[Choice, str, bool]:
    """Choose by cross-validation, and show the result; with what its interval takes as one, and whether it is better
    than always the same label.
    """
    import numpy as np

    from treecrf.automl.candidates import affordable, candidate_windows
    from treecrf.automl.choice import MOST_POSITIONS, plan
    from treecrf.automl.cross_validation import make_folds
    from treecrf.automl.description import label_counts
    from treecrf.inputs.derived import without_stamps

    folds = make_folds(data, options.seed, MOST_POSITIONS, metric, weights)
    compared = affordable(compared, folds.data, options.budget, len(folds.parts))
    windows = (
        candidate_windows(without_stamps(data))
        if options.window is None
        else [tables.window_within(options.window, data)]
    )
    planned = plan(folds, windows, compared, options)
    shared.note(
        f"Comparing {', '.join(compared)} with windows {' and '.join(map(_sides, windows))} by cross-validation "
        f"(--budget {options.budget:g})."
    )
    if folds.are_blocks:
        unrelated = "unrelated sequences" if unit == "sequence" else "groups"
        shared.note(
            f"The file has fewer than three {unrelated}. They are cut into {len(folds.data)} blocks of consecutive "
            f"rows, so the accuracies below apply to other parts of these {unit}s, not to other {unit}s."
        )
    elif len(folds.data) < len(data):
        shared.note(
            f"{counted(len(folds.data), 'sequence')} ({counted(folds.data.n_positions, 'position')}), drawn at "
            "random, are used for the choice; of a file with many more, others train the best candidates."
        )
    so_far = time.process_time()  # Python, what it loads, and the file
    seconds = max(so_far + planned.predict_seconds(), 1)
    shared.note(
        f"By the first trials, about {seconds:.0f} CPU seconds on one core, with the training on the whole file."
    )
    with shared.progress("choosing", 100) as tick:
        choice = planned.carry_out(tick)
    unit = "block" if folds.are_blocks else unit
    _show_choice(choice, unit, data.has_missing)
    counts = label_counts(folds.data)
    commonest = counts.iloc[0]
    share, label = 100 * commonest["share"], quoted(commonest["label"])
    always = np.full(folds.data.n_positions, folds.data.label_names.index(commonest["label"]), dtype=np.int16)
    points = float(metric.counts(always, folds.data).points)
    of_metric = "" if metric.name == "accuracy" else f", with {metric.words} {points:.1f} %"
    doubt = choice.doubt(points, counts["share"].to_numpy())
    has_learnt = not doubt
    if choice.accuracy.points > points:
        shared.say(f"Always answering {label} would be right at {share:.1f} % of the positions{of_metric}.{doubt}\n")
    else:
        shared.say(
            f"That is no better than always answering {label} ({share:.1f} %{of_metric}): the inputs say nothing about "
            "the labels, or the file is too small to learn it.\n"
        )
    return choice, unit, has_learnt


def _show_choice(choice: Choice, unit: str, has_missing: bool) -> None:
    words = _capital(choice.metric.words)
    shared.show_table(
        _shown(choice),
        f"{words} on {choice.n_positions:,} held-out positions in percent, with 95 % confidence intervals",
    )
    if "average" in choice.table["method"].tolist():
        shared.say(
            "The average is the weighted mean of the probabilities; its row is estimated with weights that other "
            f"{unit}s chose."
        )
    for sentence in choice.left_out:
        shared.say(f"Left out: {sentence}")
    accuracy, candidates = choice.accuracy, choice.candidates
    if len(candidates) == 1:
        shared.say(f"Chose {candidates[0].method} ({choice.reason}): {_words(candidates[0], has_missing)}.")
    else:
        described = "; ".join(
            f"{weight:.2f} {candidate.method} ({_words(candidate, has_missing)})"
            for weight, candidate in zip(choice.weights, candidates, strict=True)
        )
        shared.say(f"Chose the average of {described}: {choice.reason}.")
    interval = (
        ""
        if accuracy.low != accuracy.low
        else f" (95 % confidence interval by {unit}: {accuracy.low:.1f} to {accuracy.high:.1f} %)"
    )
    shared.say(f"Estimated {choice.metric.words} on new data: {accuracy.points:.1f} %{interval}.")
    shared.say(
        "This is for a training on the whole file and data like the file's; it cannot know of drift, or of other "
        "people, places or devices."
    )


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _shown(choice: Choice) -> pd.DataFrame:
    """The table of a choice, which fits on 80 columns."""
    import pandas as pd

    table = choice.table

    def between(low: str, high: str, sign: str = "") -> list[str]:
        ends = zip(table[low], table[high], strict=True)
        return ["" if a != a else f"{a:{sign}z.1f} to {b:{sign}z.1f}" for a, b in ends]

    columns = {
        "method": table["method"].tolist(),
        "settings": [
            ", ".join(part for part in parts if part not in ("", "given"))
            for parts in table[["window", "inputs", "settings"]].itertuples(index=False, name=None)
        ],
        choice.metric.words: [f"{each:.1f}" for each in table["score"]],
        "interval": between("low", "high"),
        "gap to best": between("gap_low", "gap_high", "+"),
        "log loss": [f"{each:.3f}" for each in table["log_loss"]],
    }
    return pd.DataFrame(columns)


def _words(candidate: Candidate, has_missing: bool) -> str:
    from treecrf.automl.candidates import describe_settings

    parts = [f"window {_sides(candidate.window)}", *([f"inputs {candidate.inputs}"] if candidate.derived else [])]
    parts += [describe_settings(candidate), counted(candidate.iterations, "iteration")]
    if has_missing:
        parts.append(f"missing values: {TREATED.get(candidate.missing, candidate.missing)}")
    return ", ".join(parts)


def _sides(window: tuple[int, int]) -> str:
    return f"{window[0]},{window[1]}"


def _announce(labeller: Labeller, train: SequenceSet) -> None:
    """Announce a training that needs much time or memory."""
    from treecrf.automl import candidates, fitting
    from treecrf.io.process import GIB

    n_iterations = fitting.n_reports(labeller)
    seconds = candidates.estimate_seconds(labeller, train, n_iterations)
    n_bytes = candidates.estimate_memory(labeller, train, n_iterations)
    parts = [f"about {seconds:.0f} CPU seconds"] if seconds > LONG else []
    parts += [f"about {n_bytes / GIB:.1f} GiB of memory"] if n_bytes > GIB else []
    if parts:
        shared.note(f"Training takes {' and '.join(parts)}.")


def _train(
    labeller: Labeller, train: SequenceSet, held_out: float, seed: int, weights: NDArray[np.float64] | None
) -> HeldOutChoice | None:
    """Train, with a bar for each training."""
    from treecrf.automl import fitting

    with ExitStack() as stack:

        def follow(title: str) -> Monitor:
            total = fitting.n_reports(labeller)
            tick = stack.enter_context(shared.progress(title, total))
            return lambda stage, _, value: tick(
                min(stage, total), f"log likelihood {round(value):,}" if isfinite(value) else ""
            )

        return fitting.fit(labeller, train, held_out, seed, follow, weights)
