"""Citation of treecrf in the forms that tools read, from CITATION.cff and pyproject.toml.

``python -m treecrf.report.citation`` writes `CODEMETA` and `ZENODO` beside them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from treecrf.io.files import write_json

CODEMETA, ZENODO = "codemeta.json", ".zenodo.json"

_KINDS = {"conference-paper": "ScholarlyArticle", "article": "ScholarlyArticle", "thesis": "Thesis"}
"""Types of schema.org by those of CITATION.cff."""


def citation_files(folder: Path) -> dict[str, dict[str, Any]]:
    """The contents of `CODEMETA` and `ZENODO` by name.

    Parameters
    ----------
    folder : Path
        Has pyproject.toml and CITATION.cff.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    return {CODEMETA: codemeta(project, citation), ZENODO: zenodo(project, citation)}


def codemeta(project: Mapping[str, Any], citation: Mapping[str, Any]) -> dict[str, Any]:
    """CodeMeta 3.0.

    Parameters
    ----------
    project : mapping
        The table ``project`` of pyproject.toml.
    citation : mapping
        CITATION.cff.
    """
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "license": f"https://spdx.org/licenses/{project['license']}",
        "author": [{"type": "Organization", "name": author["name"]} for author in project["authors"]],
        "keywords": citation["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [_publication(reference) for reference in citation["references"]],
    }


def zenodo(project: Mapping[str, Any], citation: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a deposit at Zenodo; parameters as of `codemeta`."""
    return {
        "title": f"{project['name']} {project['version']}",
        "upload_type": "software",
        "description": project["description"],
        "version": project["version"],
        "license": project["license"],
        "creators": [{"name": author["name"]} for author in project["authors"]],
        "keywords": citation["keywords"],
        "references": [reference_text(reference) for reference in citation["references"]],
    }


def reference_text(reference: Mapping[str, Any]) -> str:
    """A reference of CITATION.cff as a line of a bibliography."""
    authors = ", ".join(f"{author['family-names']}, {author['given-names']}" for author in reference["authors"])
    where = [
        reference.get("collection-title"),
        reference.get("thesis-type"),
        reference.get("institution", {}).get("name"),
    ]
    pages = [f"pages {reference['start']}-{reference['end']}"] if "start" in reference else []
    place = ", ".join([part for part in where if part] + pages)
    return f"{authors} ({reference['year']}). {reference['title']}.{f' {place}.' if place else ''}"


def _publication(reference: Mapping[str, Any]) -> dict[str, Any]:
    authors = [
        {"type": "Person", "familyName": author["family-names"], "givenName": author["given-names"]}
        for author in reference["authors"]
    ]
    found = {
        "type": _KINDS[reference["type"]],
        "name": reference["title"],
        "author": authors,
        "datePublished": str(reference["year"]),
    }
    if "collection-title" in reference:
        found["isPartOf"] = {"type": "PublicationVolume", "name": reference["collection-title"]}
    if "start" in reference:
        found |= {"pageStart": str(reference["start"]), "pageEnd": str(reference["end"])}
    if "institution" in reference:
        found["sourceOrganization"] = {"type": "Organization", "name": reference["institution"]["name"]}
    return found


if __name__ == "__main__":
    for name, content in citation_files(Path()).items():
        write_json(content, name)
