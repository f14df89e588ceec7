"""Kinds of the columns of tables of text, decided and given."""

import numpy as np
import pandas as pd
import pytest

from treecrf import datasets
from treecrf.datasets.table import check_marks, encode_table
from treecrf.readers.column_types import decide_kinds, marks_of

CELLS = [f"{i / 7}" for i in range(50)]


def text_frame(**columns):
    frame = pd.DataFrame(columns, dtype=object)
    return frame.assign(sequence=(np.arange(len(frame)) // 2).astype(str), label=list("uv") * (len(frame) // 2))


def test_a_column_of_numbers_in_text_holds_numbers():
    frame = text_frame(x=CELLS, few=["1", "02"] * 25, word=[*CELLS[:-1], "tall"], empty=[None] * 50)
    kinds = {"x": "number", "few": "category", "word": "category", "empty": "category"}
    assert decide_kinds(frame, list(kinds)) == kinds
    assert decide_kinds(frame, list(kinds), {"x": "category", "few": "number"}) == kinds | {
        "x": "category", "few": "number",
    }  # fmt: skip


def test_given_kinds_are_followed_and_a_cell_that_is_no_number_is_named():
    frame = text_frame(x=CELLS, few=["1", "02"] * 25)
    roles = {"sequence": "sequence", "label": "label", "attributes": ["x", "few"]}
    data = encode_table(frame, "t.csv", **roles, kinds={"x": "category", "few": "number"})
    assert data.number_names == ("few",)
    np.testing.assert_array_equal(data.numbers[:2, 0], [1, 2])
    assert len(data.attributes[0].categories) == 50
    for cell in ("tall", "inf"):
        frame.loc[3, "few"] = cell
        message = (
            f"^table t.csv: row 3, column 'few': '{cell}' is not a finite number, and the column is read as numbers; "
        )
        with pytest.raises(ValueError, match=message):
            encode_table(frame, "t.csv", **roles, kinds={"few": "number"})


def test_a_mark_among_numbers_is_refused_unless_the_column_is_given():
    frame = text_frame(x=[*CELLS[:-1], "NA"], few=["1", "2"] * 24 + ["NA", "3"], words=[*CELLS[:10], *["a", "b"] * 20])
    decided = decide_kinds(frame, ["x", "few", "words"])
    assert set(decided.values()) == {"category"}
    message = (
        r"^table t\.csv: row 49, column 'x': 'NA' is not a number, as all but 1 cell of the column are; empty it if"
    )
    with pytest.raises(ValueError, match=message):
        check_marks(frame, "t.csv", decided, {})
    check_marks(frame, "t.csv", decided, {"x": "category"})
    assert marks_of(frame["words"], "words") is None
    assert not marks_of(frame["few"], "few").are_among_many


def test_tables_of_two_files_agree_on_what_a_column_holds(tmp_path):
    frame = text_frame(x=CELLS)
    for name, part in (("a.csv", frame[:40]), ("b.csv", frame[40:].assign(x="1"))):
        part.to_csv(tmp_path / name, index=False)
    train, test = datasets.load("table", path=tmp_path / "a.csv", test=tmp_path / "b.csv")
    assert train.number_names == test.number_names == ("x",)
    assert set(test.numbers.ravel()) == {1.0}
    train, _ = datasets.load("table", path=tmp_path / "a.csv", kinds={"x": "category"})
    assert train.number_names == ()


def test_copies_have_the_same_numbers(tmp_path):
    cells = [f"{i % 5 / 7}" for i in range(30)]
    frame = pd.DataFrame({"sequence": np.arange(30), "label": ["u", "v"] * 15, "x": cells})
    frame.to_csv(tmp_path / "t.csv", index=False)
    train, test = datasets.load("table", path=tmp_path / "t.csv")
    assert not set(train.numbers.ravel()) & set(test.numbers.ravel())
