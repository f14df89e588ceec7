"""A custom labeller: what it is given, what it must give back, and what is refused."""

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from labellers import Silent, small_set

from treecrf.models.custom import CustomLabeller, find_class


class Echo:
    """Knows the labels that it was given; writes down how it was made and called."""

    made: ClassVar[list] = []

    def __init__(self, strength=0.9, window=(9, 9), random_state="none"):
        self.strength = strength
        Echo.made.append((strength, window, random_state))

    def fit(self, train, monitor=None):
        self.n_labels = len(train.label_names)
        for iteration in range(1, 4):
            monitor(iteration, {"listening": 0.5 * iteration}, -10.0 / iteration)

    def staged_predict_proba(self, data):
        for iteration in range(1, 4):  # right from the second iteration on
            wrong = iteration < 2
            labels = (data.labels + wrong) % self.n_labels
            rest = (1 - self.strength) / (self.n_labels - 1)
            yield np.where(labels[:, None] == np.arange(self.n_labels), self.strength, rest)

    def predict_proba(self, data):
        return list(self.staged_predict_proba(data))[-1]

    def predict(self, data, decoder="forward_backward"):
        assert decoder == "viterbi"
        return np.zeros(data.n_positions, dtype=int)


OWN = Silent
"""Found by this name in this module."""


@pytest.fixture
def here(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def custom(name, **settings):
    return CustomLabeller(f"test_custom:{name}", settings, window=(1, 2), random_state=5)


def test_the_class_gets_its_settings_the_window_and_the_seed(here):
    model = custom("Echo", strength=0.8)
    seen = []
    model.fit(small_set(), monitor=lambda *call: seen.append(call))
    assert type(model.inner_).made[-1] == (0.8, (1, 2), 5)
    assert seen == [(i, {"listening": 0.5 * i}, -10.0 / i) for i in (1, 2, 3)]
    assert model.seconds_ == {"listening": 1.5}


def test_stages_and_decoders_are_those_of_the_class(here):
    data = small_set(1)
    model = custom("Echo").fit(small_set())
    assert model.score(data) == 1.0
    assert (model.predict(data, "viterbi") == 0).all()
    assert model.staged_score(data).tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    assert len(list(model.staged_predict(data, every=2))) == 1
    np.testing.assert_allclose(model.log_likelihood(data), 5 * np.log(0.9))


def test_a_class_without_stages_has_one(here):
    data = small_set()
    seen = []
    model = custom("OWN").fit(data, monitor=lambda *call: seen.append(call))
    assert [stage for stage, *_ in seen] == [1]
    assert list(seen[0][1]) == ["fit"]
    assert not model.has_stages
    assert len(list(model.staged_predict_proba(data))) == 1
    assert (model.predict(data, "viterbi") == 0).all()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda n: np.ones((n, 2)) / 2, "returned shape (60, 2) for 60 positions and 3 labels"),
        (lambda n: np.ones((n, 3)), "probabilities of a position must be at least 0 and sum to 1"),
        (lambda n: np.full((n, 3), np.nan), "for position 0"),
        (lambda n: np.tile([-0.5, 0.5, 1.0], (n, 1)), "[-0.5, 0.5, 1.0] for position 0"),
    ],
)
def test_what_is_no_probability_is_refused(here, monkeypatch, wrong, sentence):
    data = small_set()
    model = custom("OWN").fit(data)
    monkeypatch.setattr(model.inner_, "predict_proba", lambda d: wrong(d.n_positions), raising=False)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.predict(data)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("test_custom", "write module:Class"),
        ("no_such_module_here:A", "there is no module 'no_such_module_here'"),
        ("test_custom:Nobody", "has no class 'Nobody'"),
        ("test_custom:small_set", "has no class 'small_set'"),
        ("fractions:Fraction", "has no method 'fit'"),
    ],
)
def test_a_class_that_cannot_be_used_is_named(here, name, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        find_class(name)


def test_settings_that_the_class_does_not_take(here):
    with pytest.raises(ValueError, match=r"does not take these settings .*'loudness'"):
        custom("Echo", loudness=3).fit(small_set())
