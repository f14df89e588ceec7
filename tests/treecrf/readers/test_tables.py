"""Kinds of the columns of tables of text, decided and given."""

import numpy as np
import pandas as pd
import pytest

from treecrf import load_table
from treecrf.io.columns import find_marks
from treecrf.readers.tables import TypedTable

CELLS = [f"{i / 7}" for i in range(50)]


def text_table(**columns):
    frame = pd.DataFrame(columns, dtype=object)
    frame = frame.assign(sequence=(np.arange(len(frame)) // 2).astype(str), label=list("uv") * (len(frame) // 2))
    return TypedTable(frame, "t.csv")


def test_a_column_of_numbers_in_text_holds_numbers():
    table = text_table(x=CELLS, few=["1", "02"] * 25, word=[*CELLS[:-1], "tall"], empty=[None] * 50)
    kinds = {"x": "number", "few": "category", "word": "category", "empty": "category"}
    assert table.decide_columns("sequence", "label", list(kinds)).kinds == kinds
    given = {"x": "category", "few": "number"}
    assert table.decide_columns("sequence", "label", list(kinds), given).kinds == kinds | given


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"label": "number"}, "t.csv: kinds names 'label', which is no input; the inputs are 'x'."),
        ({"x": "text"}, "t.csv: kinds: 'x' cannot be 'text'; choose one of 'number', 'category'."),
    ],
)
def test_kinds_of_no_input_and_no_kind_are_refused(kinds, message):
    with pytest.raises(ValueError, match=f"^table {message}$"):
        text_table(x=CELLS).decide_columns("sequence", "label", ["x"], kinds)


def test_given_kinds_are_followed_and_a_cell_that_is_no_number_is_named():
    few = ["1", "02"] * 25
    table = text_table(x=CELLS, few=few)
    data = table.encode(table.decide_columns("sequence", "label", ["x", "few"], {"x": "category", "few": "number"}))
    assert data.number_names == ("few",)
    np.testing.assert_array_equal(data.numbers[:2, 0], [1, 2])
    assert len(data.attributes[0].categories) == 50
    for cell in ("tall", "inf"):
        table = text_table(x=CELLS, few=[*few[:3], cell, *few[4:]])
        message = (
            f"^table t.csv: row 3, column 'few': '{cell}' is not a finite number, and the column is read as numbers; "
        )
        with pytest.raises(ValueError, match=message):
            table.encode(table.decide_columns("sequence", "label", ["x", "few"], {"few": "number"}))


def test_a_mark_among_numbers_is_refused_unless_the_column_is_given():
    table = text_table(
        x=[*CELLS[:-1], "tall"], few=["1", "2"] * 24 + ["NA", "3"], words=[*CELLS[:10], *["a", "b"] * 20]
    )
    columns = table.decide_columns("sequence", "label", ["x", "few", "words"])
    assert columns.categories == ("x", "few", "words")
    message = r"^table t\.csv: row 49, column 'x': 'tall' is not a number, as all but 1 cell of the column are; name it"
    with pytest.raises(ValueError, match=message):
        table.check_marks(columns.categories)
    table.check_marks(["few", "words"])
    assert find_marks(table["words"]) is None
    assert not find_marks(table["few"]).are_among_many


def test_marks_of_missing_numbers_are_missing_with_a_warning():
    table = text_table(x=[*CELLS[:-2], "NA", "N/A"], odd=[*CELLS[:-2], "NA", "tall"])
    columns = table.decide_columns("sequence", "label", ["x", "odd"])
    assert columns.kinds == {"x": "number", "odd": "category"}
    with pytest.warns(
        UserWarning, match=r"^Column 'x' holds numbers and 'NA', 'N/A' \(2 cells\), which is read as missing\.$"
    ):
        data = table.encode(columns)
    assert np.isnan(data.numbers[:, 0]).tolist() == [False] * 48 + [True] * 2
    assert {"NA", "tall"} <= set(data.attributes[0].categories)


def test_a_cell_at_fault_is_named_in_its_own_file(tmp_path):
    rows = [f"{i // 2},u,{i / 7}\n" for i in range(60)]
    (tmp_path / "a.csv").write_text("sequence,label,x\n" + "".join(rows))
    (tmp_path / "b.csv").write_text("sequence,label,x\n0,u,1.5\n0,u,tall\n")
    with pytest.raises(
        ValueError, match=r"^table \S+b\.csv, line 3: row 1, column 'x': 'tall' is not a number, as all but 1"
    ):
        load_table(path=tmp_path / "a.csv", test=tmp_path / "b.csv")


def test_tables_of_two_files_agree_on_what_a_column_holds(tmp_path):
    frame = text_table(x=CELLS).frame
    for name, part in (("a.csv", frame[:40]), ("b.csv", frame[40:].assign(x="1"))):
        part.to_csv(tmp_path / name, index=False)
    train, test = load_table(path=tmp_path / "a.csv", test=tmp_path / "b.csv")
    assert train.number_names == test.number_names == ("x",)
    assert set(test.numbers.ravel()) == {1.0}
    train, _ = load_table(path=tmp_path / "a.csv", kinds={"x": "category"})
    assert train.number_names == ()


def test_copies_have_the_same_numbers(tmp_path):
    cells = [f"{i % 5 / 7}" for i in range(30)]
    frame = pd.DataFrame({"sequence": np.arange(30), "label": ["u", "v"] * 15, "x": cells})
    frame.to_csv(tmp_path / "t.csv", index=False)
    train, test = load_table(path=tmp_path / "t.csv")
    assert not set(train.numbers.ravel()) & set(test.numbers.ravel())
