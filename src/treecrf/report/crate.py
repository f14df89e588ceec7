"""A Workflow Run RO-Crate of a run: what was run, on what, with which settings and software, job by job.

Follows RO-Crate 1.1 and the Provenance Run Crate profile 0.5, and with it those of workflow and process runs:
https://w3id.org/ro/wfrun/provenance. Entities are plain mappings, as they stand in the file.
"""

from __future__ import annotations

import json
import mimetypes
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from treecrf.records.jobs import BENCHMARKS, ENVIRONMENTS, MACHINES, read_described, read_records

CRATE = "ro-crate-metadata.json"

WORKFLOW = "workflow/Snakefile"
"""The main workflow, which must be in the crate."""

_ROOT = Path(__file__).resolve().parents[3]

_PROFILES = {
    "process": "https://w3id.org/ro/wfrun/process/0.5",
    "workflow": "https://w3id.org/ro/wfrun/workflow/0.5",
    "provenance": "https://w3id.org/ro/wfrun/provenance/0.5",
    "workflow_crate": "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}
_RAW = "#raw/"
_TERMS = "https://w3id.org/ro/terms/workflow-run#"
_CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    {name: f"{_TERMS}{name}" for name in ("environment", "sha256")},
]
_LICENSE = "https://spdx.org/licenses/BSD-3-Clause"
_TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".tsv": "text/tab-separated-values",
    ".tex": "application/x-tex",
}

Entity = dict[str, Any]


def run_crate(
    results: Path, manifest: Mapping[str, Any], members: Collection[str], address: Callable[[str], str]
) -> Entity:
    """The contents of `CRATE`.

    Parameters
    ----------
    results : Path
        The folder of results, with the records of its jobs (`treecrf.records.jobs`).
    manifest : mapping
        Of the run (`treecrf.report.manifest`).
    members : collection of str
        The files of the archive, by their ways from its root. `WORKFLOW` is one of them.
    address : callable
        The way of a file of the run from the archive's root, of its way from where the run was.
    """
    records = read_records(results)
    sums = {address(f"{results.as_posix()}/{file['path']}"): file for file in manifest["files"]}
    graph = _Graph(members, sums, [file["file"] for file in manifest["raw_files"]])
    graph.add(*_root(manifest, members))
    graph.add(*_software(results))
    parameters = list(_parameters(manifest["settings"]))
    graph.add(*parameters)
    raw = [_raw_file(file) for file in manifest["raw_files"]]
    graph.add(*raw)
    for _, record in records.iterrows():
        graph.add(_action(record, graph, address))
    steps = list(_steps(records))
    graph.add(*steps)
    graph.add(_workflow(manifest, steps, parameters, results))
    graph.add(*_run(records, raw, parameters, members))
    return {"@context": _CONTEXT, "@graph": graph.entities()}


def crate_members(
    results: Path, manifest: Mapping[str, Any], members: Collection[str], base: Path
) -> Iterator[tuple[str, bytes | Path]]:
    """What makes an archive of a run a crate: the workflow, the records of the jobs, and `CRATE`.

    Parameters
    ----------
    results, manifest
        As of `run_crate`.
    members : collection of str
        The other files of the archive.
    base : Path
        The folder on disk that is the archive's root.

    Yields
    ------
    (str, bytes or Path)
        The way of a file from the archive's root, and its contents or the file.
    """

    def address(path: str) -> str:
        return Path(os.path.relpath(Path(path).resolve(), base.resolve())).as_posix()

    records = {address(str(path)): path for path in sorted((results / BENCHMARKS).rglob("*.json"))}
    found = {name: path for name, path in (_workflow_files() | records).items() if name not in members}
    yield from found.items()
    metadata = run_crate(results, manifest, [*members, *found], address)
    yield CRATE, (json.dumps(metadata, indent=1, ensure_ascii=False) + "\n").encode()


def _workflow_files() -> dict[str, Path]:
    """The files of the workflow, by their ways from the folder that holds them."""
    files = [_ROOT / name for name in ("Snakefile", "environment.yml", "requirements.txt", "CITATION.cff")]
    files += [path for path in sorted((_ROOT / "workflow").rglob("*")) if "__pycache__" not in path.parts]
    return {path.relative_to(_ROOT).as_posix(): path for path in files if path.is_file()}


class _Graph:
    """The entities of a crate, and files as entities: those of the archive, and those that it has not."""

    def __init__(self, members: Collection[str], sums: Mapping[str, Mapping[str, Any]], raw: Collection[str]) -> None:
        self._sums, self._raw = sums, raw
        self._found: dict[str, Entity] = {}
        for name in sorted(members):
            self.add({"@id": name, "@type": "File", "encodingFormat": _type(name), **self._about(name)})

    def add(self, *entities: Entity) -> None:
        """Add entities; one with the name of another adds to it."""
        for entity in entities:
            self._found[entity["@id"]] = self._found.get(entity["@id"], {}) | entity

    def file(self, name: str) -> Entity:
        """A reference to a file; one that is not in the archive, such as a raw one, becomes a work that is only named."""
        if name in self._found:
            return {"@id": name}
        if raw := [file for file in self._raw if f"/{name}".endswith(f"/{file}")]:
            return {"@id": f"{_RAW}{raw[0]}"}
        self.add({"@id": f"#file/{name}", "@type": "CreativeWork", **self._about(name)})
        return {"@id": f"#file/{name}"}

    def entities(self) -> list[Entity]:
        """All of them."""
        return list(self._found.values())

    def _about(self, name: str) -> Entity:
        known = self._sums.get(name)
        about = {"name": PurePosixPath(name).name}
        return about | ({"contentSize": str(known["bytes"]), "sha256": known["sha256"]} if known else {})


def _root(manifest: Mapping[str, Any], members: Collection[str]) -> list[Entity]:
    """The metadata file, the crate itself, and the profiles that it follows."""
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"A run of treecrf of {manifest['written'][:10]}",
        "description": f"Results, pages and provenance of a run of the studies of treecrf, code at commit {manifest['commit']}.",
        "datePublished": manifest["written"],
        "license": {"@id": _LICENSE},
        "conformsTo": [{"@id": address} for address in _PROFILES.values()],
        "mainEntity": {"@id": WORKFLOW},
        "hasPart": [{"@id": name} for name in sorted(members)],
    }
    profiles: list[Entity] = [
        {"@id": address, "@type": "CreativeWork", "name": name.replace("_", " "), "version": address.rsplit("/", 1)[1]}
        for name, address in _PROFILES.items()
    ]
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    license_ = {
        "@id": _LICENSE,
        "@type": "CreativeWork",
        "name": "BSD 3-Clause License",
        "description": "The licence of treecrf; raw files have terms of their own and are not in the crate.",
    }
    return [about, root, license_, *profiles]


def _software(results: Path) -> Iterator[Entity]:
    """Packages of every environment, machines, and who wrote the workflow."""
    yield {"@id": "#snakemake_language", "@type": "ComputerLanguage", "name": "Snakemake"}
    yield {"@id": "#developers", "@type": "Organization", "name": "The treecrf developers"}
    yield {"@id": "#treecrf", "@type": "SoftwareApplication", "name": "treecrf"}
    for name, versions in read_described(results, ENVIRONMENTS).items():
        yield {
            "@id": f"#environment/{name}",
            "@type": "PropertyValue",
            "name": "environment",
            "value": json.dumps(versions),
        }
        yield from (_package(*item) for item in versions.items() if item[0] != "commit" and item[1])
    for name, machine in read_described(results, MACHINES).items():
        yield {"@id": f"#machine/{name}", "@type": "PropertyValue", "name": "machine", "value": json.dumps(machine)}


def _package(name: str, version: str) -> Entity:
    return {
        "@id": f"#software/{name}-{version}",
        "@type": "SoftwareApplication",
        "name": name,
        "softwareVersion": version,
    }


def _parameters(settings: Mapping[str, Any]) -> Iterator[Entity]:
    """Each setting as a parameter of the workflow and its value; of those of studies each by itself."""
    for name, value in settings.items():
        inner = {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, Mapping) else {name: value}
        for full, part in inner.items():
            formal, actual = f"#parameter/{full}", f"#setting/{full}"
            yield {
                "@id": formal,
                "@type": "FormalParameter",
                "additionalType": "PropertyValue",
                "name": full,
                "workExample": {"@id": actual},
            }
            yield {
                "@id": actual,
                "@type": "PropertyValue",
                "name": full,
                "value": json.dumps(part),
                "exampleOfWork": {"@id": formal},
            }


def _raw_file(file: Mapping[str, str]) -> Entity:
    """A raw file, which the crate has not."""
    return {
        "@id": f"{_RAW}{file['file']}",
        "@type": "CreativeWork",
        "name": file["file"],
        "description": f"Raw file of the data set {file['data set']}.",
        "sha256": file["SHA-256"],
    }


def _action(record: pd.Series, graph: _Graph, address: Callable[[str], str]) -> Entity:
    """A job."""
    return {
        "@id": f"#job/{record['name']}",
        "@type": "CreateAction",
        "name": f"{record['rule']} {' '.join(record['wildcards'].values())}".strip(),
        "instrument": {"@id": f"#tool/{record['rule']}"},
        "agent": {"@id": "#treecrf"},
        "startTime": record["began"],
        "endTime": record["ended"],
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        "environment": [{"@id": f"#environment/{record['environment']}"}, {"@id": f"#machine/{record['machine']}"}],
        "object": [graph.file(address(path)) for path in record["inputs"]],
        "result": [graph.file(address(path)) for path in record["outputs"]],
    }


def _steps(records: pd.DataFrame) -> Iterator[Entity]:
    """Each rule as a tool and as a step, and the jobs that were its execution."""
    by_rule = records.sort_values("began").groupby("rule", sort=False)["name"]
    for position, (rule, names) in enumerate(by_rule):
        tool, step = {"@id": f"#tool/{rule}"}, {"@id": f"#step/{rule}"}
        yield tool | {"@type": "SoftwareSourceCode", "name": f"the rule {rule}"}
        yield step | {"@type": "HowToStep", "position": str(position), "name": rule, "workExample": tool}
        yield {
            "@id": f"#control/{rule}",
            "@type": "ControlAction",
            "name": f"orchestration of {rule}",
            "instrument": step,
            "object": [{"@id": f"#job/{name}"} for name in names],
        }


def _workflow(manifest: Mapping[str, Any], steps: list[Entity], parameters: list[Entity], results: Path) -> Entity:
    def of_type(entities: list[Entity], kind: str) -> list[Entity]:
        return [{"@id": entity["@id"]} for entity in entities if entity["@type"] == kind]

    environments = read_described(results, ENVIRONMENTS).values()
    packages = {
        f"#software/{name}-{version}"
        for found in environments
        for name, version in found.items()
        if version and name != "commit"
    }
    return {
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
        "name": "treecrf",
        "version": manifest["versions"]["treecrf"],
        "programmingLanguage": {"@id": "#snakemake_language"},
        "creator": {"@id": "#developers"},
        "license": {"@id": _LICENSE},
        "hasPart": of_type(steps, "SoftwareSourceCode"),
        "step": of_type(steps, "HowToStep"),
        "input": of_type(parameters, "FormalParameter"),
        "softwareRequirements": [{"@id": name} for name in sorted(packages)],
    }


def _run(
    records: pd.DataFrame, raw: list[Entity], parameters: list[Entity], members: Collection[str]
) -> Iterator[Entity]:
    """The whole run as one action, Snakemake's organization of it, and the root's mention of both."""
    values = [entity for entity in parameters if entity["@type"] == "PropertyValue"]
    began, ended = records["began"].min(), records["ended"].max()
    yield {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "the run",
        "instrument": {"@id": WORKFLOW},
        "agent": {"@id": "#treecrf"},
        "startTime": began,
        "endTime": ended,
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
        "object": [{"@id": entity["@id"]} for entity in (*raw, *values)],
        "result": [{"@id": name} for name in sorted(members)],
    }
    yield {"@id": "#snakemake", "@type": "SoftwareApplication", "name": "Snakemake"}
    yield {
        "@id": "#organization",
        "@type": "OrganizeAction",
        "name": "the run of Snakemake",
        "instrument": {"@id": "#snakemake"},
        "startTime": began,
        "endTime": ended,
        "object": [{"@id": f"#control/{rule}"} for rule in records["rule"].unique()],
        "result": {"@id": "#run"},
    }
    jobs = [{"@id": f"#job/{name}"} for name in records["name"]]
    yield {"@id": "./", "mentions": [{"@id": "#run"}, {"@id": "#organization"}, *jobs]}


def _type(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    return _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "text/plain"
