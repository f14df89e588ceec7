"""Sequences in every form against the set that they stand for, and a sentence for each thing that is none."""

import enum
import warnings
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from builders import number_set
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from treecrf import LinearCRF, TreeCRF, load
from treecrf.estimators.conversion import Given
from treecrf.estimators.tables import ABSENT
from treecrf.io.arrays import of_objects
from treecrf.metrics import SCORERS
from treecrf.missing import Imputer, Indicator, inject
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
    ids=[
        "frames",
        "columns in another order",
        "dicts",
        "sets",
        "array of sets",
        "arrays",
        "lists",
        "tuple",
        "iterator",
        "series",
    ],
)
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


ROWS = MIXED.to_frame().drop(columns=["sequence", "label"])


@pytest.mark.parametrize(
    "rows",
    [ROWS, ROWS.to_dict("records"), MEASURED.numbers, MEASURED.to_frame()[["x0", "x1"]]],
    ids=["frame", "dicts", "array", "numbers"],
)
def test_rows_are_divided_by_their_lengths_or_one_sequence_to_a_trained_labeller(rows):
    data = MIXED if len(rows[0] if isinstance(rows, list) else rows.T) == 3 else MEASURED
    names = np.array(MIXED.label_names)[MIXED.labels]
    model = LinearCRF(max_iterations=10).fit(rows, names, lengths=MIXED.lengths)
    expected = LinearCRF(max_iterations=10).fit(data)
    assert_array_equal(model.predict_proba(rows, lengths=MIXED.lengths), expected.predict_proba(data))
    assert model.predict(rows, lengths=MIXED.lengths, known=names).tolist() == names.tolist()
    assert model.score(rows, names, lengths=MIXED.lengths, sample_weight=np.ones(len(MIXED))) == expected.score(data)
    assert model.log_likelihood(rows, names, lengths=MIXED.lengths).tolist() == expected.log_likelihood(data).tolist()
    length = int(MIXED.lengths[0])
    assert_array_equal(model.predict_proba(rows[:length]), expected.predict_proba(data[0]))
    assert model.score(rows[:length], names[:length]) == expected.score(data[0])
    for lengths, sentence in (
        ([3], r"^lengths add up to 3, and there are 112 rows"),
        ([0, 112], r"^lengths must lie in 1 to"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.predict(rows, lengths=lengths)


BY_ROW = MIXED.to_frame().set_index(["sequence", np.arange(MIXED.n_positions)])
SHUFFLED = BY_ROW.sample(frac=1, random_state=0)
INPUTS = BY_ROW.drop(columns="label")
MODEL = LinearCRF(max_iterations=10, keep_stages=True).fit(INPUTS, BY_ROW["label"])
QUESTIONS = {
    "fit": lambda X, y: LinearCRF(max_iterations=10).fit(X, y).predict_proba(INPUTS),
    "score": MODEL.score,
    "log_likelihood": MODEL.log_likelihood,
    "staged_score": lambda X, y: MODEL.staged_score(X, y=y),
    "known": lambda X, y: MODEL.predict(X, known=y),
    "position weights": lambda X, y: (
        LinearCRF(max_iterations=10)
        .fit(X, BY_ROW["label"].to_numpy(), sample_weight=1 + (y == "X"))
        .predict_proba(INPUTS)
    ),
    "weights of scores": lambda X, y: MODEL.score(X, BY_ROW["label"].to_numpy(), sample_weight=1 + (y == "X")),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_labels_and_weights_stand_in_the_order_of_their_index(ask):
    """Where sequences have one: of a frame, which is refused where rows have no name of their own, and of lists."""
    expected = ask(INPUTS, BY_ROW["label"])
    assert_array_equal(ask(INPUTS, SHUFFLED["label"]), expected)
    assert_array_equal(ask(INPUTS.droplevel(1), BY_ROW["label"].droplevel(1)), expected)
    for other in (SHUFFLED["label"].droplevel(1), BY_ROW["label"].reset_index(drop=True)):
        with pytest.raises(
            ValueError, match=r"have another index than the sequences; give them the same one, or an array"
        ):
            ask(INPUTS.droplevel(1), other)


def test_lists_series_and_groups_stand_in_the_order_of_their_index():
    frames = [part for _, part in INPUTS.groupby("sequence")]
    labels = [part for _, part in SHUFFLED["label"].groupby("sequence")]
    assert Given.read(frames, labels).data == MIXED
    assert (
        Given.read(
            frames, [part.loc[frame.index].reset_index(drop=True) for part, frame in zip(labels, frames, strict=True)]
        ).data
        == MIXED
    )
    assert MODEL.score(frames, labels) == SCORERS["accuracy"](MODEL, frames, labels) == MODEL.score(MIXED)
    with pytest.raises(ValueError, match=r"^the labels of sequence 0 have another index"):
        Given.read(
            frames,
            [
                labels[1].iloc[: len(labels[0])].reindex(range(len(labels[0]))).set_axis(range(5, 5 + len(labels[0]))),
                *labels[1:],
            ],
        )
    names = [f"s{number}" for number in range(len(frames))]
    both = pd.Series(FRAMES, index=names), pd.Series(LABELS, index=names)
    assert Given.read(both[0], both[1][::-1]).data == MIXED
    person, weights = (pd.Series(np.arange(len(frames)) // 3, index=index) for index in (range(len(frames)), names))
    assert Given.read(INPUTS).in_groups(person[::-1]).data.groups.tolist() == person.tolist()
    assert Given.read(both[0]).weights(weights[::-1]).tolist() == weights.tolist()
    by_position = pd.Series(np.arange(MIXED.n_positions), index=BY_ROW.index)
    assert Given.read(frames).weights(by_position[::-1]).tolist() == by_position.tolist()


def test_a_set_is_itself_and_may_be_given_other_labels():
    assert Given.read(MIXED).data is MIXED
    names = [["no" if label == "X" else "yes" for label in part] for part in LABELS]
    for labels in (names, [name for part in names for name in part]):
        given = Given.read(MIXED, labels)
        assert (given.form, given.data.label_names) == ("set", ("no", "yes"))
        assert given.data.labels.tolist() == (MIXED.labels > 0).tolist()


def test_what_dicts_lack_is_off_and_none_is_a_hole():
    given = Given.read([[{"word": "a", "up": True, "n": 2}, {"word": None}], [{"up": False, "n": np.nan, "late": 0.5}]])
    word, up = given.data.attributes
    assert (word.categories, up.categories) == ((ABSENT, "a"), (ABSENT, "False", "True"))
    assert given.data.values.tolist() == [[1, 2], [MISSING, 0], [0, 1]]
    assert given.data.number_names == ("n", "late")
    assert_array_equal(given.data.numbers, [[2, 0], [0, 0], [np.nan, 0.5]])


def test_columns_stay_what_training_took_them_for():
    few = [pd.DataFrame({"code": [1, 2, 1], "x": [0.5, 1.0, 2.0]})]
    given = Given.read(few)
    assert [a.name for a in given.data.attributes] == ["code"]  # few whole numbers, as in SequenceSet.from_frame
    known = {"code": "category", "x": "number"}
    new = Given.read([pd.DataFrame({"x": [3, 4], "code": [1.0, 7.5]})], kinds=known).data
    assert new.attributes[0].categories == ("1", "7.5")
    assert new.numbers.tolist() == [[3.0], [4.0]]
    dicts = Given.read([[{"x": 1}, {"code": 2}]], kinds=known).data
    # CRFsuite ignores new features, too.
    assert (dicts.attributes[0].categories, dicts.number_names) == ((ABSENT, "2"), ("x",))


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
        (
            None,
            "the sequences are None; give a list of sequences (DataFrames, 2-d arrays, lists of dicts), or a "
            "SequenceSet.",
        ),
        ("text", "the sequences are 'text'; give a list"),
        (3, "the sequences are 3; give a list"),
        ({"a": 1}, "the sequences are a dict; give a list"),
        (np.array(3), "the sequences are one value (3); give a list"),
        ([], "the set has no sequences; give at least one."),
        (pd.DataFrame({"a": []}, index=pd.Index([], name="s")), "the set has no sequences; give at least one."),
        (
            [1, 2],
            "sequence 0 is 1, which is one value or observation; give a list of sequences, [sequence] if there is one.",
        ),
        (["the cat"], "sequence 0 is 'the cat', which is one value or observation; give"),
        ([{"a": 1}], "sequence 0 is a dict, which is one value or observation; give"),
        ([ONE, None], "sequence 1 is None, which is one value or observation; give"),
        ([FRAMES[0], ONE], "sequence 1 is a ndarray, and sequence 0 is a DataFrame; give sequences of one kind."),
        ([ONE, FRAMES[0]], "sequence 1 is a DataFrame, and sequence 0 is none; give sequences of one kind."),
        ([MIXED, ONE], "sequence 1 is a ndarray, and sequence 0 is a SequenceSet; give sequences of one kind."),
        ([[{"a": 1}], ONE], "sequence 1 is a ndarray, and sequence 0 is a list of dicts; give sequences of one kind."),
        ([[{"a": 1}, 3]], "sequence 0 has dicts and other values; give a dict for each observation."),
        ([ONE, np.zeros((2, 3))], "sequence 1 has 3 columns, sequence 0 has 1; give all sequences the same columns."),
        (
            [FRAMES[0], FRAMES[1][["x1"]]],
            "sequence 1 has the columns 'x1', sequence 0 has 'letter', 'x1', 'x2'; give all",
        ),
        (
            [pd.DataFrame([[1, 2]], columns=["a", "a"])],
            "sequence 0 has two columns of one name ('a', 'a'); rename one.",
        ),
        (
            [ONE, [[1, 2], [3]]],
            "sequence 1, observation 1 has 1 value, observation 0 has 2; give all observations the same",
        ),
        ([np.zeros((0, 1))], "the set has no sequences; give at least one, with an observation."),
        (
            [np.zeros((2, 0))],
            "sequence 0 has 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required; give an input.",
        ),
        ([pd.DataFrame(index=[0, 1])], "the sequences have no columns; give at least one input."),
        ([np.zeros((2, 2, 2))], "sequence 0 has 3 dimensions; give one row for each observation."),
        (
            [ONE, np.array([[1.0], [np.inf]])],
            "sequence 1, observation 1: 'x0' is infinity or too large (inf); give a finite",
        ),
        (
            [[{"a": [1]}]],
            "sequence 0, observation 0: 'a': the argument must be a string or a number, not [1]; give each part",
        ),
        (
            FRAMES[0],
            "one DataFrame does not say where its sequences begin; set its index to the column that tells them apart ",
        ),
        (
            pd.DataFrame({"a": [1.5, 2, 3]}, pd.Index([0, 1, 0], name="s")),
            "row 2: sequence 0 comes a second time; sort the frame by its index if these rows belong to it, or",
        ),
        (csr_array(np.eye(3)), "the sequences are a sparse matrix or array, which is not read; give dense"),
        ([np.eye(3), csr_array(np.eye(3))], "sequence 1 is a sparse matrix or array, which is not read; give dense"),
    ],
)
def test_what_is_no_list_of_sequences_is_named(sequences, sentence):
    with pytest.raises(ValueError) as caught:
        Given.read(sequences)
    assert str(caught.value).startswith(sentence)


TWO = [np.zeros((2, 1)), np.zeros((3, 1))]
COLUMN_KINDS = {"x0": "number", "x1": "category"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((TWO, "abc"), "the labels are 'abc'; give one list of labels for each sequence."),
        ((TWO, 5), "the labels are 5; give one list"),
        ((TWO, [["a", "b"]]), "there are 2 sequences, and labels of 1; give one list of labels for each sequence."),
        ((TWO, [["a", "b"], ["a"]]), "sequence 1 has 1 label and 3 observations; give one label for each."),
        ((TWO, ["a", "b"]), "labels of sequence 0: 'a' is one label; give one list of labels for each sequence."),
        ((TWO, [["a", 1], ["a"] * 3]), "labels are numbers and text; give them one type."),
        ((TWO, [["a", ""], ["a"] * 3]), "Unknown label type: '' is a label; labels are text or whole numbers, None"),
        ((TWO, [[0.5, 1], [1] * 3]), "Unknown label type: 0.5 is a label; labels are text"),
        ((ONE, ["a", "b", "a"]), "there are 3 labels and 2 positions; give one for each."),
        ((ONE, [["a", "b"]]), "the labels are lists, and the sequences are rows; give one label for each row."),
        ((MIXED, ["a"]), f"there are 1 label and {MIXED.n_positions} positions; give one for each."),
        (
            ([ONE], None, COLUMN_KINDS),
            "the sequences have 1 column ('x0'), the training set had 2 ('x0', 'x1'); give",
        ),
        (
            ([pd.DataFrame({"x0": ["1", "two"], "x1": ["a", "b"]})], None, COLUMN_KINDS),
            "sequence 0, observation 1: 'x0' is 'two', and the training set had numbers there",
        ),
        (
            ([ONE], [np.eye(2)]),
            "labels of sequence 0 have the shape (2, 2); give one label for each observation, such as names[array",
        ),
        ((ONE, np.eye(2)), "the labels have the shape (2, 2); give one label for each"),
        (
            ([ONE], [[["a"], ["b"]]]),
            "Unknown label type: ['a'] is a label; give each observation one label that a dictionary's key",
        ),
        (([ONE], [[b"a", "b"]]), "labels are bytes and text; give them one type."),
        (([ONE], [[date(2020, 1, 1), 3]]), "labels are date and numbers; give them one type."),
    ],
)
def test_labels_and_new_data_that_do_not_fit_are_named(given, sentence):
    with pytest.raises(ValueError) as caught:
        Given.read(*given)
    assert str(caught.value).startswith(sentence)


def test_labels_may_be_unknown():
    given = Given.read([np.zeros((2, 1)), np.zeros((3, 1))], [["b", None], [float("nan"), "a", "b"]])
    assert (given.classes.tolist(), given.data.labels.tolist()) == (["a", "b"], [1, MISSING, MISSING, 0, 1])


NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.builds(np.float32, st.floats(width=32)),
    st.builds(Fraction, st.integers(-9, 9)),
)
CELLS = st.one_of(
    st.none(),
    st.just(pd.NA),
    st.just(pd.NaT),
    NUMBERS,
    st.booleans(),
    st.text(max_size=3),
    st.builds(np.str_, st.text(max_size=2)),
    st.sampled_from(["7", "7.0", "007", "NA", "-", ABSENT, "\ud800"]),
    st.binary(max_size=2),
    st.dates(),
    st.timedeltas(),
    st.decimals(),
    st.tuples(st.integers()),
    st.just([1, 2]),
    st.just(10**400),
)
TYPES = (
    "object",
    "Int64",
    "float64",
    "float32",
    "boolean",
    "string",
    "category",
    "double[pyarrow]",
    "string[pyarrow]",
    "datetime64[ns]",
)


def outcome(read):
    """The set that is read, without its names of columns; None where it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            data = read()
        except ValueError:
            return None
    return [a.categories for a in data.attributes], data.values.tolist(), data.numbers.tobytes()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(CELLS, min_size=1, max_size=5) | st.lists(NUMBERS, min_size=1, max_size=30),
    st.sampled_from(TYPES),
    st.sampled_from([None, "number", "category"]),
)
@example([Decimal("sNaN"), 1], "object", None)
@example([timedelta(0)], "object", "category")
@example([np.timedelta64(5, "s")], "object", "category")
def test_a_column_is_the_same_set_wherever_it_comes_from(cells, dtype, kind):
    """Of a frame by both readers, of dicts, of rows and, where nobody says what it holds, by one rule for values in
    Python.
    """
    try:
        column = pd.Series(of_objects(cells), dtype=object).astype(dtype)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError, RuntimeWarning):
        assume(False)
    frame, kinds = pd.DataFrame({"x": column}), None if kind is None else {"x": kind}
    of_frames = outcome(lambda: Given.read([frame], kinds=kinds).data)
    of_frame = outcome(lambda: SequenceSet.from_frame(frame.assign(s=0), sequence="s", kinds=kinds))
    assert of_frames == of_frame
    of_dicts = outcome(lambda: Given.read([[{"x": cell} for cell in cells]], kinds=kinds).data)
    rows = outcome(lambda: Given.read([[[cell] for cell in cells]], kinds=None if kind is None else {"x0": kind}).data)
    assert rows == of_dicts or any(isinstance(cell, tuple | list) for cell in cells)
    if dtype == "object" and kind is not None:
        assert of_dicts == of_frames


# --- labels of other types --------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


OTHER_LABELS = {
    "bytes": (b"a", b"b"),
    "tuples": (("a", 1), ("b", 1)),
    "dates": (date(2020, 1, 1), date(2021, 1, 1)),
    "enums": (Colour.BLUE, Colour.RED),
    "stamps": (pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")),
    "sets": (frozenset("a"), frozenset("b")),
}


@pytest.mark.parametrize("kind", OTHER_LABELS)
def test_what_a_dictionary_can_have_as_key_is_a_label(kind, tmp_path):
    first, second = OTHER_LABELS[kind]
    labels = [[first if label == "X" else second for label in part] for part in LABELS]
    model = LinearCRF(max_iterations=10).fit(FRAMES, labels)
    as_text = LinearCRF(max_iterations=10).fit(FRAMES, [["1" if label == "X" else "2" for label in p] for p in LABELS])
    assert model.classes_.tolist() == [first, second]
    found, expected = np.concatenate(model.predict(FRAMES)), np.concatenate(as_text.predict(FRAMES))
    assert [{first: "1", second: "2"}[label] for label in found] == expected.tolist()
    assert model.score(FRAMES, labels) == as_text.score(
        FRAMES, [["1" if each == "X" else "2" for each in p] for p in LABELS]
    )
    known = [[second] + [None] * (len(part) - 1) for part in labels]
    assert model.predict(FRAMES, known=known)[0][0] == second
    with pytest.warns(UserWarning, match=rf"^labels are {type(first).__name__}, which a file cannot hold"):
        model.save(tmp_path / "model.npz")
    assert load(tmp_path / "model.npz").classes_.tolist() == [str(first), str(second)]


@pytest.mark.parametrize(
    "labels", [[np.array([["a"], ["b"]])], [pd.DataFrame({"y": ["a", "b"]})], np.array([[["a"], ["b"]]])]
)
def test_columns_of_labels_are_labels(labels):
    assert Given.read([ONE], labels).data.labels.tolist() == [0, 1]
    assert Given.read(ONE, labels[0]).data.labels.tolist() == [0, 1]


# --- columns ----------------------------------------------------------------------------------------


def test_new_columns_of_frames_are_left_out():
    model = LinearCRF(max_iterations=10).fit(FRAMES, LABELS)
    wider = [frame.assign(label="X", extra=1)[["extra", "x2", "label", "x1", "letter"]] for frame in FRAMES]
    with pytest.warns(
        UserWarning, match=r"^2 columns that the training set did not have left out: 'extra', 'label'\.$"
    ):
        found = model.predict(wider)
    assert [part.tolist() for part in found] == [part.tolist() for part in model.predict(FRAMES)]
    with pytest.raises(
        ValueError, match=r"^the sequences have 3 columns \('x1', 'x2', 'extra'\), the training set had 3"
    ):
        model.predict([frame.drop(columns="letter").assign(extra=1) for frame in FRAMES])
    with pytest.raises(ValueError, match="the sequences have 3 columns"):  # of arrays nobody knows which are new
        LinearCRF(max_iterations=10).fit(ARRAYS, LABELS).predict([np.hstack([a, a[:, :1]]) for a in ARRAYS])


def test_levels_of_categorical_columns_are_categories():
    levels = pd.CategoricalDtype(["q", "p", "r"])
    frames = [
        pd.DataFrame({"c": pd.Series(["p", None, "q"], dtype=levels)}),
        pd.DataFrame({"c": pd.Series(["p"], dtype=levels)}),
    ]
    data = Given.read(frames).data
    assert data.attributes[0].categories == ("q", "p", "r")
    assert data.values.ravel().tolist() == [1, MISSING, 0, 1]
    numbers = pd.DataFrame({"c": pd.Categorical([3, 1, 3], categories=[3, 1, 2])})
    assert Given.read([numbers]).data.attributes[0].categories == ("3", "1", "2")
    alike = pd.DataFrame({"c": pd.Categorical([1, "1"], categories=[1, "1"])})
    assert Given.read([alike]).data.attributes[0].categories == ("1",)


# --- what transforms give back ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "transform", [Imputer(add_indicator=True), Indicator("category")], ids=lambda one: type(one).__name__
)
def test_transforms_give_frames_for_frames(transform):
    holes = inject(MIXED, 0.2, np.random.default_rng(0))
    frames, _ = frames_of(holes)
    frames = [frame.set_axis(range(5, 5 + len(frame))) for frame in frames]
    filled = transform.fit(frames).transform(frames)
    expected = transform.fit(holes).transform(holes)
    assert [frame.index[0] for frame in filled] == [5] * len(frames)
    assert list(filled[0].columns) == transform.get_feature_names_out().tolist()
    assert not any(frame.isna().any().any() for frame in filled)
    assert Given.read(filled).data == expected.with_labels(None, ())
    dicts = transform.fit_transform([frame.to_dict("records") for frame in frames])
    assert all(isinstance(part, pd.DataFrame) for part in dicts)
    assert dicts[0].columns.tolist() == filled[0].columns.tolist()
    assert transform.transform(list(holes))[3] == expected[3]


def test_transforms_give_arrays_for_arrays_unless_frames_are_asked_for():
    holes = [np.where(np.arange(array.size).reshape(array.shape) % 5 == 3, np.nan, array) for array in ARRAYS]
    imputer = Imputer()
    filled = imputer.fit_transform(holes)
    for before, after in zip(holes, filled, strict=True):
        assert isinstance(after, np.ndarray)
        assert_array_equal(after[~np.isnan(before)], before[~np.isnan(before)])
    framed = clone(imputer.set_output(transform="pandas")).fit_transform(holes)
    assert [frame.columns.tolist() for frame in framed] == [["x0", "x1"]] * len(holes)
    assert_array_equal(framed[2].to_numpy(), filled[2])
    assert isinstance(imputer.set_output(transform="default").transform(holes)[0], np.ndarray)
    with config_context(transform_output="pandas"):
        assert isinstance(Imputer().fit_transform(holes)[0], pd.DataFrame)
    with pytest.raises(ValueError, match=r"^transform='numpy': choose 'default', 'pandas' or 'polars'\.$"):
        imputer.set_output(transform="numpy")
    nothing = Imputer().fit_transform([FRAMES[0].iloc[:0], *FRAMES])
    assert [len(frame) for frame in nothing] == [0, *map(len, FRAMES)]


# --- columns of dicts that are missing --------------------------------------------------------------

WORDS = [[{"word": "x", "n": 1.5}, {"word": "y", "n": 2.0}], [{"word": "y", "n": 0.5}]]
WORD_LABELS = [["a", "b"], ["b"]]


def test_a_column_that_no_dict_has_is_said_to_be_missing():
    model = LinearCRF(max_iterations=5).fit(WORDS, WORD_LABELS)
    with pytest.warns(
        UserWarning, match=r"^column 'word' is missing: no observation has it, and all of the training set had"
    ):
        model.predict([[{"n": 1.0}, {"n": 2.0}]])
    with pytest.warns(
        UserWarning, match=r"^attribute 'word': observation 1 does not have it, and all of the training set had"
    ):
        model.predict([[{"word": "x", "n": 1.0}, {"n": 2.0}]])
    strict = LinearCRF(max_iterations=5, unseen="error").fit(WORDS, WORD_LABELS)
    with pytest.raises(ValueError, match=r"^column 'word' is missing: .*; drop them or set unseen='missing'\.$"):
        strict.predict([[{"n": 1.0}]])


def test_an_empty_text_is_kept_as_a_category_where_the_error_says_so():
    words = [[{"word": ""}, {"word": "y"}], [{"word": "y"}, {"word": ""}]]
    labels = [["a", "b"], ["b", "a"]]
    for model in (LinearCRF(), TreeCRF(2, missing="error")):
        with pytest.raises(
            ValueError,
            match=r"'word' is missing at observation 0; fill or mark .* keeps them, empty texts too, as a category",
        ):
            model.fit(words, labels)
    pipeline = make_pipeline(Indicator(mark="category"), LinearCRF(max_iterations=20)).fit(words, labels)
    assert [part.tolist() for part in pipeline.predict(words)] == labels
