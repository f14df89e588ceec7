"""ARFF files, by hand and against scipy's reader where it reads them."""

import io
import re

import numpy as np
import pytest
from frames import cells
from scipy.io import arff

ARFF = """% a comment
@RELATION r

@attribute sequence {s, t}
@Attribute 'the x' NUMERIC
@attribute colour {red, 'dark blue'}
@attribute word string
@attribute label {D,N}
@DATA
s, 1.5, red, the, D
s, ?, ?, "a, b", N

% another
t, 2,'dark blue', 'it\\'s',D
"""


def test_columns_of_all_kinds_are_read(read):
    frame, _ = read(ARFF, name="t.arff")
    assert frame.columns.tolist() == ["sequence", "the x", "colour", "word", "label"]
    assert cells(frame) == [
        ["s", "1.5", "red", "the", "D"],
        ["s", None, None, "a, b", "N"],
        ["t", "2", "dark blue", "it's", "D"],
    ]
    assert frame.index.tolist() == [10, 11, 14]


def test_numbers_are_those_that_scipy_reads(read):
    numbers = np.random.default_rng(0).normal(size=(20, 3)) * 10.0 ** np.arange(-5, 10, 5)
    header = "@relation r\n" + "".join(f"@attribute x{j} real\n" for j in range(3)) + "@data\n"
    text = header + "\n".join(",".join(map(repr, row)) for row in numbers.tolist())
    frame, _ = read(text, name="t.arff")
    expected, _ = arff.loadarff(io.StringIO(text))
    assert frame.astype(float).to_numpy().tolist() == [list(row) for row in expected.tolist()] == numbers.tolist()


def test_comments_that_look_like_rows_are_told(read):
    frame, told = read(ARFF + "% a, 2, red, x, D\n% no row\n", name="t.arff")
    assert (len(frame), told) == (
        3,
        ["1 line left out as comments, which begin with % and have as many cells as rows; the first is line 15."],
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            ARFF.replace("word string", "word relational"),
            "line 7: '@attribute word relational' declares no column of numbers, text",
        ),
        (
            ARFF.replace("s, 1.5, red, the, D", "{0 s, 1 1.5}"),
            "line 10: sparse rows are not read; save the table as CSV.",
        ),
        (
            ARFF.replace("s, 1.5, red, the, D", "s, 1.5"),
            "line 10: 2 cells, and the header declares 5 columns; fix that line.",
        ),
        (
            ARFF.replace(", red, the", ", 'red, the"),
            "line 10: a quote is not closed, or stands within a cell; fix that line.",
        ),
        (ARFF.replace("colour", "word"), "column 'word' appears twice; rename one."),
        ("x,label\n1,a\n", "line 1: 'x,label' is no line of an ARFF header; save the table as CSV."),
        (ARFF.split("@DATA")[0], "has no rows; save the table as CSV."),
        ("", "has no @attribute lines; save the table as CSV."),
    ],
)
def test_what_cannot_be_read_is_named(read, tmp_path, text, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        read(text, name="t.arff")
    assert str(caught.value).startswith(f"table {tmp_path / 't.arff'}")
