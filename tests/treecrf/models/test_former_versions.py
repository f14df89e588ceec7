"""Models that version 0.2 saved say what they said there, on the set that they were asked about."""

import pytest
from saved_models import FOLDER, OF_STUDIES, SAVED, assert_has_its_stages, assert_says_what_it_said

import treecrf
from treecrf.models.persistence import load_class
from treecrf.models.registry import LABELLERS

MODELS = [name for name in SAVED if not name.startswith(OF_STUDIES)]


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_says_what_it_said(name):
    assert_says_what_it_said(name)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_has_its_stages(name):
    assert_has_its_stages(name)


def test_every_class_of_labellers_was_saved():
    classes = {load_class(row.class_path) for row in LABELLERS.values() if row.family != "neural"}
    assert classes <= {type(treecrf.load(FOLDER / f"{name}.npz")) for name in MODELS if "neuralcrf" not in name}
