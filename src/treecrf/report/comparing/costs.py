"""CPU seconds of two runs side by side: nothing is kept that a test could look at."""

from __future__ import annotations

import pandas as pd

from treecrf.io.files import read_frame
from treecrf.report.comparing.runs import Run
from treecrf.studies import registry

COLUMNS = ["study", "dataset", "method", "seconds_from", "seconds_to", "ratio"]


def compare_costs(one: Run, other: Run) -> pd.DataFrame:
    """CPU seconds of training by study, data set and method, where both runs have them.

    Returns
    -------
    DataFrame
        `COLUMNS`; ratio is the second run by the first.
    """
    frame = _seconds(one).merge(_seconds(other), on=COLUMNS[:3], suffixes=("_from", "_to"))
    frame["ratio"] = frame["seconds_to"] / frame["seconds_from"].where(frame["seconds_from"] > 0)
    return frame[COLUMNS]


def _seconds(run: Run) -> pd.DataFrame:
    """Columns study, dataset, method and seconds, of all trainings together."""
    keys = COLUMNS[:3]
    parts = [pd.DataFrame(columns=[*keys, "seconds"]).astype({"seconds": float})]
    for study in registry():
        pattern = study.phases.replace("{methods}", "*")
        for path in sorted((run.folder / study.name).glob(f"*/{pattern}")) if pattern else []:
            found = read_frame(path)
            if {"method", "cpu_seconds"} <= set(found):  # a table may have the name of a frame
                seconds = found.groupby("method", sort=False)["cpu_seconds"].sum().rename("seconds").reset_index()
                parts.append(seconds.assign(study=study.name, dataset=path.parent.name))
    return pd.concat(parts)
