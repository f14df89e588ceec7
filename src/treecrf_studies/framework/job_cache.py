"""The parts of a job that are finished, so that a job that was killed need not do them again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from copy import copy
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pandas as pd

from treecrf.io.files import atomic, read_json, write_json
from treecrf.models.boosted.boosting import Checkpoint

Frames = tuple[pd.DataFrame, ...]
Compute = Callable[[Checkpoint | None], Frames]


class JobCache:
    """Gives what each part of a job finds; this one keeps nothing beyond the process.

    `treecrf_studies.framework.job_cache.StoredJobCache` keeps it in files.
    """

    def finished(self, name: str, compute: Compute) -> Frames:
        """The frames of one part of a job, told apart by its `name` (letters, digits, ``_`` and ``.``).

        `compute` gives the frames where they are not there; a long training may leave its state in the checkpoint.
        """
        return compute(None)

    def all_finished(self, parts: Mapping[str, Compute]) -> list[Frames]:
        """The frames of parts that do not depend on each other: other jobs may do them beforehand, each a portion."""
        return [self.finished(name, compute) for name, compute in parts.items()]


JOB = "job.json"


class Portion(NamedTuple):
    """What one of several jobs does of a long one: every `n_portions`-th part, from `portion` on, of its call `stage`
    of `all_finished`.
    """

    stage: int
    portion: int
    n_portions: int


class PortionDone(Exception):
    """A portion is finished."""


class StoredJobCache(JobCache):
    """A folder with a file for each finished part of one job.

    `job` is all that decides what the job finds, such as settings, checksums of its inputs, a digest of its code;
    values that JSON can hold. The parts of another job are removed. With a `portion`, `all_finished` ends in
    `PortionDone` when the portion is finished.
    """

    def __init__(self, folder: str | os.PathLike[str], job: dict[str, Any], portion: Portion | None = None) -> None:
        self._folder, self._prefix, self._portion, self._stage = Path(folder), "", portion, 0
        if not self._is_of(json.loads(json.dumps(job))):
            self.clear()
            write_json(job, self._folder / JOB)

    def of(self, method: str) -> StoredJobCache:
        """The same folder for the parts of one of the job's methods."""
        cache = copy(self)
        cache._prefix = f"{method}_"
        return cache

    def finished(self, name: str, compute: Compute) -> Frames:
        """See `JobCache.finished`; a damaged file is computed again."""
        path, checkpoint = (self._folder / f"{self._prefix}{name}.{kind}" for kind in ("zip", "npz"))
        if (frames := _read(path)) is not None:
            return frames
        _write(compute(Checkpoint(checkpoint)), path)
        checkpoint.unlink(missing_ok=True)
        frames = _read(path)  # as a job that goes on gets them
        assert frames is not None
        return frames

    def all_finished(self, parts: Mapping[str, Compute]) -> list[Frames]:
        """See `JobCache.all_finished`."""
        if self._portion is None or self._stage != self._portion.stage:
            self._stage += 1
            return super().all_finished(parts)
        for name in list(parts)[self._portion.portion :: self._portion.n_portions]:
            self.finished(name, parts[name])
        raise PortionDone

    def pack(self, path: str | os.PathLike[str]) -> None:
        """Write all finished parts to one file."""
        with atomic(Path(path)) as temporary, ZipFile(temporary, "w") as archive:
            for part in sorted(self._folder.glob("*.zip")):
                archive.write(part, part.name)

    def add(self, path: str | os.PathLike[str]) -> None:
        """Take the parts of a file that `pack` has written."""
        with ZipFile(path) as archive:
            archive.extractall(self._folder)

    def clear(self) -> None:
        """Remove everything; the job's own results are written."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _is_of(self, job: dict[str, Any]) -> bool:
        try:
            return bool(read_json(self._folder / JOB) == job)
        except (OSError, ValueError):
            return False


def _write(frames: Frames, path: Path) -> None:
    """Write frames as Parquet files in one uncompressed archive, which has a checksum of each."""
    with atomic(path) as temporary, ZipFile(temporary, "w") as archive:
        for i, frame in enumerate(frames):
            archive.writestr(f"{i}.parquet", frame.to_parquet(index=False))


def _read(path: Path) -> Frames | None:
    """What `_write` wrote; None if it is not there or damaged."""
    try:
        with ZipFile(path) as archive:
            return tuple(pd.read_parquet(BytesIO(archive.read(f"{i}.parquet"))) for i in range(len(archive.namelist())))
    except Exception:  # damage shows in many ways
        return None
