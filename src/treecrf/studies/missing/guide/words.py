"""Words, numbers and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from treecrf.rendering.cells import DASH


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], n_words: int = 1, last_words: int = 0) -> str:
    """A Markdown table; columns of words to the left, numbers to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(3, *(len(line[place]) for line in lines)) for place in range(len(head))]
    is_words = [place < n_words or place >= len(head) - last_words for place in range(len(head))]
    rule = ["-" * width if words else "-" * (width - 1) + ":" for width, words in zip(widths, is_words, strict=True)]
    padded = [
        [
            cell.ljust(width) if words else cell.rjust(width)
            for cell, width, words in zip(line, widths, is_words, strict=True)
        ]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [padded[0], rule, *padded[1:]])


def _and(items: Iterable[str]) -> str:
    texts = list(items)
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def _list(items: Iterable[str]) -> str:
    """A Markdown list of the items that are not empty."""
    return "\n".join(f"- {item}" for item in items if item)


def _code(names: Iterable[str]) -> list[str]:
    return [f"`{name}`" for name in names]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _of(count: float, total: float) -> str:
    return f"{int(count)} of {_n(int(total), 'case')}"


def _all_cases(n_cases: int) -> str:
    return "the one case" if n_cases == 1 else f"all {n_cases} cases"


def _rate(rate: float) -> str:
    return f"{100 * rate:g} %"


def _rates(rates: Iterable[float]) -> str:
    return _and(f"{100 * rate:g}" for rate in rates) + " %"


def _points(value: float) -> str:
    """One decimal; what rounds to zero has no sign."""
    return DASH if np.isnan(value) else f"{round(value, 1) or 0.0:.1f}".replace("-", "−")


def _mean_and_range(values: pd.Series) -> str:
    known = values.dropna()
    if len(known) < 2:
        return _points(known.mean())
    return f"{_points(known.mean())} ({_points(known.min())} to {_points(known.max())})"


def _times(ratio: float) -> str:
    return DASH if np.isnan(ratio) else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def _digits(value: float) -> str:
    """Two significant digits, without exponents."""
    return np.format_float_positional(value, precision=2, fractional=False, trim="-")
