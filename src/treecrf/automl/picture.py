"""A self-contained HTML page about a model on a file: a labelled sequence with probabilities, errors, and the
importance of inputs.

It has no script and asks for nothing; whatever is from the file is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.messages import cell_text, counted

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7F7F7F")
"""Of labels, by Okabe and Ito; further labels are grey."""

OTHERS = "#BBBBBB"

MOST_ROWS, MOST_COLUMNS, MOST_INPUTS = 500, 8, 30
"""Positions, columns of the file and inputs that are shown."""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --wrong: #D55E0033; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--line); padding: .15rem .6rem; text-align: left; white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.wrong { background: var(--wrong); } td.bar { min-width: 16rem; }
.stack { display: flex; height: .9rem; } .stack i { display: block; height: 100%; }
.key i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 1rem; vertical-align: -.05rem; }
"""


def write_picture(
    title: str,
    rows: pd.DataFrame,
    probabilities: NDArray[np.float64],
    predicted: Sequence[str],
    labels: Sequence[str],
    true: Sequence[str] | None = None,
    confusion: pd.DataFrame | None = None,
    importance: pd.DataFrame | None = None,
) -> str:
    """The text of the page.

    Parameters
    ----------
    title : str
    rows : DataFrame, shape (n_positions, n_columns)
        The inputs of one sequence, as in the file.
    probabilities : float64, shape (n_positions, n_labels)
        Of the labels at its positions.
    predicted, true : sequence of str, length n_positions
        Labels of its positions; `true` where they are known.
    labels : sequence of str
        In the order of the probabilities.
    confusion : DataFrame, optional
        Positions of the whole file by true (rows) and predicted label.
    importance : DataFrame, optional
        attribute, lost, low, high (`treecrf.automl.explanation.permutation_importance`).
    """
    color_of = dict(zip(labels, COLORS, strict=False))
    parts = [f"<h1>{escape(title)}</h1>", _sequence(rows, probabilities, predicted, labels, true, color_of)]
    if confusion is not None:
        parts.append(_confusion(confusion))
    if importance is not None:
        parts.append(_importance(importance))
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _sequence(
    rows: pd.DataFrame,
    probabilities: NDArray[np.float64],
    predicted: Sequence[str],
    labels: Sequence[str],
    true: Sequence[str] | None,
    color_of: dict[str, str],
) -> str:
    """Inputs, labels and probabilities, one row for each position; wrong predictions are marked."""
    shown, columns = min(len(predicted), MOST_ROWS), list(rows.columns[:MOST_COLUMNS])
    head = [
        "row",
        *columns,
        *([] if true is None else ["true"]),
        "predicted",
        "probability",
        "probabilities of the labels",
    ]
    lines = []
    for place in range(shown):
        cells = [cell_text(value) for value in rows[columns].iloc[place]]
        of_true = [] if true is None else [f"<td>{escape(true[place])}</td>"]
        best = float(probabilities[place].max())
        is_wrong = true is not None and true[place] != predicted[place]
        lines.append(
            f'<tr class="{"wrong" if is_wrong else "right"}"><td class="number">{place}</td>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "".join(of_true)
            + f'<td>{escape(predicted[place])}</td><td class="number">{best:.3f}</td>'
            + f'<td class="bar">{_stack(probabilities[place], labels, color_of)}</td></tr>'
        )
    key = "".join(f'<i style="background:{color}"></i>{escape(name)}' for name, color in color_of.items())
    notes = [f'Labels: <span class="key">{key}{" and others in grey" if len(labels) > len(color_of) else ""}</span>.']
    if true is not None:
        n_wrong = sum(a != b for a, b in zip(true, predicted, strict=True))
        notes.insert(0, f"{counted(len(predicted), 'position')}, {n_wrong} of them labelled wrongly (shaded).")
    if shown < len(predicted):
        notes.append(f"The first {shown} positions are shown.")
    return f"<h2>One sequence</h2>\n<p>{' '.join(notes)}</p>\n{_table(head, lines)}"


def _stack(probabilities: NDArray[np.float64], labels: Sequence[str], color_of: dict[str, str]) -> str:
    parts = [
        f'<i style="width:{100 * p:.2f}%;background:{color_of.get(name, OTHERS)}" title="{escape(name)}: {p:.3f}"></i>'
        for name, p in zip(labels, probabilities.tolist(), strict=True)
        if p >= 0.0005
    ]
    return f'<div class="stack">{"".join(parts)}</div>'


def _confusion(confusion: pd.DataFrame) -> str:
    """Positions of the file by true and predicted label, shaded by their share of the true label."""
    counts = confusion.to_numpy()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    lines = [
        f"<tr><th>{escape(str(name))}</th>"
        + "".join(
            f'<td class="number" style="background:rgba(0,114,178,{0.5 * share:.3f})">{count:,}</td>'
            for count, share in zip(row, of_row, strict=True)
        )
        + "</tr>"
        for name, row, of_row in zip(confusion.index, counts.tolist(), shares.tolist(), strict=True)
    ]
    head = ["true \\ predicted", *map(str, confusion.columns)]
    return f"<h2>Confusion matrix</h2>\n<p>Positions of the whole file.</p>\n{_table(head, lines)}"


def _importance(importance: pd.DataFrame) -> str:
    """Bars of the points that are lost where an input is permuted."""
    top = importance.head(MOST_INPUTS)
    widest = max(float(top["lost"].max()), 1e-9)
    lines = [
        f'<tr><td>{escape(str(name))}</td><td class="number">{lost:.2f}</td>'
        f'<td class="number">{low:.2f} to {high:.2f}</td><td class="bar"><div class="stack"><i style="width:'
        f'{100 * max(lost, 0.0) / widest:.1f}%;background:{COLORS[0]}"></i></div></td></tr>'
        for name, lost, low, high in top[["attribute", "lost", "low", "high"]].itertuples(index=False, name=None)
    ]
    head = ["input", "points", "95 % interval", ""]
    text = "Points of accuracy that are lost where the cells of an input are permuted among all rows."
    return f"<h2>Permutation importance</h2>\n<p>{text}</p>\n{_table(head, lines)}"


def _table(head: Iterable[str], lines: Iterable[str]) -> str:
    heading = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "\n".join(lines)
    return f'<div class="wide"><table>\n<tr>{heading}</tr>\n{body}\n</table></div>'
