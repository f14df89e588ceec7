"""A run to keep, to publish and to compare years later: its manifest, which lists every file of its results, and its
archive, one file with results, pages, claims and manifest, which is an RO-Crate.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from treecrf.estimators.checks import TEXT, Check, check_parts, mapping, named, one_of, optional, several, whole
from treecrf.io.files import atomic, read_json, sha256, write_json
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.records.crate import crate_members
from treecrf_studies.records.jobs import BENCHMARKS
from treecrf_studies.registry import registry
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
    base = os.path.commonpath([Path(folder).resolve().parent for folder in (settings.results, settings.reports)])

    def address(path: str | os.PathLike[str]) -> str:
        """The name of a file of the run in the archive: links between pages and results work."""
        return Path(os.path.relpath(Path(path).resolve(), base)).as_posix()

    members: dict[str, bytes | Path] = {address(path): path for path in _files(settings, manifest)}
    members |= dict(crate_members(results, manifest, members.keys(), address))
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
    return "-".join(filter(None, ("treecrf", manifest["written"][:10], short_commit(manifest))))


def short_commit(manifest: Mapping[str, Any]) -> str:
    """The commit in ten digits, and whether a package differed from it; empty where it is not known."""
    commit, _, is_dirty = (manifest.get("commit") or "").partition("-")
    return "-".join(filter(None, (commit[:10], is_dirty)))


def _files(settings: Settings, manifest: dict[str, Any]) -> Iterator[Path]:
    """Manifest, results and pages; a ValueError if a file is not the one that the manifest lists."""
    results = Path(settings.results)
    yield results / MANIFEST
    kinds = [kind for kind in FILE_KINDS if kind not in LEFT_OUT]
    yield from (path for _, path in listed_files(results, manifest, kinds))
    yield from (path for pattern in PAGES for path in Path(settings.reports).glob(pattern) if path.is_file())
