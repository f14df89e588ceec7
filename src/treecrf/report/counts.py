"""Correct positions of each test sequence, by method and training: what a stranger computes sequence-level tests from again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.io.files import atomic, read_frame, stacked
from treecrf.studies.framework.paths import StudyFiles
from treecrf.studies.framework.settings import Settings
from treecrf.studies.framework.study import Study
from treecrf.studies.framework.views import CELL, frames_there, read_view

FILE = "counts.parquet"
"""In the folder of a study's evidence."""

KEYS = [*CELL, "draw", "sequence", "group"]
NUMBERS = ["n_positions", "n_correct"]


def write_counts(study: Study, settings: Settings, folder: Path) -> None:
    """Write the counts of a study to a folder, if its results have any (`count_sequences`).

    Parameters
    ----------
    study : Study
    settings : Settings
        Where its results are.
    folder : Path
    """
    counts = count_sequences(study, settings)
    if len(counts):
        with atomic(folder / FILE) as temporary:
            counts.to_parquet(temporary, index=False, compression="zstd", compression_level=19)


def count_sequences(study: Study, settings: Settings) -> pd.DataFrame:
    """Test positions and correct ones by `KEYS`.

    Draw: the training, damaged training set or draw of the data. Sequence -1: only the group of related sequences is kept. Point:
    whether cross-validation or the test set chose the settings. Texts are categories, numbers of the smallest type.
    """
    parts = [pd.DataFrame(columns=[*KEYS, *NUMBERS]), *_of_jobs(study, settings)]
    found = stacked(parts).sort_values(KEYS, kind="stable", ignore_index=True)
    texts = found.columns.difference(["sequence", "group", *NUMBERS])
    numbers = {name: pd.to_numeric(found[name], downcast="integer") for name in ("sequence", "group", *NUMBERS)}
    return found.assign(**numbers).astype(dict.fromkeys(texts, "category"))


def _of_jobs(study: Study, settings: Settings) -> Iterator[pd.DataFrame]:
    """The counts of each job; one after another, as predictions are large."""
    files, explored = StudyFiles(study, settings), study.explored
    for dataset in files.all_datasets() if explored else ():
        frames, outcomes = frames_there(files, explored.frames, dataset), files.outcomes(dataset)
        for view, declared in (("predictions", explored.predictions), ("counts", explored.counts)):
            for name in dict.fromkeys(rows.frame for rows in declared):
                of_frame = [rows for rows in declared if rows.frame == name]
                for path in filter(Path.is_file, map(Path, outcomes.get(name, ()))):
                    yield _summed(read_view(study, view, of_frame, frames | {name: read_frame(path)}))


def _summed(rows: pd.DataFrame) -> pd.DataFrame:
    """Sums by `KEYS` of predictions or of counts."""
    if "predicted" in rows:
        rows = rows.assign(n_positions=1, n_correct=(rows["label"] == rows["predicted"]).astype(np.int64))
    named = rows.rename(columns={"run": "draw"})
    return named.groupby(KEYS, sort=False, observed=True)[NUMBERS].sum().reset_index()
