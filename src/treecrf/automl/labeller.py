"""A labeller, the columns of a table that it reads, and what is done to missing cells before it sees them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Self
from zipfile import is_zipfile

import numpy as np
import pandas as pd

from treecrf.datasets.table import cell_place, check_columns, encode_table
from treecrf.io.cells import Kind
from treecrf.io.files import check_file
from treecrf.io.messages import counted, listed, quoted
from treecrf.io.npz import read_npz, write_npz
from treecrf.missing import Imputer, Indicator
from treecrf.missing.stored import describe_transform, restore_transform
from treecrf.models.base import FORMAT, Labeller
from treecrf.models.inputs import RARE
from treecrf.models.loading import rebuild
from treecrf.sequences import SequenceSet


@dataclass(frozen=True)
class TableColumns:
    """Names of the columns that tell sequences apart, have the labels and are inputs; `numbers` are the inputs with numbers."""

    sequence: str
    label: str
    attributes: tuple[str, ...]
    numbers: tuple[str, ...] = ()

    @property
    def kinds(self) -> dict[str, Kind]:
        """What each input holds."""
        return {name: "number" if name in self.numbers else "category" for name in self.attributes}


@dataclass
class TableLabeller:
    """A fitted labeller that reads tables, its columns, and what imputes or marks missing cells in every set, if anything.

    The command line trains, saves and loads these; ``treecrf.load`` reads the labeller alone from the same file.
    """

    labeller: Labeller
    columns: TableColumns
    missing: Imputer | Indicator | None = None

    def read(
        self, frame: pd.DataFrame, path: str | os.PathLike[str], *, labelled: bool, new_labels: bool = False
    ) -> SequenceSet:
        """What the labeller sees of a table (`treecrf.readers.reading.read_table`) in the file `path`: `encode`, then `prepare`."""
        return self.prepare(self.encode(frame, path, labelled=labelled, new_labels=new_labels))

    def prepare(self, data: SequenceSet) -> SequenceSet:
        """The set with its missing cells imputed or marked, where something does that before the labeller sees it."""
        return data if self.missing is None else self.missing.transform(data)

    def encode(
        self, frame: pd.DataFrame, path: str | os.PathLike[str], *, labelled: bool, new_labels: bool = False
    ) -> SequenceSet:
        """The sequences of a table in the file `path`, missing cells as they are.

        Without `labelled` the column of the labels is not read, and every row is a position. Labels that the training table
        did not have are refused, or with `new_labels` come after the others in the set's label names, in the order of the
        file. A ValueError names file, line, row and column.
        """
        columns = self.columns
        needed = [columns.sequence, *([columns.label] if labelled else []), *columns.attributes]
        check_columns(frame, path, needed, "give it the columns that the model was trained with")
        names = tuple(self.labeller.label_names_)
        if labelled:
            label = frame[columns.label]
            unknown = ~(label.isna() | (label.astype(str) == "") | label.astype(str).isin(names)).to_numpy()
            if new_labels:
                names += tuple(label[unknown].astype(str).unique())
            elif unknown.any():
                row = int(unknown.argmax())
                raise ValueError(
                    f"{cell_place(frame, path, row, columns.label)}: the model was not trained with the label "
                    f"{quoted(label.iloc[row])} (it knows {', '.join(names)}); fix that label, or train with it."
                )
        return encode_table(
            frame, path, sequence=columns.sequence, label=columns.label if labelled else None,
            attributes=columns.attributes, label_names=names if labelled else None, kinds=columns.kinds,
        )  # fmt: skip

    def unseen(self, frame: pd.DataFrame, path: str | os.PathLike[str]) -> Iterator[str]:
        """A sentence for each column with values that the training table did not have."""
        known = {attribute.name: attribute.categories for attribute in self.labeller.attributes_}
        for name, kind in self.columns.kinds.items():
            if kind == "number" or RARE in known[name]:
                continue
            cells = frame[name]
            strange = ~(cells.isna() | (cells.astype(str) == "") | cells.astype(str).isin(known[name])).to_numpy()
            if strange.any():
                values = frame[name][strange].astype(str).unique()
                yield (
                    f"{cell_place(frame, path, int(np.argmax(strange)), name)}: the training table did not have "
                    f"{listed(values)} ({counted(int(strange.sum()), 'cell')}); the model ignores such values."
                )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file; atomic."""
        header, arrays = self.labeller.contents()
        table = asdict(self.columns) | {"missing": describe_transform(self.missing)}
        write_npz(path, header | {"table": table}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; a ValueError names the file if it is something else."""
        check_file(path, "model", "correct the path, or train one by treecrf fit")
        if not is_zipfile(path):
            raise ValueError(f"{os.fspath(path)} is no model file; the model that treecrf fit wrote comes first.")
        header, arrays = read_npz(path, FORMAT)
        if "table" not in header:
            raise ValueError(f"model {os.fspath(path)} does not say which columns it reads; train it by treecrf fit.")
        try:
            table = header["table"]
            columns = TableColumns(
                table["sequence"], table["label"], tuple(table["attributes"]), tuple(table["numbers"])
            )
            missing = restore_transform(table["missing"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"model {os.fspath(path)} is of another version of treecrf ({quoted(str(error))}); train it again."
            ) from error
        return cls(rebuild(header, arrays, os.fspath(path)), columns, missing)
