"""CRFsuite's weights, read out: predictions are those of CRFsuite, and the penalty does what it says."""

import numpy as np
import pycrfsuite
import pytest
from builders import random_set
from numpy.testing import assert_allclose

from treecrf import CRFSuite, LinearCRF
from treecrf.models.linear.linear_crf import window_cells


@pytest.fixture(scope="module")
def data():
    return random_set(np.random.default_rng(3), 30, 4, 1, 5, 6)


def test_marginals_are_those_of_crfsuites_own_tagger(data, tmp_path):
    model = CRFSuite(c2=0.5, window=(1, 1)).fit(data)
    cells, _ = window_cells(data, (1, 1))
    items, path = cells.astype(str).tolist(), str(tmp_path / "model")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": 0.5, "feature.possible_states": True, "feature.possible_transitions": True})
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        trainer.append(items[first:last], data.labels[first:last].astype(str).tolist())
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    expected, labels = [], []
    for first, last in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        labels += tagger.tag(items[first:last])
        expected += [[tagger.marginal(str(label), t) for label in range(4)] for t in range(last - first)]
    assert_allclose(model.predict_proba(data), expected, atol=1e-4)  # the file has fewer digits
    assert (model.predict(data, "viterbi") == np.array(labels, dtype=int)).all()


def test_its_optimum_is_that_of_the_linear_crf(data):
    """The same penalty; `LinearCRF` has no weights for the first label either."""
    ours, theirs = LinearCRF(features="labels", variance=1.0, max_iterations=500).fit(data), CRFSuite(c2=0.5).fit(data)
    assert_allclose(theirs.log_likelihood(data), ours.log_likelihood(data), atol=0.02)


def test_a_label_that_training_lacks_has_probability_0(data):
    lacking = data.with_labels(np.where(data.labels == 2, 1, data.labels).astype(np.int16), data.label_names)
    model = CRFSuite(c2=0.5, window=(1, 1)).fit(lacking)
    found = model.predict_proba(data)
    assert (found[:, 2] == 0).all()
    three = lacking.with_labels(np.where(lacking.labels == 3, 2, lacking.labels).astype(np.int16), ("a", "b", "c"))
    others = CRFSuite(c2=0.5, window=(1, 1)).fit(three).predict_proba(three)
    assert_allclose(found[:, [0, 1, 3]], others, atol=1e-4)


def test_cells_that_belong_to_none_and_first_labels_have_no_weight(data):
    model = CRFSuite().fit(data)
    assert (model.cell_weights_[-1] == 0).all()
    assert (model.transition_weights_[:, -1] == 0).all()
