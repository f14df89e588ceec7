"""pyproject.toml has ranges, requirements.txt and environment.yml the pins, and none anything of a machine."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from builders import ROOT
from packaging.requirements import Requirement

CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal"}
"""Names that differ on conda's channels."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = (ROOT / "requirements.txt").read_text()
PINS = dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", REQUIREMENTS, re.MULTILINE))


def requirements(*lists):
    found = [Requirement(text) for each in lists for text in each]
    return {one.name: one.specifier for one in found if one.name != PROJECT["name"]}


DIRECT = requirements(PROJECT["dependencies"], *EXTRAS.values())


def test_dependencies_are_ranges_that_hold_the_pins():
    for name, specifier in DIRECT.items():
        assert not any(clause.operator in ("==", "===") for clause in specifier), name
        assert len(specifier), name
        assert PINS[name] in specifier, f"{name}: run `make requirements`"


def test_environment_has_the_same_pins():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pins = dict(pin.split("=") for pin in environment["dependencies"] if "=" in pin)
    (from_pip,) = (part["pip"] for part in environment["dependencies"] if isinstance(part, dict))
    pins |= dict(pin.split("==") for pin in from_pip)
    assert pins.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert pins == {CONDA_NAMES.get(name, name): PINS[name] for name in DIRECT}


def test_the_library_imports_no_extra():
    """Every command, every labeller and the readers load without a package of an extra."""
    barred = [
        "jinja2",
        "statsmodels",
        "jpype",
        "lightgbm",
        "jax",
        "matplotlib",
        "pooch",
        "pycrfsuite",
        "pydantic",
        "pyphen",
        "requests",
        "sklearn",
        "snakemake",
    ]
    script = (
        "import sys; sys.modules.update(dict.fromkeys(sys.argv[1:]))\n"
        "import treecrf, treecrf.cli, treecrf_studies.datasets, treecrf.automl.evaluation, treecrf.automl.fitting\n"
        "from treecrf_studies import datasets; from treecrf import TreeCRF, WindowLightGBM, NeuralNetwork, NeuralCRF; "
        "from treecrf_studies.methods import MalletCRF\ntrain, test = datasets.load('hmm')\n"
        "few = train.select([0, 1])\n"
        "for make in (WindowLightGBM, NeuralNetwork, MalletCRF, NeuralCRF):\n"
        "    try: make().fit(few)\n"
        "    except ImportError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", script, *barred], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "lightgbm, of the extra 'rivals', is not installed; run pip install 'treecrf[rivals]'.",
        "sklearn, of the extra 'rivals', is not installed; run pip install 'treecrf[rivals]'.",
        "jpype, of the extra 'java', is not installed; run pip install 'treecrf[java]'.",
        "jax, of the extra 'neural', is not installed; run pip install 'treecrf[neural]'.",
    ]


@pytest.mark.parametrize(
    "name", ["requirements.txt", "environment.yml", "Makefile", "config/config.yaml", "pyproject.toml"]
)
def test_no_address_and_no_path_of_a_machine(name):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|\bfile:|--index-url|--find-links|(?<![\w.])/(home|work|root|opt|Users)/", text)
