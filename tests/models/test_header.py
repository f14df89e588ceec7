"""Headers of saved models with each field deleted or changed, their digest right: one sentence, or labels."""

import json
import warnings
from pathlib import Path

import pytest
from fuzzing import outcome

from treecrf import SequenceSet
from treecrf.io.npz import read_npz
from treecrf.models.base import FORMAT
from treecrf.models.persistence import rebuild

FOLDER = Path(__file__).parents[1] / "data/models_0_2"
FAMILIES = (
    "codedcrf", "crfsuite", "derivinglabeller", "ensemble", "futurefeaturememm", "futurefeaturetreecrf", "imputinglabeller",
    "inducedcrf", "kernelcrf", "linearcrf", "memm", "neuralcrf", "neuralnetwork", "slidingwindow", "stackedsequential", "treecrf",
    "treecrf_with_anchors", "votedperceptron", "windowlightgbm",
)  # fmt: skip
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


@pytest.mark.parametrize("name", FAMILIES)
def test_a_field_that_is_deleted_or_changed_gives_a_sentence_or_labels(name):
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
