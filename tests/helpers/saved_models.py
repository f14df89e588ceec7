"""Models that version 0.2 saved: what they say, and what comes of headers that were changed."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from fuzzing import outcome

import treecrf
from treecrf import SequenceSet
from treecrf.io.npz import read_npz
from treecrf.models.base import FORMAT
from treecrf.models.persistence import rebuild

FOLDER = Path(__file__).parents[1] / "data/models_0_2"
OF_STUDIES = ("codedcrf", "futurefeature", "kernelcrf")
SAVED = sorted(path.stem for path in FOLDER.glob("*.npz") if path.stem not in ("said", "input.set"))
DELETED = object()
ODD = (DELETED, None, -1, 2**40, float("nan"), "x", [], {}, [0, 0])


def places_of(value, place=(), depth=3):
    """Where a JSON value has others; of a list the first one."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, part in items:
        yield (*place, key)
        if depth > 1:
            yield from places_of(part, (*place, key), depth - 1)


def changed(header, place, value):
    """The header with one value deleted or replaced."""
    header = json.loads(json.dumps(header))
    *outer, last = place
    within = header
    for key in outer:
        within = within[key]
    if value is DELETED:
        del within[last]
    else:
        within[last] = value
    return header


def assert_says_what_it_said(name):
    """Labels and marginals are those that the model predicted when it was saved."""
    with np.load(FOLDER / "said.npz") as arrays:
        said = dict(arrays)
    if "neuralcrf" in name:
        pytest.importorskip("jax")
    model, asked = treecrf.load(FOLDER / f"{name}.npz"), SequenceSet.load(FOLDER / "input.set.npz")
    assert model.predict(asked).tolist() == said[f"{name}.labels"].tolist()
    if model.has_probabilities:
        expected = said[f"{name}.marginals"]
        rtol = 1e-5 if "neuralcrf" in name else 1e-6  # processors differ, and networks have 24 bits
        np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=rtol, atol=1e-9)


def assert_has_its_stages(name):
    """A model that kept its stages ends in what it says."""
    model, asked = treecrf.load(FOLDER / f"{name}.npz"), SequenceSet.load(FOLDER / "input.set.npz")
    if model.get_params().get("keep_stages") and not name.startswith("kept"):
        *_, last = stages = list(model.staged_predict_proba(asked))
        assert len(stages) > 1
        np.testing.assert_array_equal(last, model.predict_proba(asked))


def assert_headers_are_checked(name):
    """Each field of the header that is deleted or changed, the digest right, gives one sentence, or labels."""
    if name == "neuralcrf":
        pytest.importorskip("jax")
    header, arrays = read_npz(FOLDER / f"{name}.npz", FORMAT)
    asked = SequenceSet.load(FOLDER / "input.set.npz")
    rebuild(header, arrays, "model").predict(asked)  # compiles

    def ask(given):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return rebuild(given, dict(arrays), "model").predict(asked)

    for place in places_of(header):
        for value in ODD:
            labels, error = outcome(lambda place=place, value=value: ask(changed(header, place, value)))
            assert labels is None or labels.shape == (asked.n_positions,), (place, value)
            is_setting = place[0] == "params" or len(place) > 2
            if value is DELETED and not is_setting and isinstance(place[-1], str):
                assert error is not None, f"{place} is not missed"
