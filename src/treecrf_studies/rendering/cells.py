"""Cells of the tables of all studies: numbers, tests and data sets as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

DASH = "–"
"""What a cell without a value shows."""

STAR = "*"
"""After a coefficient whose Wald test is significant, as in the dissertation."""

DAGGER = "†"
"""After a difference that a test at its level finds too, after Holm's correction."""


TOP = "▲"
"""After what is best, or equivalent to it."""

STAND_IN = " (stand-in)"
"""After the name of a data set that stands in for that of a paper."""

LEAST_RUNS = 3
"""Values that a standard deviation is of; fewer have none worth showing."""


def marked_if(text: str, is_marked: bool) -> str:
    """A text, with a `TOP` after it where it is the best of its row or column, or equivalent to it."""
    return f"{text} {TOP}" if is_marked else text


def number(value: float, digits: int = 2) -> str:
    """So many digits after the point, or a dash; what rounds to zero has no sign."""
    return DASH if pd.isna(value) else f"{value:z.{digits}f}"


def three_digits(value: float) -> str:
    """Three significant digits, however small the number."""
    return DASH if pd.isna(value) else f"{Decimal(f'{value:.2e}'):f}"


def two_digits(value: float) -> str:
    """Two significant digits, without an exponent."""
    return f"{Decimal(f'{value:.1e}'):f}"


def signed(value: float) -> str:
    """Two digits after the point, with a sign; what rounds to zero has none."""
    if pd.isna(value):
        return DASH
    return f"{value:+.2f}".replace("-", "−") if round(value, 2) else "0.00"


def with_deviation(mean: float, sd: float, n_values: float) -> str:
    """A mean with its standard deviation, if there is one of at least `LEAST_RUNS` values."""
    return number(mean) if np.isnan(sd) or n_values < LEAST_RUNS else f"{mean:.2f} ± {sd:.2f}"


def p_value_text(value: float) -> str:
    """Three digits after the point."""
    return "<0.001" if value < 0.001 else number(value, 3)


def count_text(value: float) -> str:
    """A whole number."""
    return number(value, 0)


def seconds_text(value: float) -> str:
    """About three digits."""
    digits = next((digits for digits, bound in ((3, 1), (2, 10), (1, 100)) if value < bound), 0)
    return number(value, digits)


def window_text(window: Sequence[int]) -> str:
    """Observations before and after that a labeller sees."""
    left, right = window
    return f"window −{left} to +{right}" if left or right else "no window but the observation itself"


def cell_texts(values: pd.Series, text: Callable[[float], str]) -> list[str]:
    """A column of cells."""
    return [text(value) for value in values]


def interval_texts(low: pd.Series, high: pd.Series) -> list[str]:
    """Intervals of differences in words; a dash for one that is not known."""
    return [
        DASH if pd.isna(start) else f"{signed(start)} to {signed(end)}" for start, end in zip(low, high, strict=True)
    ]


def deviation_texts(rows: pd.DataFrame, mean: str, sd: str, n_values: str) -> list[str]:
    """`with_deviation` of the columns with these names."""
    return [with_deviation(*each) for each in zip(rows[mean], rows[sd], rows[n_values], strict=True)]


def dataset_names(rows: pd.DataFrame) -> list[str]:
    """The data sets of rows; a column stand_in says which ones are stand-ins."""
    marks = rows["stand_in"] if "stand_in" in rows else [False] * len(rows)
    pairs = zip(map(str, rows["dataset"]), marks, strict=True)
    return [f"{name}{STAND_IN}" if is_stand_in else name for name, is_stand_in in pairs]


def framed(columns: Mapping[Any, Sequence[Any]]) -> pd.DataFrame:
    """A layout of columns of cells by their headings."""
    return pd.DataFrame({name: pd.Series(list(cells), dtype=object) for name, cells in columns.items()})


def grouped(columns: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """The same with two lines of headings, (group, name)."""
    frame = framed(columns)
    frame.columns = pd.MultiIndex.from_tuples(list(columns))
    return frame


def texts_of(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as texts: numbers with a point have two digits after it, unless they are smaller."""

    def text(value: Any) -> str:
        if isinstance(value, (bool, np.bool_)):
            return "yes" if value else "no"
        if isinstance(value, float):  # numpy's is one
            return three_digits(value) if 0 < abs(value) < 0.1 else number(value)
        return DASH if value is None else str(value)

    return frame.map(text)


# --- words ------------------------------------------------------------------------------------------


def points_text(value: float) -> str:
    """Percentage points, with a sign."""
    return f"{signed(value)} points"


def p_text(value: float) -> str:
    """A p-value in a sentence."""
    text = p_value_text(value)
    return f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"


def interval_text(interval: tuple[float, float], digits: int = 2) -> str:
    """The 95 % interval of what was measured several times; infinite where it was measured once."""
    if not all(map(isfinite, interval)):
        return "measured once"
    return f"95 % interval {number(interval[0], digits)} to {number(interval[1], digits)}"


def direction(points: float) -> str:
    """How much better or worse, in words that go before the name of the other method."""
    return f"{number(abs(points))} points {'better' if points > 0 else 'worse'} than" if points else "as good as"


def with_and(items: Iterable[str], word: str = "and") -> str:
    """Texts in a sentence."""
    texts = list(items)
    return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
