"""The finished parts of a job in files: a job that was killed reads them and continues with the rest."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from copy import copy
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas as pd

from treecrf.io.files import atomic, read_json, write_json
from treecrf.models.boosted.checkpoint import Checkpoint
from treecrf.studies.pieces import Frames, Pieces

JOB = "job.json"


class StoredPieces(Pieces):
    """A folder with a file for each finished part of one job.

    `job` is all that decides what the job finds, such as settings, checksums of its inputs, a digest of its code;
    values that JSON can hold. The parts of another job are removed.
    """

    def __init__(self, folder: str | os.PathLike[str], job: dict[str, Any]) -> None:
        self._folder, self._prefix = Path(folder), ""
        if not self._is_of(json.loads(json.dumps(job))):
            self.clear()
            write_json(job, self._folder / JOB)

    def of(self, method: str) -> StoredPieces:
        """The same folder for the parts of one of the job's methods."""
        pieces = copy(self)
        pieces._prefix = f"{method}_"
        return pieces

    def finished(self, name: str, compute: Callable[[Checkpoint | None], Frames]) -> Frames:
        """See `Pieces.finished`; a damaged file is computed again."""
        path, checkpoint = (self._folder / f"{self._prefix}{name}.{kind}" for kind in ("zip", "npz"))
        if (frames := _read(path)) is not None:
            return frames
        _write(compute(Checkpoint(checkpoint)), path)
        checkpoint.unlink(missing_ok=True)
        frames = _read(path)  # as a job that goes on gets them
        assert frames is not None
        return frames

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
