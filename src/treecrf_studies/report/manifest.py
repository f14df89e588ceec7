"""The manifest of a run: what it was, and every file of its results, so that it can be archived and compared years
later.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treecrf.estimators.checks import TEXT, Check, check_parts, mapping, named, one_of, optional, several, whole
from treecrf.io.files import read_json, sha256, write_json
from treecrf_studies.framework.paths import FIGURE_SUFFIXES, TABLE_SUFFIXES, StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.registry import registry
from treecrf_studies.report import provenance
from treecrf_studies.report.ledger import BY_RULE, CLAIMS, COMPARED

MANIFEST = "manifest.json"
"""In the folder of results."""

FORMAT = "treecrf.run/1"

SHARED = ""
"""The study of a file that is that of no study alone."""

KINDS = ("frame", "table", "figure", "data", "description", "claims", "benchmark")
"""Of files."""

_LATER = ("write_explorer", "write_manifest", "archive", "compare", "page")
"""Jobs that may end after the manifest is written; what they cost is not listed."""


class RunFile(NamedTuple):
    """A file of a run: its path below the folder of results, with slashes, and its kind, one of `KINDS`.

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
    found = {path: RunFile(path, *place) for path, *place in _wanted(settings) if (results / path).is_file()}
    return [found[path] for path in sorted(found)]


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
        "commit": provenance.commit(),
        "machine": provenance.machine(),
        "versions": dict(provenance.versions().itertuples(index=False)),
        "seeds": dict(provenance.seeds(settings, registry()).itertuples(index=False)),
        "settings": provenance.used_settings(settings, registry()),
        "raw_files": provenance.raw_checksums(settings, registry()).to_dict("records"),
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
    "kind": one_of(*KINDS),
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
        lambda value: several("files", mapping(_FILE)).holds(value) and len(value) <= MOST_FILES, "give files"
    ),
}
_OTHERS = {"machine": TEXT, "seeds": named(TEXT), "code": named(TEXT)}


def listed_files(
    results: Path, manifest: Mapping[str, Any], kinds: Collection[str], suffix: str = ""
) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """Files of some of `KINDS` that a manifest lists, each with its entry; a ValueError if one is not the file that was
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


def _wanted(settings: Settings) -> Iterator[tuple[str, str, str, str]]:
    """Path, study, data set and kind of every file that a run with these settings may have."""
    yield from ((name, SHARED, "", "claims") for name in (CLAIMS, BY_RULE, COMPARED))
    used = provenance.used_datasets(settings, registry())
    for name in used:
        yield from ((f"data/{name}/{side}.npz", SHARED, name, "data") for side in ("train", "test"))
        yield f"data/{name}/description.json", SHARED, name, "description"
    for study in registry():
        for path, dataset, kind in _of_study(StudyFiles(study, settings), settings.results):
            yield path, study.name, dataset, kind
    names, results = {study.name for study in registry()}, Path(settings.results)
    for file in filter(Path.is_file, (results / "benchmarks").rglob("*")):
        first = file.relative_to(results / "benchmarks").parts[0]
        if file.stem not in _LATER:
            yield file.relative_to(results).as_posix(), first if first in names else SHARED, "", "benchmark"


def _of_study(files: StudyFiles, results: str) -> Iterator[tuple[str, str, str]]:
    """Path, data set and kind of the files of a study."""
    study, below = files.study, len(results) + 1
    for name in files.all_datasets():
        frames = [path for paths in files.outcomes(name).values() for path in paths]
        if study.summary.of_dataset:
            frames += [f"{files.folder}/{name}/{frame}.csv" for frame in study.summary.frames]
        yield from ((path[below:], name, "frame") for path in frames)
        yield f"{study.name}/{name}/description.json", name, "description"
        for path in Path(files.folder, name).glob("seed_*.npz") if study.draws else []:
            yield f"{study.name}/{name}/{path.name}", name, "data"
    for paths in (*files.measured().values(), *files.frames(study.summary.frames).values()):
        yield from ((path[below:], "", "frame") for path in paths if str(Path(path).parent) == str(Path(files.folder)))
    for entries, folder, kind, suffixes in (
        (study.tables, f"{study.name}/tables", "table", TABLE_SUFFIXES),
        (study.figures, study.name, "figure", FIGURE_SUFFIXES),
    ):
        for name, (entry, value) in files.shown(entries).items():
            dataset = value if entry.over == "dataset" else ""
            yield from ((f"{folder}/{name}{suffix}", dataset, kind) for suffix in suffixes)
