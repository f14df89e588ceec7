"""Columns files."""

import gzip
import re

import pandas as pd
import pytest
from frames import cells

import treecrf
from treecrf.readers.columns import write_columns
from treecrf.readers.reading import read_frame
from treecrf.readers.text_files import Dialect


def test_columns_file(write, tmp_path):
    frame = read_frame(write("a.conll", "\ufeff# made by hand\na N B\r\nb _ I\n\n\n# c\n# # O\nc V O"))
    assert frame.index.tolist() == [2, 3, 7, 8]
    assert cells(frame) == [
        ["0", "a", "N", "B"],
        ["0", "b", None, "I"],
        ["1", "#", "#", "O"],
        ["1", "c", "V", "O"],
    ]
    write_columns(frame, tmp_path / "b.txt")
    pd.testing.assert_frame_equal(read_frame(tmp_path / "b.txt").reset_index(drop=True), frame.reset_index(drop=True))


def test_columns_file_with_tabs_has_spaces_in_cells(write):
    frame = read_frame(write("a.conll", "# text = New York\nNew York\t\tB\n"))
    assert cells(frame) == [["0", "New York", None, "B"]]


def test_no_break_spaces_are_part_of_a_cell(write):
    frame = read_frame(write("a.conll", "10\u00a0000  N B\n\u3000 \t V I \n \t \n\u00a0 N B\n"))
    assert cells(frame) == [
        ["0", "10\u00a0000", "N", "B"],
        ["0", "\u3000", "V", "I"],
        ["1", "\u00a0", "N", "B"],
    ]


def test_columns_file_in_the_workflow(write):
    path = write("a.conll", "a N B\nb V I\n\nc N B\n\nd V B\n")
    train, test = treecrf.datasets.load("table", path=path)
    assert (len(train), len(test), train.label_names) == (2, 1, ("B", "I"))
    assert [attribute.name for attribute in train.attributes] == ["1", "2"]


CONLL2003 = """-DOCSTART- -X- -X- O

SOCCER NN I-NP O
# # O O
JAPAN NNP I-NP I-LOC

-DOCSTART- -X- -X- O

# NN B-NP O
Ünal NNP I-NP I-PER
"""


@pytest.fixture
def told(write):
    """Reads a text as a columns file; gives the cells and what was told."""

    def read(text, name="t.txt"):
        path, sentences = write(name, text), []
        frame = read_frame(path, tell=lambda sentence: sentences.append(sentence.removeprefix(f"table {path}: ")))
        return cells(frame), sentences

    return read


def test_documents_of_conll_2003(told):
    rows, said = told(CONLL2003.replace("PER\n", "PER \t\n"))
    assert rows == [
        ["0", "SOCCER", "NN", "I-NP", "O"],
        ["0", "#", "#", "O", "O"],
        ["0", "JAPAN", "NNP", "I-NP", "I-LOC"],
        ["1", "#", "NN", "B-NP", "O"],
        ["1", "Ünal", "NNP", "I-NP", "I-PER"],
    ]
    assert said == ["2 -DOCSTART- lines left out."]
    assert told(CONLL2003.replace("\n", "\r\n"))[0] == rows
    assert told(CONLL2003.encode("latin-1")) == (
        rows,
        ["read with Windows-1252 ('Ünal' in line 10) (encoding says otherwise).", "2 -DOCSTART- lines left out."],
    )


@pytest.mark.parametrize("suffix", [".iob", ".iob2", ".BIO", ".conll", ".txt.gz"])
def test_iob_files_of_shared_tasks(told, suffix):
    text = "#\tO\nNew York\tB-LOC  \n\t \n@user\tO\n_\tO\n"
    given = gzip.compress(text.encode()) if suffix.endswith(".gz") else text
    rows = [["0", "#", "O"], ["0", "New York", "B-LOC"], ["1", "@user", "O"], ["1", None, "O"]]
    assert told(given, f"t{suffix}") == (rows, [])


def test_comments_have_no_label(told):
    text = "# nyt-1\nthe DT\ncat NN\n\n# nyt-2\n# NN\ndog NN\n"
    assert told(text)[0] == [["0", "the", "DT"], ["0", "cat", "NN"], ["1", "#", "NN"], ["1", "dog", "NN"]]


def test_tabs_at_the_end_of_every_line(told):
    assert told("a\tB\t\nb\tO\t\n")[0] == [["0", "a", "B"], ["0", "b", "O"]]
    assert told("a\tN\tB\nb\tV\t\n")[0] == [["0", "a", "N", "B"], ["0", "b", "V", None]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a;b;c\n1;2;3\n\n4;5;6\n",
            "';' stands equally often in every line; if it separates cells, read the file as CSV",
        ),
        ("sequence\tlabel\tx\n1\tu\t3\n", "its first line names columns; read the file as CSV (format)."),
    ],
)
def test_csv_by_another_name(write, text, message):
    path = write("t.txt", text)
    with pytest.raises(ValueError, match=re.escape(f"table {path}: {message}")):
        read_frame(path)
    assert read_frame(path, Dialect("csv")).shape[1] == 3


def test_cells_of_one_column_may_be_commas(told):
    assert told("Yes\n,\nbut\n")[0] == [["0", "Yes"], ["0", ","], ["0", "but"]]


def test_options_of_csv_are_told_to_mean_nothing(write):
    told = []
    path = write("t.conll", "a B\n")
    read_frame(path, Dialect(separator=";"), tell=told.append)
    assert told == [f"table {path} is no CSV file: separator and decimal are not looked at."]
