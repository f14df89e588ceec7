"""CITATION.cff, codemeta.json and .zenodo.json."""

import json
import tomllib

import pytest
import yaml
from builders import ROOT
from isolated import isolated

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_citation_says_what_pyproject_says():
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["title"] == PROJECT["name"]
    assert CITATION["abstract"] == PROJECT["description"]
    assert CITATION["authors"] == PROJECT["authors"]


def test_citation_has_the_keys_that_its_form_needs():
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)
    for reference in CITATION["references"]:
        assert {"type", "title", "authors", "year"} <= set(reference)


@pytest.mark.parametrize(("name", "creators"), [("codemeta.json", "author"), (".zenodo.json", "creators")])
def test_metadata_for_archives_say_what_the_citation_says(name, creators):
    told = json.loads((ROOT / name).read_text(encoding="utf-8"))
    assert told["version"] == CITATION["version"]
    assert told["description"] == CITATION["abstract"]
    assert told["license"].endswith(CITATION["license"])
    assert told["keywords"] == CITATION["keywords"]
    assert [each["name"] for each in told[creators]] == [each["name"] for each in CITATION["authors"]]
    references = json.dumps(told, ensure_ascii=False)
    assert all(reference["title"] in references for reference in CITATION["references"])


@pytest.mark.slow
def test_citation_is_valid():
    found = isolated(["cffconvert==2.0.0"], "cffconvert", "--validate", "--infile", str(ROOT / "CITATION.cff"))
    assert found.returncode == 0, found.stderr
