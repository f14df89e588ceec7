"""Models of the studies' labellers that version 0.2 saved, when these were part of the library."""

import pytest
from saved_models import (
    FOLDER,
    OF_STUDIES,
    SAVED,
    assert_has_its_stages,
    assert_headers_are_checked,
    assert_says_what_it_said,
)

import treecrf
from treecrf.models.persistence import load_class
from treecrf_studies.methods.catalogue import OWN

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
