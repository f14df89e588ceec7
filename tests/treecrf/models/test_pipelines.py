"""A labeller with a transform of holes in front of it, against the two by hand."""

import numpy as np
import pytest
from builders import holed_numbers
from numpy.testing import assert_array_equal

import treecrf
from treecrf import LinearCRF, TreeCRF
from treecrf.missing import transform_of
from treecrf.models.pipelines import IMPUTATIONS, ImputingLabeller

TRAIN, TEST = holed_numbers(0), holed_numbers(1)


@pytest.mark.parametrize("missing", IMPUTATIONS)
def test_the_labeller_sees_what_the_transform_gives(missing, tmp_path):
    labeller = LinearCRF(window=(1, 0), max_iterations=4, keep_stages=True)
    model = ImputingLabeller(labeller, missing).fit(TRAIN)
    transform = transform_of(missing).fit(TRAIN)
    alone, filled = (
        type(labeller)(**labeller.get_params()).fit(transform.transform(TRAIN)),
        transform.transform(TEST),
    )
    assert not hasattr(labeller, "label_names_")
    path = tmp_path / "model.npz"
    model.save(path)
    for each in (model, treecrf.load(path)):
        assert_array_equal(each.predict_proba(TEST), alone.predict_proba(filled))
        assert_array_equal(each.predict(TEST, "viterbi"), alone.predict(filled, "viterbi"))
        assert_array_equal(each.log_likelihood(TEST), alone.log_likelihood(filled))
        assert_array_equal(
            each.predict(TEST, constraints=np.eye(4, 3, dtype=bool) | [[True], [True], [True], [True]]),
            alone.predict(filled),
        )
        assert_array_equal(each.predict(TEST, lag=2), alone.predict(filled, lag=2))
        assert_array_equal(each.predict_n_best(TEST, 2).labels, alone.predict_n_best(filled, 2).labels)
        assert (
            repr(each)
            == f"ImputingLabeller(labeller={labeller!r}{'' if missing == 'imputation' else f', missing={missing!r}'})"
        )
    assert_array_equal(model.staged_score(TEST), alone.staged_score(filled))


def test_stages_are_kept_where_that_is_wanted():
    labeller = LinearCRF(max_iterations=4)
    model = ImputingLabeller(labeller)
    assert len(model.fit(TRAIN).labeller_.weights_history_) == 1
    assert len(model.keeping_stages().fit(TRAIN).labeller_.weights_history_) > 1
    assert model.has_stages
    assert not labeller.keep_stages  # the caller's own


def test_what_is_no_labeller_or_no_transform_is_refused():
    with pytest.raises(ValueError, match=r"labeller=7: give a labeller\."):
        ImputingLabeller(7).fit(TRAIN)
    with pytest.raises(ValueError, match=r"missing='instance_weighting': choose one of 'imputation', "):
        ImputingLabeller(TreeCRF(2), "instance_weighting").fit(TRAIN)
