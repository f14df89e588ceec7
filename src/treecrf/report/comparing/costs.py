"""CPU seconds of two runs side by side: nothing is kept that a test could look at."""

from __future__ import annotations

from statistics import median

import pandas as pd

from treecrf.io.files import read_frames, read_json
from treecrf.report.comparing.runs import Run
from treecrf.studies import registry

COLUMNS = ["study", "dataset", "method", "seconds_from", "seconds_to", "ratio", "calibrated_ratio"]


def calibration(run: Run) -> float | None:
    """Seconds of a fixed computation as the records of a run's jobs have them, the median; None where no job measured it."""
    paths = sorted((run.folder / "benchmarks").rglob("*.json"))
    seconds = [value for path in paths if (value := read_json(path).get("kernel_seconds"))]
    return median(seconds) if seconds else None


def compare_costs(one: Run, other: Run) -> pd.DataFrame:
    """CPU seconds of training by study, data set and method, where both runs have them.

    Returns
    -------
    DataFrame
        `COLUMNS`; ratio is the second run by the first, and calibrated_ratio what remains of it where each run's seconds are
        divided by those of the same computation on its machine; NaN unless both measured that.
    """
    frame = _seconds(one).merge(_seconds(other), on=COLUMNS[:3], suffixes=("_from", "_to"))
    frame["ratio"] = frame["seconds_to"] / frame["seconds_from"].where(frame["seconds_from"] > 0)
    before, after = calibration(one), calibration(other)
    frame["calibrated_ratio"] = frame["ratio"] * (before / after if before and after else float("nan"))
    return frame[COLUMNS]


def _seconds(run: Run) -> pd.DataFrame:
    keys = COLUMNS[:3]
    parts = [pd.DataFrame(columns=[*keys, "seconds"]).astype({"seconds": float})]
    for study in registry():
        pattern = study.phases.replace("{methods}", "*")
        for folder in (
            sorted({path.parent for path in (run.folder / study.name).glob(f"*/{pattern}")}) if pattern else []
        ):
            found = read_frames([str(path) for path in sorted(folder.glob(pattern))])
            parts.append(
                found.assign(study=study.name, dataset=folder.name, seconds=found["cpu_seconds"])[parts[0].columns]
            )
    return pd.concat(parts).groupby(keys, sort=False)["seconds"].sum().reset_index()
