"""A folder with a file for each sequence."""

import gzip
import re

import pandas as pd
import pytest
from frames import cells

from treecrf import datasets
from treecrf.readers.reading import read_frame


def written(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.fixture
def folder(tmp_path):
    pd.DataFrame({"label": ["u"], "x": [3]}).to_parquet(tmp_path / "c.parquet")
    return written(
        tmp_path / "walks",
        b_csv="x;label\n1,5;u\n2,5;v\n",
        a_csv_gz=gzip.compress(b"label,x\nv,7\n"),
        c_parquet=(tmp_path / "c.parquet").read_bytes(),
        README_md="# notes",
    )


def test_sequences_are_named_by_files(folder):
    told = []
    frame = read_frame(folder, sequence="walk", tell=told.append)
    assert list(frame.columns) == ["walk", "label", "x"]
    assert cells(frame) == [["a", "v", "7"], ["b", "u", "1.5"], ["b", "v", "2.5"], ["c", "u", "3"]]
    assert frame.index.tolist() == [("a.csv.gz", 2), ("b.csv", 2), ("b.csv", 3), ("c.parquet", 0)]
    assert told == [
        f"folder {folder}: left out 'README.md', which are no files of sequences by their suffixes.",
        f"table {folder}/b.csv: read with ';' between cells, decimal commas in 'x' (separator, decimal and encoding say "
        "otherwise).",
    ]


def test_files_with_sequences_of_their_own(tmp_path):
    folder = written(tmp_path / "tags", b_conll="x N\n\ny V\n", a_conll="z V\n")
    assert cells(read_frame(folder)) == [["a:0", "z", "V"], ["b:0", "x", "N"], ["b:1", "y", "V"]]
    assert sum(map(len, datasets.load("table", path=folder))) == 3


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "folder {folder} has no file that ends in one of .csv, .tsv, .parquet"),
        ({"notes_md": ""}, "folder {folder} has no file that ends in one of .csv, .tsv, .parquet"),
        ({"a_csv": "x\n1\n", "a_tsv": "x\n1\n"}, "folder {folder}: a.csv and a.tsv would be one sequence; rename one."),
        (
            {"a_csv": "x,label\n1,u\n", "b_csv": "y,label\n1,u\n"},
            "table {folder}/b.csv has the columns 'y', 'label', and a.csv has 'x', 'label'; give all files of the folder the same",
        ),
        ({"a_csv": "x,label\n1,u\n", "b_csv": "x,label\n1\n"}, "table {folder}/b.csv, line 2: 1 cell, but the first line names"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, files, message):
    folder = written(tmp_path / "f", **files)
    with pytest.raises(ValueError, match=re.escape(message.format(folder=folder))):
        read_frame(folder)


def test_errors_of_cells_name_the_file(tmp_path):
    folder = written(tmp_path / "f", a_csv="x,label\n1,u\n2,v\n", b_csv="x,label\n1,\n2,u\n")
    with pytest.raises(
        ValueError, match=rf"^table {folder}/b\.csv, line 2: row 2, column 'label': an empty label stands"
    ):
        datasets.load("table", path=folder)


def test_many_notes_are_not_all_told(tmp_path):
    folder = written(tmp_path / "f", **{f"f{i}_csv": "x;label\n1;u\n" for i in range(9)})
    told = []
    read_frame(folder, tell=told.append)
    assert (len(told), told[-1]) == (4, f"folder {folder}: 6 more sentences of this kind.")
