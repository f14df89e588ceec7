"""Files that services read: packaging, citation, continuous integration, documentation, issue templates, changelog."""

import re
import tomllib

import pytest
import yaml
from builders import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
DIGEST = "[0-9a-f]{40}"
"""A tag of an action may be moved to other code."""

PYTHON = PROJECT["requires-python"].removeprefix(">=")


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_targets_of_make(path):
    workflow = load(path)
    assert {"name", True, "jobs"} <= set(workflow)  # YAML reads the key `on` as True
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        program, target, *_ = command.split()
        assert program != "make" or target in TARGETS, command
    for job in workflow["jobs"].values():
        assert job.get("needs", "build") in workflow["jobs"] or "needs" not in job
        for step in job["steps"]:
            assert re.fullmatch(rf"[\w-]+/[\w-]+@{DIGEST}", step.get("uses", f"a/b@{'0' * 40}")), step
            assert step.get("with", {}).get("python-version", PYTHON) == PYTHON
