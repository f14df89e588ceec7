"""Correct positions of every test sequence: what tests between methods need, and anybody who computes them again."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.io.files import atomic, stacked
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import BY_JOB, Study
from treecrf_studies.framework.views import CELL, read_by_job

FILE = "counts.parquet"
"""In the folder of a data set's evidence."""

KEYS = [*CELL, "draw", "sequence", "group"]
NUMBERS = ["n_positions", "n_correct"]
WHOLE = ["sequence", "group", *NUMBERS]
"""Columns that are no texts."""


def write_counts(study: Study, settings: Settings, folder: Path) -> None:
    """Write the counts of a study to the folders of its data sets in a folder, where its results have any
    (`count_sequences`).

    Parameters
    ----------
    study : Study
    settings : Settings
        Where its results are.
    folder : Path
    """
    run = Frames(settings)
    for dataset in run.files[study.name].all_datasets():
        counts = count_sequences(run, study, dataset)
        if len(counts):
            with atomic(folder / dataset / FILE) as temporary:
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


def count_sequences(run: Frames, study: Study, dataset: str) -> pd.DataFrame:
    """Test positions and correct ones by `KEYS`, on one data set.

    Draw: the training, damaged training set or draw of the data. Sequence -1: only the group of related sequences is
    kept. Point: whether cross-validation or the test set chose the settings. Texts are categories.
    """
    of_jobs = (_summed(rows) for view in BY_JOB for rows in read_by_job(run, study, view, dataset))
    counts = stacked([pd.DataFrame(columns=[*KEYS, *NUMBERS]), *of_jobs])
    texts = counts.columns.difference(WHOLE)
    kinds = dict.fromkeys(texts, "category") | dict.fromkeys(WHOLE, "int64")
    return counts.astype(kinds).sort_values(KEYS, kind="stable", ignore_index=True)


def _summed(rows: pd.DataFrame) -> pd.DataFrame:
    """Sums by `KEYS` of predictions or of counts."""
    if "predicted" in rows:
        rows = rows.assign(n_positions=1, n_correct=(rows["label"] == rows["predicted"]).astype(np.int64))
    named = rows.rename(columns={"run": "draw"})
    return named.groupby(KEYS, sort=False, observed=True)[NUMBERS].sum().reset_index()
