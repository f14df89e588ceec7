"""``treecrf explain``: which inputs of a model matter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treecrf.cli import shared, tables
from treecrf.io.messages import cell_text, counted, listed, quoted

if TYPE_CHECKING:
    import pandas as pd

    from treecrf.automl.contributions import Contributions
    from treecrf.automl.labeller import TableLabeller
    from treecrf.automl.time_axis import TimeAxis
    from treecrf.readers.tables import TypedTable
    from treecrf.sequences import SequenceSet

MOST_POSITIONS = 20_000
"""Of a larger file, sequences drawn at random are labelled."""

WIDTH, CELL = 80, 6
"""Characters of a line, and of a share of the gain with the blank before it."""

MOST_COLUMNS = 4
"""Whose cells are shown beside the contribution of each observation."""


def explain(
    model: Annotated[Path, shared.argument("MODEL", "Model file of treecrf fit.")],
    file: Annotated[Path, shared.argument("FILE", "File with labels that the model was not trained on.")],
    position: Annotated[
        int | None,
        typer.Option("--position", min=0, metavar="N", help="Explain the label of row N of the file (from 0)."),
    ] = None,
    sequence: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Explain a label of the sequence with this identifier; needs --row."),
    ] = None,
    row: Annotated[int | None, typer.Option("--row", min=0, metavar="N", help="Row of that sequence (from 0).")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Write a page to look through all sequences (.html), or figures of one (.png, .svg, .pdf): --id, else "
            "the first; with a row, the figure of its contributions.",
        ),
    ] = None,
    weights: shared.Weights = None,
    groups: shared.GroupsOfModel = None,
    unknown: shared.Unknown = 0.0,
    format_: shared.Format = None,
    separator: shared.Separator = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    quote: shared.Quote = None,
    na: shared.Na = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random numbers.")] = 0,
) -> None:
    """Show which inputs matter to a model, or why one row has its label.

    For the model: the permutation importance of each column, and the gain of its trees by column and distance; both
    need a file with labels. For one row, which needs no labels: the contribution of each column to the score of its
    label, and of each observation to the log-odds of its label vs the next likely label.

    [bold]Examples[/bold]
    treecrf explain model.npz test.csv
    treecrf explain model.npz test.csv --position 120
    treecrf explain model.npz test.csv --id patient7 --row 3
    treecrf explain model.npz test.csv --plot model.html
    treecrf explain model.npz test.csv --position 120 --plot row.png
    """
    is_row = position is not None or row is not None
    names_sequence = plot is not None and row is None and position is None
    if not names_sequence and ((sequence is None) != (row is None) or (position is not None and sequence is not None)):
        raise typer.BadParameter("name one row by --position, or by --id and --row together.")
    if plot is not None:
        shared.check_suffix(plot, ".html", ".png", ".svg", ".pdf", option="--plot")
        if is_row and plot.suffix.lower() == ".html":
            raise typer.BadParameter("a page shows sequences; leave --position and --row out, or name a .png file.")
        shared.check_writable(plot, model, file)
    dialect = shared.parse_dialect(format_, separator, decimal, encoding, quote, na)
    from treecrf.automl.labeller import TableLabeller
    from treecrf.readers.reading import read_table

    labeller = TableLabeller.load(model)
    table = read_table(file, labeller.dialect(dialect), labeller.columns.sequence, shared.note)
    shared.group_by(labeller, table, groups)
    for sentence in labeller.notices(table, unknown):
        shared.note(sentence)
    names_place = is_row or sequence is not None
    place = _find_row(labeller, table, position, sequence, row or 0) if names_place else (0, 0)
    if plot is not None and is_row:
        _plot_row(labeller, table, place, seed, plot)
    elif plot is not None:
        _plot(labeller, table, f"{model.name} on {file.name}", place[0], seed, plot, weights)
    elif is_row:
        _explain_row(labeller, table, place, seed)
    else:
        _explain_model(labeller, table, seed, weights)


def _explain_model(model: TableLabeller, table: TypedTable, seed: int, weights: str | None) -> None:
    from treecrf.automl.explanation import gain_importance, without_trees

    advice = "explain needs labels, but for a single row (--position, or --id and --row)"
    shared.check_labels(table, model.columns.label, advice)
    data = model.encode(table, labelled=True, new_labels=True)
    new = data.label_names[len(model.labeller.label_names_) :]
    if new:
        shared.note(f"Labels that training did not have count as errors: {listed(new)}.")
    data, losses = _permute(model, table, data, seed, weights)
    shared.say(f"{counted(len(data), 'sequence')}, {counted(data.n_positions, 'position')}.\n")
    shared.show_table(
        losses.rename(columns={"lost": "importance", "low": "CI low", "high": "CI high"}),
        f"Permutation importance (accuracy points, with 95 % confidence intervals by {model.unit(table)})",
        most=30,
    )
    ready = model.prepare(data)
    gains = gain_importance(model.labeller, ready)
    for name in without_trees(model.labeller, ready):
        shared.say(f"No gains for {name}: it has no trees.")
    if gains is None:
        return
    by_distance = gains.pivot_table(index="attribute", columns="distance", values="gain", sort=False).fillna(0.0)
    if by_distance.columns.tolist() == [0]:
        shared.show_table(gains[["attribute", "gain"]], "Share of the trees' total gain", most=30)
        return
    by_distance = by_distance[sorted(by_distance.columns)].assign(all=by_distance.sum(axis=1))
    by_distance = by_distance.sort_values("all", ascending=False, kind="stable")
    shown = by_distance.rename(columns=lambda name: f"{name:+d}" if isinstance(name, int) and name else str(name))
    title = "Share of the trees' total gain, by observations before (-) and after (+)"
    longest = max(len(str(name)) for name in ("attribute", *shown.index))
    if longest + CELL * len(shown.columns) <= WIDTH:
        shared.show_table(shown.reset_index(), title, most=30)
    else:
        shared.show_table(gains, title, most=20)


def _permute(
    model: TableLabeller, table: TypedTable, data: SequenceSet, seed: int, weights: str | None
) -> tuple[SequenceSet, pd.DataFrame]:
    """A part of the file, and what permuting each column loses there."""
    from treecrf.automl.cross_validation import draw_sequences, weights_of
    from treecrf.automl.explanation import permutation_importance

    of_positions = None if weights is None else tables.read_weights(table, weights, data)
    drawn = draw_sequences(data, seed, MOST_POSITIONS, 2)
    part = data.select(drawn)
    with shared.progress("permuting columns", len(part.attributes) + len(part.number_names)) as tick:
        return part, permutation_importance(model, part, seed, tick, weights_of(data, drawn, of_positions))


def _plot(
    model: TableLabeller, table: TypedTable, title: str, number: int, seed: int, path: Path, weights: str | None
) -> None:
    """Write the page of all sequences, or figures of one; without labels they have no errors and no importances."""
    from treecrf.pages.viewer import view_table

    has_labels = model.columns.label in table and len(table[model.columns.label].distinct[1]) > 0
    data = model.encode(table, labelled=has_labels, new_labels=has_labels)
    evaluation = importance = None
    part = data
    if has_labels:
        from treecrf.automl.evaluation import evaluate

        part, importance = _permute(model, table, data, seed, weights)
        evaluation = evaluate(model.labeller, model.prepare(part), None, metric=model.metric)
    if path.suffix.lower() == ".html":
        from treecrf.io.files import write_text
        from treecrf.pages.viewer import render_viewer

        viewed, opened = view_table(model, table, data, number, seed)
        note = ""
        if len(viewed.names) < len(data):
            note = (
                f"The file has {counted(len(data), 'sequence')}; the page has {len(viewed.names):,}, drawn at random."
            )
        confusion = None if evaluation is None else evaluation.confusion
        write_text(render_viewer(title, viewed, opened, note, confusion, importance), path)
        shared.say(f"Wrote {path}. Open it in a browser.")
        return
    from treecrf.automl.explanation import gain_importance
    from treecrf.plot import plot_calibration, plot_confusion, plot_importance, plot_sequence
    from treecrf.plot.style import save_figure

    viewed, place = view_table(model, table, data, number, seed, most=1)
    names = list(viewed.label_names)
    figures: dict[Path, Any] = {
        path: plot_sequence(
            viewed.inputs,
            viewed.probabilities,
            list(model.labeller.label_names_),
            None if viewed.true is None else [names[code] for code in viewed.true],
            [names[code] for code in viewed.predicted],
            title=f"{title}: {viewed.names[place]}",
            **_axis_of(viewed.times),
        )
    }
    if evaluation is not None and importance is not None:
        drawn = {
            "confusion": plot_confusion(evaluation.confusion),
            "calibration": plot_calibration(evaluation.reliability),
            "importance": plot_importance(importance),
        }
        gains = gain_importance(model.labeller, model.prepare(part))
        if gains is not None:
            drawn["offsets"] = plot_importance(gains, by="offset")
        figures |= {path.with_stem(f"{path.stem}-{name}"): ax for name, ax in drawn.items()}
    for file, figure in figures.items():
        save_figure(figure, file)
    shared.say(f"Wrote {', '.join(map(str, figures))}.")


def _axis_of(times: TimeAxis | None) -> dict[str, Any]:
    """What `plot_sequence` is told of the times of a sequence."""
    if times is None or times.values[0] != times.values[0]:
        return {}
    of_date = times.kind == "date"
    name = f"{times.title}, seconds" if times.kind == "time of day" else times.title
    return {
        "times": (1e3 * times.values).astype("datetime64[ms]") if of_date else times.values,
        "time_name": name,
    }


def _plot_row(model: TableLabeller, table: TypedTable, place: tuple[int, int], seed: int, path: Path) -> None:
    from treecrf.automl.contributions import column_contributions
    from treecrf.plot import plot_contributions
    from treecrf.plot.style import save_figure

    contributions = column_contributions(model, model.encode(table, labelled=False), *place, seed)
    save_figure(plot_contributions(contributions), path)
    shared.say(f"Wrote {path}.")


def _find_row(
    model: TableLabeller, table: TypedTable, position: int | None, sequence: str | None, row: int | None
) -> tuple[int, int]:
    """The number of the sequence, and of the row within it; a ValueError if there is no such row."""
    import numpy as np

    from treecrf.io.columns import MISSING, Vocabulary

    column = model.columns.sequence
    table.check_columns([column], "give it the columns that the model was trained with")
    names = table.frame[column].astype(str).to_numpy()
    begins = np.flatnonzero(np.append(True, names[1:] != names[:-1])) if len(names) else np.array([], dtype=np.int64)
    if position is not None:
        if position >= len(names):
            raise ValueError(
                f"table {table.path} has {counted(len(names), 'row')}, numbered from 0, and no row {position}."
            )
        number = int(np.searchsorted(begins, position, side="right")) - 1
        return number, position - int(begins[number])
    number = int(Vocabulary(names[begins].tolist()).places([str(sequence)])[0])
    if number == MISSING:
        raise ValueError(f"table {table.path} has no sequence {quoted(sequence)} in its column {quoted(column)}.")
    length = int(np.append(begins, len(names))[number + 1] - begins[number])
    if row is None or row >= length:
        raise ValueError(
            f"sequence {quoted(sequence)} has {counted(length, 'row')}, numbered from 0, and no row {row}."
        )
    return number, row


def _explain_row(model: TableLabeller, table: TypedTable, place: tuple[int, int], seed: int) -> None:
    from math import exp

    from treecrf.automl.contributions import column_contributions, explain_position

    data = model.encode(table, labelled=False)
    explained = explain_position(model, data, *place, seed)
    row = int(data.observation_offsets[place[0]]) + place[1]
    by_column = column_contributions(model, data, *place, seed)
    shared.say(
        f"Row {row}: {explained.predicted}, {_times(exp(min(explained.log_odds, 50.0)))} as likely as "
        f"{explained.runner_up} (log-odds {explained.log_odds:.3f}).\n"
    )
    _show_columns(by_column, _cells(model, table, [row], model.columns.attributes).iloc[0])
    shared.say(
        f"By observation: with typical observations of the file, the log-odds are {explained.typical_log_odds:.3f}; "
        "the observations explain the difference:\n"
    )
    contributions = explained.contributions
    is_near = contributions["distance"].notna()
    distances = contributions["distance"][is_near].astype(int)
    shown = _cells(model, table, (row + distances).tolist(), _most_important(model, by_column))
    shown.insert(
        0, "distance", [f"{distance:+d}" if distance else "0" for distance in distances], allow_duplicates=True
    )
    shown = shown.reindex(range(len(contributions)), fill_value="")
    shown.iloc[len(distances) :, 0] = "all others"
    shown.insert(len(shown.columns), "contribution", contributions["contribution"].tolist(), allow_duplicates=True)
    n_left_out = len(model.columns.attributes) - (len(shown.columns) - 2)
    beside = f" (cells of {counted(n_left_out, 'further column')} not shown)" if n_left_out else ""
    shared.show_table(shown, f"Contribution to the log-odds of {explained.predicted} vs {explained.runner_up}{beside}")
    shared.say(
        f"Sum: {contributions['contribution'].sum():.3f} = {explained.log_odds:.3f} - "
        f"({explained.typical_log_odds:.3f})."
    )


def _show_columns(contributions: Contributions, cells: pd.Series) -> None:
    """One contribution a column, with its cell in the row."""
    from treecrf.automl.explanation import BEFORE

    before = ", ".join(contributions.before) or "no label"
    texts = [before if name == BEFORE else cells.get(name, "–") for name in contributions.table["column"]]
    if contributions.is_exact:
        title = f"Contribution to the score F of {contributions.label}, exact"
    else:
        title = f"Contribution to the log-odds of {contributions.label} vs {contributions.runner_up}, approximate"
    table = contributions.table.assign(cell=texts)[["column", "cell", "contribution"]]
    shared.show_table(table, title)
    after = f" after {before}" if contributions.before else ""
    where = "on average over the file" if contributions.is_exact else "with typical columns"
    start = f" - ({contributions.baseline:.3f} {where})" if contributions.baseline else ""
    total = contributions.table["contribution"].sum()
    shared.say(
        f"Sum: {total:.3f} = {contributions.score:.3f}{after}{start}. A contribution is of the column in the whole "
        "window.\n"
    )


def _most_important(model: TableLabeller, contributions: Contributions) -> list[str]:
    """The columns with the largest contributions, in the order of the model."""
    first = [name for name in contributions.table["column"] if name in model.columns.attributes][:MOST_COLUMNS]
    return [name for name in model.columns.attributes if name in first]


def _cells(model: TableLabeller, table: TypedTable, rows: Sequence[int], names: Sequence[str]) -> pd.DataFrame:
    """Texts of cells, numbers with six digits."""
    import pandas as pd

    def texts(name: str) -> list[str]:
        cells = table[name].numbers if name in model.columns.numbers else table.frame[name].to_numpy(dtype=object)
        return [cell_text(cell) for cell in cells[rows]]

    return pd.DataFrame({name: texts(name) for name in names})


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"
