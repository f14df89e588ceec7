"""Frames under their former names as frames of the one schema: `python schema_change.py FOLDER` rewrites its CSV files.

Rewritten evidence and approved frames are compared with what the code writes (`approved.differences`), by key.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd

RESAMPLED = {
    "accuracy_points": "value",
    "points_standard_error": "standard_error",
    "points_low": "low",
    "points_high": "high",
    "valid_p_value": "p_value",
    "valid_p_holm": "p_holm",
    "n_seeds": "n",
    "median_p": "papers_p",
}
TRAINED = {
    "mean_points": "value",
    "points_standard_error": "standard_error",
    "valid_p_value": "p_value",
    "valid_p_holm": "p_holm",
    "accuracy_points": "papers_value",
    "p_value": "papers_p",
    "p_holm": "papers_p_holm",
    "valid_test": "test",
    "n_trainings": "n",
}
CROSSED = {
    **RESAMPLED,
    "baseline": "other",
    "baseline_trees": "other_trees",
    "standard_error": "coefficient_standard_error",
    "p_value": "papers_p",
    "p_holm": "papers_p_holm",
}
RENAMED = {
    "training/*/*comparisons.csv": TRAINED,
    "training/*/ranks.csv": {"valid_test": "test", "accuracy": "value"},
    "missing/*/*comparisons.csv": CROSSED,
    "missing/*/tree_differences.csv": CROSSED,
    **{f"{study}/*/comparisons.csv": RESAMPLED for study in ("ensembles", "kernels", "coding", "future")},
    "coding/*/gains.csv": RESAMPLED,
    "coding/*/lengths.csv": RESAMPLED,
    "future/*/tests.csv": RESAMPLED,
}
"""Former and new names of columns, by pattern of the file."""


def converted(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of a file by its path below the results."""
    for pattern, names in RENAMED.items():
        if fnmatch(name, pattern):
            given = {"margin": "0.5"} if name.startswith("future/") else {}
            return frame.rename(columns=names).assign(**given)
    return frame


def convert(folder: Path) -> None:
    """Rewrite the files of a folder, every cell as it was."""
    for path in sorted(folder.rglob("*.csv")):
        before = pd.read_csv(path, dtype=str, keep_default_na=False)
        after = converted(path.relative_to(folder).as_posix(), before)
        if not after.equals(before):
            after.to_csv(path, index=False)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
