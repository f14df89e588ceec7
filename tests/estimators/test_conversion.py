"""Sequences in every form against the set that they stand for, and a sentence for each thing that is none."""

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf.estimators.conversion import BySequence, Given
from treecrf.estimators.tables import ABSENT
from treecrf.sequences import MISSING, SequenceSet


def frames_of(data):
    """The sequences of a set as frames of its inputs, and their labels."""
    frame = data.to_frame()
    parts = [part.drop(columns=["sequence", "label"]) for _, part in frame.groupby("sequence")]
    return parts, [part["label"].tolist() for _, part in frame.groupby("sequence")]


MIXED = number_set(0, 12, 2)
FRAMES, LABELS = frames_of(MIXED)
MEASURED = MIXED.with_values(np.empty((MIXED.n_positions, 0)), ()).with_numbers(MIXED.numbers, ("x0", "x1"))
ARRAYS = [one.numbers for one in MEASURED]


@pytest.mark.parametrize(
    ("sequences", "expected"),
    [
        (FRAMES, MIXED),
        ([frame[["x2", "letter", "x1"]] for frame in FRAMES[:1]] + FRAMES[1:], None),
        ([frame.to_dict("records") for frame in FRAMES], MIXED),
        (list(MIXED), MIXED),
        (np.asarray(MIXED), MIXED),
        (ARRAYS, MEASURED),
        ([array.tolist() for array in ARRAYS], MEASURED),
        (tuple(ARRAYS), MEASURED),
        (iter(ARRAYS), MEASURED),
        (pd.Series(ARRAYS), MEASURED),
    ],
    ids=["frames", "columns in another order", "dicts", "sets", "array of sets", "arrays", "lists", "tuple", "iterator", "series"],
)  # fmt: skip
def test_every_form_is_the_set_that_it_stands_for(sequences, expected):
    given = Given.read(sequences, LABELS)
    assert given.form == "sequences"
    assert given.classes.tolist() == ["X", "Y", "Z"]
    if expected is None:  # columns stand in the order of the first frame
        expected = MIXED.with_numbers(MIXED.numbers[:, ::-1], ("x2", "x1"))
    assert given.data == expected


def test_an_array_of_three_dimensions_is_a_list_of_sequences_of_one_length():
    values = np.arange(24.0).reshape(4, 3, 2)
    given = Given.read(values, np.array([list("aba")] * 4))
    assert (given.form, given.data.lengths.tolist()) == ("sequences", [3] * 4)
    assert given.data.numbers.tolist() == values.reshape(12, 2).tolist()
    assert given.data.labels.tolist() == [0, 1, 0] * 4


def test_rows_are_one_sequence_or_divided_by_their_index():
    one = Given.read(MEASURED.numbers, np.array(MEASURED.label_names)[MEASURED.labels])
    assert (one.form, len(one.data), one.data.n_positions) == ("rows", 1, MEASURED.n_positions)
    assert one.data.numbers.tolist() == MEASURED.numbers.tolist()
    frame = MIXED.to_frame().set_index("sequence")
    assert Given.read(frame.drop(columns="label"), frame["label"]).data == MIXED
    by_two = frame.set_index(np.arange(len(frame)), append=True).drop(columns="label")
    assert Given.read(by_two, frame["label"]).data == MIXED


def test_a_set_is_itself_and_may_be_given_other_labels():
    assert Given.read(MIXED).data is MIXED
    names = [["no" if label == "X" else "yes" for label in part] for part in LABELS]
    for labels in (names, [name for part in names for name in part]):
        given = Given.read(MIXED, labels)
        assert (given.form, given.data.label_names) == ("set", ("no", "yes"))
        assert given.data.labels.tolist() == (MIXED.labels > 0).tolist()


def test_answers_come_back_in_the_form_of_the_question():
    by_position = np.arange(2 * MIXED.n_positions).reshape(-1, 2)
    answers = Given.read(FRAMES).answers(by_position)
    assert isinstance(answers, list)
    assert [len(answer) for answer in answers] == MIXED.lengths.tolist()
    assert np.concatenate(answers).tolist() == by_position.tolist()
    for rows in (MIXED, MEASURED.numbers):
        assert Given.read(rows).answers(by_position) is by_position
    even = BySequence([np.zeros((2, 3)), np.ones((2, 3))])
    assert np.asarray(even).shape == np.concatenate([even]).shape == (2,)


def test_what_dicts_lack_is_off_and_none_is_a_hole():
    given = Given.read([[{"word": "a", "up": True, "n": 2}, {"word": None}], [{"up": False, "n": np.nan, "late": 0.5}]])
    word, up = given.data.attributes
    assert (word.categories, up.categories) == ((ABSENT, "a"), (ABSENT, "False", "True"))
    assert given.data.values.tolist() == [[1, 2], [MISSING, 0], [0, 1]]
    assert given.data.number_names == ("n", "late")
    np.testing.assert_array_equal(given.data.numbers, [[2, 0], [0, 0], [np.nan, 0.5]])


def test_columns_stay_what_training_took_them_for():
    few = [pd.DataFrame({"code": [1, 2, 1], "x": [0.5, 1.0, 2.0]})]
    given = Given.read(few)
    assert [a.name for a in given.data.attributes] == ["code"]  # few whole numbers, as in SequenceSet.from_frame
    known = {"code": "category", "x": "number"}
    new = Given.read([pd.DataFrame({"x": [3, 4], "code": [1.0, 7.5]})], kinds=known).data
    assert new.attributes[0].categories == ("1", "7.5")
    assert new.numbers.tolist() == [[3.0], [4.0]]
    dicts = Given.read([[{"x": 1, "strange": "a"}, {"code": 2}]], kinds=known).data
    assert (dicts.attributes[0].categories, dicts.number_names) == (
        (ABSENT, "2"),
        ("x",),
    )  # as CRFsuite ignores new features


@pytest.mark.parametrize(
    ("sequence", "kind"),
    [
        (np.zeros((2, 1), dtype=int), "number"),
        (np.zeros((2, 1), dtype=bool), "category"),
        (np.array([["a"], ["b"]]), "category"),
        (np.array([[1], [None]], dtype=object), "number"),
        (["the", "cat"], "category"),
        ([1.5, 2], "number"),
        ([[1, None], [2, None]], "number"),
    ],
)
def test_arrays_and_lists_hold_numbers_unless_they_are_text(sequence, kind):
    data = Given.read([sequence]).data
    assert len(data.number_names) == (len(np.array(sequence).reshape(2, -1)[0]) if kind == "number" else 0)
    assert set(data.number_names) <= {"x0", "x1"}


@pytest.mark.parametrize(
    ("labels", "classes", "names"),
    [
        ([["b", "a"], ["b"]], ["a", "b"], ("a", "b")),
        ([np.array([10, 9]), (9,)], [9, 10], ("9", "10")),
        ([[True, False], [False]], [False, True], ("False", "True")),
        (pd.Series([["b", "a"], ["b"]]), ["a", "b"], ("a", "b")),
        ([pd.Series(["b", "a"]), ["b"]], ["a", "b"], ("a", "b")),
    ],
)
def test_labels_keep_their_type(labels, classes, names):
    given = Given.read([np.zeros((2, 1)), np.zeros((1, 1))], labels)
    assert given.classes.tolist() == classes
    assert given.data.label_names == names
    assert [names[code] for code in given.data.labels] == [str(label) for part in labels for label in part]


ONE = np.zeros((2, 1))


@pytest.mark.parametrize(
    ("sequences", "sentence"),
    [
        (None, "the sequences are None; give a list of sequences (DataFrames, 2-d arrays, lists of dicts), or a SequenceSet."),
        ("text", "the sequences are 'text'; give a list"),
        (3, "the sequences are 3; give a list"),
        ({"a": 1}, "the sequences are a dict; give a list"),
        (np.array(3), "the sequences are one value (3); give a list"),
        ([], "the set has no sequences; give at least one."),
        (pd.DataFrame({"a": []}, index=pd.Index([], name="s")), "the set has no sequences; give at least one."),
        ([1, 2], "sequence 0 is 1, which is one value or observation; give a list of sequences, [sequence] if there is one."),
        (["the cat"], "sequence 0 is 'the cat', which is one value or observation; give"),
        ([{"a": 1}], "sequence 0 is a dict, which is one value or observation; give"),
        ([ONE, None], "sequence 1 is None, which is one value or observation; give"),
        ([FRAMES[0], ONE], "sequence 1 is a ndarray, and sequence 0 is a DataFrame; give sequences of one kind."),
        ([ONE, FRAMES[0]], "sequence 1 is a DataFrame, and sequence 0 is none; give sequences of one kind."),
        ([MIXED, ONE], "sequence 1 is a ndarray, and sequence 0 is a SequenceSet; give sequences of one kind."),
        ([[{"a": 1}], ONE], "sequence 1 is a ndarray, and sequence 0 is a list of dicts; give sequences of one kind."),
        ([[{"a": 1}, 3]], "sequence 0 has dicts and other values; give a dict for each observation."),
        ([ONE, np.zeros((2, 3))], "sequence 1 has 3 columns, sequence 0 has 1; give all sequences the same columns."),
        ([FRAMES[0], FRAMES[1][["x1"]]], "sequence 1 has the columns 'x1', sequence 0 has 'letter', 'x1', 'x2'; give all"),
        ([pd.DataFrame([[1, 2]], columns=["a", "a"])], "sequence 0 has two columns of one name ('a', 'a'); rename one."),
        ([ONE, [[1, 2], [3]]], "sequence 1, observation 1 has 1 value, observation 0 has 2; give all observations the same"),
        ([np.zeros((0, 1))], "the set has no sequences; give at least one, with an observation."),
        ([np.zeros((2, 0))], "sequence 0 has 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required; give an input."),
        ([pd.DataFrame(index=[0, 1])], "the sequences have no columns; give at least one input."),
        ([np.zeros((2, 2, 2))], "sequence 0 has 3 dimensions; give one row for each observation."),
        ([ONE, np.array([[1.0], [np.inf]])], "sequence 1, observation 1: 'x0' is infinity or too large (inf); give a finite"),
        ([[{"a": [1]}]], "sequence 0, observation 0: 'a': the argument must be a string or a number, not [1]; give each part"),
        (FRAMES[0], "one DataFrame does not say where its sequences begin; set its index to the column that tells them apart "),
        (pd.DataFrame({"a": [1.5, 2, 3]}, pd.Index([0, 1, 0], name="s")), "row 2: sequence 0 comes a second time; sort the"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_sequences_is_named(sequences, sentence):
    with pytest.raises(ValueError) as caught:
        Given.read(sequences)
    assert str(caught.value).startswith(sentence)


def test_sparse_matrices_are_named():
    from scipy.sparse import csr_array

    with pytest.raises(ValueError, match=r"^the sequences are a sparse matrix or array, which is not read; give dense"):
        Given.read(csr_array(np.eye(3)))


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ("abc", "the labels are 'abc'; give one list of labels for each sequence."),
        (5, "the labels are 5; give one list"),
        ([["a", "b"]], "there are 2 sequences, and labels of 1; give one list of labels for each sequence."),
        ([["a", "b"], ["a"]], "sequence 1 has 1 label and 3 observations; give one label for each."),
        (["a", "b"], "labels of sequence 0: 'a' is one label; give one list of labels for each sequence."),
        ([["a", 1], ["a"] * 3], "labels are numbers and text; give them one type."),
        ([["a", ""], ["a"] * 3], "Unknown label type: '' is a label; labels are text or whole numbers, None where"),
        ([[0.5, 1], [1] * 3], "Unknown label type: 0.5 is a label; labels are text"),
    ],
)
def test_labels_that_do_not_fit_are_named(labels, sentence):
    with pytest.raises(ValueError) as caught:
        Given.read([np.zeros((2, 1)), np.zeros((3, 1))], labels)
    assert str(caught.value).startswith(sentence)


def test_labels_may_be_unknown():
    given = Given.read([np.zeros((2, 1)), np.zeros((3, 1))], [["b", None], [float("nan"), "a", "b"]])
    assert (given.classes.tolist(), given.data.labels.tolist()) == (["a", "b"], [1, MISSING, MISSING, 0, 1])


def test_labels_of_rows_and_sets_have_their_number():
    with pytest.raises(ValueError, match=r"^there are 3 labels and 2 positions; give one for each\.$"):
        Given.read(ONE, ["a", "b", "a"])
    with pytest.raises(
        ValueError, match=r"^the labels are lists, and the sequences are rows; give one label for each row\.$"
    ):
        Given.read(ONE, [["a", "b"]])
    with pytest.raises(ValueError, match=r"^there are 1 label and \d+ positions; give one for each\.$"):
        Given.read(MIXED, ["a"])


def test_new_data_that_do_not_fit_are_named():
    kinds = {"x0": "number", "x1": "category"}
    with pytest.raises(
        ValueError, match=r"^the sequences have 1 column \('x0'\), the training set had 2 \('x0', 'x1'\); give"
    ):
        Given.read([ONE], kinds=kinds)
    frame = pd.DataFrame({"x0": ["1", "two"], "x1": ["a", "b"]})
    with pytest.raises(
        ValueError, match=r"^sequence 0, observation 1: 'x0' is 'two', and the training set had numbers there"
    ):
        Given.read([frame], kinds=kinds)


def test_relatives_stay_relatives_one_by_one():
    related = MIXED.with_groups(np.arange(12) // 3)
    assert Given.read(list(related)).data.groups.tolist() == (3 * (np.arange(12) // 3)).tolist()
    assert isinstance(Given.read(list(related)).data, SequenceSet)


@pytest.mark.parametrize(
    "cells",
    [
        ["b", "a", "b"], ["b", None, float("nan")], ["", "a", "a"], ["a", 1, True], [np.str_("b"), "a", "b"],
        [1, 2.5, None], [np.float32(0.1), np.int8(3), float("nan")], [True, False, True], [2**53 + 1, 0, 1], [None, None, None],
    ],
)  # fmt: skip
def test_cells_of_dicts_are_read_as_those_of_a_column_of_objects(cells):
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    for kind in ("category", "number"):
        try:
            expected = Given.read([frame], kinds={"x": kind}).data
        except ValueError:
            with pytest.raises(ValueError, match="give a number"):
                Given.read([[{"x": cell} for cell in cells]], kinds={"x": kind})
            continue
        assert Given.read([[{"x": cell} for cell in cells]], kinds={"x": kind}).data == expected
