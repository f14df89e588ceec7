"""Comparison of two runs of the workflow: every result must agree, times aside."""

from __future__ import annotations

import hashlib
import os
import re
from fnmatch import fnmatch
from pathlib import Path

import pandas as pd

MEASURED_COLUMN = re.compile(r"seconds|memory|\bCPU\b", re.IGNORECASE)
"""A column of measured time or memory is named for it, in data ("cpu_seconds") and in tables ("CPU s")."""

MEASURED_UNITS = ("s", "times")
"""Of rows with a column quantity that are about measured times."""

LEFT_OUT = {
    "benchmarks/*": "Snakemake's measurements of time and memory",
    "logs/*": "messages with times and places",
    "*.checksums/*": "checksums of whole files, times included",
    "manifest.json": "when it was written, and checksums of whole files, times included",
    "training/figure_3_[23]*": "figures of CPU seconds",
    "training/accuracy_by_seconds*": "figures of CPU seconds",
    "cost/figure_3_3*": "figures of CPU seconds",
    "cost/sampling.[sp]*": "cost and accuracy in one figure; cost/sampling_medians.csv is compared",
    "coding/*/seconds.[sp]*": "figures of CPU seconds",
    "kernels/sizes.[sp]*": "figures of CPU seconds and memory; their CSV files are compared",
    "kernels/solvers.[sp]*": "figures of CPU seconds; their CSV files are compared",
    "training/tables/table_3_5.*": "shows CPU seconds; summary.csv of every data set is compared",
    "training/tables/table_3_6.*": "CPU seconds of an iteration",
    "training/tables/steps.*": "CPU seconds of an iteration and of a training",
    "cost/tables/windows.*": "CPU seconds; cost/windows_medians.csv is compared",
    "cost/tables/sampling.*": "CPU seconds; cost/sampling_medians.csv is compared",
    "missing/tables/costs.*": "CPU seconds, a column for each method; costs.csv of every data set is compared",
}
"""Files, by their path in a results folder, that hold nothing but times or mix them with the rest, and why."""

CLAIMS_ABOUT_TIME = ("P3.8", "P3.9", "P3.10", "P3.14", "P3.15", "P3.21", "P3.22", "P3.23", "P4.7", "M19", "I2", "I3")
"""Rows of the three files of claims whose numbers are CPU seconds."""

FRAMES = {".csv", ".parquet"}


def result_digests(folder: str | os.PathLike[str]) -> dict[str, str]:
    """A digest of the content of every file under a results folder, times left out.

    Parameters
    ----------
    folder : path-like
        What the configuration calls `results`.

    Returns
    -------
    dict of str to str
        SHA-256 by path below `folder` (with ``/``), without the files of `LEFT_OUT`. Of a CSV or Parquet file what is
        not measured (`not_measured`) is digested; of any other file its bytes.
    """
    root = Path(folder)
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
    return {name: _digest(path) for name, path in files.items() if _is_compared(name)}


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    """The paths whose digests differ, or that only one of two results has."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _is_compared(name: str) -> bool:
    return not any(fnmatch(name, pattern) for pattern in LEFT_OUT)


def not_measured(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame without columns of measured time or memory, and without the numbers of such rows."""
    if {"quantity", "unit"} <= set(frame):
        is_measured = frame["unit"].isin(MEASURED_UNITS)
        frame = frame.assign(**{name: frame[name].mask(is_measured) for name in ("value", "sd", "low", "high")})
    return frame[[name for name in frame if not MEASURED_COLUMN.search(str(name))]]


def _digest(path: Path) -> str:
    content = _frame_content(path, _read(path)) if path.suffix in FRAMES else path.read_bytes()
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, dtype=str, keep_default_na=False)


def _frame_content(path: Path, frame: pd.DataFrame) -> bytes:
    """What is not measured, with names and types of columns, as text that keeps every bit of a number."""
    frame = not_measured(frame)
    if path.name in ("claims.csv", "claims_by_rule.csv", "claims_compared.csv"):
        frame = frame[~frame["id"].isin(CLAIMS_ABOUT_TIME)]
    types = " ".join(str(dtype) for dtype in frame.dtypes)
    return f"{types}\n{frame.to_csv(index=False)}".encode()
