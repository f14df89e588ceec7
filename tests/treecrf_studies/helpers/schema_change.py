"""Frames under their former names as frames of the one schema: `python schema_change.py FOLDER` rewrites its CSV files.

Rewritten evidence and approved frames are compared with what the code writes (`approved.differences`), by key.
"""

from __future__ import annotations

import sys
from decimal import Decimal
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


OF_RUNS = {"seed": "draw", "chosen": "settings", "test_accuracy": "accuracy", "decoder": "decoding"}
OF_LINES = {
    "n_seeds": "n",
    "accuracy": "value",
    "accuracy_sd": "sd",
    "accuracy_low": "low",
    "accuracy_high": "high",
    "chosen": "settings",
}
OF_VARIANTS = {
    "n_seeds": "n",
    "test_mean": "value",
    "test_sd": "sd",
    "test_min": "low",
    "test_max": "high",
    "decoder": "decoding",
}
DROPPED = [f"{side}_{of}" for side in ("train", "validation") for of in ("sd", "min", "max")]
POINTS = {"comparisons": "choice", "peak_comparisons": "peak", "last_comparisons": "last"}
LINE = ["dataset", "method", "window", "size"]
CHUNKS = {"precision": "precision", "recall": "recall", "f1": "F1"}


def converted(folder: Path, name: str, frame: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """A frame of a file by its path below the results, and its new path; every cell is a text."""
    study, stem = name.split("/")[0], Path(name).stem
    if study == "ensembles" and stem == "comparisons" and "n_better" not in frame:
        frame = frame.assign(**draws_won(folder / name, frame))
    if study == "tables" or "/tables/" in name or "draw" in frame:
        return name, frame
    for pattern, names in RENAMED.items():
        if fnmatch(name, pattern) and "value" not in frame:
            given = {"margin": "0.5"} if study == "future" else {}
            frame = frame.rename(columns=names).assign(**given)
    if study == "training" and stem in POINTS and "point" not in frame:
        return name, frame.assign(point=POINTS[stem])
    if study == "kernels" and stem == "comparisons":
        return name, frame.assign(decoder="forward_backward")
    if study in ("ensembles", "kernels", "coding", "future") and "seed" in frame:
        more = {"decoder": "forward_backward"} if study == "kernels" else {}
        return name, frame.rename(columns=OF_RUNS).assign(**more)
    if study == "future" and stem in ("best", "summary") and "test_mean" in frame:
        return name, frame.drop(columns=DROPPED).rename(columns=OF_VARIANTS).assign(metric="accuracy")
    if study == "coding" and stem == "best":
        return name, frame.rename(columns={"accuracy": "value", "best_accuracy": "best_value"})
    if stem == "lines":
        return name.replace("lines", "scores"), scores(folder / name, study, frame)
    return name, frame


def draws_won(path: Path, comparisons: pd.DataFrame) -> dict[str, list[str]]:
    """In how many draws the first of each pair is better, and the other one."""
    runs = pd.read_csv(path.with_name("runs.csv")).rename(columns=OF_RUNS)
    accuracy = runs.pivot_table(index="draw", columns="method", values="accuracy")
    points = [
        accuracy[one] - accuracy[two] for one, two in zip(comparisons["method"], comparisons["other"], strict=True)
    ]
    return {"n_better": [str((of > 0).sum()) for of in points], "n_worse": [str((of < 0).sum()) for of in points]}


def scores(path: Path, study: str, lines: pd.DataFrame) -> pd.DataFrame:
    """The former lines of a study as scores, a row for each metric and decoder."""
    if study == "ensembles":
        turned = {"value": "error", "low": "error_high", "high": "error_low"}
        turned = {new: [str(100 - Decimal(text)) for text in lines[old]] for new, old in turned.items()}
        renamed = lines.rename(columns={"n_seeds": "n", "error_sd": "sd"})
        return renamed.drop(columns=["error", "error_low", "error_high"]).assign(metric="accuracy", **turned)
    frame = lines.rename(columns=OF_LINES).assign(metric="accuracy")
    runs = pd.read_csv(path.with_name("runs.csv")).rename(columns=OF_RUNS)
    if study == "kernels":
        groups = runs.groupby("method", sort=False)["viterbi_accuracy"]
        spread = {"sd": groups.std(), "low": groups.min(), "high": groups.max()}
        found = {
            name: values.loc[frame["method"]].map("{:.9g}".format).replace("nan", "").to_numpy()
            for name, values in spread.items()
        }
        own = frame.drop(columns="viterbi_accuracy").assign(decoder="forward_backward")
        return pd.concat([own, own.assign(decoder="viterbi", value=frame["viterbi_accuracy"], **found)])
    parts, of_chunks = [frame.drop(columns=list(CHUNKS))], frame[frame["f1"] != ""]
    for name, shown in CHUNKS.items():
        groups = runs.groupby(LINE)[name]
        keys = pd.MultiIndex.from_frame(of_chunks[LINE].astype({"window": int, "size": int}))
        spread = {"sd": groups.std(), "low": groups.min(), "high": groups.max()}
        found = {
            each: values.loc[keys].map("{:.9g}".format).replace("nan", "").to_numpy() for each, values in spread.items()
        }
        part = of_chunks.assign(metric=f"{shown} of noun phrases", value=of_chunks[name], **found)
        parts.append(part.drop(columns=list(CHUNKS)))
    every = pd.concat(parts, ignore_index=True)
    best = pd.read_csv(path.with_name("best.csv"), dtype=str)
    chosen = set(best.loc[best["use"] == "beam", LINE].itertuples(index=False, name=None))
    longest = every["size"].astype(int).groupby([every["method"], every["window"]]).transform("max")
    keys = every[LINE].itertuples(index=False, name=None)
    rows = zip(keys, every["method"], every["size"].astype(int) == longest, strict=True)
    return every.assign(counted=[key in chosen if method.endswith("_beam") else last for key, method, last in rows])


def convert(folder: Path) -> None:
    """Rewrite the files of a folder, every cell as it was."""
    before = {
        path.relative_to(folder).as_posix(): pd.read_csv(path, dtype=str, keep_default_na=False)
        for path in folder.rglob("*.csv")
    }
    after = {name: converted(folder, name, frame) for name, frame in before.items()}
    for name, (new, frame) in after.items():
        if new != name:
            (folder / name).unlink()
        if not frame.equals(before[name]):
            frame.to_csv(folder / new, index=False)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
