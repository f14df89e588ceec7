"""Generated sets on which one way of handling missing values must win, for the reason that chapter 4 gives."""

import numpy as np
import pytest

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.missing import Imputer, Indicator, inject

METHODS = ("instance_weighting", "surrogate_splitting", "default_direction", "imputation", "indicator")
N_TRAIN, N_TEST = 2000, 6000


def accuracy(method, train, test, order):
    """Percent of the test positions that a method labels correctly."""
    transform = {"imputation": Imputer().fit(train).transform, "indicator": Indicator().fit(train).transform}.get(
        method, lambda data: data
    )
    missing = "error" if method in ("imputation", "indicator") else method
    model = TreeCRF(20, 8, 5.0, order=order, missing=missing).fit(transform(train))
    return 100 * model.score(transform(test))


def mean_percents(design, order=0, n_seeds=3):
    """Mean accuracy over seeds, by method."""
    rows = []
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        train, test = design(rng, N_TRAIN, "train"), design(rng, N_TEST, "test")
        rows.append([accuracy(method, train, test, order) for method in METHODS])
    return dict(zip(METHODS, np.mean(rows, axis=0), strict=True))


def margins(percents, winner):
    """How far the winner lies before each other method."""
    return {method: percents[winner] - percent for method, percent in percents.items() if method != winner}


def sequences_of(values, labels):
    """Sequences of ten positions."""
    names = tuple("xyz"[: values.max() + 1])
    attributes = [Attribute(f"a{j}", names) for j in range(values.shape[1])]
    return SequenceSet(values, np.arange(0, len(values) + 1, 10), attributes, labels, ("A", "B"))


def telling_holes(rng, n, _):
    """Label B loses seven times as many cells as A. It shows the commonest value, x, less often, but as often as A
    once its holes are filled with x: 0.65 * 0.25 + 0.35 = 0.51 and 0.95 * 0.5 + 0.05 = 0.53.
    """
    labels = np.cumsum(rng.random(n) < 0.3) % 2
    is_x = rng.random((n, 3)) < np.where(labels == 0, 0.5, 0.25)[:, None]
    values = np.where(is_x, 0, rng.integers(1, 3, (n, 3)))
    holes = rng.random((n, 3)) < np.where(labels == 0, 0.05, 0.35)[:, None]
    return sequences_of(np.where(holes, -1, values), labels)


def test_indicator_wins_where_holes_tell_the_label():
    percents = mean_percents(telling_holes, order=1)
    ahead = margins(percents, "indicator")
    assert min(ahead[name] for name in ("instance_weighting", "surrogate_splitting", "imputation")) > 3
    assert abs(ahead["default_direction"]) < 2  # it too learns where the holes belong
    assert ahead["imputation"] > ahead["instance_weighting"] + 5
    assert percents["imputation"] < 55  # filled, the attributes tell next to nothing


def twins(rng, n, _):
    """The label is what most of seven attributes say; each has a twin with the same value and holes of its own, so
    the tested value is nearly always known from the twin.
    """
    values = rng.integers(0, 2, (n, 7))
    return inject(sequences_of(np.hstack([values, values]), (values.sum(axis=1) > 3).astype(int)), 0.3, rng)


def test_surrogates_win_where_every_attribute_has_a_twin():
    percents = mean_percents(twins)
    ahead = margins(percents, "surrogate_splitting")
    assert max(percents, key=percents.get) == "surrogate_splitting"
    assert min(ahead.values()) > 2.5
    assert ahead["imputation"] > 4


def independent(rng, n, _):
    """The label is a sum over ten independent attributes, x (in 35 %) counting -2 and y 1: a hole tells nothing, nor
    do other attributes, and the commonest value is a biased guess.
    """
    values = (rng.random((n, 10)) < 0.65).astype(int)
    score = np.where(values == 1, 1, -2).sum(axis=1) + rng.normal(0, 0.3, n)
    return inject(sequences_of(values, (score > 0).astype(int)), 0.4, rng)


def test_instance_weighting_wins_where_nothing_else_helps():
    percents = mean_percents(independent)
    ahead = margins(percents, "instance_weighting")
    assert min(ahead.values()) > 0.5
    assert max(percents, key=percents.get) == "instance_weighting"
    assert ahead["imputation"] > 2.5
    assert ahead["surrogate_splitting"] > 2.5  # without surrogates a hole goes to the larger side, as if imputed


def late_holes(rng, n, side):
    """As in `independent`, but nothing is missing in training, and x is in 20 %. The mark of the indicator was never
    seen then: its holes count as the first category, x. Unseen directions go to the larger side, y.
    """
    values = (rng.random((n, 10)) < 0.8).astype(int)
    score = np.where(values == 1, 1, -3.5).sum(axis=1) + rng.normal(0, 0.3, n)
    data = sequences_of(values, (score > 0).astype(int))
    return data if side == "train" else inject(data, 0.2, rng)


def test_indicator_loses_where_training_saw_no_holes():
    percents = mean_percents(late_holes)
    assert margins(percents, "default_direction")["indicator"] > 5
    assert min(percents, key=percents.get) == "indicator"
    # Complete and independent attributes have neither surrogates nor directions: the larger side is the commonest
    # value.
    for name in ("surrogate_splitting", "imputation"):
        assert percents["default_direction"] == pytest.approx(percents[name], abs=0.5)
