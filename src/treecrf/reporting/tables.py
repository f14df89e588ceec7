"""A frame of texts as an HTML table."""

from __future__ import annotations

import pandas as pd

STYLE = """body { font: 14px sans-serif }
table { border-collapse: collapse }
td, th { padding: 3px 8px; border-bottom: 1px solid #bbb; text-align: right }"""


def frame_to_fragment(frame: pd.DataFrame, n_text_columns: int = 1) -> str:
    """Any frame of texts as an HTML table; the first columns hold words, the others numbers."""
    table = frame.to_html(index=False, border=0, justify="left", classes=f"words-{n_text_columns}")
    return table.replace('<table border="0" class="dataframe ', '<table class="')
