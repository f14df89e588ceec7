"""Files of all kinds as frames of text, and folders with a file for each sequence."""

import gzip
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from builders import binary_set
from frames import cells
from hypothesis import given, settings
from hypothesis import strategies as st

from treecrf import load_table
from treecrf.cli.predict import write
from treecrf.readers.reading import read_frame
from treecrf.sequences import MISSING


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
        f"table {folder}/b.csv: read with ';' between cells, decimal commas in 'x' (separator, decimal and "
        f"encoding say "
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
            "table {folder}/b.csv has the columns 'y', 'label', and a.csv has 'x', 'label'; give all files of "
            "the folder the same",
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


# --- sets ------------------------------------------------------------------------------------------


def rows_of(data):
    """Attribute names, then per observation the category names, None where missing."""
    names = [(*attribute.categories, None) for attribute in data.attributes]
    return [[names[j][code] for j, code in enumerate(row)] for row in data.values]


def test_two_files(data, write):
    test = write("table.csv", "y,label,x,sequence\nq,up,,a\n,,3,a\n")
    train, test = load_table(path=data / "table.csv", test=test)
    assert (len(train), len(test)) == (3, 1)
    assert [attribute.name for attribute in train.attributes] == ["x", "y"]
    assert train.attributes == test.attributes  # the categories of both files
    assert train.attributes[0].categories == ("1", "2", "3")
    assert train.label_names == ("down", "up")
    assert rows_of(train) == [["1", "p"], [None, "q"], ["2", "p"], ["1", None], ["2", "q"]]
    assert rows_of(test) == [[None, "q"], ["3", None]]
    assert train.lengths.tolist() == [2, 1, 1]  # the last row of b has no label: an observation alone
    assert train.observation_offsets.tolist() == [0, 2, 4, 5]


def test_fraction_and_seed(write):
    path = write("table.csv", "s,l,x\n" + "".join(f"{i},u,{i}\n" for i in range(30)))
    options = {"path": path, "sequence": "s", "label": "l"}
    train, test = load_table(**options)
    assert (len(train), len(test)) == (20, 10)
    assert load_table(**options) == (train, test)
    assert load_table(**options, seed=1)[1] != test
    assert len(load_table(**options, test_fraction=0.1)[1]) == 3
    with pytest.raises(ValueError, match="test_fraction=1: give a share between 0 and 1"):
        load_table(**options, test_fraction=1)


def test_copies_are_drawn_together(write):
    path = write("table.csv", "s,l,x\n" + "".join(f"{i},u,{i % 7}\n" for i in range(30)))
    train, test = load_table(path=path, sequence="s", label="l")
    assert len(train) + len(test) == 30
    assert not set(train.values[:, 0]) & set(test.values[:, 0])
    assert not set(train.groups) & set(test.groups)


def people(of_sequences, **more):
    """A table of four rows a sequence, with the person of each sequence."""
    n = len(of_sequences)
    frame = pd.DataFrame(
        {"sequence": np.repeat(np.arange(n), 4), "x": np.arange(4 * n) % 7, "label": ["u", "v"] * 2 * n}
    )
    return frame.assign(person=np.repeat(of_sequences, 4), **more)


def test_sequences_of_a_group_are_held_out_together_and_its_column_is_no_input(tmp_path):
    people(list("abcdefabcdef")).to_csv(tmp_path / "a.csv", index=False)
    train, test = load_table(path=tmp_path / "a.csv", groups="person")
    assert [*train.number_names, *(attribute.name for attribute in train.attributes)] == ["x"]
    assert (len(train), len(test)) == (8, 4)
    assert [len(set(part.groups)) for part in (train, test)] == [4, 2]
    assert not set(train.groups) & set(test.groups)
    people(list("aaaa")).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match="both need a sequence, and the table has 4 sequences in 1 group"):
        load_table(path=tmp_path / "b.csv", groups="person")
    with pytest.raises(ValueError, match="column 'person' has two uses"):
        load_table(path=tmp_path / "a.csv", groups="person", attributes=["x", "person"])


def test_groups_are_the_same_in_two_tables(tmp_path):
    people(list("abb")).to_csv(tmp_path / "a.csv", index=False)
    people(list("cb")).to_csv(tmp_path / "b.csv", index=False)
    train, test = load_table(path=tmp_path / "a.csv", test=tmp_path / "b.csv", groups="person")
    assert train.groups[1] == train.groups[2] == test.groups[1]
    assert len({*train.groups, *test.groups}) == 3


def test_split_column(write):
    path = write("table.csv", "sequence,part,label,x\na,train,u,1\na,train,v,2\nb,test,u,2\n")
    train, test = load_table(path=path, split="part")
    assert (train.n_positions, test.n_positions) == (2, 1)
    assert [attribute.name for attribute in train.attributes] == ["x"]


def test_chosen_attributes(data):
    train, _ = load_table(path=data / "table.csv", attributes=["y"])
    assert [attribute.name for attribute in train.attributes] == ["y"]


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "sequence": [1, 1, 2, 2],
            "label": ["u", "v", "u", "u"],
            "x": [1.0, np.nan, 3.0, 1.0],
            "y": [True, False, None, True],
            "z": ["p", None, "", "q"],
        }
    )
    frame.to_parquet(tmp_path / "table.parquet")
    parts = load_table(path=tmp_path / "table.parquet", test_fraction=0.5)
    assert sorted(map(str, (row for part in parts for row in rows_of(part)))) == sorted(
        map(str, [["1", "True", "p"], [None, "False", None], ["3", None, None], ["1", "True", "q"]])
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sequence,label,x\na,u,1\na,u\n",
            "{path}, line 3: 2 cells, but the first line names 3 columns; fix that line.",
        ),
        ("sequence,label,x\na,u,1,2\n", "{path}, line 2: 4 cells, but the first line names 3 columns; fix that line."),
        ("sequence,label,x\na,u,1,2\nb,u,1,2\n", "{path}, line 2: 4 cells"),
        ('sequence,label,x\na,u,"1\n2"\nb,u\n', "{path}, line 4: 2 cells"),
        (
            'sequence,label,x\na,u,"1\n',
            "{path}, line 2: the row that begins there is not readable as CSV with ',' between cells (unexpected "
            "end of data); fix it, or read quotes as characters (--quote none).",
        ),
        (
            b"sequence,label,x\na,\xc3\xa4,\xff\n",
            "{path}, line 2: not readable as UTF-8 (invalid start byte); save the",
        ),
        (b"\xef\xbb\xbfsequence,label,x\r\n" + 9999 * b"a,u,1\r\n" + b"\xe9,u,1\r\n", "{path}, line 10001: not"),
        ("", "{path} is empty or its first line has no column names; give it some."),
        ("sequence,label,x,x\na,u,1,2\n", "{path}: column 'x' appears twice; rename one."),
        ("sequence,label,x\n", "{path}: the table has no rows"),
        ("sequence,x\na,1\n", "{path} has no column 'label'; its columns are 'sequence', 'x'; correct the name."),
        ("sequence,label\na,1\n", "{path}: the table has no attribute columns"),
        ("sequence,label,x\na,u,1\n\nb,u,1\na,u,2\n", "{path}, line 5: row 2, column 'sequence': sequence 'a' comes a"),
        ("sequence,label,x\na,u,1\n,u,1\n", "{path}, line 3: row 1, column 'sequence': the sequence is not named"),
        ("sequence,label,x\na,,1\na,u,1\n", "{path}, line 2: row 0, column 'label': an empty label stands before"),
        ("sequence,label,x\na,u,1\nb,,1\n", "{path}, line 3: row 1, column 'label': no row of the sequence"),
        (
            "sequence,label,x\na,u,1\n",
            "{path}: training and test set both need a sequence, and the table has 1 sequence.",
        ),
    ],
)
def test_errors(write, text, message):
    path = write("table.csv", text)
    with pytest.raises(ValueError, match="table ") as caught:
        load_table(path=path)
    assert str(caught.value).startswith("table " + message.format(path=path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sequence,label,x\na,u,1\n",
            "table {path} has no column 'part'; its columns are 'sequence', 'label', 'x'; correct the name.",
        ),
        (
            "sequence,label,x,part\na,u,1,valid\n",
            "line 2: row 0, column 'part': 'valid' is neither 'train' nor 'test'.",
        ),
        ("sequence,label,x,part\na,u,1,\n", "line 2: row 0, column 'part': None is neither 'train' nor 'test'."),
        ("sequence,label,x,part\na,u,1,train\na,u,1,test\n", "line 3: row 1, column 'part': its sequence has both"),
        ("sequence,label,x,part\na,u,1,train\n", "training and test set both need a sequence"),
    ],
)
def test_split_errors(write, text, message):
    path = write("table.csv", text)
    with pytest.raises(ValueError, match=re.escape(message.format(path=path))):
        load_table(path=path, split="part")


def test_error_in_the_second_file_names_it(data, write):
    second = write("second.csv", "sequence,label,x,y\na,u,1,p\na,,1\n")
    with pytest.raises(ValueError, match=r"second\.csv, line 3: 3 cells"):
        load_table(path=data / "table.csv", test=second)
    second = write("second.csv", "sequence,label,x\na,u,1\n")
    with pytest.raises(ValueError, match=r"second\.csv has no column 'y'"):
        load_table(path=data / "table.csv", test=second)


def test_absent_and_damaged_files(tmp_path, write):
    with pytest.raises(FileNotFoundError, match=r"table \S+nosuch\.csv does not exist; correct the path\."):
        load_table(path=tmp_path / "nosuch.csv")
    with pytest.raises(ValueError, match=r"table \S+bad\.parquet is not a readable Parquet file"):
        load_table(path=write("bad.parquet", "no parquet"))


def test_what_to_frame_writes_comes_back(tmp_path):
    train, test = binary_set()[:4], binary_set()[4:]
    holes = np.array(train.values)
    holes[::7] = MISSING
    train = train.with_values(holes)
    train.to_frame().to_csv(tmp_path / "train.csv", index=False)
    test.to_frame().to_csv(tmp_path / "test.csv", index=False)
    assert load_table(path=tmp_path / "train.csv", test=tmp_path / "test.csv") == (train, test)


def test_time_stamps_that_identify_rows_are_told(write):
    rows = [f"{i // 5},2024-03-0{i // 10 + 1}T00:00:0{i % 10},{'uv'[i % 2]}" for i in range(20)]
    path = write("t.csv", "sequence,at,label\n" + "\n".join(rows) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_table(path=path)  # it is the only input
    path = write("t.csv", "sequence,at,label,x\n" + "".join(f"{row},{len(row)}\n" for row in rows))
    with pytest.warns(UserWarning, match=r"^Column 'at': its time stamps identify the rows; derive inputs from them"):
        load_table(path=path)
