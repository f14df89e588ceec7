"""The labellers of the studies keep what every labeller promises, and former versions saved."""

import numpy as np
import pytest
from builders import by_sequence, random_set
from contract import *  # noqa: F403
from contract import (
    assert_large_numbers_are_refused,
    assert_learns_from_numbers_alone,
    assert_missing_numbers_are_refused,
    assert_workers_agree,
    fitted,
)
from labellers import TRAIN
from own_labellers import OWN_LABELLERS
from saved_models import (
    FOLDER,
    OF_STUDIES,
    SAVED,
    assert_has_its_stages,
    assert_headers_are_checked,
    assert_says_what_it_said,
)

import treecrf
from treecrf import TreeCRF
from treecrf.models.persistence import load_class
from treecrf_studies.methods import CodedCRF, FutureFeatureMEMM, FutureFeatureTreeCRF, KernelCRF
from treecrf_studies.methods.catalogue import OWN


@pytest.fixture(scope="module", params=OWN_LABELLERS)
def named(request):
    return fitted(OWN_LABELLERS, request.param)


def test_predictions_in_worker_processes_are_those_of_one():
    coded = OWN_LABELLERS["CodedCRF"]().fit(TRAIN)
    assert_workers_agree([coded, coded.flattened()])


def test_numbers_that_cannot_be_standardized_are_refused():
    assert_large_numbers_are_refused(KernelCRF)


def test_numbers_whose_squares_vanish_do_not_vary(tmp_path):
    tiny = TRAIN.with_numbers(np.where(TRAIN.numbers > 0, 5e-324, 1e-323))
    with pytest.warns(UserWarning, match=r"'x1', 'x2' does not vary"):
        model = KernelCRF(tolerance=0.1).fit(tiny)
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(treecrf.load(tmp_path / "model.npz").predict(tiny), model.predict(tiny))


WITH_NUMBERS = (
    FutureFeatureMEMM(n_iterations=8, max_leaves=16, number_bins=8),
    FutureFeatureTreeCRF(n_iterations=2, crf_iterations=8, crf_max_leaves=8, number_bins=8),
)


@pytest.mark.parametrize("labeller", WITH_NUMBERS, ids=lambda labeller: type(labeller).__name__)
def test_numbers_alone_are_learnt_from_and_missing_ones_refused(labeller, tmp_path):
    assert_learns_from_numbers_alone(labeller, tmp_path / "model.npz")
    assert_missing_numbers_are_refused(labeller)


def test_base_windows_have_no_anchored_inputs():
    with pytest.raises(ValueError, match=r"^base: CodedCRF gives its base windows without anchored inputs"):
        CodedCRF(base=TreeCRF(anchors=(0, 1))).fit(random_set(np.random.default_rng(0)))


def test_codes_have_no_probabilities_that_could_be_constrained():
    coded = OWN_LABELLERS["CodedCRF"]().fit(TRAIN)
    with pytest.raises(ValueError, match=r"^CodedCRF has no probabilities that could be constrained"):
        coded.predict(TRAIN, known=np.full(TRAIN.n_positions, -1))


def test_validation_sets_are_sets():
    with pytest.raises(ValueError, match=r"^this needs a SequenceSet, not a tuple"):
        FutureFeatureMEMM().fit(TRAIN, validation=by_sequence(TRAIN))


def test_groups_of_lists_are_those_of_the_set():
    groups = np.arange(len(TRAIN)) // 3
    by_list = FutureFeatureMEMM(2, 4).fit(*by_sequence(TRAIN), groups=groups.tolist()).predict_proba(TRAIN)
    assert np.array_equal(by_list, FutureFeatureMEMM(2, 4).fit(TRAIN.with_groups(groups)).predict_proba(TRAIN))


MODELS = [name for name in SAVED if name.startswith(OF_STUDIES)]


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_says_what_it_said(name):
    assert_says_what_it_said(name)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_has_its_stages(name):
    assert_has_its_stages(name)


@pytest.mark.parametrize("name", ["codedcrf", "futurefeaturememm", "futurefeaturetreecrf", "kernelcrf"])
def test_a_field_that_is_deleted_or_changed_gives_a_sentence_or_labels(name):
    assert_headers_are_checked(name)


def test_every_class_of_labellers_but_those_in_java_was_saved():
    classes = {load_class(row.class_path) for row in OWN.values() if row.family in ("coding", "future", "kernel")}
    assert classes <= {type(treecrf.load(FOLDER / f"{name}.npz")) for name in MODELS}
