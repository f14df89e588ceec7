"""Files that services read: packaging, citation, continuous integration, documentation, issue templates, changelog."""

import datetime
import re
import tomllib

import pytest
import yaml
from builders import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATES = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
DIGEST = "[0-9a-f]{40}"
"""A tag of an action may be moved to other code."""

PYTHON = PROJECT["requires-python"].removeprefix(">=")


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_pyproject_agrees_with_citation():
    """The address of the repository is written in CITATION.cff; there are no addresses without it."""
    for key in ("keywords", "authors", "version", "license"):
        assert PROJECT[key] == CITATION[key], key
    addresses = {
        name: CITATION[key] for name, key in (("Repository", "repository-code"), ("Homepage", "url")) if key in CITATION
    }
    assert PROJECT.get("urls", {}).items() >= addresses.items()
    assert bool(PROJECT.get("urls")) == bool(addresses)
    assert f"Programming Language :: Python :: {PYTHON}" in PROJECT["classifiers"]


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


def test_workflows_run_what_the_local_check_runs():
    local = re.findall(r"^make ([a-z-]+)$", (ROOT / ".ci/run").read_text(encoding="utf-8"), flags=re.MULTILINE)
    there = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert local
    assert [target for target in [*local, "docs"] if f"run: make {target}\n" not in there] == []


def test_tools_that_build_the_package_have_hashes():
    (recipe,) = re.findall(r"^package:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert "uv tool run" not in recipe
    assert recipe.count("--require-hashes") == 2
    pinned = re.split(r"\n(?=\S)", (ROOT / ".github/package.txt").read_text(encoding="utf-8"))
    assert {"check-wheel-contents", "setuptools", "twine"} <= {each.split("==")[0] for each in pinned}
    assert all("--hash=sha256:" in each for each in pinned)


def test_read_the_docs_builds_what_make_docs_builds():
    settings = load(ROOT / ".readthedocs.yaml")
    assert settings["version"] == 2
    assert settings["build"]["tools"]["python"] == PYTHON
    assert (ROOT / settings["sphinx"]["configuration"]).is_file()
    assert settings["sphinx"]["fail_on_warning"] is (
        "sphinx-build -W" in (ROOT / "Makefile").read_text(encoding="utf-8")
    )
    requirements, package = settings["python"]["install"]
    assert (ROOT / requirements["requirements"]).is_file()
    assert package == {"method": "pip", "path": "."}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_issue_templates_ask_for_something(path):
    template = load(path)
    assert {"name", "description", "labels", "body"} == set(template)
    fields = [field for field in template["body"] if field["type"] in ("input", "textarea", "dropdown")]
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_changelog_is_kept_in_its_form():
    """https://keepachangelog.com: releases, the latest first, each with groups of entries."""
    titles = re.findall(r"^## (.*)$", CHANGELOG, flags=re.MULTILINE)
    assert titles[0] == "[Unreleased]"
    releases = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", title) for title in titles[1:]]
    dates = [datetime.date.fromisoformat(release[2]) for release in releases]
    assert dates == sorted(dates, reverse=True)
    groups = re.findall(r"^### (.*)$", CHANGELOG, flags=re.MULTILINE)
    assert set(groups) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for section in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        names = re.findall(r"^### (.*)$", section, flags=re.MULTILINE)
        assert len(names) == len(set(names))
        for group in re.split(r"^### .*$", section, flags=re.MULTILINE)[1:]:
            assert re.match(r"\n\n- \S", group)


def test_version_is_unreleased_or_in_the_changelog():
    released = re.findall(r"^## \[(\d[\d.]*)\]", CHANGELOG, flags=re.MULTILINE)
    assert PROJECT["version"] in released or f"{PROJECT['version']} in\n`pyproject.toml`" in CHANGELOG
