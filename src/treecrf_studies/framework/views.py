"""Views: frames whose columns are the same for all studies, read by what the studies declare.

A *case* is what methods are compared on: `CASE`. Columns that mean nothing for a study have the value of `UNLESS_GIVEN`
or are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from treecrf.io.files import read_frame, stacked
from treecrf_studies.datasets import describe
from treecrf_studies.datasets.description import GENERATED, OTHER_CORPUS
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.metrics import ACCURACY, CONFIDENCE
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
    "own": True,
    "inferred": False,
    **dict.fromkeys(CONFIDENCE, np.nan),
    "sequence": -1,
}

VIEWS = {
    "scores": [*CELL, "quantity", "value", "low", "high", "n", "cpu_seconds", "settings", "stand_in"],
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
        "own",
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
`counted`: the first row with this printed number; `own`: of the program that the paper ran; `inferred`: the columns of
the data set are; `sample`: what the measured number is of. predictions: sequence -1 where only group and position are
kept. counts: correct positions of test sequences, in one row or several.
"""

NEAR = 1.0
"""Points within which a measured accuracy meets the published one."""

CEILING = 99.0
"""Published accuracies from here on are met by whatever is nearly perfect: they are counted apart."""

OTHER_PROGRAM, REPEATED, INFERRED, AT_CEILING, NO_PEAK = (
    "another program",
    "printed before",
    "columns inferred",
    f"published {CEILING:g} % or more",
    "no peak measured",
)
"""Why a pair of a published and a measured accuracy is not counted, and that it is of `OTHER_CORPUS`."""

PAIRS_APART = {
    NO_PEAK: "printed peaks whose test curve was not kept, at the cross-validated choice",
    INFERRED: "on FAQ sets, whose 20 line features are inferred because the dissertation does not name them",
    AT_CEILING: f"printed as {CEILING:g} % or more",
}
"""What is said of pairs that are counted apart."""

POINTS = {CHOICE: "at the iteration that validation chose", PEAK: "at the peak of the test curve"}
"""Where published and measured values are taken."""


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


def read_by_job(run: Frames, study: Study, view: str, dataset: str) -> Iterator[pd.DataFrame]:
    """A view of `treecrf_studies.framework.study.BY_JOB` on a data set, job after job, as its frames are large."""
    frames, outcomes = run.several(study.name, study.explored, [dataset]), run.files[study.name].outcomes(dataset)
    large = dict.fromkeys(part.frames[0] if isinstance(part, View) else part for part in study.views.get(view, ()))
    for name in large:
        for path in filter(Path.is_file, map(Path, outcomes.get(name, ()))):
            yield read_view(study, view, frames | {name: read_frame(path)})


def _with_texts(study: Study, rows: pd.DataFrame) -> pd.DataFrame:
    if "counted" in rows and "published" not in rows:
        rows = rows[rows["counted"].astype(bool)]
    if "n_correct" in rows and "accuracy" not in rows:
        rows = rows.assign(accuracy=100 * rows["n_correct"] / rows["n_positions"])
    if study.conditions and "variant" not in rows:
        rows = rows.assign(variant=study.function(study.conditions)(rows))
    if "draw" in rows and "run" not in rows:
        texts = {draw: f"{study.repeated} {draw}" for draw in rows["draw"].unique()}
        rows = rows.assign(run=rows["draw"].map(texts).astype("category"))
    return rows


def published_values(frames: Frames) -> pd.DataFrame:
    """Every number that the papers print and what a run measured in its place: a column study, and those of the view
    "published".
    """
    parts = [pd.DataFrame(columns=["study", *VIEWS["published"]])]
    for study in registry():
        declared = study.views.get("published", ())
        names = [name for part in declared for name in (part.frames if isinstance(part, View) else (part,))]
        for dataset in ("", *frames.files[study.name].all_datasets()) if names else ():
            values = read_view(study, "published", frames.several(study.name, names, [dataset]))
            parts.append(with_samples(values, frames.settings).assign(study=study.name))
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


def published_pairs(published: pd.DataFrame) -> pd.DataFrame:
    """Printed values, each beside the measured one of the same quantity: what all pages draw and count.

    A printed peak of a test curve is compared with a measured peak. Where a run kept no such curve, the cross-validated
    choice stands beside it, and the pair is not counted.

    Parameters
    ----------
    published : DataFrame
        From `published_values`.

    Returns
    -------
    DataFrame
        The columns of `published` (measured is missing where the printed quantity was not measured), away (measured, or
        else at_choice, minus published) and kind: why the pair is not counted, empty for one that is. Values beside
        which nothing was measured are left out.
    """
    rows = published.astype(dict.fromkeys(("published", "measured", "at_choice", "low", "high"), float))
    is_accuracy = rows["quantity"] == ACCURACY
    reasons = {
        OTHER_CORPUS: rows["sample"] == OTHER_CORPUS,
        OTHER_PROGRAM: ~rows["own"].astype(bool),
        REPEATED: ~rows["counted"].astype(bool),
        INFERRED: rows["inferred"].astype(bool),
        AT_CEILING: is_accuracy & (rows["published"] >= CEILING),
        NO_PEAK: rows["measured"].isna(),
    }
    away = rows["measured"].fillna(rows["at_choice"]) - rows["published"]
    kind = np.select(list(reasons.values()), list(reasons), "")
    return rows.assign(away=away, kind=kind).dropna(subset="away")


def distinct_accuracies(published: pd.DataFrame) -> pd.DataFrame:
    """The accuracies among `published_pairs`, of the papers' own programs and data, each printed number once."""
    pairs = published_pairs(published[published["quantity"] == ACCURACY])
    return pairs[~pairs["kind"].isin([OTHER_CORPUS, OTHER_PROGRAM, REPEATED])]


def nearness(pairs: pd.DataFrame, *names: str) -> pd.DataFrame:
    """How many pairs are within `NEAR` (near) of all (n), and the median difference, by columns of the pairs."""
    groups = pairs.assign(near=pairs["away"].abs() <= NEAR).groupby([*names], sort=True)
    return groups.agg(n=("near", "size"), near=("near", "sum"), median=("away", "median")).reset_index()


def nearness_texts(pairs: pd.DataFrame) -> tuple[str, str, str]:
    """Of `distinct_accuracies`: how many are met, what they are, and which ones are counted apart."""
    counted = pairs[pairs["kind"] == ""]
    by_point = nearness(counted, "point").to_dict("records")
    apart = {row["kind"]: f"{row['near']} of {row['n']}" for row in nearness(pairs, "kind").to_dict("records")}
    return (
        apart.pop("", "0 of 0"),
        " and ".join(f"{row['near']} of {row['n']} {POINTS[row['point']]}" for row in by_point),
        "; ".join(f"{apart[kind]} {text}" for kind, text in PAIRS_APART.items() if kind in apart),
    )


def tidy(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """A frame with these columns in their order: those that it lacks have the value of `UNLESS_GIVEN`, or are
    missing.
    """
    absent = {name: UNLESS_GIVEN.get(name) for name in columns if name not in frame}
    return frame.assign(**absent)[list(columns)].reset_index(drop=True)
