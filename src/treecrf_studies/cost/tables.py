"""Tables of what training costs (PhD table 3.6, ICML 2004), and of what sampling saves: text in cells."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.cost.methods import SAMPLING_NAMES
from treecrf_studies.framework.tables import by_key, row_names, sorted_by_method
from treecrf_studies.rendering.cells import DASH, cell_texts, dataset_names, grouped, number, seconds_text, three_digits

SPEED_UP = ["seconds_speed_up", "seconds_speed_up_low", "seconds_speed_up_high"]
"""Columns with how many times faster the log likelihood rises to what plain training reaches too, and its interval."""

WINDOW_COLUMNS = (
    ("seconds_per_iteration", "CPU seconds per iteration, by window", three_digits),
    ("accuracy", "accuracy (%), by window", number),
)
"""Column of the frame, heading, and how a value is written."""


def windows_layout(windows: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of an iteration and accuracy, by the size of the window (the run times of the ICML 2004 paper).

    `windows` is what `treecrf_studies.cost.summary.summarise` gives.
    """
    rows = sorted_by_method(windows.drop_duplicates(["dataset", "method"]))
    cells = by_key(windows, "dataset", "method", "window_size")
    columns = row_names(rows)
    for name, group, text in WINDOW_COLUMNS:
        for size in sorted(windows["window_size"].unique()):
            found = [cells.get((row.dataset, row.method, size)) for row in rows.itertuples()]
            columns[group, str(size)] = [text(cell[name]) if cell else DASH for cell in found]
    return grouped(columns)


def sampling_layout(sampling: pd.DataFrame) -> pd.DataFrame:
    """What samples of rows or features, influence trimming and a start by the pseudo-likelihood cost and gain.

    `sampling` is what `treecrf_studies.cost.summary.summarise` gives. CPU seconds of growing trees and of the whole
    training, and how many times those of plain training; accuracy in percent; how many times faster the training log
    likelihood rises to what both reach.
    """
    return pd.DataFrame(
        {
            "data set": dataset_names(sampling),
            "method": [
                SAMPLING_NAMES[option] + ("" if option == "none" else f": {value:g}")
                for option, value in zip(sampling["option"], sampling["value"], strict=True)
            ],
            "trees, CPU s": cell_texts(sampling["tree_seconds"], seconds_text),
            "training, CPU s": cell_texts(sampling["cpu_seconds"], seconds_text),
            "ratio": cell_texts(sampling["relative_seconds"], number),
            "accuracy (%)": cell_texts(sampling["accuracy"], number),
            "speed-up to equal likelihood": [
                number(mean) if option == "none" else f"{number(mean)} ({number(low)} to {number(high)})"
                for option, mean, low, high in zip(sampling["option"], *(sampling[n] for n in SPEED_UP), strict=True)
            ],
        }
    )
