"""The registries of labellers and treatments: what rows say agrees with the classes, and reading them loads nothing."""

import inspect
import re
import subprocess
import sys
from functools import partial
from importlib.metadata import version

import numpy as np
import pytest
from builders import number_set

import treecrf
from treecrf.io.messages import quoted
from treecrf.models.boosted.params import MISSING_METHODS
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
    assert ("auto", "error", *IN_TREES) == MISSING_METHODS


def test_the_front_offers_every_name():
    assert all(getattr(treecrf, name) is not None for name in treecrf.__all__)
    assert set(treecrf.__all__) <= set(dir(treecrf))
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        treecrf.Nothing  # noqa: B018
    assert treecrf.__version__ == version("treecrf")


LOADS_NOT = {
    "treecrf.models.registry": ("numpy", "numba", "treecrf.models.base"),
    "treecrf.rendering.style": ("matplotlib", "numpy", "numba", "treecrf.models.base"),
    "treecrf.studies.framework.settings": ("numba", "treecrf.models.base"),
    "treecrf.cli.fit": ("numba", "treecrf.models.base"),
}
"""Modules that read the registry, each after those above it, and what must not be loaded then."""


def test_reading_the_registry_loads_no_labeller():
    code = "".join(
        f"import sys, {module}; print(*[({module!r}, name) for name in {unwanted!r} if name in sys.modules], end='')\n"
        for module, unwanted in LOADS_NOT.items()
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == ""


BEYOND = {
    "max_leaves": 1, "max_lower_leaves": 1, "crf_max_leaves": 2**15, "n_bins": 1, "number_bins": 255, "n_folds": 1, "degree": 1001,
    "n_layers": 13, "influence_trimming": 1.0, "held_out": 1.0, "training_proportions": (0.2, 1.5), "experts": (),
    "window": (1, -1), "instance_window": (0,),
}  # fmt: skip
"""Values that lie just beyond the right ones, or have parts that do."""

FLAGS = {"scale_gain", "either_polarity", "each_label", "keep_stages", "warm_start", "induction", "early_update", "cross_fit", "step_halving"}  # fmt: skip
AMOUNTS = {"c2", "category_smoothing", "coef0", "crf_l2_regularization", "g0", "l2_regularization", "least_weight", "start_noise", "tolerance", "weight_decay"}  # fmt: skip
RIGHT = {
    "None": {"bag", "base", "random_state", "max_lower_leaves", "settings", "label_dictionary", "beam", "rank", "scale", "form", "held_out", "class_weight", "picture", "anchors"},
    "True": FLAGS,
    "-1": {"g0"},
    "0": FLAGS | AMOUNTS | {"averaging", "dropout", "history", "influence_trimming", "input_dropout", "max_lower_iterations", "most_halvings", "order", "pseudo_likelihood_iterations", "random_state", "sampling_seed", "seed"},
    "1.5": AMOUNTS | {"alpha_upper", "beta_upper", "eta_start", "eta_upper", "largest_step", "scale", "shrinkage", "transition_variance", "variance"},
}  # fmt: skip
"""Settings for which these values are right."""

WRONG = ("", None, ["a"], ("a", "b"), np.array([1.5, 2.5]), np.array(1.5), float("nan"), float("inf"), True, -1, 0, 1.5, object())  # fmt: skip


@pytest.mark.parametrize("class_path", [*CLASS_PATHS.values(), "treecrf.models.custom:CustomLabeller"])
def test_every_setting_refuses_values_of_other_types_and_out_of_range(class_path):
    labeller = partial(load_class(class_path), **({"class_name": "a:B"} if "custom" in class_path else {}))
    for name in labeller().get_params(deep=False):
        for value in (*WRONG, *([BEYOND[name]] if name in BEYOND else [])):
            if name not in RIGHT.get(repr(value), ()):
                with pytest.raises(ValueError, match=rf"^{name}={re.escape(quoted(value))}: (give|choose) .*\.$"):
                    labeller(**{name: value}).fit(TRAIN)


@pytest.mark.parametrize(
    ("labeller", "sentence"),
    [
        (treecrf.TreeCRF(max_leaves=2**15), "max_leaves=32768: give a whole number from 2 to 32,767."),
        (treecrf.WindowLightGBM(max_leaves=10**6), "max_leaves=1000000: give a whole number from 2 to 131,072."),
        (treecrf.LinearCRF(order=2), "order=2: choose 0 or 1."),
        (treecrf.LinearCRF(tolerance=1.5), "tolerance=1.5: give a number from 0 to below 1."),
        (treecrf.KernelCRF(variance=0), "variance=0: give a number above 0; the smaller, the nearer to no weights."),
        (treecrf.NeuralNetwork(random_state=None), "random_state=None: give a whole number of at least 0."),
    ],
)
def test_classes_differ_in_what_they_ask_for(labeller, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        labeller.fit(TRAIN)
