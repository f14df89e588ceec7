"""What the tables of all studies share: the dash of an empty cell, numbers as text, a frame of texts as HTML."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd

DASH = "–"

STYLE = """body { font: 14px sans-serif }
table { border-collapse: collapse }
td, th { padding: 3px 8px; border-bottom: 1px solid #bbb; text-align: right }"""


def frame_to_fragment(frame: pd.DataFrame, n_text_columns: int = 1) -> str:
    """Any frame of texts as an HTML table; the first columns hold words, the others numbers."""
    table = frame.to_html(index=False, border=0, justify="left", classes=f"words-{n_text_columns}")
    return table.replace('<table border="0" class="dataframe ', '<table class="')


def _number(value: float, digits: int = 2) -> str:
    return DASH if pd.isna(value) else f"{value:.{digits}f}"


def _three_digits(value: float) -> str:
    """Three significant digits, however small the number."""
    return DASH if pd.isna(value) else f"{Decimal(f'{value:.2e}'):f}"


def _signed(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:+.2f}".replace("-", "−")
