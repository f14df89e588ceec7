"""Results of the former schema in that of all studies: `python schema_change.py FOLDER` rewrites its CSV files.

Every cell keeps its text. Rewritten evidence and approved frames are compared with what the code writes
(`approved.differences`), by key.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

FACTS = ["chosen_decoder", "chosen_by", "cv_accuracy", "published"]
ITERATIONS = ["iteration", "iteration_low", "iteration_high"]
POINTS = {
    "choice": {
        "value": "chosen_mean",
        "sd": "chosen_sd",
        "low": "chosen_min",
        "high": "chosen_max",
        "unperturbed": "chosen_accuracy",
        "candidate": "candidate",
        **{name: name for name in ITERATIONS},
        "cpu_seconds": "cpu_seconds",
    },
    "peak": {
        "value": "peak_accuracy",
        "low": "peak_low",
        "high": "peak_high",
        "unperturbed": "peak_accuracy",
        "candidate": "candidate",
        **dict.fromkeys(ITERATIONS, "peak_iteration"),
        "cpu_seconds": "peak_cpu_seconds",
    },
    "last": {
        **dict.fromkeys(("value", "low", "high", "unperturbed"), "last_accuracy"),
        "candidate": "candidate",
        "iteration": "last_iteration_high",
        "iteration_low": "last_iteration_low",
        "iteration_high": "last_iteration_high",
        "cpu_seconds": "last_cpu_seconds",
    },
    "highest": {
        **dict.fromkeys(("value", "low", "high", "unperturbed"), "highest_accuracy"),
        "candidate": "highest_candidate",
        **dict.fromkeys(ITERATIONS, "highest_iteration"),
    },
}
"""Columns of the long form at each point, by the former ones."""


def long_summary(wide: pd.DataFrame) -> pd.DataFrame:
    """The summary of the training study: a row for each data set, method, decoder, point and quantity."""
    rows = []
    for row in wide.to_dict("records"):
        facts = {name: row[name] for name in FACTS}
        for point, columns in POINTS.items():
            found = {name: row[name] for name in ("dataset", "method", "decoder")}
            found |= {
                "point": point,
                "quantity": "accuracy",
                "unit": "%",
                **facts,
                "n": "1",
                "sd": "",
                "cpu_seconds": "",
            }
            found |= {name: row[former] for name, former in columns.items() if former in row}
            if point == "choice":
                if row["chosen_mean"]:
                    found["n"] = row["n_perturbed_runs"]
                else:
                    found |= dict.fromkeys(("value", "low", "high"), row["chosen_accuracy"])
            if found["value"]:
                rows.append(found | {"stand_in": row["stand_in"]})
    return pd.DataFrame(rows).rename(columns={"cv_accuracy": "held_out_accuracy"})


def convert(folder: Path) -> None:
    """Rewrite the files of a folder."""
    for path in sorted(folder.rglob("*.csv")):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        after = frame.rename(columns={"metric": "quantity", "training_set": "draw"})
        if "metric" in frame:  # accuracy, or precision, recall and F1 of chunks
            after["unit"] = "%"
        if path.parts[-3:-2] == ("training",) and path.name == "summary.csv" and "chosen_accuracy" in frame:
            after = long_summary(frame)
        if list(after) != list(frame):
            after.to_csv(path, index=False)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
