"""Classifiers of single rows as labellers: what table they get, and what becomes of their probabilities."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.custom import CustomLabeller, find_class, is_classifier
from treecrf.models.window.features import Taken, WindowFeatures
from treecrf.sequences import MISSING, Attribute, SequenceSet

NAN = np.nan
HGB = "sklearn.ensemble:HistGradientBoostingClassifier"
LOGISTIC = "sklearn.linear_model:LogisticRegression"


def mixed_set(seed, n_sequences=30, holes=0.1):
    """Three labels, a letter and a number, each a noisy copy of the label, one larger than the other by far."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(3, 8, n_sequences)
    labels = rng.integers(0, 3, lengths.sum())
    letters = np.where(rng.random(len(labels)) < 0.3, rng.integers(0, 4, len(labels)), labels)
    letters = np.where(rng.random(len(labels)) < holes, MISSING, letters)
    numbers = np.where(rng.random(len(labels)) < holes, NAN, 1000.0 * labels + rng.normal(0, 900, len(labels)))
    return SequenceSet(
        letters[:, None],
        np.r_[0, np.cumsum(lengths)],
        (Attribute("letter", tuple("abcd")),),
        labels,
        ("x", "y", "z"),
        numbers=numbers[:, None],
        number_names=("size",),
    )


SMALL = SequenceSet(
    [[0], [MISSING], [1]],
    [0, 2, 3],
    (Attribute("letter", ("a", "b")),),
    [0, 1, 0],
    ("x", "y"),
    numbers=[[1.0], [3.0], [NAN]],
    number_names=("size",),
)


def test_codes_and_numbers_with_their_holes():
    features = WindowFeatures((1, 0), Taken(most_categories=255, missing=True)).fit(SMALL)
    assert features.n_codes_ == 2
    # before: a or outside (the third category); here: a or b; then number and "outside" of both places
    expected = [[1, 0, NAN, 1, 1, 0], [0, NAN, 1, 0, 3, 0], [1, 1, NAN, 1, NAN, 0]]
    assert_array_equal(features.transform(SMALL), expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_indicators_and_standard_numbers_without_holes(sparse):
    features = WindowFeatures((0, 0), Taken(sparse=sparse)).fit(SMALL)
    table = features.transform(SMALL)
    # a, b, missing; the number with mean 2 and deviation 1; "outside"
    expected = [[1, 0, 0, -1, 0], [0, 0, 1, 1, 0], [0, 1, 0, 0, 0]]
    assert_array_equal(table.toarray() if sparse else table, expected)


def test_indicators_beside_numbers_that_may_be_missing():
    table = WindowFeatures((0, 0), Taken(missing=True, sparse=True)).fit(SMALL).transform(SMALL)
    assert_array_equal(table, [[1, 0, 0, 1, 0], [0, 0, 1, 3, 0], [0, 1, 0, NAN, 0]])


def test_the_rarest_of_many_categories_are_one():
    values = [0] * 5 + [1] * 4 + [2, 3]
    data = SequenceSet(np.array(values)[:, None], [0, 11], (Attribute("letter", tuple("abcd")),), [0] * 11, ("x",))
    table = WindowFeatures((0, 0), Taken(most_categories=3)).fit(data).transform(data)
    assert table[:, 0].tolist() == [0] * 5 + [1] * 4 + [2, 2]


def test_what_is_not_in_the_window_of_the_training_set_has_no_indicator():
    other = SMALL.with_values([[0], [0], [0]])
    table = WindowFeatures((0, 0), Taken()).fit(SMALL.with_values([[1], [1], [1]])).transform(other)
    assert table[:, 0].tolist() == [0, 0, 0]


def by_hand(data, window):
    """A letter code and a number for each place of the window, NaN where missing; outside the letter is 4."""
    left, right = window
    codes, numbers = [], []
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for t in range(begin, end):
            places = [i if begin <= i < end else None for i in range(t - left, t + right + 1)]
            letters = [4 if i is None else data.values[i, 0] for i in places]
            codes.append([NAN if letter == MISSING else letter for letter in letters])
            sizes = [(NAN, 1) if i is None else (data.numbers[i, 0], 0) for i in places]
            numbers.append([value for pair in sizes for value in pair])
    return np.hstack([codes, numbers])


def test_a_classifier_that_takes_categories_sees_what_it_would_see_by_hand():
    train, test = mixed_set(0), mixed_set(1)
    own = HistGradientBoostingClassifier(max_iter=10, random_state=0, categorical_features=[0, 1, 2])
    own.fit(by_hand(train, (1, 1)), train.labels)
    model = CustomLabeller(HGB, {"max_iter": 10}, window=(1, 1)).fit(train)
    assert_allclose(model.predict_proba(test), own.predict_proba(by_hand(test, (1, 1))), rtol=1e-12)
    stages = list(model.staged_predict_proba(test))
    assert len(stages) == 10
    assert_array_equal(stages[-1], model.predict_proba(test))
    assert model.score(test) > 0.7


def test_a_classifier_of_numbers_gets_indicators():
    train, test = mixed_set(0), mixed_set(1)
    model = CustomLabeller(LOGISTIC, window=(1, 1)).fit(train)
    assert model.score(test) > 0.7
    assert not model.has_stages
    assert model.inner_.classifier.coef_.shape == (3, 6 + 5 + 6 + 6)  # four letters, missing, outside; number, outside


@pytest.mark.parametrize("name", [HGB, LOGISTIC])
def test_a_label_that_a_fold_lacks_has_probability_0(name):
    train, test = mixed_set(0), mixed_set(1)
    without = train.select([i for i in range(len(train)) if 1 not in train.select([i]).labels])
    probabilities = CustomLabeller(name).fit(without).predict_proba(test)
    assert set(without.labels) == {0, 2}
    assert (probabilities[:, 1] == 0).all()
    assert_allclose(probabilities.sum(axis=1), 1)


def test_a_single_label_is_certain():
    data = mixed_set(0)
    model = CustomLabeller(HGB).fit(data.with_labels(np.full(data.n_positions, 2), data.label_names))
    for probabilities in (model.predict_proba(data), *model.staged_predict_proba(data)):
        assert_array_equal(probabilities, np.tile([0.0, 0.0, 1.0], (data.n_positions, 1)))


def test_without_a_seed_a_classifier_is_the_same_each_time():
    train = mixed_set(0)
    forest = "sklearn.ensemble:RandomForestClassifier"
    first, again, other = (
        CustomLabeller(forest, {"n_estimators": 5}, random_state=seed).fit(train).predict_proba(train)
        for seed in (None, None, 0)
    )
    assert_array_equal(first, again)
    assert (first != other).any()  # perturbed runs begin with the seed 0


class OfSequences(ClassifierMixin):
    def fit(self, train, monitor=None):
        pass


class OfRows:
    def fit(self, rows, classes, weights=None):
        pass


@pytest.mark.parametrize(
    ("labeller", "expected"),
    [
        (HistGradientBoostingClassifier, True),
        (LogisticRegression, True),
        (OfRows, True),
        (OfSequences, False),
        (TreeCRF, False),
        (find_class("lightgbm:LGBMClassifier"), True),
    ],
)
def test_what_learns_from_rows(labeller, expected):
    assert is_classifier(labeller) == expected


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        (HGB, {"max_iter": "x"}, "The 'max_iter' parameter of HistGradientBoostingClassifier must be an int"),
        (HGB, {"trees": 3}, "does not take these settings"),
        ("sklearn.svm:SVC", {}, "sklearn.svm:SVC has no predict_proba with these settings"),
        ("sklearn.svm:LinearSVC", {}, "sklearn.svm:LinearSVC has no method 'predict_proba'"),
    ],
)
def test_settings_that_a_classifier_cannot_have(name, settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        CustomLabeller(name, settings).check()
