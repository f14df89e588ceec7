"""What a run found against what somebody has looked at and approved: numbers by key, times and texts of machines left
out.
"""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pandas as pd
from comparing import CLAIMS_ABOUT_TIME, LEFT_OUT, not_measured

TOLERANCE = 1e-9
"""Of numbers, relative; below 1 absolute."""

NOT_APPROVED = {
    "kernels/*": "kernel CRFs differ between processors, as linear algebra does",
    "ensembles/*": "stacking by logistic regression, likewise",
    "*costs.csv": "CPU seconds",
    "*timings.csv": "CPU seconds",
}
"""Files that are left out besides those of `LEFT_OUT`, and why."""


def read_frames(folder: Path) -> dict[str, pd.DataFrame]:
    """Each CSV file below a folder by its path, without what is measured."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.csv"))}
    left_out = [*LEFT_OUT, *NOT_APPROVED]
    return {
        name: _read(path) for name, path in paths.items() if not any(fnmatch(name, pattern) for pattern in left_out)
    }


def write_frames(frames: dict[str, pd.DataFrame], folder: Path) -> None:
    """Approve frames: they alone are in the folder then."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, frame in frames.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)


def differences(found: dict[str, pd.DataFrame], approved: dict[str, pd.DataFrame]) -> list[str]:
    """A line for each file, column, row and number that differs."""
    lines = [f"- {name}" for name in sorted(approved.keys() - found.keys())]
    lines += [f"+ {name}" for name in sorted(found.keys() - approved.keys())]
    for name in sorted(found.keys() & approved.keys()):
        lines += [f"{name}: {line}" for line in _of_frames(found[name], approved[name])]
    return lines


def _read(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)
    if path.stem.startswith("claims"):
        frame = frame[~frame["id"].isin(CLAIMS_ABOUT_TIME)]
    return not_measured(frame)


def _of_frames(found: pd.DataFrame, approved: pd.DataFrame) -> list[str]:
    if set(found) != set(approved):
        return [f"columns {', '.join(approved)} are now {', '.join(found)}"]
    found = found[list(approved)]
    kinds = {name: {found[name].dtype.kind, approved[name].dtype.kind} for name in found}
    numbers = [name for name, pair in kinds.items() if "f" in pair and pair <= set("fiu")]
    keys = [name for name in found if name not in numbers]
    sides = [_with_key(frame, keys).set_index("key") for frame in (found, approved)]
    lines = [f"- {key}" for key in sides[1].index.difference(sides[0].index)]
    lines += [f"+ {key}" for key in sides[0].index.difference(sides[1].index)]
    common = sides[1].index.intersection(sides[0].index)
    for name in numbers:
        new, old = (side.loc[common, name].astype(float).to_numpy() for side in sides)
        away = ~np.isclose(new, old, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        lines += [f"{common[place]}: {name} {old[place]!r} -> {new[place]!r}" for place in np.flatnonzero(away)]
    return lines


def _with_key(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The frame with a text that tells its rows apart: what is no fraction, and a number where that is said twice."""
    rows = frame[keys].astype(object).to_numpy()
    text = pd.Series([" | ".join(map(str, row)) for row in rows], index=frame.index, dtype=object)
    again = text.groupby(text).cumcount()
    return frame.assign(key=text.where(again == 0, text + " #" + again.astype(str)))
