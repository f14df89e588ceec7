"""The registries of labellers and treatments: what rows say agrees with the classes, and reading them loads nothing."""

import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from builders import number_set
from rows import assert_row_agrees_with_its_class, assert_wrong_values_are_refused

import treecrf
from treecrf.models.boosted.params import MISSING_METHODS
from treecrf.models.persistence import load_class
from treecrf.models.registry import CLASS_PATHS, IN_TREES, LABELLERS

TRAIN = number_set(0, 3, 1)


@pytest.mark.parametrize("name", LABELLERS)
def test_a_row_agrees_with_its_class(name):
    assert_row_agrees_with_its_class(LABELLERS[name])
    assert getattr(treecrf, LABELLERS[name].class_name) is load_class(LABELLERS[name].class_path)


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


@pytest.mark.parametrize("class_path", [*CLASS_PATHS.values(), "treecrf.models.custom:CustomLabeller"])
def test_every_setting_refuses_values_of_other_types_and_out_of_range(class_path):
    assert_wrong_values_are_refused(class_path)


@pytest.mark.parametrize(
    ("labeller", "sentence"),
    [
        (treecrf.TreeCRF(max_leaves=2**15), "max_leaves=32768: give a whole number from 2 to 32,767."),
        (treecrf.WindowLightGBM(max_leaves=10**6), "max_leaves=1000000: give a whole number from 2 to 131,072."),
        (treecrf.LinearCRF(order=2), "order=2: choose 0 or 1."),
        (treecrf.LinearCRF(tolerance=1.5), "tolerance=1.5: give a number from 0 to below 1."),
        (treecrf.NeuralNetwork(random_state=None), "random_state=None: give a whole number of at least 0."),
    ],
)
def test_classes_differ_in_what_they_ask_for(labeller, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        labeller.fit(TRAIN)
