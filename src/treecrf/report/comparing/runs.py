"""A run to compare: a folder of results, or an archive."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from treecrf.io.checksums import sha256
from treecrf.io.files import read_frame, read_json, stacked
from treecrf.io.messages import listed
from treecrf.report.archive import LEFT_OUT
from treecrf.report.ledger import BY_RULE, CLAIMS, verdicts, verdicts_by_rule
from treecrf.report.manifest import MANIFEST, read_manifest
from treecrf.studies import registry
from treecrf.studies.confidence import CONFIDENCE


@dataclass(frozen=True)
class Run:
    """The results of a run.

    Attributes
    ----------
    name : str
        What the user calls it.
    folder : Path
        Of its results.
    manifest : dict
        Empty where there is none: then nothing is known of settings, code, versions and machine.
    """

    name: str
    folder: Path
    manifest: dict[str, Any]

    @cached_property
    def changed(self) -> list[str]:
        """Files that are not as the manifest lists them."""
        files = [file for file in self.manifest.get("files", []) if file["kind"] not in LEFT_OUT]
        paths = [(file["path"], self.folder / file["path"], file["sha256"]) for file in files]
        return [name for name, path, digest in paths if not path.is_file() or sha256(path) != digest]

    def setting(self, study: str, name: str, default: Any) -> Any:
        """A setting of a study; the default where it is not known."""
        return self.manifest.get("settings", {}).get(study, {}).get(name, default)

    def source(self, study: str, dataset: str) -> str:
        """What a data set is in `treecrf.datasets`; its own name where that is not known."""
        places = (self.folder / place / dataset / "description.json" for place in (study, "data"))
        found = [read_json(path) for path in places if path.is_file()]
        return str(found[0]["source"]) if found else dataset

    def datasets(self, study: str, frame: str) -> list[str]:
        """The data sets that there is such a frame of."""
        folder = self.folder / study
        names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
        return [name for name in names if self._files(study, name, frame)]

    def frame(self, study: str, dataset: str, name: str) -> pd.DataFrame | None:
        """A frame of the jobs on a data set, of all methods, without probabilities; None if there is none."""
        paths = self._files(study, dataset, name)
        return stacked([read_frame(path, CONFIDENCE) for path in paths]) if paths else None

    def claims(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The verdicts as the run wrote them, and those by rule; of a run without, what this version says of its results."""
        paths = [self.folder / name for name in (CLAIMS, BY_RULE)]
        if all(path.is_file() for path in paths):
            claims, by_rule = (pd.read_csv(path, keep_default_na=False) for path in paths)
            return claims, by_rule
        return verdicts(self.folder), verdicts_by_rule(self.folder)

    def _files(self, study: str, dataset: str, frame: str) -> list[Path]:
        """Parquet files of a frame: those of the manifest, or all where there is none."""
        folder = self.folder / study / dataset
        found = sorted({*folder.glob(f"{frame}.parquet"), *folder.glob(f"*.{frame}.parquet")})
        return [
            path for path in found if self._listed is None or path.relative_to(self.folder).as_posix() in self._listed
        ]

    @cached_property
    def _listed(self) -> set[str] | None:
        return {file["path"] for file in self.manifest["files"]} if "files" in self.manifest else None


@contextmanager
def open_run(path: str | os.PathLike[str]) -> Iterator[Run]:
    """A run in a folder of results or in an archive.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence, if there is none, or the archive is damaged.
    """
    given = Path(path)
    if given.is_dir():
        yield _in_folder(given)
    elif given.is_file():
        with tempfile.TemporaryDirectory(prefix="treecrf-") as folder:
            yield _in_archive(given, Path(folder))
    else:
        raise FileNotFoundError(
            f"{given} is not there; name a folder of results, such as results, or an archive of a run."
        )


def _in_folder(folder: Path) -> Run:
    if not (folder / MANIFEST).is_file() and not any((folder / study.name).is_dir() for study in registry()):
        example = next(iter(sorted(folder.glob(f"*/{MANIFEST}"))), Path("results", MANIFEST)).parent
        raise ValueError(f"{folder} has no results of a study; name the folder of results of a run, such as {example}.")
    return Run(str(folder), folder, read_manifest(folder / MANIFEST) if (folder / MANIFEST).is_file() else {})


def _in_archive(archive: Path, folder: Path) -> Run:
    try:
        with ZipFile(archive) as members:
            members.extractall(folder)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(
            f"{archive} is damaged or no archive of a run ({error}); make it again by make archive."
        ) from None
    found = sorted(folder.rglob(MANIFEST), key=lambda path: len(path.parts))
    if not found:
        raise ValueError(f"{archive} has no {MANIFEST}; name an archive that make archive wrote.")
    try:
        run = Run(str(archive), found[0].parent, read_manifest(found[0]))
    except ValueError as error:
        raise ValueError(str(error).replace(str(folder), str(archive))) from None
    if run.changed:
        raise ValueError(
            f"{archive}: {listed(run.changed, str)} differ from its {MANIFEST}; take another copy of the archive."
        )
    return run
