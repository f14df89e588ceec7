"""Correct positions of each test sequence, by method and training: what a stranger computes sequence-level tests from
again.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.io.files import atomic, read_frame, stacked
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import BY_JOB, Study
from treecrf_studies.framework.views import CELL, frames_there, read_view

FILE = "counts.parquet"
"""In the folder of a study's evidence."""

KEYS = [*CELL, "draw", "sequence", "group"]
NUMBERS = ["n_positions", "n_correct"]
WHOLE = ["sequence", "group", *NUMBERS]
"""Columns that are no texts."""


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
            _write(counts, temporary)


def _write(counts: pd.DataFrame, path: Path) -> None:
    """Write counts as small as Parquet can: sequences rise by one, and methods are tested on the same ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # A page is compressed by itself. Some versions begin another one after 20,000 rows.
    n_rows = inspect.signature(pq.write_table).parameters.keys() & {"max_rows_per_page"}
    pq.write_table(
        pa.Table.from_pandas(counts, preserve_index=False),
        path,
        row_group_size=len(counts),
        data_page_size=2**27,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in counts if name not in WHOLE],
        column_encoding=dict.fromkeys(("sequence", "group"), "DELTA_BINARY_PACKED"),
        **dict.fromkeys(n_rows, len(counts)),
    )


def count_sequences(study: Study, settings: Settings) -> pd.DataFrame:
    """Test positions and correct ones by `KEYS`.

    Draw: the training, damaged training set or draw of the data. Sequence -1: only the group of related sequences is
    kept. Point: whether cross-validation or the test set chose the settings. Texts are categories.
    """
    parts = [pd.DataFrame(columns=[*KEYS, *NUMBERS]), *_of_jobs(study, settings)]
    found = stacked(parts)
    texts = found.columns.difference(WHOLE)
    kinds = dict.fromkeys(texts, "category") | dict.fromkeys(WHOLE, "int64")
    return found.astype(kinds).sort_values(KEYS, kind="stable", ignore_index=True)


def _of_jobs(study: Study, settings: Settings) -> Iterator[pd.DataFrame]:
    """The counts of each job; one after another, as predictions are large."""
    files = StudyFiles(study, settings)
    for dataset in files.all_datasets():
        frames, outcomes = frames_there(files, study.explored, dataset), files.outcomes(dataset)
        for view in BY_JOB:
            for name in dict.fromkeys(
                part if isinstance(part, str) else part.frames[0] for part in study.views.get(view, ())
            ):
                for path in filter(Path.is_file, map(Path, outcomes.get(name, ()))):
                    yield _summed(read_view(study, view, frames | {name: read_frame(path)}))


def _summed(rows: pd.DataFrame) -> pd.DataFrame:
    """Sums by `KEYS` of predictions or of counts."""
    if "predicted" in rows:
        rows = rows.assign(n_positions=1, n_correct=(rows["label"] == rows["predicted"]).astype(np.int64))
    named = rows.rename(columns={"run": "draw"})
    return named.groupby(KEYS, sort=False, observed=True)[NUMBERS].sum().reset_index()
