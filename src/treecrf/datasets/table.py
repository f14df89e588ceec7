"""Sequences of your own: a CSV or Parquet file with one row per observation, an empty cell for a missing value."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from treecrf.datasets._seeds import generator
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    import pandas as pd


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a CSV (.csv, .tsv, .txt) or Parquet (.parquet) file; cells of a CSV are text.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence that names the file, and the line where one is at fault.
    """
    import pandas as pd

    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"table {file} does not exist; correct the path.")
    if file.suffix == ".parquet":
        try:
            return pd.read_parquet(file)
        except Exception as error:
            raise ValueError(f"table {file} is not a readable Parquet file ({error}); write it again.") from error
    try:
        frame = pd.read_csv(file, sep="\t" if file.suffix == ".tsv" else ",", dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"table {file} is not a readable CSV file ({str(error).strip()}); mend it.") from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"table {file}: its rows have more cells than its first line has names; mend it.")
    short = frame.isna().any(axis=1).to_numpy()  # an empty cell is "", a cell that is not there is NaN
    if short.any():
        raise ValueError(f"table {file}, line {int(short.argmax()) + 2}: fewer cells than the first line has names.")
    return frame


def load(
    path: str | os.PathLike[str],
    *,
    test: str | os.PathLike[str] | None = None,
    sequence: str = "sequence",
    label: str = "label",
    attributes: Sequence[str] | None = None,
    split: str | None = None,
    test_fraction: float = 1 / 3,
    seed: int = 0,
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set from one or two tables.

    Parameters
    ----------
    path : path
        The training table, or the only one.
    test : path, optional
        The test table.
    sequence, label : str
        Columns.
    attributes : sequence of str, optional
        Input columns; all others unless given.
    split : str, optional
        Column that holds "train" or "test", the same on all rows of a sequence.
    test_fraction : float
        Without `test` and `split`: the share of the sequences that is drawn for testing.
    seed : int
        Decides which.

    Raises
    ------
    ValueError
        One sentence that names file, row and column.
    """
    import pandas as pd

    first = read_table(path)
    second = None if test is None else read_table(test)
    if second is not None and set(second.columns) != set(first.columns):
        odd = sorted(set(first.columns) ^ set(second.columns))
        raise ValueError(f"tables {path} and {test}: column {odd[0]!r} is in one of them alone; give both the same.")
    if attributes is None:
        attributes = [column for column in first.columns if column not in (sequence, label, split)]
    parts = [first] if second is None else [first, second.reindex(columns=first.columns)]
    if sequence in first.columns:  # the same name in two files means two sequences
        parts = [part.assign(**{sequence: f"{i}:" + part[sequence].astype(str).where(part[sequence].notna(), None)})
                 for i, part in enumerate(parts)]  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
    try:
        whole = SequenceSet.from_frame(frame, sequence=sequence, label=label, attributes=attributes)
    except ValueError as error:
        raise ValueError(f"table {path}{'' if test is None else f' and {test}'}: {error}") from None
    starts = whole.observation_offsets[:-1]
    if second is not None:
        for_test = starts >= len(first)
    elif split is not None:
        for_test = _split_column(frame, split, whole, path)
    else:
        if not 0 < test_fraction < 1:
            raise ValueError(f"test_fraction={test_fraction}: give a share between 0 and 1.")
        n_test = round(test_fraction * len(whole))
        for_test = np.zeros(len(whole), dtype=bool)
        for_test[generator("table", "test", seed=seed).permutation(len(whole))[:n_test]] = True
    if for_test.all() or not for_test.any():
        raise ValueError(f"table {path}: training and test set both need a sequence and there are {len(whole)} in all.")
    return whole.select(np.flatnonzero(~for_test)), whole.select(np.flatnonzero(for_test))


def _split_column(frame: pd.DataFrame, split: str, whole: SequenceSet, path: str | os.PathLike[str]) -> np.ndarray:
    if split not in frame.columns:
        raise ValueError(
            f"table {path} has no column {split!r}; its columns are {', '.join(map(repr, frame.columns))}."
        )
    cells = frame[split].to_numpy(dtype=object)
    wrong = ~np.isin(cells.astype(str), ("train", "test"))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"table {path}, row {row}, column {split!r}: {cells[row]!r} is neither 'train' nor 'test'.")
    starts = whole.observation_offsets[:-1]
    lengths = np.diff(whole.observation_offsets)
    mixed = cells != np.repeat(cells[starts], lengths)
    if mixed.any():
        raise ValueError(f"table {path}, row {int(mixed.argmax())}, column {split!r}: its sequence has both parts.")
    return cells[starts] == "test"
