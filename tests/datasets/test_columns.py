"""Columns files."""

import pandas as pd
from frames import cells

import treecrf
from treecrf.datasets.columns import write_columns
from treecrf.datasets.reading import read_table


def test_columns_file(write, tmp_path):
    frame = read_table(write("a.conll", "\ufeff# made by hand\na N B\r\nb _ I\n\n\n# c\n# # O\nc V O"))
    assert frame.index.tolist() == [2, 3, 7, 8]
    assert cells(frame) == [
        ["0", "a", "N", "B"],
        ["0", "b", None, "I"],
        ["1", "#", "#", "O"],
        ["1", "c", "V", "O"],
    ]
    write_columns(frame, tmp_path / "b.txt")
    pd.testing.assert_frame_equal(read_table(tmp_path / "b.txt").reset_index(drop=True), frame.reset_index(drop=True))


def test_columns_file_with_tabs_has_spaces_in_cells(write):
    frame = read_table(write("a.conll", "# text = New York\nNew York\t\tB\n"))
    assert cells(frame) == [["0", "New York", None, "B"]]


def test_no_break_spaces_are_part_of_a_cell(write):
    frame = read_table(write("a.conll", "10\u00a0000  N B\n\u3000 \t V I \n \t \n\u00a0 N B\n"))
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
