"""Views: frames whose columns are the same for all studies, read by what the studies declare.

A *case* is what methods are compared on: `CASE`. Columns that mean nothing for a study have the value of `UNLESS_GIVEN`
or are missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.files import read_frames, stacked
from treecrf_studies.datasets import describe
from treecrf_studies.datasets.description import GENERATED, OTHER_CORPUS
from treecrf_studies.framework.metrics import ACCURACY, CONFIDENCE, METRICS
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import Study, View
from treecrf_studies.registry import registry

CASE = ["dataset", "variant", "decoder", "point"]
"""Data set; condition, such as a share of missing cells; decoder; whether cross-validation or the test set chose."""

CHOICE, PEAK = "choice", "peak"
"""Values of `point`."""

CELL = [*CASE, "method"]

UNLESS_GIVEN: dict[str, Any] = {
    "variant": "",
    "decoder": "",
    "point": CHOICE,
    "counted": True,
    "inferred": False,
    **dict.fromkeys(CONFIDENCE, np.nan),
    "sequence": -1,
}

VIEWS = {
    "scores": [*CELL, "metric", "value", "low", "high", "n", "cpu_seconds", "settings", "stand_in"],
    "pairs": [
        *CELL,
        "other",
        "value",
        "standard_error",
        "degrees_of_freedom",
        "low",
        "high",
        "p_value",
        "decision",
    ],
    "runs": [*CELL, "run", "accuracy", "cpu_seconds", "settings", "stand_in"],
    "seconds": [*CELL, "run", "cpu_seconds"],
    "curves": [*CELL, "iteration", "accuracy", "low", "high", "cpu_seconds", "is_chosen"],
    "published": [
        *CELL,
        "quantity",
        "source",
        "sample",
        "published",
        "measured",
        "low",
        "high",
        "at_choice",
        "counted",
        "inferred",
        "stand_in",
    ],
    "predictions": [*CELL, "run", "sequence", "group", "position", "label", "predicted", *CONFIDENCE],
    "counts": [*CELL, "run", "sequence", "group", "n_positions", "n_correct"],
}
"""Columns of the views of studies (`treecrf_studies.framework.study.Study.views`).

scores: mean over the runs of a method, lowest and highest run, CPU seconds of a training, settings chosen. pairs:
accuracy of `method` minus that of `other` in points, 95 % interval, p-value and the study's decision. runs: a training
each, accuracy in percent. published: a printed number and what compares with it, such as the peak of a test curve;
`counted`: the first row with this printed number; `inferred`: the columns of the data set are; `sample`: what the
measured number is of. predictions: sequence -1 where only group and position are kept. counts: correct positions of
test sequences, in one row or several.
"""

NEAR = 1.0
"""Points within which a measured accuracy meets the published one."""

CEILING = 99.0
"""Published accuracies from here on are met by whatever is nearly perfect: they are counted apart."""


def read_view(study: Study, view: str, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A view of a study, from those of its frames that are there, by name; without rows where it has none of them.

    Rows of methods that are not compared (their column `counted` is false) are left out; the texts about conditions and
    repeats, and accuracies of counts, are made of the frames' columns.
    """
    parts = [tidy(pd.DataFrame(), VIEWS[view])]
    for part in study.views.get(view, ()):
        names = part.frames if isinstance(part, View) else (part,)
        if len(frames.get(names[0], ())) and all(name in frames for name in names):
            given = [frames[name] for name in names]
            rows = study.function(part.function)(*given) if isinstance(part, View) else given[0]
            parts.append(tidy(_with_texts(study, rows), VIEWS[view]))
    return stacked(parts)


def _with_texts(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    if "counted" in rows and "published" not in rows:
        rows = rows[rows["counted"].astype(bool)]
    if "n_correct" in rows and "accuracy" not in rows:
        rows = rows.assign(accuracy=100 * rows["n_correct"] / rows["n_positions"])
    if study.conditions and "variant" not in rows:
        rows = rows.assign(variant=study.function(study.conditions)(rows))
    number = study.repeated.replace(" ", "_")
    if number in rows and "run" not in rows:
        texts = {value: f"{study.repeated} {value}" for value in rows[number].unique()}
        rows = rows.assign(run=rows[number].map(texts).astype("category"))
    return rows


def frames_there(files: StudyFiles, names: Iterable[str], dataset: str = "") -> dict[str, pd.DataFrame]:
    """Frames of a data set of a study, or those that all share, as far as they are there, by name."""
    summary, measured = files.study.summary, files.outcomes(dataset) if dataset else files.shared()
    found = {}
    for name in names:
        of_summary = bool(dataset) and name in summary.frames and summary.of_dataset
        paths = [f"{files.folder}/{dataset}/{name}.csv"] if of_summary else measured.get(name, [])
        if there := [path for path in paths if Path(path).is_file()]:
            found[name] = read_frames(there)
    return found


def published_values(settings: Settings) -> pd.DataFrame:
    """Every number that the papers print and what a run measured in its place: a column study, and those of the view
    "published".
    """
    parts = [pd.DataFrame(columns=["study", *VIEWS["published"]])]
    for study in registry():
        files, declared = StudyFiles(study, settings), study.views.get("published", ())
        names = [name for part in declared for name in (part.frames if isinstance(part, View) else (part,))]
        for dataset in ("", *files.all_datasets()) if names else ():
            found = read_view(study, "published", frames_there(files, names, dataset))
            parts.append(with_samples(found, settings).assign(study=study.name))
    return stacked(parts)


def with_samples(published: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Published numbers with what the ones beside them are measured on
    (`treecrf_studies.datasets.description.SAMPLES`).
    """
    samples = dict.fromkeys(published["dataset"], GENERATED)  # of a study's own generators unless it is a data set
    for name, dataset in settings.datasets.items():
        if name in samples:
            samples[name] = describe(getattr(dataset, "source", None) or name).sample
    return published.assign(sample=published["dataset"].map(samples).astype(object))


def distinct_accuracies(published: pd.DataFrame) -> pd.DataFrame:
    """The accuracies among published values, each printed number once, without those of another corpus."""
    is_accuracy = published["quantity"] == METRICS[ACCURACY].title
    return published[is_accuracy & (published["sample"] != OTHER_CORPUS) & published["counted"].astype(bool)]


def headline_accuracies(published: pd.DataFrame) -> pd.DataFrame:
    """The same without the FAQ sets, whose columns are inferred, and without those at the ceiling."""
    own = distinct_accuracies(published)
    return own[~own["inferred"].astype(bool) & (own["published"].astype(float) < CEILING)]


def nearness(published: pd.DataFrame) -> pd.DataFrame:
    """How near measured accuracies are to the printed ones, by table and sample; FAQ sets and the ceiling have rows of
    their own.

    Returns
    -------
    DataFrame
        source, sample, kind ("", "columns inferred" or "published 99 % or more"), n (printed numbers, each once); of
        the cross-validated choice and of the peak, where the table prints peaks: n_choice and n_peak (measured),
        near_choice and near_peak (within `NEAR`), median_choice and median_peak (measured minus published, points).
    """
    own = distinct_accuracies(published)
    is_ceiling = own["published"].astype(float) >= CEILING
    kind = np.select(
        [own["inferred"].astype(bool), is_ceiling], ["columns inferred", f"published {CEILING:g} % or more"], ""
    )
    own = own.assign(kind=kind, at_peak=own["measured"].where(own["point"] == PEAK))
    rows = []
    for (source, sample, of), group in own.groupby(["source", "sample", "kind"], sort=True):
        row: dict[str, Any] = {"source": source, "sample": sample, "kind": of, "n": len(group)}
        for name, column in (("choice", "at_choice"), ("peak", "at_peak")):
            away = (group[column] - group["published"]).astype(float).dropna()
            row |= {
                f"n_{name}": len(away),
                f"near_{name}": int((away.abs() <= NEAR).sum()),
                f"median_{name}": away.median(),
            }
        rows.append(row)
    names = ["source", "sample", "kind", "n"]
    names += [f"{what}_{name}" for name in ("choice", "peak") for what in ("n", "near", "median")]
    return pd.DataFrame(rows, columns=names).sort_values("kind", kind="stable", ignore_index=True)


def is_near(published: pd.DataFrame, column: str) -> pd.Series:
    """Whether the values of a column are within `NEAR` points of the published ones."""
    return (published[column] - published["published"]).astype(float).abs() <= NEAR


def tidy(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """A frame with these columns in their order: those that it lacks have the value of `UNLESS_GIVEN`, or are
    missing.
    """
    absent = {name: UNLESS_GIVEN.get(name) for name in columns if name not in frame}
    return frame.assign(**absent)[list(columns)].reset_index(drop=True)
