"""The RO-Crate of a run: every job with what it read and wrote, every setting, file and version."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from treecrf_studies.records.environment import ABSENT
from treecrf_studies.records.jobs import BENCHMARKS, ENVIRONMENTS, MACHINES, read_described, read_records

CRATE = "ro-crate-metadata.json"

WORKFLOW = "workflow/Snakefile"
"""The main workflow, which must be in the crate."""

_ROOT = Path(__file__).resolve().parents[3]

_PROFILES = {
    "process run": "https://w3id.org/ro/wfrun/process/0.5",
    "workflow run": "https://w3id.org/ro/wfrun/workflow/0.5",
    "provenance run": "https://w3id.org/ro/wfrun/provenance/0.5",
    "workflow crate": "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
}
_TERMS = {name: f"https://w3id.org/ro/terms/workflow-run#{name}" for name in ("environment", "sha256")}
_WORKFLOW_TYPES = ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
_LICENSE = "https://spdx.org/licenses/BSD-3-Clause"
_COMPLETED = {"@id": "http://schema.org/CompletedActionStatus"}
_TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".tsv": "text/tab-separated-values",
}


def crate_members(
    results: Path, manifest: Mapping[str, Any], members: Collection[str], address: Callable[[str], str]
) -> Iterator[tuple[str, bytes | Path]]:
    """What makes an archive of a run a crate: the workflow, the records of the jobs, and `CRATE`.

    `members` are the other files of the archive, by their paths from its root; `address` gives the path of a file of
    the run from there. Yields the path of a file from the root, and its contents or the file.
    """
    records = {address(str(path)): path for path in sorted((results / BENCHMARKS).rglob("*.json"))}
    more = {name: path for name, path in (_workflow_files() | records).items() if name not in members}
    yield from more.items()
    metadata = RunCrate(results, manifest, [*members, *more], address).contents()
    yield CRATE, (json.dumps(metadata, indent=1, ensure_ascii=False) + "\n").encode()


def _workflow_files() -> dict[str, Path]:
    """The files of the workflow, by their paths from the folder that holds them."""
    files = [_ROOT / name for name in ("Snakefile", "environment.yml", "requirements.txt", "CITATION.cff")]
    files += [path for path in sorted((_ROOT / "workflow").rglob("*")) if "__pycache__" not in path.parts]
    return {path.relative_to(_ROOT).as_posix(): path for path in files if path.is_file()}


class RunCrate:
    """The metadata of a crate while entities are added to it.

    Parameters
    ----------
    results : Path
        With the records of the jobs.
    manifest : mapping
        Of the run (`treecrf_studies.report.archive`).
    members : collection of str
        The files of the archive by their paths from its root, `WORKFLOW` among them.
    address : function
        It gives the path of a file of the run from that root.
    """

    def __init__(
        self, results: Path, manifest: Mapping[str, Any], members: Collection[str], address: Callable[[str], str]
    ) -> None:
        self._results, self._manifest, self._address = results, manifest, address
        self._listed = {address(f"{results.as_posix()}/{file['path']}"): file for file in manifest["files"]}
        self._crate = ROCrate(version="1.1")
        self._crate.metadata.extra_terms.update(_TERMS)
        self._agent = self._add("#treecrf", "SoftwareApplication", name="treecrf")
        self._workflow = self._crate.add_workflow(
            dest_path=WORKFLOW, main=True, lang="snakemake", properties={"@type": _WORKFLOW_TYPES, "name": "treecrf"}
        )
        self._files = {WORKFLOW: self._workflow}
        for name in sorted(members):
            if name != WORKFLOW:
                about = {"encodingFormat": _type(name), **self._about(name)}
                self._files[name] = self._crate.add_file(dest_path=name, properties=about)
        self._raw = {file["file"]: self._add_raw(file) for file in manifest["raw_files"]}

    def contents(self) -> dict[str, Any]:
        """The contents of `CRATE`."""
        records = read_records(self._results)
        self._describe_root()
        settings = self._add_settings()
        for kind in (ENVIRONMENTS, MACHINES):
            for name, content in read_described(self._results, kind).items():
                self._add(f"#{kind}/{name}", "PropertyValue", name=kind.removesuffix("s"), value=json.dumps(content))
        by_rule = records.sort_values("began", kind="stable").groupby("rule", sort=False)
        controls = [self._add_rule(str(rule), place, of_rule) for place, (rule, of_rule) in enumerate(by_rule)]
        self._add_run(records, settings, controls)
        return dict(self._crate.metadata.generate())

    def _add(self, identifier: str, kind: str, **properties: Any) -> Entity:
        return self._crate.add(ContextEntity(self._crate, identifier, {"@type": kind, **properties}))

    def _describe_root(self) -> None:
        written = self._manifest["written"]
        self._crate.name = f"A run of treecrf of {written[:10]}"
        self._crate.description = (
            f"Results, pages and provenance of a run of treecrf at commit {self._manifest['commit']}."
        )
        self._crate.datePublished = written
        self._crate.license = self._workflow["license"] = self._add(
            _LICENSE,
            "CreativeWork",
            name="BSD 3-Clause License",
            description="The licence of treecrf; raw files have terms of their own and are not in the crate.",
        )
        versions = self._manifest["versions"]
        self._workflow["version"] = versions["treecrf"]
        self._workflow["creator"] = self._add("#developers", "Organization", name="The treecrf developers")
        self._workflow["softwareRequirements"] = [
            self._add(f"#software/{name}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in versions.items()
            if version != ABSENT
        ]
        self._crate.root_dataset["conformsTo"] = [
            self._add(address, "CreativeWork", name=name, version=address.rsplit("/", 1)[1])
            for name, address in _PROFILES.items()
        ]

    def _add_settings(self) -> list[Entity]:
        """Each setting as a parameter of the workflow, and its value; of those of studies each by itself."""
        values = []
        for name, value in self._manifest["settings"].items():
            for key, part in value.items() if isinstance(value, Mapping) else [("", value)]:
                full = f"{name}.{key}".rstrip(".")
                setting = self._add(f"#setting/{full}", "PropertyValue", name=full, value=json.dumps(part))
                parameter = self._crate.add_formal_parameter(full, "PropertyValue", f"#parameter/{full}")
                parameter["workExample"], setting["exampleOfWork"] = setting, parameter
                self._workflow.append_to("input", parameter)
                values.append(setting)
        return values

    def _add_rule(self, rule: str, position: int, records: pd.DataFrame) -> Entity:
        """A rule as a tool and as a step, and the jobs that ran it."""
        tool = self._add(f"#tool/{rule}", "SoftwareSourceCode", name=f"the rule {rule}")
        step = self._add(f"#step/{rule}", "HowToStep", position=str(position), name=rule, workExample=tool)
        self._workflow.append_to("hasPart", tool)
        self._workflow.append_to("step", step)
        jobs = [
            self._add_action(
                f"#job/{record['name']}",
                f"{rule} {' '.join(record['wildcards'].values())}".strip(),
                tool,
                [self._file(path) for path in record["inputs"]],
                [self._file(path) for path in record["outputs"]],
                startTime=record["began"],
                endTime=record["ended"],
                environment=[{"@id": f"#{kind}s/{record[kind]}"} for kind in ("environment", "machine")],
            )
            for _, record in records.iterrows()
        ]
        name = f"orchestration of {rule}"
        return self._add(f"#control/{rule}", "ControlAction", name=name, instrument=step, object=jobs)

    def _add_run(self, records: pd.DataFrame, settings: list[Entity], controls: list[Entity]) -> None:
        """The whole run as one action, and Snakemake's organization of it."""
        began, ended = records["began"].min(), records["ended"].max()
        used, made = [*self._raw.values(), *settings], list(self._files.values())
        run = self._add_action("#run", "the run", self._workflow, used, made, startTime=began, endTime=ended)
        organization = self._add(
            "#organization",
            "OrganizeAction",
            name="the run of Snakemake",
            startTime=began,
            endTime=ended,
            instrument=self._add("#snakemake", "SoftwareApplication", name="Snakemake"),
            object=controls,
            result=run,
        )
        self._crate.root_dataset.append_to("mentions", organization)

    def _add_action(
        self, identifier: str, name: str, tool: Entity, used: list[Entity], made: list[Entity], **properties: Any
    ) -> Entity:
        """A finished action; the crate mentions it."""
        properties |= {"name": name, "agent": self._agent, "actionStatus": _COMPLETED}
        action = self._crate.add_action(tool, identifier, used, made, properties)
        self._crate.root_dataset.append_to("mentions", action)
        return action

    def _file(self, path: str) -> Entity:
        """A file of the run; one that is not in the archive, such as a raw one, is a work that is only named."""
        name = self._address(path)
        known = self._files.get(name) or next(
            (entity for file, entity in self._raw.items() if f"/{name}".endswith(f"/{file}")), None
        )
        return known or self._add(f"#file/{name}", "CreativeWork", **self._about(name))

    def _about(self, name: str) -> dict[str, str]:
        known = self._listed.get(name)
        about = {"name": PurePosixPath(name).name}
        return about | ({"contentSize": str(known["bytes"]), "sha256": known["sha256"]} if known else {})

    def _add_raw(self, file: Mapping[str, str]) -> Entity:
        """A raw file, which the crate has not."""
        return self._add(
            f"#raw/{file['file']}",
            "CreativeWork",
            name=file["file"],
            sha256=file["SHA-256"],
            description=f"Raw file of the data set {file['data set']}.",
        )


def _type(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    return _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "text/plain"
