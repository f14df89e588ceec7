"""What all pages share: one file that asks for nothing, its style, tables, and data that a script reads."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from math import floor, log10
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.files import resource
from treecrf.io.messages import counted
from treecrf.io.palette import COLORS

PACKAGE = "treecrf.pages"

MOST_LABELS = 40
"""Labels of a confusion matrix."""

MOST_BARS = 30
"""Inputs that are shown."""


def page(title: str, body: str, scripts: Sequence[str] = (), data: Any = None) -> str:
    """The text of a page.

    Parameters
    ----------
    title : str
        Escaped here.
    body : str
        HTML, in which whatever comes from files is escaped.
    scripts : sequence of str
        The only ones that run: the page's Content-Security-Policy names them by digest.
    data : optional
        JSON values for the scripts, in the element ``data``.
    """
    style = resource(PACKAGE, "page.css") + _colours()
    parts = ["" if data is None else f'<script type="application/json" id="data">{as_json(data)}</script>\n']
    parts += [f"<script>{script}</script>\n" for script in scripts]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of(scripts)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}\n{''.join(parts)}</body>\n</html>\n"
    )


def policy_of(scripts: Iterable[str]) -> str:
    """The Content-Security-Policy of a page: no request, and no scripts but these."""
    sources = " ".join(sources_of(scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {sources}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def sources_of(scripts: Iterable[str]) -> list[str]:
    """How a Content-Security-Policy names scripts, each once."""
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return list(dict.fromkeys(f"'sha256-{digest}'" for digest in digests))


def as_json(values: Any) -> str:
    """JSON that a script element can hold."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _colours() -> str:
    """The colours of labels as variables and classes of the style."""
    light, dark = (" ".join(f"--c{number}: {pair[place]};" for number, pair in enumerate(COLORS)) for place in range(2))
    classes = " ".join(f".c{number} {{ --c: var(--c{number}); }}" for number in range(len(COLORS)))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{classes}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table; cells are escaped, numbers stand right. The first column names the row."""
    heading = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    rows = [list(row) for row in rows]
    decimals = [_decimals(column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first, *others = row
        cells = "".join(
            f'<td class="number">{_number(cell, n)}</td>'
            if isinstance(cell, int | float | np.number)
            else f"<td>{escape(str(cell))}</td>"
            for cell, n in zip(others, decimals[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row">{escape(_text(first))}</th>{cells}</tr>')
    named = f"<p>{escape(caption)}</p>\n" if caption else ""
    body = "\n".join(lines)
    return (
        f'{named}<div class="wide" tabindex="0" role="region" aria-label="{escape(caption or head[0])}"><table>\n'
        f"<thead><tr>{heading}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _text(value: Any) -> str:
    return _number(value, _decimals([value])) if isinstance(value, int | float | np.number) else str(value)


def _decimals(column: Iterable[Any]) -> int:
    """Digits after the point of a column of numbers: the largest has four significant ones."""
    sizes = [abs(float(value)) for value in column if isinstance(value, float | np.floating) and np.isfinite(value)]
    largest = max(sizes, default=0.0)
    return min(max(3 - floor(log10(largest)), 0), 4) if largest else 0


def _number(value: Any, decimals: int) -> str:
    """Whole numbers in full, others with so many digits after the point; – for NaN."""
    if value != value:
        return "–"
    return f"{value:,}" if isinstance(value, int | np.integer) else f"{value:z,.{decimals}f}"


def commonest_labels(confusion: pd.DataFrame, n_shown: int = MOST_LABELS) -> list[str]:
    """The labels of most positions, true and predicted together, in the order of the confusion matrix."""
    counts = confusion.to_numpy()
    places = np.sort(np.argsort(-(counts.sum(axis=1) + counts.sum(axis=0)), kind="stable")[:n_shown])
    return [str(confusion.index[place]) for place in places]


def confusion_table(confusion: pd.DataFrame, names: Sequence[str]) -> str:
    """Positions by true (rows) and predicted label, shaded by their share of the true label; of these labels."""
    counts = confusion.to_numpy()
    places = pd.Index(confusion.index).get_indexer(pd.Index(names))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    lines = []
    for i, name in zip(places, names, strict=True):
        cells = "".join(
            f'<td class="number{" diagonal" if i == j else ""}" style="--share:{shares[i, j]:.3f}">'
            f"{f'{counts[i, j]:,}' if counts[i, j] else ''}</td>"
            for j in places
        )
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    heading = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    more = f" The {len(names)} commonest of {counted(len(counts), 'label')}." if len(names) < len(counts) else ""
    caption = f"Positions by true label (rows) and predicted label (columns); darker: a larger share of the row.{more}"
    return (
        f'<p>{caption}</p>\n<div class="wide" tabindex="0" role="region" aria-label="Confusion matrix">'
        f'<table class="confusion">\n<thead><tr><th>true \\ predicted</th>{heading}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def bars(head: Sequence[str], rows: Iterable[tuple[str, float, str]], caption: str) -> str:
    """A table with a bar for each row: its name, its value, and words beside it."""
    rows = list(rows)
    widest = max((abs(value) for _, value, _ in rows), default=0.0) or 1.0
    decimals = _decimals(float(value) for _, value, _ in rows)
    lines = [
        f'<tr><th scope="row">{escape(str(name))}</th><td class="number">{_number(float(value), decimals)}</td>'
        f'<td>{escape(words)}</td><td class="bar"><i style="width:{100 * max(value, 0.0) / widest:.1f}%"></i></td></tr>'
        for name, value, words in rows
    ]
    heading = "".join(f'<th scope="col">{escape(name)}</th>' for name in (*head, ""))
    return (
        f'<p>{escape(caption)}</p>\n<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table>\n<thead><tr>{heading}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table></div>"
    )
