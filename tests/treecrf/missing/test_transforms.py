"""Making holes, filling them, marking them: by hand and against the definitions."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.missing import MISSING_CATEGORY, Imputer, Indicator, inject
from treecrf.sequences import MISSING, window_codes


def random_set(rng, n_sequences, sizes, longest=12, unlabelled=1):
    """Independent attributes with `sizes` categories each; some sequences end in observations without a label."""
    lengths = rng.integers(1, longest + 1, n_sequences)
    observed = lengths + rng.integers(0, unlabelled + 1, n_sequences)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(part)]) for part in (lengths, observed))
    values = np.stack([rng.integers(0, size, observation_offsets[-1]) for size in sizes], axis=1)
    attributes = [Attribute(f"a{j}", tuple(f"c{code}" for code in range(size))) for j, size in enumerate(sizes)]
    labels = rng.integers(0, 3, offsets[-1])
    return SequenceSet(values, offsets, attributes, labels, ("A", "B", "C"), observation_offsets)


def plain_set(columns, attributes, labels=None):
    """One sequence with the given columns."""
    n_observations = len(columns[0])
    return SequenceSet(np.stack(columns, axis=1), [0, n_observations], attributes, labels, ("A", "B"))


def deviation(n_hits, n, probability):
    """Standard deviations between a count and its mean."""
    return abs(n_hits - n * probability) / np.sqrt(n * probability * (1 - probability))


# --- making holes --------------------------------------------------------------------------------------


def test_one_hole_is_in_all_windows_that_contain_it():
    # Five observations, four positions; observation 2 is missing. With one observation before and two after,
    # positions 0, 1, 2 and 3 see it in the places 3, 2, 1, 0. Position 3 sees EDGE after observation 4.
    data = SequenceSet([[0], [1], [MISSING], [1], [0]], [0, 4], (Attribute("a", ("x", "y")),), None, (), [0, 5])
    assert window_codes(data, (1, 2)).tolist() == [[2, 0, 1, 3], [0, 1, 3, 1], [1, 3, 1, 0], [3, 1, 0, 2]]


# --- filling -------------------------------------------------------------------------------------------

SHAPES = (Attribute("letter", ("x", "y", "z")), Attribute("flag", ("no", "yes")))


def test_imputer_fills_with_the_commonest_value():
    # letter: y twice, x once (holes do not count, though they are most); flag: yes three times, no twice.
    train = plain_set([[1, -1, 0, -1, -1, 1], [1, 0, 1, -1, 0, 1]], SHAPES)
    imputer = Imputer().fit(train)
    assert imputer.fill_values_ == {"letter": "y", "flag": "yes"}
    assert imputer.transform(train).values.T.tolist() == [[1, 1, 0, 1, 1, 1], [1, 0, 1, 1, 0, 1]]
    assert imputer.transform(train) == Imputer().fit_transform(train)
    assert imputer.transform(train).attributes == train.attributes
    # Other data are filled with the training set's values, not with their own.
    test = plain_set([[2, 2, -1], [0, -1, 0]], SHAPES)
    assert imputer.transform(test).values.T.tolist() == [[2, 2, 1], [0, 1, 0]]


def test_first_category_wins_ties_and_fills_what_no_cell_shows():
    tied = plain_set([[2, 1, -1, 2, 1], [1, 0, -1, -1, -1]], SHAPES)
    assert Imputer().fit(tied).fill_values_ == {"letter": "y", "flag": "no"}
    hidden = plain_set([[-1, -1], [1, -1]], SHAPES)
    assert Imputer().fit(hidden).fill_values_ == {"letter": "x", "flag": "yes"}
    assert Imputer().fit_transform(hidden).values.tolist() == [[0, 1], [0, 1]]


def test_imputer_matches_categories_by_name():
    imputer = Imputer().fit(plain_set([[1, 1, 0], [0, 0, 1]], SHAPES))  # y, no
    turned = (Attribute("letter", ("z", "y")), Attribute("flag", ("yes", "maybe")))
    filled = imputer.transform(plain_set([[-1, 0, 1], [-1, 0, 1]], turned))
    assert filled.values.T.tolist() == [[1, 0, 1], [2, 0, 1]]
    assert filled.attributes == (turned[0], Attribute("flag", ("yes", "maybe", "no")))  # what it lacks is added last


def test_imputer_refuses_what_it_cannot_fill():
    train = plain_set([[1, 1, 0], [0, 0, 1]], SHAPES)
    with pytest.raises(ValueError, match=r"^this Imputer is not fitted; call fit first\.$"):
        Imputer().transform(train)
    imputer = Imputer().fit(train)
    for attributes in (SHAPES[::-1], (SHAPES[0], Attribute("other", ("no", "yes")))):
        with pytest.raises(ValueError, match=r"the training set had \['letter', 'flag'\]; give the same ones"):
            imputer.transform(plain_set([[0, 0], [0, 0]], attributes))
    with pytest.raises(ValueError, match="'letter', 'flag'"):
        imputer.transform(plain_set([[0, 0]], SHAPES[:1]))
    with pytest.raises(ValueError, match="attribute 'empty' has no categories"):
        Imputer().fit(plain_set([[-1, -1]], (Attribute("empty", ()),)))


def test_what_is_imputed_can_be_flagged():
    train = plain_set([[1, -1, 0, -1, -1, 1], [1, 0, 1, -1, 0, 1]], SHAPES)
    marked = Imputer(add_indicator=True).fit_transform(train)
    assert marked.values.T.tolist() == [
        [1, 1, 0, 1, 1, 1],
        [1, 0, 1, 1, 0, 1],  # filled as without flags
        [0, 1, 0, 1, 1, 0],
        [0, 0, 0, 1, 0, 0],
    ]
    answers = ("no", "yes")
    assert marked.attributes == (*SHAPES, Attribute("letter missing", answers), Attribute("flag missing", answers))
    test = Imputer(add_indicator=True).fit(train).transform(plain_set([[2, 2], [0, 0]], SHAPES))
    assert test.values.T.tolist() == [[2, 2], [0, 0], [0, 0], [0, 0]]  # every attribute has its flag


# --- marking -------------------------------------------------------------------------------------------


def test_holes_become_a_category():
    train = plain_set([[0, -1, 2], [1, -1, 0]], SHAPES)
    marked = Indicator("category").fit_transform(train)
    assert marked.values.T.tolist() == [[0, 3, 2], [1, 2, 0]]
    assert marked.attributes == (
        Attribute("letter", ("x", "y", "z", MISSING_CATEGORY)),
        Attribute("flag", ("no", "yes", MISSING_CATEGORY)),
    )


def test_holes_are_flagged():
    train = plain_set([[1, -1, 2], [1, 0, -1]], SHAPES)
    marked = Indicator("flag").fit_transform(train)
    assert marked.values.T.tolist() == [[1, 0, 2], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    answers = ("no", "yes")
    assert marked.attributes == (*SHAPES, Attribute("letter missing", answers), Attribute("flag missing", answers))


def test_two_categories_get_a_flag_and_others_a_category():
    train = plain_set([[1, -1, 2], [1, 0, -1]], SHAPES)
    indicator = Indicator().fit(train)
    assert indicator.flagged_ == {"letter": False, "flag": True}
    marked = indicator.transform(train)
    assert marked == Indicator("auto").fit_transform(train)
    assert marked.values.T.tolist() == [[1, 3, 2], [1, 0, 0], [0, 0, 1]]
    assert [attribute.name for attribute in marked.attributes] == ["letter", "flag", "flag missing"]
    # The training set decides, also for data with other category lists.
    other = (Attribute("letter", ("x", "y")), Attribute("flag", ("no", "yes", "perhaps")))
    marked = indicator.transform(plain_set([[-1, 1], [-1, 2]], other))
    assert marked.values.T.tolist() == [[2, 1], [0, 2], [1, 0]]
    assert marked.attributes[0].categories == ("x", "y", MISSING_CATEGORY)
    assert marked.attributes[1] == other[1]


@pytest.mark.parametrize(("mark", "like"), [("category", "y"), ("flag", "x")])
def test_a_mark_that_training_never_saw_fails_every_test(mark, like):
    # One split on "x or not". A hole that became a category of its own is not x, so it is labelled as y and z are;
    # flagged, it became the first category, x, and the flag that training never saw raised is not tested.
    letters = (Attribute("letter", ("x", "y", "z")),)
    train = plain_set([[0, 0, 0, 1, 2, 1]], letters, [0, 0, 0, 1, 1, 1])
    indicator = Indicator(mark).fit(train)
    model = TreeCRF(3, 4, 1.0, order=0).fit(indicator.transform(train))
    hole, x, y = model.potentials(indicator.transform(plain_set([[-1, 0, 1]], letters)))[0, :, 0]
    assert hole == {"x": x, "y": y}[like]
    assert x > 0.5 > -0.5 > y


def test_indicator_refuses_what_it_cannot_mark():
    train = plain_set([[1, 1, 0], [0, 0, 1]], SHAPES)
    with pytest.raises(ValueError, match=r"^mark='cross': choose 'auto', 'category' or 'flag'\.$"):
        Indicator("cross").fit(train)
    with pytest.raises(ValueError, match=r"^this Indicator is not fitted; call fit first\.$"):
        Indicator().transform(train)
    with pytest.raises(ValueError, match=r"the training set had \['letter', 'flag'\]; give the same ones"):
        Indicator().fit(train).transform(plain_set([[0, 0], [0, 0]], SHAPES[::-1]))
    clash = plain_set([[0, 1]], (Attribute("letter", ("x", MISSING_CATEGORY, "z")),))
    with pytest.raises(ValueError, match=r"attribute 'letter' has a category '\(missing\)' already; rename it"):
        Indicator("category").fit_transform(clash)
    assert Indicator("flag").fit_transform(clash).values.tolist() == [[0, 0], [1, 0]]  # nothing clashes here
    with pytest.raises(ValueError, match="attribute 'empty' has no categories; mark it by a category"):
        Indicator("flag").fit_transform(plain_set([[-1, -1]], (Attribute("empty", ()),)))


# --- both ----------------------------------------------------------------------------------------------

TRANSFORMERS = [Imputer(), Imputer(add_indicator=True), Indicator("auto"), Indicator("category"), Indicator("flag")]


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda one: type(one).__name__ + str(*vars(one).values()))
def test_no_hole_is_left_and_what_was_seen_stays(transformer, rate):
    rng = np.random.default_rng(4)
    train, test = (random_set(rng, 40, (3, 2, 2)) for _ in range(2))
    damaged = [inject(train, rate, rng), inject(test, rate, rng)]
    transformer.fit(damaged[0].with_labels(None))  # labels are not looked at
    for data in damaged:
        result = transformer.transform(data)
        assert not result.has_missing
        shown = data.values != MISSING
        assert_array_equal(result.values[:, :3][shown], data.values[shown])
        assert result.with_values(data.values, data.attributes) == data  # labels, offsets, names
        assert_array_equal(transformer.transform(data).values, result.values)
    model = TreeCRF(2, 4, 1.0, (1, 1), missing="error").fit(transformer.transform(damaged[0]))
    assert model.predict(transformer.transform(damaged[1])).shape == (test.n_positions,)


def test_a_flag_must_have_a_name_of_its_own():
    attributes = (Attribute("a", ("no", "yes")), Attribute("a missing", ("no", "yes")))
    data = SequenceSet([[0, 1], [1, 0]], [0, 2], attributes)
    for transformer in (Indicator("flag"), Imputer(add_indicator=True)):
        with pytest.raises(ValueError, match="there is an attribute 'a missing' already"):
            transformer.fit_transform(data)


# --- numbers -------------------------------------------------------------------------------------------


def measured_set(numbers, names=("height",)):
    n = len(numbers)
    return SequenceSet([[0], [1]] * (n // 2), [0, n], SHAPES[1:], None, (), numbers=numbers, number_names=names)


def test_holes_in_numbers_are_drawn_after_those_of_categories():
    data = random_set(np.random.default_rng(0), 300, (3, 2))
    numbers = np.random.default_rng(1).normal(size=(len(data.values), 2))
    damaged = inject(data.with_numbers(numbers, ("x", "y")), 0.3, np.random.default_rng(5))
    assert damaged.with_numbers(numbers[:, :0], ()) == inject(data, 0.3, np.random.default_rng(5))
    holes = np.isnan(damaged.numbers)
    assert deviation(holes.sum(), holes.size, 0.3) < 4
    assert_array_equal(damaged.numbers[~holes], numbers[~holes])


def test_numbers_are_filled_with_the_median_of_training():
    train = measured_set([[1], [np.nan], [9], [2]])
    imputer = Imputer().fit(train)
    assert imputer.medians_ == {"height": 2.0}
    assert imputer.transform(train).numbers.ravel().tolist() == [1, 2, 9, 2]
    test = measured_set([[np.nan], [100]])
    assert imputer.transform(test).numbers.ravel().tolist() == [2, 100]


def test_missing_numbers_get_a_flag_and_the_median():
    train = measured_set([[1], [np.nan], [9], [2]])
    marked = Indicator("category").fit_transform(train)
    assert [attribute.name for attribute in marked.attributes] == ["flag", "height missing"]
    assert marked.values[:, 1].tolist() == [0, 1, 0, 0]
    assert marked.numbers.ravel().tolist() == [1, 2, 9, 2]
    assert TreeCRF(1, order=0).fit(marked.with_labels([0, 1, 0, 1], "AB")).predict(marked).shape == (4,)
    alone = train.with_values(np.empty((4, 0)), ())
    assert Indicator().fit_transform(alone).values.ravel().tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda one: type(one).__name__ + getattr(one, "mark", ""))
def test_numbers_that_cannot_be_filled_are_refused(transformer):
    with pytest.raises(ValueError, match=r"^number 'height' is missing everywhere, so nothing can fill it; drop it\.$"):
        transformer.fit(measured_set([[np.nan], [np.nan]]))
    transformer.fit(measured_set([[1], [2]]))
    with pytest.raises(ValueError, match=r"the data have the numbers \['x'\], the training set had \['height'\]"):
        transformer.transform(measured_set([[1], [2]], ("x",)))


def test_an_order_survives_filling():
    ordered = Attribute("size", ("s", "m", "l"), ordered=True)
    data = SequenceSet([[0], [MISSING]], [0, 2], (ordered,))
    assert Imputer().fit_transform(data).attributes == (ordered,)
