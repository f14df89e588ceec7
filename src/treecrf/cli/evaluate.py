"""``treecrf evaluate``: accuracy of models on a file with labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treecrf.cli import shared
from treecrf.io.messages import counted, quoted

if TYPE_CHECKING:
    import pandas as pd

    from treecrf.automl.evaluation import Entities, Evaluation
    from treecrf.automl.labeller import TableLabeller
    from treecrf.pages.evaluation import Judged
    from treecrf.sequences import SequenceSet
    from treecrf.statistics.chunks import ChunkScore

MOST_LABELS = 12
"""A confusion matrix of more labels does not fit on a terminal; the commonest errors are shown instead."""

CONSTRAINTS = {"BIO": "bio", "IOBES": "bioes", "BILOU": "bilou", "BMES": "bmes"}
"""Names of constraints by scheme."""


def evaluate(
    models: Annotated[list[Path], shared.argument("MODEL...", "Model files of treecrf fit, one or more.")],
    file: Annotated[Path, shared.argument("FILE", "File with labels.")],
    decoder: shared.Decoder = None,
    groups: shared.GroupsOfModel = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", metavar="MODEL", help="Another model to compare; can be repeated."),
    ] = None,
    segments: Annotated[
        bool, typer.Option("--segments", help="Also score segments, which are runs of one label.")
    ] = False,
    scheme: Annotated[
        Literal["auto", "none", "IO", "BIO", "IOE", "IOBES", "BILOU", "BMES"],
        shared.option(
            "Scheme of labels that mark entities. auto: recognized, and entities count as in seqeval's default mode; "
            "a name: only entities that are complete in it count, as in its strict mode; none: no entities.",
            "NAME",
            "--scheme",
            case_sensitive=False,
        ),
    ] = "auto",
    as_json: Annotated[
        Path | None,
        shared.option("Write all numbers to a JSON file.", "FILE.json", "--json", default="none"),
    ] = None,
    as_page: Annotated[
        Path | None,
        shared.option(
            "Write a page with tables of errors, side by side for models.", "FILE.html", "--html", default="none"
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
    """Measure the accuracy of a model on a file with labels, or compare several models by tests.

    [bold]Examples[/bold]
    treecrf evaluate model.npz test.csv
    treecrf evaluate model.npz linear.npz test.csv
    treecrf evaluate model.npz test.csv --compare linear.npz
    treecrf evaluate model.npz linear.npz test.csv --html compared.html --json compared.json
    """
    dialect = shared.parse_dialect(format_, separator, decimal, encoding, quote, na)
    models = [*models, *(compare or [])]
    if len(set(models)) < len(models):
        raise typer.BadParameter("a model is named twice; name each model once.")
    for path, suffix in ((as_json, ".json"), (as_page, ".html")):
        if path is not None:
            shared.check_suffix(path, suffix, option=f"--{suffix[1:]}")
            shared.check_writable(path, *models, file)
    from treecrf.automl.evaluation import about_new_labels, break_down
    from treecrf.automl.evaluation import compare as compare_models
    from treecrf.automl.evaluation import evaluate as measure
    from treecrf.automl.labeller import TableLabeller
    from treecrf.pages.evaluation import Judged
    from treecrf.readers.reading import read_table

    loaded = {str(path): TableLabeller.load(path) for path in models}
    dialects = [model.dialect(dialect) for model in loaded.values()]
    if len({each.na for each in dialects}) > 1:
        raise ValueError(
            "the models were trained with different texts for missing cells; give those of the file by --na."
        )
    table = read_table(file, dialects[0], next(iter(loaded.values())).columns.sequence, shared.note)
    for model in loaded.values():
        shared.group_by(model, table, groups)
        table = model.complete(table, unknown)
        shared.check_labels(table, model.columns.label, "evaluate needs labels; use treecrf predict to label the file")
    read = {name: model.read(table, labelled=True, new_labels=True) for name, model in loaded.items()}
    first, *rest = loaded
    for name in rest:
        if not _same_task(loaded[first], read[first], loaded[name], read[name]):
            raise ValueError(
                f"{name} reads other sequences or labels from {file} than {first}; these models cannot be compared."
            )
    for sentence in dict.fromkeys(text for model in loaded.values() for text in model.notices(table, unknown)):
        shared.note(sentence)
    evaluations = {}
    for name, model in loaded.items():
        evaluations[name] = measure(
            model.labeller, read[name], decoder, None if scheme == "none" else scheme, model.metric
        )
        if evaluations[name].new_labels:
            shared.note(f"{name} {about_new_labels(evaluations[name].new_labels)}")
    comparison = compare_models(evaluations, read[first]) if len(evaluations) > 1 else None
    if as_json is not None or as_page is not None:  # before the output, whose reader may stop it
        judged = {}
        for name, evaluation in evaluations.items():
            parts = break_down(evaluation.correct, read[name], *loaded[name].sequence_names(table, read[name]))
            judged[name] = Judged(evaluation, parts, loaded[name].unit(table))
        _write(file, decoder, judged, comparison, as_json, as_page)
    if comparison is not None:
        _show_comparison(comparison, loaded[first].unit(table))
    for name, evaluation in evaluations.items():
        _show(name, evaluation, len(read[name]), segments, loaded[name].unit(table))
    if as_json is not None or as_page is not None:
        shared.say(f"Wrote {' and '.join(str(path) for path in (as_json, as_page) if path is not None)}.")


def _same_task(model: TableLabeller, data: SequenceSet, other: TableLabeller, data_of_other: SequenceSet) -> bool:
    """Whether two models label the same positions of the same column, and what they read as the truth is the same."""
    return (
        model.columns.label == other.columns.label
        and data.offsets.tolist() == data_of_other.offsets.tolist()
        and _true_labels(data) == _true_labels(data_of_other)
    )


def _true_labels(data: SequenceSet) -> list[str]:
    return [data.label_names[code] for code in ([] if data.labels is None else data.labels)]


def _show(name: str, evaluation: Evaluation, n_sequences: int, segments: bool, unit: str) -> None:
    from treecrf.automl.evaluation import seen_labels
    from treecrf.automl.scores import METRICS

    n_positions, macro_f1 = len(evaluation.correct), f"macro F1 {100 * evaluation.macro_f1:.2f} %"
    measures = {METRICS[evaluation.metric]: evaluation.score, "accuracy": evaluation.accuracy}
    (words, (points, *_)), *others = measures.items()
    more = "".join(f", {other} {value.points:.2f} %" for other, value in others)
    if evaluation.entities and evaluation.metric != "span_f1":
        more += f", entity F1 {evaluation.entities.scores['all'].f1:.2f} %"
    shared.say(f"{name}: {words} {points:.2f} % on {counted(n_positions, 'position')}, {macro_f1}{more}.")
    for words, (_, low, high) in measures.items():
        of = f" of {words}" if others else ""
        if low == low:
            shared.say(f"95 % confidence interval{of} by {unit}: {low:.1f} to {high:.1f} %.")
    sizes, names = evaluation.by_label["n_positions"].to_numpy(), evaluation.by_label["label"].tolist()
    share = 100 * sizes.max() / n_positions
    shared.say(f"The commonest label, {quoted(names[sizes.argmax()])}, has {share:.1f} %.")
    n_whole = round(evaluation.whole_sequences * n_sequences)
    shared.say(
        f"Sequences without an error: {n_whole:,} of {n_sequences:,} ({100 * evaluation.whole_sequences:.1f} %)."
    )
    shared.say(
        f"Log loss: {evaluation.log_loss:.4f} a label by itself (0 is perfect); log likelihood of whole sequences: "
        f"{evaluation.log_likelihood:.4f} per position.\n"
    )
    seen = seen_labels(evaluation.by_label)
    n_unseen = len(evaluation.by_label) - len(seen)
    nowhere = f" ({counted(n_unseen, 'other')} neither in the file nor predicted)" if n_unseen else ""
    shared.show_table(seen.rename(columns={"n_positions": "positions"}), f"By label{nowhere}")
    if evaluation.entities:
        _show_entities(evaluation.entities)
    if segments:
        _show_segments(evaluation.segments)
    _show_calibration(evaluation)
    labels = list(evaluation.confusion.columns)
    if len(labels) <= MOST_LABELS:
        table = evaluation.confusion.rename_axis("true \\ predicted").reset_index()
        shared.show_table(table, "Confusion matrix: true labels in rows, predicted labels in columns")
        return
    counts = evaluation.confusion.rename_axis("true").melt(
        ignore_index=False, var_name="predicted", value_name="positions"
    )
    errors = counts.reset_index().query("true != predicted and positions > 0")
    shared.show_table(errors.sort_values("positions", ascending=False, kind="stable"), "Most common errors", most=15)


def _show_entities(entities: Entities) -> None:
    import pandas as pd

    from treecrf.statistics.chunks import MIXED

    rows = [{"type": name or "(no type)", **score._asdict()} for name, score in entities.scores.items()]
    if len(rows) == 2:  # all, and the only type
        rows = rows[:1]
    table = pd.DataFrame(rows).rename(columns=lambda column: column.removeprefix("n_"))
    scheme = "" if entities.scheme == MIXED else f", scheme {entities.scheme}"
    mode = "seqeval's strict mode" if entities.strict else "seqeval"
    shared.show_table(table, f"Entities, in percent{scheme}, counted as in {mode}")
    if entities.scheme == MIXED:
        shared.note("The labels mix letters of several schemes, such as IOBES and BILOU; make them those of one.")
    if entities.n_invalid and entities.scheme in CONSTRAINTS:
        shared.say(
            f"Predicted entities that are not written as {entities.scheme} says: {entities.n_invalid:,}; treecrf "
            f"predict --constraints {CONSTRAINTS[entities.scheme]} allows none.\n"
        )


def _show_segments(score: ChunkScore) -> None:
    shared.say(
        f"Segments (runs of one label): {score.n_correct:,} of {score.n_true:,} found with both ends, "
        f"{score.n_predicted:,} predicted; precision {score.precision:.1f} %, recall {score.recall:.1f} %, F1 "
        f"{score.f1:.1f} %.\n"
    )


def _show_calibration(evaluation: Evaluation) -> None:
    from treecrf.statistics.metrics import calibration_error

    bins = evaluation.reliability
    shared.say(
        f"Probabilities: Brier score {evaluation.brier:.4f} (0 is perfect, 2 is worst); mean calibration error "
        f"{100 * calibration_error(bins):.1f} points.\n"
    )
    table = bins.assign(bin=[f"{low:.1f} to {high:.1f}" for low, high in zip(bins["low"], bins["high"], strict=True)])
    table = table[["bin", "n_positions", "probability", "right"]].rename(columns={"n_positions": "positions"})
    shared.show_table(table, "Calibration: accuracy of the predicted label by its probability")


def _show_comparison(comparison: pd.DataFrame, unit: str) -> None:
    from treecrf.automl.evaluation import verdicts

    shared.say(
        f"McNemar's test, which the papers use, treats positions as independent. The {unit}-level test exchanges "
        f"these trained models in whole {unit}s.\n"
    )
    for sentence in verdicts(comparison, unit):
        shared.say(sentence)
    shared.say()


def _write(
    file: Path,
    decoder: str | None,
    judged: dict[str, Judged],
    comparison: pd.DataFrame | None,
    as_json: Path | None,
    as_page: Path | None,
) -> None:
    """Write the evaluations as JSON, as a page, or both."""
    import json

    from treecrf.automl.evaluation import described, plain, verdicts
    from treecrf.io.files import write_text
    from treecrf.pages.evaluation import render_evaluation

    if as_json is not None:
        content = {
            "file": file.name,
            "decoder": decoder,
            "comparison": None if comparison is None else plain(comparison),
            "models": {name: described(*each) for name, each in judged.items()},
        }
        write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", as_json)
    if as_page is not None:
        unit = next(iter(judged.values())).unit
        sentences = [] if comparison is None else verdicts(comparison, unit)
        write_text(render_evaluation(f"Evaluation on {file.name}", judged, sentences, comparison), as_page)
