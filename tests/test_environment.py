"""environment.yml and requirements.txt hold the pins of pyproject.toml, and nothing of the machine that made them."""

import re
import tomllib

import pytest
import yaml
from builders import ROOT

CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal"}
"""Names that differ on conda's channels."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = dict(pin.split("==") for pin in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"])
REQUIREMENTS = (ROOT / "requirements.txt").read_text()


def test_environment_has_the_same_pins():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pins = dict(pin.split("=") for pin in environment["dependencies"] if "=" in pin)
    assert pins.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert pins == {CONDA_NAMES.get(name, name): version for name, version in PINS.items()}


def test_requirements_have_the_same_pins():
    locked = dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", REQUIREMENTS, re.MULTILINE))
    different = {name: (version, locked.get(name)) for name, version in PINS.items() if locked.get(name) != version}
    assert not different, "run `make requirements`"


def test_every_requirement_has_a_hash():
    blocks = re.findall(r"^[a-z0-9._-]+==.*?(?=^[a-z0-9]|\Z)", REQUIREMENTS, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= len(PINS)
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize("name", ["requirements.txt", "environment.yml", "Makefile", "config/config.yaml"])
def test_no_address_and_no_path_of_a_machine(name):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|file:|--index-url|--find-links|(?<![\w.])/(home|work|root|opt|Users)/", text)
