"""Files of all kinds as frames of text, and folders with a file for each sequence."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from frames import cells
from hypothesis import given, settings
from hypothesis import strategies as st

from treecrf import load_table
from treecrf.cli.predict import write
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
    assert sum(map(len, load_table(path=folder))) == 3


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
        (
            {"a_csv": "x,label\n1,u\n", "b_csv": "x,label\n1\n"},
            "table {folder}/b.csv, line 2: 1 cell, but the first line names",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, files, message):
    folder = written(tmp_path / "f", **files)
    with pytest.raises(ValueError, match=re.escape(message.format(folder=folder))):
        read_frame(folder)


def test_errors_of_cells_name_the_file(tmp_path):
    folder = written(tmp_path / "f", a_csv="x,label\n1,u\n2,v\n", b_csv="x,label\n1,\n2,u\n")
    with pytest.raises(
        ValueError, match=rf"^table {folder}/b\.csv, line 2: row 2, column 'label': an empty label stands"
    ):
        load_table(path=folder)


def test_many_notes_are_not_all_told(tmp_path):
    folder = written(tmp_path / "f", **{f"f{i}_csv": "x;label\n1;u\n" for i in range(9)})
    told = []
    read_frame(folder, tell=told.append)
    assert (len(told), told[-1]) == (4, f"folder {folder}: 6 more sentences of this kind.")


def test_text_of_parquet_depends_on_the_value_alone(tmp_path):
    frame = pd.DataFrame(
        {
            "whole": [1.0, np.nan, -0.0],
            "float": [1.0, 2.5, 2.0**53],
            "single": np.float32([0.1, 7, np.inf]),
            "large": pd.array([2**60 + 1, None, 3], dtype="Int64"),
            "kind": pd.Categorical([2.0, None, 0.5]),
            "time": pd.to_datetime(["2020-01-01 00:00", "2020-01-01 10:30", None]),
            "text": ["1.0", "", "x"],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    assert cells(read_frame(tmp_path / "t.parquet").T) == [
        ["1", None, "0"],
        ["1", "2.5", "9007199254740992.0"],
        ["0.1", "7", "inf"],
        ["1152921504606846977", None, "3"],
        ["2", None, "0.5"],
        ["2020-01-01", "2020-01-01 10:30:00", None],
        ["1.0", None, "x"],
    ]


def test_csv_like_others_write_it(write):
    plain = "sequence,label,x\na,u,1\nb,v,2\n"
    same = [
        plain,
        "\ufeff" + plain,
        plain.replace("\n", "\r\n"),
        plain.rstrip("\n"),
        plain.replace("b,v", "\nb,v"),
        'sequence,label,"x"\n"a",u,1\nb,"v",2\n',
    ]
    frames = [read_frame(write("table.csv", text)) for text in same]
    frames.append(read_frame(write("table.tsv", plain.replace(",", "\t"))))
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame.reset_index(drop=True), frames[0].reset_index(drop=True))


def test_text_that_looks_missing_is_text(write):
    frame = read_frame(write("table.csv", "sequence,label,x\na,u,NA\na,u,nan\na,u,\na,u,01\n"))
    assert cells(frame[["x"]]) == [["NA"], ["nan"], [None], ["01"]]


def test_folders_and_devices_are_no_tables(tmp_path):
    with pytest.raises(ValueError, match=r"folder \S+ has no file that ends in one of \.csv, "):
        read_frame(tmp_path)
    with pytest.raises(ValueError, match=r"table /dev/null is not a regular file; name a file\."):
        read_frame("/dev/null")


CELL = st.text('",;\t\n\r #%_a1', max_size=4)
TABLES = st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=6))


def read_or_refused(path):
    """The cells of a file and what is told of it; None where it is refused in a sentence."""
    told = []
    try:
        return cells(read_frame(path, tell=told.append)), told
    except ValueError:
        return None


@pytest.mark.parametrize("suffix", ["csv", "tsv", "conll", "parquet"])
@settings(max_examples=150, deadline=None)
@given(rows=TABLES)
def test_what_is_written_reads_back_the_same(tmp_path_factory, suffix, rows):
    path = tmp_path_factory.mktemp("written") / f"t.{suffix}"
    names = ["sequence", *map(str, range(1, len(rows[0]) + 1))]
    frame = pd.DataFrame([[f"s{i // 2}", *row] for i, row in enumerate(rows)], columns=names, dtype="str")
    try:
        write(frame, path, "sequence")
    except ValueError:  # a columns file cannot hold a cell
        return
    empty = ("", "_") if suffix == "conll" else ("",)
    expected = [
        [f"{'' if suffix == 'conll' else 's'}{i // 2}", *(None if cell in empty else cell for cell in row)]
        for i, row in enumerate(rows)
    ]
    found = read_or_refused(path)
    if found is not None:
        assert len(found[0]) == len(expected)
        assert found[1] or found[0] == expected


@pytest.mark.parametrize(("suffix", "between"), [("csv", ","), ("tsv", "\t"), ("conll", "\t"), ("conll", " ")])
@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from(['"', '""', '"a', 'a"', "#", "#a", "a", "b", "_"]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_every_line_is_a_row_or_something_is_said(tmp_path_factory, suffix, between, rows):
    path = tmp_path_factory.mktemp("lines") / f"t.{suffix}"
    lines = [between.join(row) for row in rows]
    path.write_text("\n".join(lines if suffix == "conll" else [between.join("xyz"), *lines]))
    found = read_or_refused(path)
    assert found is None or found[1] or len(found[0]) == len(rows)
