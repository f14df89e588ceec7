"""The catalogue of methods: rows agree with classes, reading them loads nothing, which files define kernels."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from rows import (
    assert_forms_are_read_in_one_place,
    assert_row_agrees_with_its_class,
    assert_wrong_values_are_refused,
)

import treecrf_studies
from treecrf.compiled.cache import kernel_digest, kernel_files
from treecrf.models import registry
from treecrf.models.persistence import load_class
from treecrf_studies import methods
from treecrf_studies.coding.settings import CodingSettings
from treecrf_studies.ensembles.settings import EnsemblesSettings
from treecrf_studies.kernels.settings import KernelsSettings
from treecrf_studies.methods.catalogue import (
    CLASS_PATHS,
    CODING,
    ENSEMBLES,
    KERNELS,
    LABELLERS,
    METHODS,
    MISSING,
    OTHER,
    OWN,
    TRAINING,
    TREATMENTS,
    Drawing,
    drawing_of,
    row_of,
)
from treecrf_studies.missing.settings import MissingSettings
from treecrf_studies.training.settings import TrainingSettings


@pytest.mark.parametrize("name", OWN)
def test_a_row_agrees_with_its_class(name):
    assert_row_agrees_with_its_class(OWN[name])


STUDIES = {
    TrainingSettings: TRAINING,
    MissingSettings: MISSING,
    CodingSettings: CODING,
    KernelsSettings: KERNELS,
    EnsemblesSettings: ENSEMBLES,
}


@pytest.mark.parametrize(("study", "name"), [(study, name) for study, entries in STUDIES.items() for name in entries])
def test_a_study_gives_settings_that_exist(study, name):
    entry, row = STUDIES[study][name], row_of(name)
    settings = load_class(entry.class_path or row.class_path)().get_params()
    assert {*entry.grid, *entry.taken, *entry.fixed, *row.preset} <= set(settings)
    assert entry.settings <= set(study.model_fields)
    assert name in TREATMENTS or entry.name or METHODS[name].drawing is not None


def test_methods_of_training_have_looks_of_their_own():
    looks = [str(METHODS[name].drawing.style) for name in TRAINING]
    assert len(set(looks)) == len(looks)


def test_a_method_that_gives_no_look_has_that_of_others():
    assert drawing_of("degree_2", KERNELS) == Drawing("kernel CRF (degree 2)", *OTHER)
    assert drawing_of("neural_crf", MISSING).color != METHODS["neural_crf"].drawing.color
    assert drawing_of("neural_crf", KERNELS) == METHODS["neural_crf"].drawing


def test_experts_have_the_settings_of_the_training_study():
    fixed = {
        name: {key: value for key, value in row.fixed.items() if key != "missing"} for name, row in TRAINING.items()
    }
    experts = {name: dict(row.as_expert) for name, row in LABELLERS.items() if row.as_expert is not None}
    assert experts == {name: fixed.get(name, {}) for name in experts}


def test_the_library_is_given_every_labeller():
    assert registry.labellers() == {**registry.LABELLERS, **OWN}
    assert set(LABELLERS) == set(registry.labellers())
    assert "kernel_crf" in registry.offered()


def test_the_package_offers_every_class():
    assert methods.__all__ == sorted(CLASS_PATHS)
    assert set(methods.__all__) <= set(dir(methods))
    assert all(getattr(methods, name) is load_class(path) for name, path in CLASS_PATHS.items())
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        methods.Nothing  # noqa: B018


LOADS_NOT = {
    "treecrf_studies.methods.catalogue": ("numpy", "numba", "treecrf.models.base"),
    "treecrf_studies.rendering.style": ("matplotlib", "numpy", "numba", "treecrf.models.base"),
    "treecrf_studies.framework.settings": ("numba", "treecrf.models.base"),
}
"""Modules that read the catalogue, each after those above it, and what must not be loaded then."""


def test_reading_the_catalogue_loads_no_labeller():
    code = "".join(
        f"import sys, {module}; print(*[({module!r}, name) for name in {unwanted!r} if name in sys.modules], end='')\n"
        for module, unwanted in LOADS_NOT.items()
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == ""


@pytest.mark.parametrize("class_path", CLASS_PATHS.values())
def test_every_setting_refuses_values_of_other_types_and_out_of_range(class_path):
    assert_wrong_values_are_refused(class_path)


@pytest.mark.parametrize("class_path", CLASS_PATHS.values())
def test_forms_and_limits_are_read_in_one_place(class_path):
    assert_forms_are_read_in_one_place(class_path)


PACKAGE = Path(treecrf_studies.__file__).parent


def test_the_files_are_those_that_define_kernels_and_what_they_import():
    files = set(kernel_files(PACKAGE))
    defining = {file for file in PACKAGE.rglob("*.py") if re.search(r"^@kernel\(", file.read_text(), re.MULTILINE)}
    assert len(defining) == 3
    assert defining < files
    assert {file.name for file in files - defining} == {"kernel.py"}


def test_the_library_has_a_digest_of_its_own():
    assert kernel_digest("treecrf") == kernel_digest() == kernel_digest("no_package")
    assert kernel_digest("treecrf_studies") != kernel_digest()
