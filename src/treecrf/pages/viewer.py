"""The viewer of sequences: a page to pick one, to see its inputs, labels and probabilities, and to go to errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.labeller import TableLabeller
from treecrf.automl.time_axis import TimeAxis, find_time_axis
from treecrf.io.arrays import gather_ranges
from treecrf.io.files import resource
from treecrf.io.messages import counted
from treecrf.io.palette import color_numbers, entity_type
from treecrf.pages.page import MOST_BARS, PACKAGE, bars, commonest_labels, confusion_table, page
from treecrf.readers.tables import TypedTable
from treecrf.sequences import MISSING, SequenceSet, window_rows
from treecrf.statistics.chunks import chunk_scheme

MOST_LINES = 4
"""Columns of numbers that are drawn at first."""

MOST_KEYS = 60
"""Labels in the key, the commonest ones."""

LEAST_CHANCE = 0.005
"""Probabilities below it are left out of the page, but for that of the predicted label."""


class Viewed(NamedTuple):
    """Labelled sequences.

    Attributes
    ----------
    names : sequence of str, length n_sequences
    offsets : int64, shape (n_sequences + 1,)
    inputs : DataFrame
        A row for each position; float columns are numbers, others texts, None or NaN where missing.
    label_names : sequence of str
        Those of the probabilities come first.
    probabilities : float64, shape (n_positions, n_known_labels)
    predicted : int, shape (n_positions,)
        Codes of `label_names`.
    true : int, shape (n_positions,), or None
        The same, `MISSING` where it is not known.
    times : TimeAxis, optional
        Of the positions.
    """

    names: Sequence[str]
    offsets: NDArray[np.int64]
    inputs: pd.DataFrame
    label_names: Sequence[str]
    probabilities: NDArray[np.float64]
    predicted: NDArray[np.integer]
    true: NDArray[np.integer] | None
    times: TimeAxis | None = None


def render_viewer(
    title: str,
    viewed: Viewed,
    opened: int | None = None,
    note: str = "",
    confusion: pd.DataFrame | None = None,
    importance: pd.DataFrame | None = None,
) -> str:
    """The text of the page.

    Parameters
    ----------
    title : str
    viewed : Viewed
    opened : int, optional
        The sequence that is shown first; else the first one.
    note : str
        A sentence below the title.
    confusion : DataFrame, optional
        Positions by true (rows) and predicted label.
    importance : DataFrame, optional
        attribute, lost, low, high (`treecrf.automl.explanation.permutation_importance`).
    """
    data = packed(viewed) | {"opened": opened}
    parts = [f"<p>{escape(note)}</p>" if note else "", _controls(viewed, data)]
    if confusion is not None:
        parts.append(f"<h2>Errors</h2>\n{confusion_table(confusion, commonest_labels(confusion))}")
    if importance is not None:
        parts.append(f"<h2>Importance of columns</h2>\n{importance_bars(importance)}")
    return page(title, "\n".join(parts), [resource(PACKAGE, "viewer.js")], data)


def importance_bars(importance: pd.DataFrame) -> str:
    """A bar for each column of a table of permutation importance."""
    top = importance.head(MOST_BARS)[["attribute", "lost", "low", "high"]]
    rows = [
        (name, lost, f"{low:.2f} to {high:.2f}" if low == low else "–")
        for name, lost, low, high in top.itertuples(index=False, name=None)
    ]
    caption = "Points of accuracy that are lost where the cells of a column are permuted among all rows"
    return bars(["column", "points", "95 % interval"], rows, caption)


# --- data -------------------------------------------------------------------------------------------


def packed(viewed: Viewed) -> dict[str, Any]:
    """The data of the page as JSON values."""
    names = [str(name) for name in viewed.label_names]
    scheme = chunk_scheme(names)
    columns = [_column(str(name), viewed.inputs[name]) for name in viewed.inputs]
    axis = None if viewed.times is None else viewed.times.column
    n_numbers = sum("values" in column for column in columns)
    has_words = any("levels" in column and column["name"] != axis for column in columns)
    tags = np.array(names)
    return {
        "labels": names,
        "types": [entity_type(name, scheme) for name in names],
        "colors": color_numbers(names, scheme),
        "sequences": [str(name) for name in viewed.names],
        "offsets": viewed.offsets.tolist(),
        "columns": columns,
        "times": None if viewed.times is None else _times(viewed.times),
        "view": "words" if n_numbers == 0 or (has_words and n_numbers < 2) else "numbers",
        "predicted": viewed.predicted.tolist(),
        "true": None if viewed.true is None else viewed.true.tolist(),
        "goes_on": {
            "predicted": _goes_on(viewed.predicted, tags, viewed.offsets, scheme),
            "true": "" if viewed.true is None else _goes_on(viewed.true, tags, viewed.offsets, scheme),
        },
        "chances": _chances(viewed.probabilities, viewed.predicted),
    }


def _column(name: str, cells: pd.Series) -> dict[str, Any]:
    """A column of numbers, null where missing, or the levels and codes of texts, -1 where missing.

    Numbers have six digits after those that all of them share.
    """
    if cells.dtype.kind == "f":
        shared = cells.abs().max() / max(cells.max() - cells.min(), np.finfo(np.float64).tiny)
        digits = 6 + int(np.clip(np.log10(shared), 0, 11)) if shared > 0 else 6
        values = [None if value != value else float(f"{value:.{digits}g}") for value in cells.tolist()]
        return {"name": name, "values": values}
    codes, levels = pd.factorize(cells.where(cells.notna() & (cells != ""), None))
    return {"name": name, "levels": [str(level) for level in levels], "codes": codes.tolist()}


def _times(times: TimeAxis) -> dict[str, Any]:
    """The times as numbers, those of dates to the millisecond, null where there are none."""
    values = times.values if times.kind == "number" else np.round(times.values, 3)
    numbers = [None if value != value else int(value) if value.is_integer() else value for value in values.tolist()]
    return {"column": times.column, "title": times.title, "kind": times.kind, "values": numbers}


def _goes_on(
    codes: NDArray[np.integer], names: NDArray[np.str_], offsets: NDArray[np.int64], scheme: str | None
) -> str:
    """For each position 1 if it is of the entity of the one before, or, as that, outside of all; else 0."""
    if scheme is None:
        return "0" * len(codes)
    tags = np.where(codes == MISSING, "", names[codes])
    letters = np.array([tag[:1] for tag in tags.tolist()], dtype="U1")
    types = np.array([entity_type(tag, scheme) for tag in tags.tolist()], dtype=str)
    before = np.roll(letters, 1)
    goes_on = (
        (np.roll(types, 1) == types) & ~np.isin(letters, ["B", "S", "U", ""]) & ~np.isin(before, ["E", "L", "S", "U"])
    )
    outside = (letters == "O") & (before == "O")
    goes_on = (goes_on & (letters != "O")) | outside
    goes_on[offsets[:-1]] = False
    return "".join(np.where(goes_on, "1", "0").tolist())


def _chances(probabilities: NDArray[np.float64], predicted: NDArray[np.integer]) -> dict[str, list[int]]:
    """Labels and probabilities, in ten-thousandths, of each position, in the order of the labels."""
    kept = probabilities >= LEAST_CHANCE
    kept[np.arange(len(predicted)), predicted] = True
    positions, labels = np.nonzero(kept)
    values = np.round(10_000 * probabilities[positions, labels]).astype(np.int64)
    return {"counts": kept.sum(axis=1).tolist(), "labels": labels.tolist(), "values": values.tolist()}


# --- controls ---------------------------------------------------------------------------------------


def _controls(viewed: Viewed, data: dict[str, Any]) -> str:
    has_truth = viewed.true is not None
    orders = [("file", "order of the file")]
    orders += [("errors", "most errors"), ("share", "largest share of errors")] if has_truth else []
    orders += [("least", "least certain position"), ("length", "longest")]
    wheres = [("any", "true or predicted" if has_truth else "predicted")]
    wheres += [("true", "true"), ("predicted", "predicted"), ("wrong", "wrong")] if has_truth else []
    labels = [("", "all labels"), *((str(code), name) for code, name in enumerate(data["labels"]))]
    picker = (
        '<section class="picker" aria-label="Choice of a sequence">'
        f'<details id="filters"><summary>Order and filter</summary><div class="tools">'
        f"{_select('order', 'Order', orders)}{_select('label', 'With the label', labels)}"
        f"{_select('where', 'As', wheres)}"
        '<label>Find by name<input type="search" id="find" autocomplete="off"></label></div></details>'
        '<label class="which">Sequence<select id="sequence"></select></label>'
        '<button type="button" id="previous">Previous</button><button type="button" id="next">Next</button>'
        '<span id="count" role="status"></span></section>'
    )
    stage = (
        f'<section aria-label="The sequence">{_tools(data, has_truth)}'
        '<div class="at"><label for="at">Row</label><input type="range" id="at" min="0" value="0">'
        f'<output id="of"></output></div><ul class="legend" aria-label="Colours of labels">{_key(data, viewed)}</ul>'
        '<div id="stage" class="stage" tabindex="0" role="region" aria-label="Words or numbers of the sequence. '
        'Arrow keys move through its rows, e goes to the next error."></div></section>'
    )
    inspector = '<aside id="inspector" class="inspector" aria-live="polite" aria-label="The row"></aside>'
    about = f"{counted(len(viewed.names), 'sequence')}, {counted(len(viewed.predicted), 'position')}"
    if viewed.true is not None:
        known = viewed.true != MISSING
        n_wrong = int((viewed.true != viewed.predicted)[known].sum())
        n_known = counted(int(known.sum()), "label")
        about += f"; {n_wrong:,} of {n_known} predicted wrongly, which are outlined or marked in red"
    return f'<p>{about}.</p>\n<main class="viewer" id="main">\n{picker}\n{stage}\n{inspector}\n</main>'


def _key(data: dict[str, Any], viewed: Viewed) -> str:
    """The colours of the commonest labels, or of their types."""
    codes = viewed.predicted if viewed.true is None else np.append(viewed.predicted, viewed.true)
    sizes = np.bincount(codes[codes != MISSING], minlength=len(data["types"])).tolist()
    counts: Counter[str] = Counter()
    for name, size in zip(data["types"], sizes, strict=True):
        counts[name] += size
    numbers = dict(zip(data["types"], data["colors"], strict=True))
    commonest = {name for name, _ in counts.most_common(MOST_KEYS)}
    keys = [
        f"<li><i{'' if number is None else f' class=c{number}'}></i>{escape(name)}</li>"
        for name, number in numbers.items()
        if name in commonest
    ]
    more = len(numbers) - len(keys)
    return "".join(keys) + (f"<li>and {more:,} more</li>" if more else "")


def _tools(data: dict[str, Any], has_truth: bool) -> str:
    axis = None if data["times"] is None else data["times"]["column"]
    texts = [
        (str(number), column["name"])
        for number, column in enumerate(data["columns"])
        if "levels" in column and (column["name"] != axis or data["view"] == "words")
    ]
    numbers = [(number, column["name"]) for number, column in enumerate(data["columns"]) if "values" in column]
    parts = []
    if texts and numbers:
        radios = "".join(
            f'<label><input type="radio" name="view" id="as-{name}"'
            f"{' checked' if data['view'] == name else ''}>{name}</label>"
            for name in ("words", "numbers")
        )
        parts.append(f'<fieldset aria-label="View">{radios}</fieldset>')
    if texts:
        longest = max(texts, key=lambda each: len(data["columns"][int(each[0])]["levels"]))
        parts.append(f'<span data-for="words">{_select("column", "Text", texts, longest[0])}</span>')
    if numbers:
        drawn = [name for _, name in numbers if name != axis][:MOST_LINES]
        boxes = "".join(
            f'<label><input type="checkbox" id="column{number}"'
            f"{' checked' if name in drawn else ''}>{escape(name)}</label>"
            for number, name in numbers
        )
        parts.append(f'<fieldset id="columns" data-for="numbers" aria-label="Columns">{boxes}</fieldset>')
        zooms = (("in", "Zoom in"), ("out", "Zoom out"), ("fit", "All"))
        buttons = "".join(f'<button type="button" id="{name}">{words}</button>' for name, words in zooms)
        parts.append(f'<span data-for="numbers">{buttons}</span>')
        axes = [("time", data["times"]["title"]), ("row", "row")] if data["times"] else []
        parts += [f'<span data-for="numbers">{_select("axis", "Over", axes)}</span>'] if axes else []
    if has_truth:
        parts.append('<button type="button" id="error">Next error</button>')
    return f'<div class="tools">{"".join(parts)}</div>'


def _select(name: str, label: str, options: Sequence[tuple[str, str]], chosen: str | None = None) -> str:
    items = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{escape(words)}</option>'
        for value, words in options
    )
    return f'<label>{label}<select id="{name}">{items}</select></label>'


# --- what the page shows of a table ----------------------------------------------------------------


MOST_POSITIONS = 200_000
"""Of a larger file, sequences drawn at random are shown."""


def view_table(
    model: TableLabeller, table: TypedTable, data: SequenceSet, wanted: int, seed: int, most: int = MOST_POSITIONS
) -> tuple[Viewed, int]:
    """Label the sequences of a table.

    Parameters
    ----------
    model : TableLabeller
    table : TypedTable
    data : SequenceSet
        Of all of it (`TableLabeller.encode`, with new labels where there are labels).
    wanted : int
        Number of a sequence that is shown in any case.
    seed : int
        Of the drawing of sequences, where there are more than `most` positions.

    Returns
    -------
    viewed : Viewed
    place : int
        Of the wanted sequence among those that are shown.
    """
    chosen = np.arange(len(data))
    if data.n_positions > most:
        order = np.append(wanted, np.random.default_rng(seed).permutation(np.delete(chosen, wanted)))
        fits = np.cumsum(data.lengths[order]) <= most
        fits[0] = True
        chosen = np.sort(order[fits])
    part = data.select(chosen)
    ready = model.prepare(part)
    rows = gather_ranges(data.observation_offsets, chosen)[1][window_rows(part, (0, 0))[:, 0]]
    columns = {}
    for name in model.columns.attributes:
        if name in data.number_names:
            columns[name] = pd.Series(data.numbers[rows, data.number_names.index(name)])
        else:
            columns[name] = pd.Series(table.frame[name].to_numpy(dtype=object)[rows], dtype=object)
    ids = table.frame[model.columns.sequence].astype(str).to_numpy()
    known = tuple(model.labeller.label_names_)
    times = find_time_axis(table, model.columns, {each.name: each.categories for each in model.labeller.attributes_})
    viewed = Viewed(
        ids[data.observation_offsets[chosen]].tolist(),
        part.offsets,
        pd.DataFrame(columns),
        known if part.labels is None else part.label_names,
        model.labeller.predict_proba(ready),
        model.metric.predict(model.labeller, ready),
        part.labels,
        None if times is None else times._replace(values=times.values[rows]),
    )
    return viewed, int(np.flatnonzero(chosen == wanted)[0])
