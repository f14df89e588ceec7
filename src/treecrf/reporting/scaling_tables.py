"""Tables of what training costs (PhD table 3.6, ICML 2004), and of what sampling saves: text in cells."""

from __future__ import annotations

import pandas as pd

from treecrf.figures.scaling import SAMPLING_NAMES
from treecrf.reporting.missing_tables import _count, _dataset_names, _grouped, _seconds, _texts
from treecrf.reporting.tables import DASH, _number, _three_digits
from treecrf.reporting.training_tables import by_key, published_of, row_names, sorted_by_method

STEP_METHODS = ("treecrf", "mallet", "induced_crf", "linear_crf")
"""The methods of table 3.6."""

WINDOW_COLUMNS = (
    ("seconds_per_iteration", "CPU seconds per iteration, by window", _three_digits),
    ("accuracy", "accuracy (%), by window", _number),
)
"""Column of the frame, heading, and how a value is written."""


def steps_layout(costs: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Table 3.6: CPU seconds of one iteration of forward-backward and of one induction of features.

    Parameters
    ----------
    costs : DataFrame
        From `treecrf.studies.training_summary.costs`.
    published : DataFrame
        From `treecrf.reporting.published.training_costs`.

    Returns
    -------
    DataFrame of str
        A row per data set and method of `STEP_METHODS`; columns (group, name). The last group is of a whole training.
    """
    rows = sorted_by_method(costs[costs["method"].isin(STEP_METHODS)])
    known = published_of(rows["dataset"], rows["method"], published)
    columns = row_names(rows, known)
    columns["", "average length"] = _texts(rows["average_length"], _count)
    columns["", "features"] = _texts(rows["n_features"], _count)
    for group, name in (("forward-backward", "forward_backward_seconds"), ("induction", "induction_seconds")):
        columns[group, "published"] = [_number(row[name], 3) if row else DASH for row in known]
        columns[group, "measured"] = _texts(rows[name], _three_digits)
    columns["whole training", "iterations"] = _texts(rows["n_iterations"], _count)
    columns["whole training", "CPU s"] = _texts(rows["total_seconds"], _seconds)
    return _grouped(columns)


def windows_layout(windows: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of an iteration and accuracy, by the size of the window (the run times of the ICML 2004 paper).

    Parameters
    ----------
    windows : DataFrame
        From `treecrf.studies.scaling.measure_windows`.

    Returns
    -------
    DataFrame of str
        A row per data set and method; columns (quantity, window size).
    """
    rows = sorted_by_method(windows.drop_duplicates(["dataset", "method"]))
    cells = by_key(windows, "dataset", "method", "window_size")
    columns = row_names(rows, [None] * len(rows))
    for name, group, text in WINDOW_COLUMNS:
        for size in sorted(windows["window_size"].unique()):
            found = [cells.get((row.dataset, row.method, size)) for row in rows.itertuples()]
            columns[group, str(size)] = [text(cell[name]) if cell else DASH for cell in found]
    return _grouped(columns)


def sampling_layout(sampling: pd.DataFrame) -> pd.DataFrame:
    """What samples of rows or features, and influence trimming, cost and gain.

    Parameters
    ----------
    sampling : DataFrame
        From `treecrf.studies.scaling.measure_sampling`.

    Returns
    -------
    DataFrame of str
        A row per data set and option with its value; CPU seconds of growing trees and of the whole training, and how many
        times those of everything; accuracy in percent.
    """
    everything = sampling[sampling["option"] == "none"].set_index("dataset")["cpu_seconds"]
    return pd.DataFrame(
        {
            "data set": _dataset_names(sampling),
            "method": [
                SAMPLING_NAMES[option] + ("" if option == "none" else f": {value:g}")
                for option, value in zip(sampling["option"], sampling["value"], strict=True)
            ],
            "trees, CPU s": _texts(sampling["tree_seconds"], _seconds),
            "training, CPU s": _texts(sampling["cpu_seconds"], _seconds),
            "ratio": _texts(sampling["cpu_seconds"] / sampling["dataset"].map(everything), _number),
            "accuracy (%)": _texts(sampling["accuracy"], _number),
        }
    )
