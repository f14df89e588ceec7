"""What a job of a study is given: one method on one data set, with its settings, its data and the parts that are
finished.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from zipfile import ZipFile

import pandas as pd

from treecrf.io.files import atomic, read_frame, read_json, stacked, write_json
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.sequences import SequenceSet
from treecrf_studies.datasets.synthetic import Splits
from treecrf_studies.framework.metrics import CONFIDENCE

if TYPE_CHECKING:
    from treecrf_studies.framework.study import Study


Frames = tuple[pd.DataFrame, ...]
Compute = Callable[[Checkpoint | None], Frames]


class JobCache:
    """Gives what each part of a job finds; this one keeps nothing beyond the process.

    `treecrf_studies.framework.jobs.StoredJobCache` keeps it in files.
    """

    def finished(self, name: str, compute: Compute) -> Frames:
        """The frames of one part of a job, told apart by its `name` (letters, digits, ``_`` and ``.``).

        `compute` gives the frames where they are not there; a long training may leave its state in the checkpoint.
        """
        return compute(None)

    def all_finished(self, parts: Mapping[str, Compute]) -> list[Frames]:
        """The frames of parts that do not depend on each other: other jobs may do them beforehand, each a portion."""
        return [self.finished(name, compute) for name, compute in parts.items()]

    def joined(self, parts: Mapping[str, Compute]) -> list[pd.DataFrame]:
        """The frames of `all_finished`, those of all parts below one another."""
        return joined(self.all_finished(parts))


def joined(outcomes: Iterable[Sequence[pd.DataFrame]]) -> list[pd.DataFrame]:
    """The frames of several outcomes, those of each place below one another."""
    return [pd.concat(frames, ignore_index=True) for frames in zip(*outcomes, strict=True)]


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


Settings = TypeVar("Settings")
Files = Mapping[str, Any]
"""Paths by the names that a rule gives them: one, or a list."""


@dataclass(frozen=True)
class JobContext(Generic[Settings]):
    """The argument of a function that a `treecrf_studies.framework.study.Job` names.

    Attributes
    ----------
    settings : model
        The study's, of this data set and method where the job runs over them.
    dataset, method : str
        Empty where the job does not run over them.
    window : (int, int)
        Observations before and after a position that labellers of the data set see.
    sets : tuple of SequenceSet
        Training and test set, of a study that draws none itself.
    splits : mapping of int to Splits
        Training, validation and test set by seed, of a study that draws them.
    seed : int
        Decides, with names, everything random.
    protocol : str
        How the data set is tested ("split", "leave_one_out", ..).
    source : str
        The data set in `treecrf_studies.datasets`; `dataset` unless given.
    options : mapping
        Of the function that loads or generates the data.
    choice : DataFrame or None
        What another job chose for this one.
    cache : JobCache
        Keeps the finished parts of the job.
    """

    settings: Settings
    dataset: str = ""
    method: str = ""
    window: tuple[int, int] = (0, 0)
    sets: tuple[SequenceSet, ...] = ()
    splits: Mapping[int, Splits] = field(default_factory=dict)
    seed: int = 0
    protocol: str = "split"
    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    choice: pd.DataFrame | None = None
    cache: JobCache = field(default_factory=JobCache)

    @property
    def train(self) -> SequenceSet:
        """The training set."""
        return self.sets[0]

    @property
    def test(self) -> SequenceSet:
        """The test set."""
        return self.sets[1]


def read_job(
    study: Study, values: Mapping[str, Any], files: Files, dataset: str, method: str, cache: JobCache
) -> JobContext[Any]:
    """The context of a job from the parameters and the input files of its rule.

    `values` are the settings by method, and those of seed, window, protocol, source and options that the rule gives.
    `files` are "train", "test" and "choice"; of a study that draws its sets "train", "validation" and "test" of all
    seeds.
    """
    return JobContext(
        settings=_read_settings(study, values["settings"][method], method),
        dataset=dataset,
        method=method,
        window=tuple(values.get("window", (0, 0))),
        sets=() if study.draws else tuple(SequenceSet.load(files[side]) for side in ("train", "test") if side in files),
        splits=_read_splits(files) if study.draws and dataset else {},
        seed=values.get("seed", 0),
        protocol=values.get("protocol", "split"),
        source=values.get("source", ""),
        options=values.get("options", {}),
        choice=read_frame(files["choice"]) if "choice" in files else None,
        cache=cache,
    )


def _read_settings(study: Study, values: Mapping[str, Any] | None, method: str) -> Any:
    """The settings of a study for one method of a job, the only one that they name; None for a job without settings."""
    if values is None:
        return None
    model = getattr(study.module("settings"), study.settings)
    lists = {"datasets": [], "methods": [method]} if method else {"datasets": []}
    return model(**{name: each for name, each in lists.items() if name in model.model_fields} | dict(values))


def _read_splits(files: Files) -> dict[int, Splits]:
    paths_of_seeds = zip(*(files[side] for side in Splits._fields), strict=True)
    return {seed: Splits(*map(SequenceSet.load, paths)) for seed, paths in enumerate(paths_of_seeds)}


@dataclass(frozen=True)
class SummaryContext:
    """The argument of ``make_frames`` of a study's ``summary.py``.

    Attributes
    ----------
    frames : mapping of str to list of DataFrame
        What the jobs of one data set, or of all, returned: one of each kind for every job.
    settings : mapping
        Those that `treecrf_studies.framework.study.Summary.settings` names.
    dataset, source : str
        The data set, and what it is in `treecrf_studies.datasets`; empty of all data sets.
    stand_in : str or None
        What stands for the papers' data.
    stand_ins : mapping of str to bool
        Whether data sets stand in for the papers', of a summary over all.
    description : mapping
        As `treecrf_studies.datasets.description.describe_sets` gives it, of a study that draws none of its data itself.
    sets : tuple of SequenceSet
        Training and test set, of such a study.
    """

    frames: Mapping[str, list[pd.DataFrame]]
    settings: Mapping[str, Any]
    dataset: str = ""
    source: str = ""
    stand_in: str | None = None
    stand_ins: Mapping[str, bool] = field(default_factory=dict)
    description: Mapping[str, Any] = field(default_factory=dict)
    sets: tuple[SequenceSet, ...] = ()

    def of_jobs(self, name: str) -> pd.DataFrame:
        """The frames of a kind of all jobs, one under another."""
        return stacked(self.frames[name])

    @property
    def is_stand_in(self) -> bool:
        """Whether the data stand in for those of the papers."""
        return bool(self.stand_in or self.description.get("stand_in"))


def read_summary(study: Study, values: Mapping[str, Any], files: Files, dataset: str) -> SummaryContext:
    """The context of a summary from the parameters and the input files of its rule."""
    names = [frame for job in study.jobs for frame in job.frames if files.get(frame)]
    return SummaryContext(
        frames={name: [read_frame(path, CONFIDENCE) for path in files[name]] for name in names},
        settings={name: values[name] for name in study.summary.settings},
        dataset=dataset,
        source=values.get("source", ""),
        stand_in=values.get("stand_in"),
        stand_ins=values.get("stand_ins", {}),
        description=read_json(files["description"]) if "description" in files else {},
        sets=tuple(SequenceSet.load(files[side]) for side in ("train", "test") if side in files),
    )
