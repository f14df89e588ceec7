"""Tables of what training costs (PhD table 3.6, ICML 2004), and of what sampling saves: text in cells."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from treecrf_studies.cost.methods import OPTION, RELATIVE, SAMPLING_NAMES, SECONDS, SPEED_UP, TREE_SECONDS
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.tables import by_key, row_names, sorted_by_method
from treecrf_studies.rendering.cells import DASH, dataset_names, grouped, number, seconds_text, three_digits

WINDOW_COLUMNS = (
    (SECONDS, "CPU seconds per iteration, by window", three_digits),
    (ACCURACY, "accuracy (%), by window", number),
)
"""Quantity, heading, and how a value is written."""


def windows_layout(windows: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of an iteration and accuracy, by the size of the window (the run times of the ICML 2004 paper).

    `windows` is what `treecrf_studies.cost.summary.make_frames` gives.
    """
    rows = sorted_by_method(windows.drop_duplicates(["dataset", "method"]))
    cells = by_key(windows, "dataset", "method", "window_size", "quantity")
    columns = row_names(rows)
    for quantity, group, text in WINDOW_COLUMNS:
        for size in sorted(windows["window_size"].unique()):
            measured = [cells.get((row.dataset, row.method, size, quantity)) for row in rows.itertuples()]
            columns[group, str(size)] = [text(cell["value"]) if cell else DASH for cell in measured]
    return grouped(columns)


def sampling_layout(sampling: pd.DataFrame) -> pd.DataFrame:
    """What samples of rows or features, influence trimming and a start by the pseudo-likelihood cost and gain.

    `sampling` is what `treecrf_studies.cost.summary.make_frames` gives. CPU seconds of growing trees and of the whole
    training, and how many times those of plain training; accuracy in percent; how many times faster the training log
    likelihood rises to what both reach.
    """
    rows, cells = sampling.drop_duplicates(OPTION), by_key(sampling, "quantity", *OPTION)
    keys = list(rows[OPTION].itertuples(index=False, name=None))

    def texts(quantity: str, text: Callable[[float], str]) -> list[str]:
        return [text(cells[quantity, *key]["value"]) for key in keys]

    intervals = [cells[SPEED_UP, *key] for key in keys]
    return pd.DataFrame(
        {
            "data set": dataset_names(rows),
            "method": [
                SAMPLING_NAMES[option] + ("" if option == "none" else f": {setting:g}") for _, option, setting in keys
            ],
            "trees, CPU s": texts(TREE_SECONDS, seconds_text),
            "training, CPU s": texts(SECONDS, seconds_text),
            "ratio": texts(RELATIVE, number),
            "accuracy (%)": texts(ACCURACY, number),
            "speed-up to equal likelihood": [
                number(row["value"])
                + ("" if row["option"] == "none" else f" ({number(row['low'])} to {number(row['high'])})")
                for row in intervals
            ],
        }
    )
