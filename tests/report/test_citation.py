"""CITATION.cff, and the files that are made of it and pyproject.toml."""

import json
import tomllib

import pytest
import yaml
from builders import ROOT
from isolated import isolated

from treecrf.report.citation import citation_files, reference_text

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


@pytest.mark.parametrize("name", ["codemeta.json", ".zenodo.json"])
def test_files_made_of_it_are_up_to_date(name):
    written = json.loads((ROOT / name).read_text(encoding="utf-8"))
    assert written == citation_files(ROOT)[name], "run `python -m treecrf.report.citation`"


def test_a_reference_is_a_line():
    reference = {
        "title": "On trees", "year": 1999, "authors": [{"family-names": "Doe", "given-names": "J."}] * 2,
        "collection-title": "Woods", "start": 3, "end": 5,
    }  # fmt: skip
    assert reference_text(reference) == "Doe, J., Doe, J. (1999). On trees. Woods, pages 3-5."
    thesis = {"thesis-type": "M.S. thesis", "institution": {"name": "Here"}}
    bare = {name: reference[name] for name in ("title", "year", "authors")}
    assert reference_text(bare | thesis) == "Doe, J., Doe, J. (1999). On trees. M.S. thesis, Here."


@pytest.mark.slow
def test_citation_is_valid():
    found = isolated(["cffconvert==2.0.0"], "cffconvert", "--validate", "--infile", str(ROOT / "CITATION.cff"))
    assert found.returncode == 0, found.stderr
