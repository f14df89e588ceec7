"""Evaluation where the file has labels that training did not have."""

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf import LinearCRF, WindowLightGBM
from treecrf.automl.evaluation import evaluate
from treecrf.ensembles.labeller import Ensemble
from treecrf.sequences import MISSING

NEW = np.array([0, 7])


@pytest.fixture(scope="module")
def data():
    return number_set(0)


@pytest.fixture(scope="module")
def with_new(data):
    labels = np.array(data.labels)
    labels[NEW] = len(data.label_names)
    return data.with_labels(labels, (*data.label_names, "new"))


@pytest.mark.parametrize(
    "labeller",
    [LinearCRF(max_iterations=5), WindowLightGBM(n_iterations=3), Ensemble(("linear_crf", "treecrf_newton"))],
    ids=lambda labeller: type(labeller).__name__,
)
def test_a_new_label_is_an_error(data, with_new, labeller):
    labeller.fit(data)
    before, found = evaluate(labeller, data, "forward_backward"), evaluate(labeller, with_new, "forward_backward")
    predicted, probabilities = labeller.predict(data), labeller.predict_proba(data)
    expected = predicted == data.labels
    expected[NEW] = False
    np.testing.assert_array_equal(found.correct, expected)
    assert found.accuracy.points == pytest.approx(100 * expected.mean())
    assert found.new_labels == {"new": 2}
    assert before.new_labels == {}

    row = found.by_label.set_index("label").loc["new"]
    assert (row["recall"], row["f1"], row["n_positions"]) == (0, 0, 2)
    assert np.isnan(row["precision"])
    names = [data.label_names[code] for code in predicted[NEW]]
    assert found.confusion.loc["new"].sum() == 2
    assert (found.confusion.loc["new", names] > 0).all()
    assert (found.confusion["new"] == 0).all()

    truth = np.eye(len(data.label_names) + 1)[with_new.labels]
    of_all = np.hstack([probabilities, np.zeros((data.n_positions, 1))])
    assert found.brier == pytest.approx(((of_all - truth) ** 2).sum(axis=1).mean(), rel=1e-9)
    right = (found.reliability["right"] * found.reliability["n_positions"]).sum()
    assert right == pytest.approx((probabilities.argmax(axis=1) == with_new.labels).sum())


def test_the_log_likelihood_is_that_of_the_other_positions(data, with_new):
    labeller = WindowLightGBM(n_iterations=3).fit(data)
    known = np.setdiff1d(np.arange(data.n_positions), NEW)
    expected = np.log(labeller.predict_proba(data)[known, data.labels[known]]).mean()
    assert evaluate(labeller, with_new, "forward_backward").log_likelihood == pytest.approx(expected, rel=1e-9)
    chain = LinearCRF(max_iterations=5).fit(data)
    partly = data.with_labels(np.where(with_new.labels == len(data.label_names), MISSING, data.labels))
    found = evaluate(chain, with_new, "forward_backward").log_likelihood
    assert found == pytest.approx(chain.log_likelihood(partly).sum() / len(known), rel=1e-9)


def test_labels_in_another_order_are_the_same(data):
    labeller = LinearCRF(max_iterations=5).fit(data)
    names = data.label_names[::-1]
    turned = data.with_labels(len(names) - 1 - np.array(data.labels), names)
    first, second = (evaluate(labeller, each, "viterbi") for each in (data, turned))
    pd.testing.assert_frame_equal(first.confusion, second.confusion)
    assert first.log_likelihood == second.log_likelihood
