"""Models that version 0.2 saved say what they said there, on the set that they were asked about."""

from pathlib import Path

import numpy as np
import pytest

import treecrf
from treecrf import SequenceSet
from treecrf.models.persistence import load_class
from treecrf.models.registry import LABELLERS

FOLDER = Path(__file__).parents[1] / "data/models_0_2"
MODELS = sorted(path.stem for path in FOLDER.glob("*.npz") if path.stem not in ("said", "input.set"))


@pytest.fixture(scope="module")
def said():
    """Labels and marginals by model, as they were predicted when the models were saved."""
    with np.load(FOLDER / "said.npz") as arrays:
        return dict(arrays)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_says_what_it_said(name, said):
    if "neuralcrf" in name:
        pytest.importorskip("jax")
    model, asked = treecrf.load(FOLDER / f"{name}.npz"), SequenceSet.load(FOLDER / "input.set.npz")
    assert model.predict(asked).tolist() == said[f"{name}.labels"].tolist()
    if model.has_probabilities:
        expected = said[f"{name}.marginals"]
        np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=1e-6, atol=1e-9)  # processors differ


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_has_its_stages(name):
    model, asked = treecrf.load(FOLDER / f"{name}.npz"), SequenceSet.load(FOLDER / "input.set.npz")
    if model.get_params().get("keep_stages") and not name.startswith("kept"):
        *_, last = stages = list(model.staged_predict_proba(asked))
        assert len(stages) > 1
        np.testing.assert_array_equal(last, model.predict_proba(asked))


def test_every_class_of_labellers_but_those_in_java_was_saved():
    classes = {load_class(row.class_path) for row in LABELLERS.values() if row.family not in ("java", "neural")}
    assert classes <= {type(treecrf.load(FOLDER / f"{name}.npz")) for name in MODELS if "neuralcrf" not in name}
