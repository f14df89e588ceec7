"""``treecrf evaluate``: accuracy of models on a file with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treecrf.cli import _shared as shared
from treecrf.io.messages import counted, listed

if TYPE_CHECKING:
    import pandas as pd

    from treecrf.automl.evaluation import Evaluation
    from treecrf.automl.labeller import TableLabeller
    from treecrf.sequences import SequenceSet

MOST_LABELS = 12
"""A confusion matrix of more labels does not fit on a terminal; the commonest errors are shown instead."""


def evaluate(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Model files of treecrf fit, one or more.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File with labels.")],
    decoder: shared.Decoder = "forward_backward",
    compare: Annotated[
        list[Path] | None,
        typer.Option(
            "--compare", metavar="MODEL", help="Another model, as if named before the file; may be given again."
        ),
    ] = None,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
) -> None:
    """Measure how well a model labels a file with labels; of several models, test whether they differ.

    [bold]Examples[/bold]
    treecrf evaluate model.npz test.csv
    treecrf evaluate model.npz linear.npz test.csv
    treecrf evaluate model.npz test.csv --compare linear.npz
    """
    dialect = shared.parse_dialect(format_, separator, decimal, encoding)
    models = [*models, *(compare or [])]
    if len(set(models)) < len(models):
        raise typer.BadParameter("a model is named twice; name each one once.")
    from treecrf.automl.evaluation import compare as compare_models
    from treecrf.automl.evaluation import evaluate as measure
    from treecrf.automl.labeller import TableLabeller
    from treecrf.readers.reading import read_table

    loaded = {str(path): TableLabeller.load(path) for path in models}
    sequence = next(iter(loaded.values())).columns.sequence
    table = read_table(file, dialect, sequence, shared.note)
    read = {name: model.read(table, labelled=True, new_labels=True) for name, model in loaded.items()}
    first, *rest = loaded
    for name in rest:
        if not _same_task(loaded[first], read[first], loaded[name], read[name]):
            raise ValueError(f"{name} reads other sequences or labels from {file} than {first}; compare them apart.")
    evaluations = {}
    for name, model in loaded.items():
        for sentence in model.unseen(table):
            shared.note(sentence)
        evaluations[name] = measure(model.labeller, read[name], decoder)
        if evaluations[name].new_labels:
            shared.note(_about_new_labels(name, evaluations[name].new_labels))
    for name, evaluation in evaluations.items():
        _show(name, evaluation, len(read[name]))
    if len(evaluations) > 1:
        _show_comparison(compare_models(evaluations, read[first]))


def _same_task(model: TableLabeller, data: SequenceSet, other: TableLabeller, data_of_other: SequenceSet) -> bool:
    """Whether two models label the same positions of the same column, and what they read as the truth is the same."""
    return (
        model.columns.label == other.columns.label
        and data.offsets.tolist() == data_of_other.offsets.tolist()
        and _true_labels(data) == _true_labels(data_of_other)
    )


def _about_new_labels(name: str, new_labels: dict[str, int]) -> str:
    positions = counted(sum(new_labels.values()), "position")
    return (
        f"{name} was not trained with {counted(len(new_labels), 'label')} of the file: {listed(new_labels)} ({positions}); they "
        "count as errors with a probability of 0, and the log likelihood is that of the other positions."
    )


def _true_labels(data: SequenceSet) -> list[str]:
    return [data.label_names[code] for code in ([] if data.labels is None else data.labels)]


def _show(name: str, evaluation: Evaluation, n_sequences: int) -> None:
    n_positions, (points, low, high) = len(evaluation.correct), evaluation.accuracy
    typer.echo(f"{name}: {points:.2f}% of {n_positions:,} positions are right.")
    if low == low:
        typer.echo(f"On other sequences like these: {low:.1f} to {high:.1f}% (95% interval by sequence).")
    n_whole = round(evaluation.whole_sequences * n_sequences)
    typer.echo(f"Sequences without an error: {n_whole:,} of {n_sequences:,} ({evaluation.whole_sequences:.1%}).")
    typer.echo(f"Log likelihood: {evaluation.log_likelihood:.4f} per position (0 is perfect).\n")
    shared.show_table(evaluation.by_label.rename(columns={"n_positions": "positions"}), "By label")
    _show_stretches(evaluation)
    _show_calibration(evaluation)
    labels = list(evaluation.confusion.columns)
    if len(labels) <= MOST_LABELS:
        table = evaluation.confusion.rename_axis("true \\ predicted").reset_index()
        shared.show_table(table, "True labels in rows, predicted ones in columns")
        return
    counts = evaluation.confusion.rename_axis("true").melt(
        ignore_index=False, var_name="predicted", value_name="positions"
    )
    errors = counts.reset_index().query("true != predicted and positions > 0")
    shared.show_table(errors.sort_values("positions", ascending=False, kind="stable"), "Commonest errors", most=15)


def _show_stretches(evaluation: Evaluation) -> None:
    """What sequences have in them: chunks, or else segments."""
    import pandas as pd

    if evaluation.chunks:
        rows = [{"type": name or "(no type)", **score._asdict()} for name, score in evaluation.chunks.items()]
        if len(rows) == 2:  # all, and the only type
            rows = rows[:1]
        table = pd.DataFrame(rows).rename(columns=lambda column: column.removeprefix("n_"))
        shared.show_table(table, "Entities, in percent: right if both ends and the type are (as seqeval counts)")
    if evaluation.segments is not None:
        score = evaluation.segments
        typer.echo(
            f"Segments (runs of one label): {score.n_correct:,} of {score.n_true:,} found with both ends, {score.n_predicted:,} "
            f"predicted; precision {score.precision:.1f}%, recall {score.recall:.1f}%, F1 {score.f1:.1f}%.\n"
        )


def _show_calibration(evaluation: Evaluation) -> None:
    from treecrf.statistics.metrics import calibration_error

    bins = evaluation.reliability
    typer.echo(
        f"Probabilities: Brier score {evaluation.brier:.4f} (0 is perfect, 2 the worst); on average they are "
        f"{100 * calibration_error(bins):.1f} points away from the share that is right.\n"
    )
    table = bins.assign(bin=[f"{low:.1f} to {high:.1f}" for low, high in zip(bins["low"], bins["high"], strict=True)])
    table = table[["bin", "n_positions", "probability", "right"]].rename(columns={"n_positions": "positions"})
    shared.show_table(table, "How often the likeliest label is right, by its probability")


def _show_comparison(comparison: pd.DataFrame) -> None:
    from treecrf.statistics.estimates import LEAST_CLUSTERS

    typer.echo(
        "By the papers' test, McNemar's, which takes positions as independent, and by a valid one, in which these trained models "
        "change places in whole sequences.\n"
    )
    for row in comparison.to_dict("records"):
        points, method, other = row["accuracy_points"], row["method"], row["other"]
        better, worse = (method, other) if points > 0 else (other, method)
        verdict = (
            f"{better} is {abs(points):.2f} points better than {worse}"
            if points
            else f"{method} and {other} are right equally often"
        )
        typer.echo(
            f"{verdict}: {method} alone is right on {row['only_method']:,} positions, {other} alone on "
            f"{row['only_other']:,}; by the papers' test p = {_p(row['p_value'])}, by a valid test p = {_p(row['flip_p_value'])}."
        )
    if int(comparison["n_clusters"].min()) < LEAST_CLUSTERS:
        typer.echo(
            f"There are too few sequences for the valid test: with fewer than {LEAST_CLUSTERS} it never has p < 0.05."
        )


def _p(value: float) -> str:
    return "–" if value != value else "<0.001" if value < 0.001 else f"{value:.3f}"
