"""A run to keep, to publish and to compare years later: its manifest, which lists every file of its results, and its
archive, one file with results, pages, claims and manifest, which is an RO-Crate.
"""

from __future__ import annotations

import datetime
import json
import mimetypes
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pandas as pd
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from treecrf.estimators.checks import TEXT, Check, check_parts, mapping, named, one_of, optional, several, whole
from treecrf.io.files import atomic, read_json, sha256, write_json
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.records.jobs import BENCHMARKS, ENVIRONMENTS, MACHINES, read_described, read_records
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.report import provenance
from treecrf_studies.report.ledger import FILES

MANIFEST = "manifest.json"
"""In the folder of results."""

FORMAT = "treecrf.run/1"

SHARED = ""
"""The study of a file that is that of no study alone."""

FILE_KINDS = ("frame", "table", "figure", "data", "description", "claims", "benchmark")
"""Of files."""

_LATER = ("write_explorer", "write_manifest", "archive", "compare", "page")
"""Jobs that may end after the manifest is written; what they cost is not listed."""


class RunFile(NamedTuple):
    """A file of a run: its path below the folder of results, with slashes, and its kind, one of `FILE_KINDS`.

    The study is empty if it is that of no study alone, the data set if it is about all of them.
    """

    path: str
    study: str
    dataset: str
    kind: str


def run_files(settings: Settings) -> list[RunFile]:
    """The files of a run that are there, and no others that an earlier run with other settings may have left; sorted by
    path.
    """
    results = Path(settings.results)
    return sorted({file for file in _wanted(settings) if (results / file.path).is_file()})


def make_manifest(settings: Settings, code: Mapping[str, str], now: datetime.datetime) -> dict[str, Any]:
    """What `MANIFEST` holds: format, written (UTC), commit, machine, versions, seeds, settings, checksums of raw files,
    code and files.

    `code` has the digest of the code of each study, and of "claims"; `now` has a time zone. Of each file: path below
    the folder of results, study, dataset, kind, bytes and sha256.
    """
    results = Path(settings.results)
    return {
        "format": FORMAT,
        "written": now.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        **provenance.origin(settings, registry()),
        "code": dict(code),
        "files": [
            file._asdict() | {"bytes": (results / file.path).stat().st_size, "sha256": sha256(results / file.path)}
            for file in run_files(settings)
        ],
    }


def write_manifest(settings: Settings, code: Mapping[str, str], now: datetime.datetime) -> None:
    """Write `make_manifest` to the folder of results."""
    write_json(make_manifest(settings, code, now), Path(settings.results) / MANIFEST)


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest; a ValueError, one sentence, if it is none, or one that this version does not know."""
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path} has more than {MOST_BYTES:,} bytes and is no manifest of a run; take another run.")
    manifest = read_json(path)
    written = manifest.get("format") if isinstance(manifest, dict) else None
    if written is None:
        raise ValueError(f"{path} is no manifest of a run; restore it, or delete it and run again.")
    if written != FORMAT:
        raise ValueError(
            f"{path} has the format {written!r}, and this version of treecrf knows {FORMAT!r}; take a newer one."
        )
    try:
        check_parts(str(path), manifest, _NEEDED, _OTHERS)
        for number, file in enumerate(manifest["files"]):
            check_parts(f"file {number} of {path}", file, _FILE)
    except ValueError as error:
        raise ValueError(f"{error}; restore it, or run again.") from None
    return dict(manifest)


def _is_inside(path: Any) -> bool:
    """Whether a text is a path of names alone, and so of a file below the folder that it is relative to."""
    return (
        isinstance(path, str)
        and not re.search(r"[\\:\x00-\x1f]", path)
        and all(name not in ("", ".", "..") for name in path.split("/"))
    )


def _is_flat(value: Any, depth: int = 12) -> bool:
    """Whether JSON values are nested in no more levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_flat(each, depth - 1) for each in inner)


def _matches(pattern: str, need: str) -> Check:
    return Check(lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None, f"give {need}")


MOST_BYTES, MOST_FILES = 100_000_000, 200_000
"""Of a manifest."""

_FILE = {
    "path": Check(_is_inside, "give a path below the folder of results"),
    "study": TEXT,
    "dataset": TEXT,
    "kind": one_of(*FILE_KINDS),
    "bytes": whole(0),
    "sha256": _matches("[0-9a-f]{64}", "64 hexadecimal digits"),
}
_RAW_FILE = dict.fromkeys(("data set", "file", "SHA-256"), TEXT)
_NEEDED = {
    "format": TEXT,
    "written": _matches(r"\d{4}-\d\d-\d\dT[0-9:.+-]{1,30}", "a time"),
    "versions": named(TEXT),
    "commit": optional(_matches(r"[0-9a-f]{1,64}(-dirty)?", "a commit of Git")),
    "settings": Check(lambda value: isinstance(value, dict) and _is_flat(value), "give names and values"),
    "raw_files": several("raw files", mapping(_RAW_FILE)),
    "files": Check(
        lambda value: isinstance(value, list) and len(value) <= MOST_FILES, f"give a list of up to {MOST_FILES:,} files"
    ),
}
_OTHERS = {"machine": TEXT, "seeds": named(TEXT), "code": named(TEXT)}


def listed_files(
    results: Path, manifest: Mapping[str, Any], kinds: Collection[str], suffix: str = ""
) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """Files of some of `FILE_KINDS` that a manifest lists, with their entries; a ValueError if one is not what was
    listed.

    Paths are below the folder of results; their names end in `suffix`.
    """
    for file in manifest["files"]:
        path = results / file["path"]
        if not path.resolve().is_relative_to(results.resolve()):
            raise ValueError(f"{path} leads outside of {results}; put the file itself there.")
        if file["kind"] not in kinds or not path.name.endswith(suffix):
            continue
        if not path.is_file() or sha256(path) != file["sha256"]:
            raise ValueError(f"{path} is not the file that {MANIFEST} lists; run again, which writes both.")
        yield file, path


def _wanted(settings: Settings) -> Iterator[RunFile]:
    """Every file that a run with these settings may have."""
    yield from (RunFile(name, SHARED, "", "claims") for name in FILES)
    names, results = {study.name for study in registry()}, Path(settings.results)
    for study in registry():
        for kind, paths in StudyFiles(study, settings).by_kind().items():
            for path in (Path(path).relative_to(results) for path in paths):
                folder, *within = path.parts[:-1]
                dataset = "".join(within[1:] if kind == "table" else within)
                yield RunFile(path.as_posix(), folder if folder in names else SHARED, dataset, kind)
    for path in filter(Path.is_file, (results / BENCHMARKS).rglob("*")):
        if path.stem not in _LATER:
            study_or_job = path.relative_to(results / BENCHMARKS).parts[0]
            of = study_or_job if study_or_job in names else SHARED
            yield RunFile(path.relative_to(results).as_posix(), of, "", "benchmark")


# --- archive --------------------------------------------------------------------------------------

LEFT_OUT = ("data",)
"""Kinds of files of the manifest that an archive has not: training and test sets are made from the raw files, whose
terms may not let others pass them on.
"""

PAGES = (
    "*.html",
    "*.md",
    "*.js",
    "claims/*.html",
    *(f"{name}/**/*" for name in ("markdown", "_static", "_images", "_downloads")),
)
"""The site of a run in its folder of reports, which may also hold a comparison, or the reports of another run."""

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the same run gives the same bytes."""


def write_archive(settings: Settings) -> Path:
    """Write the archive of a finished run, named by date and commit, into the folder of archives; returns its path.

    Raises
    ------
    ValueError
        If there is no manifest, or a file is not the one that it lists.
    """
    results = Path(settings.results)
    if not (results / MANIFEST).is_file():
        raise ValueError(f"{results / MANIFEST} is not there; run `make results`, which writes it last.")
    manifest = read_manifest(results / MANIFEST)
    base = root(settings)
    members: dict[str, bytes | Path] = {address(base, path): path for path in _files(settings, manifest)}
    members |= dict(crate_members(results, manifest, members.keys(), base))
    path = Path(settings.archives) / f"{archive_name(manifest)}.zip"
    with atomic(path) as temporary, ZipFile(temporary, "w") as archive:
        for name in sorted(members):
            member = ZipInfo(name, OLDEST)
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            content = members[name]
            archive.writestr(member, content if isinstance(content, bytes) else content.read_bytes(), compresslevel=6)
    return path


def archive_name(manifest: dict[str, Any]) -> str:
    """The name of the archive of a run, without a suffix: date and commit."""
    commit, _, is_dirty = (manifest["commit"] or "").partition("-")
    return "-".join(filter(None, ("treecrf", manifest["written"][:10], commit[:10], is_dirty)))


def address(base: Path, path: str | os.PathLike[str]) -> str:
    """The name of a file of the run in the archive whose root is the folder `base` on disk: links between pages and
    results work.
    """
    return Path(os.path.relpath(Path(path).resolve(), base.resolve())).as_posix()


def root(settings: Settings) -> Path:
    """The folder on disk that is the root of the archive."""
    folders = [Path(folder).resolve().parent for folder in (settings.results, settings.reports)]
    return Path(os.path.commonpath(folders))


def _files(settings: Settings, manifest: dict[str, Any]) -> Iterator[Path]:
    """Manifest, results and pages; a ValueError if a file is not the one that the manifest lists."""
    results = Path(settings.results)
    yield results / MANIFEST
    kinds = [kind for kind in FILE_KINDS if kind not in LEFT_OUT]
    yield from (path for _, path in listed_files(results, manifest, kinds))
    yield from (path for pattern in PAGES for path in Path(settings.reports).glob(pattern) if path.is_file())


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


def run_crate(
    results: Path, manifest: Mapping[str, Any], members: Collection[str], address: Callable[[str], str]
) -> dict[str, Any]:
    """The contents of `CRATE`, of a run with the records of its jobs (`treecrf_studies.records.jobs`).

    `members` are the files of the archive, by their paths from its root, `WORKFLOW` among them; `address` gives the
    path of a file of the run from there.
    """
    return _RunCrate(results, manifest, members, address).contents()


def crate_members(
    results: Path, manifest: Mapping[str, Any], members: Collection[str], base: Path
) -> Iterator[tuple[str, bytes | Path]]:
    """What makes an archive of a run a crate: the workflow, the records of the jobs, and `CRATE`.

    `members` are the other files of the archive; `base` is the folder on disk that is its root. Yields the path of a
    file from there, and its contents or the file.
    """
    records = {address(base, path): path for path in sorted((results / BENCHMARKS).rglob("*.json"))}
    more = {name: path for name, path in (_workflow_files() | records).items() if name not in members}
    yield from more.items()
    metadata = run_crate(results, manifest, [*members, *more], partial(address, base))
    yield CRATE, (json.dumps(metadata, indent=1, ensure_ascii=False) + "\n").encode()


def _workflow_files() -> dict[str, Path]:
    """The files of the workflow, by their paths from the folder that holds them."""
    files = [_ROOT / name for name in ("Snakefile", "environment.yml", "requirements.txt", "CITATION.cff")]
    files += [path for path in sorted((_ROOT / "workflow").rglob("*")) if "__pycache__" not in path.parts]
    return {path.relative_to(_ROOT).as_posix(): path for path in files if path.is_file()}


class _RunCrate:
    """The crate while entities are added to it."""

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
        """All of it, as JSON."""
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
            if version != DASH
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
