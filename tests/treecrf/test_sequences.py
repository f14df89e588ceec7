"""`SequenceSet`: windows, tables, files, and what it refuses."""

import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from treecrf.io.npz import write_npz
from treecrf.sequences import MISSING, Attribute, SequenceSet, slot_sizes, window_codes

LETTERS = Attribute("letter", ("a", "b", "c"))


def small():
    """Two sequences: a b c (labels X Y) with a last observation without label, and c (label Y), missing values."""
    return SequenceSet([[0], [1], [2], [MISSING]], [0, 2, 3], (LETTERS,), [0, 1, 1], ("X", "Y"), [0, 3, 4])


def table(**columns):
    base = {"word": ["w1", "w1", "w2"], "letter": ["a", "b", "a"], "label": ["X", "Y", "X"]}
    return pd.DataFrame(base | columns)


def test_windows_see_edges_missing_cells_and_the_unlabelled_end():
    edge, missing = 3, 4
    expected = [[edge, 0, 1], [0, 1, 2], [edge, missing, edge]]
    assert_array_equal(window_codes(small(), (1, 1)), expected)
    assert_array_equal(window_codes(small(), (0, 2))[:, 2], [2, edge, edge])
    assert_array_equal(slot_sizes(small().attributes, (1, 1)), [4, 4, 4])


def test_windows_equal_a_loop_over_positions():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 7, 12)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    attributes = (Attribute("p", ("0", "1")), Attribute("q", ("0", "1", "2")))
    values = rng.integers(-1, 2, (offsets[-1], 2))
    data = SequenceSet(values, offsets, attributes)
    codes = window_codes(data, (2, 1))
    for begin, end in itertools.pairwise(offsets):
        for position in range(begin, end):
            expected = []
            for row in range(position - 2, position + 2):
                for column, size in enumerate((2, 3)):
                    value = values[row, column] if begin <= row < end else None
                    expected.append(size if value is None else size + 1 if value == MISSING else value)
            assert list(codes[position]) == expected


def test_table_and_back():
    data = small()
    frame = data.to_frame()
    assert list(frame.columns) == ["sequence", "label", "letter"]
    assert frame["label"].isna().tolist() == [False, False, True, False]
    again = SequenceSet.from_frame(frame, sequence="sequence", label="label", categories={"letter": "abc"})
    assert again == data


def test_empty_cells_are_missing_and_numbers_stay_whole():
    frame = table(letter=[None, "", "a"], size=[1.0, np.nan, 2.0])
    data = SequenceSet.from_frame(frame, sequence="word", label="label")
    assert_array_equal(data.values, [[MISSING, 0], [MISSING, MISSING], [0, 1]])
    assert data.attributes == (Attribute("letter", ("a",)), Attribute("size", ("1", "2")))


def test_infinity_is_a_value_and_names_are_not_used_twice():
    data = SequenceSet.from_frame(table(letter=[np.inf, 1.0, 2.0]), sequence="word", label="label")
    assert data.attributes == (Attribute("letter", ("1", "2", "inf")),)
    with pytest.raises(ValueError, match="two columns would be called 'letter'"):
        data.to_frame(label="letter")


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (table(), {"label": "tag"}, "no column 'tag'"),
        (table(), {"attributes": ["colour"]}, "no column 'colour'"),
        (table(), {"attributes": []}, "no attribute columns"),
        (table().iloc[:0], {}, "no rows"),
        (
            table(word=["w1", "w2", "w1"]),
            {},
            "row 2, column 'word': sequence 'w1' comes a second time; sort the table if these rows belong to it, "
            "or rename it if they are",
        ),
        (table(word=["w1", None, "w2"]), {}, "row 1, column 'word'"),
        (table(word=["w1", "", "w2"]), {}, "row 1, column 'word'"),
        (table(label=[None, "Y", "X"]), {}, "row 0, column 'label': an empty label"),
        (table(), {"label_names": ["X"]}, "row 1, column 'label': 'Y'"),
        (table(), {"categories": {"letter": ["b"]}}, "row 0, column 'letter': 'a'"),
    ],
)
def test_bad_tables_name_row_and_column(frame, options, words):
    with pytest.raises(ValueError, match=words):
        SequenceSet.from_frame(frame, **({"sequence": "word", "label": "label"} | options))


def test_selection_keeps_whole_sequences_in_order():
    chosen = small().select([1, 0, 1])
    assert_array_equal(chosen.values.ravel(), [MISSING, 0, 1, 2, MISSING])
    assert_array_equal(chosen.labels, [1, 0, 1, 1])
    assert chosen == SequenceSet.concatenate([small().select([1]), small()]).with_groups([1, 0, 1])
    with pytest.raises(ValueError, match=r"index 2 is outside 0\.\.1"):
        small().select([2])


def test_files(tmp_path):
    for data in (small(), small().with_labels(None)):
        data.save(tmp_path / "set.npz")
        assert SequenceSet.load(tmp_path / "set.npz") == data
    assert [path.name for path in tmp_path.iterdir()] == ["set.npz"]
    (tmp_path / "set.npz").write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(ValueError, match=r"set\.npz is damaged"):
        SequenceSet.load(tmp_path / "set.npz")


def test_sets_cannot_be_changed():
    data = small()
    with pytest.raises(ValueError, match="read-only"):
        data.values[0] = 1
    with pytest.raises(AttributeError):
        data.labels = None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": [[0.5], [0], [0], [0]]}, "NaN or a fraction"),
        ({"values": [[np.nan], [0], [0], [0]]}, "NaN or a fraction"),
        ({"values": [["a"]] * 4}, "must be integers"),
        ({"values": [[-2]] * 4}, r"-1\.\.2147483647"),
        ({"values": [[3], [0], [0], [0]]}, "code 3 at observation 0"),
        ({"values": [[0, 0]] * 4}, "2 columns and 1 attribute described"),
        ({"values": [0, 0, 0, 0]}, "shape"),
        ({"offsets": [0, 2, 4]}, "offsets end at 4 but there are 3 rows"),
        ({"offsets": [1, 2, 3]}, "start at 0"),
        ({"offsets": [0, 1.5, 3]}, "whole numbers"),
        ({"offsets": [0, 3, 3]}, "sequence 1 has no positions"),
        ({"offsets": [0, 1, 3]}, "sequence 1 has more positions than observations"),
        ({"labels": [0, -2, 1]}, "labels: codes must lie in -1"),
        ({"labels": [0, 2, 1]}, "label code 2 at position 1"),
    ],
)
def test_contradictions_are_refused(change, words):
    data = small()
    parts = {name: getattr(data, name) for name in ("values", "offsets", "labels", "observation_offsets")}
    with pytest.raises(ValueError, match=words):
        SequenceSet(attributes=data.attributes, label_names=data.label_names, **(parts | change))


def test_bad_windows_are_refused():
    with pytest.raises(ValueError, match=r"window \(-1, 0\)"):
        window_codes(small(), (-1, 0))


def test_groups_stay_with_their_sequences():
    data = small().with_groups([7, 7])
    assert small().groups.tolist() == [0, 1]
    assert data != small()
    assert data.select([1]).groups.tolist() == [7]
    assert data.with_labels(None).with_values(data.values).groups.tolist() == [7, 7]
    assert SequenceSet.concatenate([data, small(), data]).groups.tolist() == [0, 0, 2, 3, 4, 4]
    for groups in ([1], [1.5, 2], [0, 2**63]):
        with pytest.raises(ValueError, match="groups"):
            small().with_groups(groups)


# --- numbers --------------------------------------------------------------------------------------------


def measured():
    """The sets of `small` with two numbers."""
    return small().with_numbers([[0.5, 1], [np.nan, 2], [-3, 3], [7, 4]], ("height", "size"))


def test_numbers_go_with_their_observations(tmp_path):
    data = measured()
    assert (data.numbers.dtype, data.number_names) == (np.float64, ("height", "size"))
    assert small().numbers.shape == (4, 0)
    assert repr(data).startswith(
        "SequenceSet(2 sequences, 3 positions; attributes: letter (3 values), height (numbers), size (numbers); labels"
    )
    assert_array_equal(data.select([1, 0]).numbers, data.numbers[[3, 0, 1, 2]])
    assert SequenceSet.concatenate([data.select([0]), data.select([1])]) == data
    data.save(tmp_path / "set.npz")
    assert SequenceSet.load(tmp_path / "set.npz") == data
    with pytest.raises(ValueError, match="read-only"):
        data.numbers[0] = 1


def test_sets_with_other_numbers_are_others():
    data = measured()
    assert data == measured()  # NaN is NaN
    assert data != small()
    assert data != data.with_numbers(data.numbers, ("height", "width"))
    assert data != data.with_numbers(np.nan_to_num(data.numbers))
    with pytest.raises(ValueError, match="set 1 has other attributes, numbers or label names than set 0"):
        SequenceSet.concatenate([data, small()])


def test_missing_cells_are_counted_among_numbers_too():
    assert (measured().n_missing, measured().n_cells) == (2, 12)
    complete = small().with_values([[0], [1], [2], [0]])
    assert not complete.has_missing
    assert complete.with_numbers([[1], [np.nan], [1], [1]], ("x",)).has_missing


@pytest.mark.parametrize(
    ("numbers", "names", "message"),
    [
        (
            [[1], [2], [np.inf], [3]],
            ("x",),
            "number 'x' is infinite at observation 2; write NaN where it is not known.",
        ),
        ([[1], [2]], ("x",), r"numbers must have shape \(4, 1\), .*, not \(2, 1\)\."),
        ([1, 2, 3, 4], ("x",), r"numbers must have shape \(4, 1\)"),
        ([[1, 2]] * 4, ("x",), r"numbers must have shape \(4, 1\)"),
        ([[1, 2]] * 4, ("x", "x"), "two inputs are called 'x'; rename one."),
        ([[1]] * 4, ("letter",), "two inputs are called 'letter'; rename one."),
        ([["a"]] * 4, ("x",), "numbers must be real numbers, not <U1; write NaN for missing."),
        ([[1j]] * 4, ("x",), "numbers must be real numbers"),
    ],
)
def test_numbers_that_are_none_are_refused(numbers, names, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        small().with_numbers(numbers, names)


def test_the_type_of_a_column_says_whether_it_holds_numbers():
    frame = table(height=[0.5, None, 2.0], size=[1, 2, 3])
    data = SequenceSet.from_frame(frame, sequence="word", label="label")
    assert [a.name for a in data.attributes] == ["letter", "size"]
    assert data.number_names == ("height",)
    assert_array_equal(data.numbers[:, 0], [0.5, np.nan, 2])
    given = {"height": "category", "size": "number"}
    other = SequenceSet.from_frame(frame, sequence="word", label="label", kinds=given)
    assert [a.name for a in other.attributes] == ["letter", "height"]
    assert other.number_names == ("size",)
    again = SequenceSet.from_frame(data.to_frame(), sequence="sequence", label="label")
    assert again == data


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"colour": "number"}, "kinds names 'colour', which is no input; the inputs are 'letter'."),
        ({"label": "number"}, "kinds names 'label', which is no input"),
        ({"letter": "numeric"}, "kinds: 'letter' cannot be 'numeric'; choose one of 'number', 'category'."),
        (
            {"letter": "number"},
            "row 0, column 'letter': 'a' is not a finite number, and the column is read as numbers; ",
        ),
    ],
)
def test_kinds_that_do_not_fit_are_refused(kinds, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        SequenceSet.from_frame(table(), sequence="word", label="label", kinds=kinds)


def test_files_of_sets_from_before_there_were_numbers_load(tmp_path):
    data = small()
    names = {"attributes": [["letter", ["a", "b", "c"]]], "label_names": ["X", "Y"], "format": "treecrf.SequenceSet/1"}
    arrays = {"values": data.values.astype(np.int16), "offsets": data.offsets, "labels": data.labels}
    write_npz(tmp_path / "old.npz", names, arrays | {"observation_offsets": data.observation_offsets})
    assert SequenceSet.load(tmp_path / "old.npz") == data
    ordered = data.with_values(data.values, [LETTERS._replace(ordered=True)])
    assert ordered != data
    ordered.save(tmp_path / "new.npz")
    assert SequenceSet.load(tmp_path / "new.npz") == ordered


@pytest.mark.parametrize(("n_categories", "dtype"), [(254, np.uint8), (255, np.uint16), (65_534, np.uint16)])
def test_codes_take_two_bytes_where_an_attribute_needs_them(n_categories, dtype):
    wide = Attribute("word", tuple(map(str, range(n_categories))))
    data = SequenceSet([[n_categories - 1], [MISSING]], [0, 2], (wide,))
    codes = window_codes(data, (1, 0))
    assert codes.dtype == dtype
    assert codes.tolist() == [[n_categories, n_categories - 1], [n_categories - 1, n_categories + 1]]


def test_arrays_are_kept_row_by_row():
    values, numbers = (
        np.asfortranarray([[0, 1], [1, 0], [0, 0]]),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
    )
    kept = SequenceSet(
        values,
        [0, 3],
        [Attribute("a", ("x", "y")), Attribute("b", ("x", "y"))],
        numbers=numbers,
        number_names=["c", "d"],
    )
    assert kept.values.flags.c_contiguous
    assert kept.numbers.flags.c_contiguous
