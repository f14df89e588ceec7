"""What is kept of marginals, against scikit-learn and against the measures of whole marginals."""

import numpy as np
import pandas as pd
import pytest
from builders import random_set
from sklearn.metrics import log_loss as reference_log_loss

from treecrf import LinearCRF, TreeCRF
from treecrf.ensembles.labeller import Ensemble
from treecrf.models.custom import CustomLabeller
from treecrf.models.linear.perceptron import VotedPerceptron
from treecrf.models.pipelines import ImputingLabeller
from treecrf.statistics.metrics import brier_score as whole_brier_score
from treecrf.statistics.metrics import reliability as whole_reliability
from treecrf_studies.framework.metrics import (
    CONFIDENCE,
    LEAST_PROBABILITY,
    brier_score,
    confidence,
    has_confidence,
    log_loss,
    marginals_after,
    reliability,
)
from treecrf_studies.methods.coded_crf import CodedCRF


def kept(marginals, labels, predicted=None):
    """Predictions as studies keep them."""
    predicted = marginals.argmax(axis=1) if predicted is None else predicted
    return pd.DataFrame({"label": labels, "predicted": predicted} | confidence(marginals, labels, predicted))


@pytest.fixture
def told():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.full(4, 0.4), 500), rng.integers(0, 4, 500)


def test_measures_are_those_of_whole_marginals(told):
    marginals, labels = told
    rows = kept(marginals, labels)
    assert {rows[name].dtype for name in CONFIDENCE} == {np.dtype(np.float32)}
    expected = reference_log_loss(labels, marginals.astype(np.float32), labels=range(4))
    assert log_loss(rows) == pytest.approx(expected, rel=1e-5)
    assert brier_score(rows) == pytest.approx(whole_brier_score(marginals, labels), rel=1e-6)
    pd.testing.assert_frame_equal(reliability(rows), whole_reliability(marginals, labels), rtol=1e-6)


def test_an_impossible_label_costs_what_it_does_in_scikit_learn():
    marginals, labels = np.array([[1.0, 0.0], [0.25, 0.75]], dtype=np.float32), np.array([1, 1])
    assert log_loss(kept(marginals, labels)) == pytest.approx(reference_log_loss(labels, marginals, labels=[0, 1]))


def test_a_label_that_training_did_not_have_has_no_probability():
    marginals = np.array([[0.5, 0.5], [0.1, 0.9]])
    rows = kept(marginals, np.array([-1, 1]))
    assert rows["p_label"].tolist() == pytest.approx([0, 0.9])
    assert log_loss(rows) == pytest.approx(-(np.log(LEAST_PROBABILITY) + np.log(0.9)) / 2)
    assert brier_score(rows) == pytest.approx((0.5 + 1 + 0.01 + 0.01) / 2)


def test_bins_are_of_the_label_that_was_predicted():
    marginals, labels = np.array([[0.35, 0.65], [0.25, 0.75]]), np.array([0, 0])
    found = reliability(kept(marginals, labels, predicted=np.array([0, 1])))
    assert found[["low", "n_positions", "right"]].to_numpy().tolist() == [[0.3, 1, 1], [0.7, 1, 0]]


def test_without_marginals_nothing_is_known():
    rows = kept(np.ones((3, 1)), np.zeros(3, dtype=int)).assign(**confidence(None, np.zeros(3), np.zeros(3)))
    assert rows[list(CONFIDENCE)].isna().all(axis=None)
    assert {rows[name].dtype for name in CONFIDENCE} == {np.dtype(np.float32)}
    assert not has_confidence(rows)
    assert has_confidence(kept(np.ones((3, 1)), np.zeros(3, dtype=int)))


@pytest.fixture(scope="module")
def data():
    return random_set(np.random.default_rng(0), n_sequences=12)


def test_marginals_after_an_iteration_are_those_of_a_training_that_ends_there(data):
    model = TreeCRF(6, max_leaves=3).fit(data)
    for iteration in (2, 6):
        expected = TreeCRF(iteration, max_leaves=3).fit(data).predict_proba(data)
        np.testing.assert_allclose(marginals_after(model, data, iteration), expected, rtol=1e-12)
    for iteration in (0, 9):
        np.testing.assert_array_equal(marginals_after(model, data, iteration), model.predict_proba(data))


class Staged:
    """A class of a user's own whose second iteration changes its mind."""

    def fit(self, train):
        self.n_labels = len(train.label_names)
        return self

    def staged_predict_proba(self, data):
        for stage in range(3):
            yield np.tile(np.eye(self.n_labels)[stage % self.n_labels], (data.n_positions, 1))

    def predict_proba(self, data):
        return list(self.staged_predict_proba(data))[-1]


def test_classes_of_the_users_own_have_probabilities(data):
    staged = CustomLabeller(f"{__name__}:Staged").fit(data)
    for iteration, label in ((1, 0), (2, 1), (0, 2)):
        assert (
            marginals_after(staged, data, iteration)[:, label % len(data.label_names)].tolist()
            == [1] * data.n_positions
        )


@pytest.mark.parametrize(
    ("labeller", "has"),
    [
        (VotedPerceptron(2), False),
        (ImputingLabeller(VotedPerceptron(2)), False),
        (CodedCRF(TreeCRF(2, max_leaves=2), code_length=3, history=1), False),
        (Ensemble([LinearCRF(max_iterations=2), TreeCRF(2, max_leaves=2)], "majority_vote", n_folds=2), False),
        (Ensemble([LinearCRF(max_iterations=2), TreeCRF(2, max_leaves=2)], "marginal_average"), True),
        (ImputingLabeller(LinearCRF(max_iterations=3)), True),
    ],
)
def test_votes_scores_and_distances_are_no_probabilities(data, labeller, has):
    found = marginals_after(labeller.fit(data), data)
    if has:
        np.testing.assert_array_equal(found, labeller.predict_proba(data))
    else:
        assert found is None
