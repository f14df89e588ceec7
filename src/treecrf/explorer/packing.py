"""Frames as compact JSON inside a page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

DIGITS = 6
"""Significant ones of numbers with a point."""


def pack(frames: Mapping[str, pd.DataFrame]) -> Markup:
    """Frames by name as JSON that a script element can hold.

    A frame is an object of its columns: a list of values; or, where texts repeat, ``{"levels": [...], "codes": [...]}``. What
    is missing is null, numbers have `DIGITS` significant digits.
    """
    packed = {name: {column: _column(frame[column]) for column in frame} for name, frame in frames.items()}
    text = json.dumps(packed, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _column(values: pd.Series) -> Any:
    plain = [_plain(value) for value in values.tolist()]
    if not any(isinstance(value, str) for value in plain):
        return plain
    levels = list(dict.fromkeys(plain))
    place = {level: index for index, level in enumerate(levels)}
    return {"levels": levels, "codes": [place[value] for value in plain]}


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, (list, str, bool)):
        return value
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float):
        rounded = float(f"{value:.{DIGITS}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
    return value
