"""The registries of labellers and treatments: what rows say agrees with the classes, and reading them loads nothing."""

import inspect
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from builders import number_set

import treecrf
from treecrf.io.messages import quoted
from treecrf.models.boosted.treecrf import MISSING_METHODS
from treecrf.models.persistence import load_class
from treecrf.models.registry import CLASS_PATHS, IN_TREES, LABELLERS, TABLES, TRAINING
from treecrf.studies.training.settings import TrainingSettings

TRAIN = number_set(0, 3, 1)


@pytest.mark.parametrize("name", LABELLERS)
def test_a_row_agrees_with_its_class(name):
    row = LABELLERS[name]
    labeller = load_class(row.class_path)
    settings = labeller().get_params()
    assert labeller.__name__ == row.class_name
    assert getattr(treecrf, row.class_name) is labeller
    assert row.family == inspect.getmodule(labeller).__name__.split(".")[-2]
    assert row.iterations in settings
    if name in TABLES or name in TRAINING:
        start = {"perturbed": {"random_state", "start_noise"}, "random": {"random_state"}, "fixed": set()}[row.start]
        assert {"random_state", "start_noise"} & set(settings) == start


@pytest.mark.parametrize("name", TRAINING)
def test_the_training_study_gives_settings_that_exist(name):
    row = TRAINING[name]
    settings = load_class(row.class_path or LABELLERS[name].class_path)().get_params()
    assert {*row.grid, *row.taken, *row.fixed, *LABELLERS[name].preset} <= set(settings)
    assert {*row.grid.values(), *row.taken.values(), *row.alone} <= set(TrainingSettings.model_fields)
    assert LABELLERS[name].drawing is not None


def test_trees_know_the_treatments_that_are_theirs():
    assert ("error", *IN_TREES) == MISSING_METHODS


def test_the_front_offers_every_name():
    assert all(getattr(treecrf, name) is not None for name in treecrf.__all__)
    assert set(treecrf.__all__) <= set(dir(treecrf))
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        treecrf.Nothing  # noqa: B018


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("treecrf.models.registry", ("numpy", "numba", "treecrf.models.base")),
        ("treecrf.rendering.style", ("matplotlib", "numpy", "numba", "treecrf.models.base")),
        ("treecrf.studies.framework.settings", ("numba", "treecrf.models.base")),
        ("treecrf.cli.fit", ("numba", "treecrf.models.base")),
    ],
)
def test_reading_the_registry_loads_no_labeller(module, unwanted):
    code = f"import sys, {module}; print([name for name in {unwanted!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("class_path", CLASS_PATHS.values())
def test_every_labeller_refuses_settings_out_of_range(class_path):
    labeller = load_class(class_path)
    wrong = {"n_iterations": 0, "variance": float("nan"), "window": (1, -1), "unseen": "guess", "n_threads": True}
    for name, value in wrong.items():
        if name in labeller().get_params():
            with pytest.raises(ValueError, match=rf"^{name}={re.escape(repr(value))}: (give|choose) .*\.$"):
                labeller(**{name: value}).fit(TRAIN)


RIGHT = {
    "None": {"bag", "random_state", "max_lower_leaves", "settings", "label_dictionary", "beam", "rank", "scale", "form", "held_out", "class_weight", "picture", "anchors"},
    "True": {"scale_gain", "either_polarity", "each_label", "warm_start", "induction", "early_update", "cross_fit", "step_halving"},
}  # fmt: skip
"""Settings for which these values are right."""

WRONG = ("", None, ["a"], ("a", "b"), np.array([1.5, 2.5]), np.array(1.5), float("nan"), True, object())


@pytest.mark.parametrize("class_path", [*CLASS_PATHS.values(), "treecrf.models.custom:CustomLabeller"])
def test_every_setting_refuses_values_of_other_types(class_path):
    labeller = partial(load_class(class_path), **({"class_name": "a:B"} if "custom" in class_path else {}))
    for name in labeller().get_params():
        for value in WRONG:
            if name not in RIGHT.get(str(value), ()):
                with pytest.raises(ValueError, match=rf"^{name}={re.escape(quoted(value))}: (give|choose) .*\.$"):
                    labeller(**{name: value}).fit(TRAIN)


def test_classes_differ_in_what_they_ask_for():
    with pytest.raises(ValueError, match=r"max_leaves=32768: give a whole number from 2 to 32,767\."):
        treecrf.TreeCRF(max_leaves=2**15).fit(TRAIN)
    with pytest.raises(ValueError, match=r"order=True: choose 0 or 1\."):
        treecrf.LinearCRF(order=True).fit(TRAIN)
    with pytest.raises(ValueError, match=r"random_state=None: give a whole number of at least 0\."):
        treecrf.NeuralNetwork(random_state=None).fit(TRAIN)
