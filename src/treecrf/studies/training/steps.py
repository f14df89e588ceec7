"""Table 3.6: CPU seconds of one iteration, by step."""

from __future__ import annotations

import pandas as pd

from treecrf.rendering.cells import DASH, cell_texts, count_text, grouped, number, seconds_text, three_digits
from treecrf.rendering.style import is_custom
from treecrf.studies.training.rows import published_of, row_names, sorted_by_method

STEP_METHODS = ("treecrf", "mallet", "induced_crf", "linear_crf")
"""The methods of table 3.6."""


def steps_layout(costs: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Table 3.6: CPU seconds of an iteration of forward-backward, an induction of features and a whole training."""
    rows = sorted_by_method(costs[costs["method"].isin(STEP_METHODS) | costs["method"].map(is_custom)])
    known = published_of(rows["dataset"], rows["method"], published)
    columns = row_names(rows, known)
    columns["", "average length"] = cell_texts(rows["average_length"], count_text)
    columns["", "features"] = cell_texts(rows["n_features"], count_text)
    for group, name in (("forward-backward", "forward_backward_seconds"), ("induction", "induction_seconds")):
        columns[group, "published"] = [number(row[name], 3) if row else DASH for row in known]
        columns[group, "measured"] = cell_texts(rows[name], three_digits)
    columns["whole training", "iterations"] = cell_texts(rows["n_iterations"], count_text)
    columns["whole training", "CPU s"] = cell_texts(rows["total_seconds"], seconds_text)
    return grouped(columns)
