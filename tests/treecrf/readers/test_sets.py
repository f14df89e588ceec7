"""Tables of a user's own: what is read, and the sentence for each thing that can be wrong."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from builders import binary_set

from treecrf import load_table
from treecrf.sequences import MISSING


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
            "{path}, line 2: the row that begins there is not readable as CSV with ',' between cells (unexpected end of data)",
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
        ("sequence,label,x\na,u,1\nb,,1\n", "{path}: sequence 1 has no positions"),
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
