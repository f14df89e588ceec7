"""The frames of a run, read from its folder of results or from the evidence of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import frame_file, read_frame, stacked
from treecrf_studies.datasets import describe
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import Study
from treecrf_studies.registry import registry


class Frames:
    """The frames of a run by study and name; each file is read once.

    Evidence has frames as CSV, long ones as Parquet, and only what joint summaries of all data sets are made of.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.files = {study.name: StudyFiles(study, settings) for study in registry()}
        self._read: dict[str, pd.DataFrame | None] = {}

    def find(self, study: str, name: str, datasets: Sequence[str] | None = None) -> pd.DataFrame | None:
        """The rows of a frame on all data sets, or on some, one under another; None where there is no file of it.

        An empty name among the data sets stands for jobs without one.
        """
        files = self.files[study]
        rows = [frame for path in files.paths(name, datasets) if (frame := self._file(path)) is not None]
        summary = files.study.summary
        if rows or summary.of_dataset or name not in summary.frames:
            return stacked(rows) if rows else None
        source = summary.source(name)
        measured = self.find(study, source, datasets)
        return None if measured is None else _joined(files.study, source, measured)[name]

    def read(self, study: str, name: str, datasets: Sequence[str] | None = None) -> pd.DataFrame:
        """A frame on some data sets, or on all that do not repeat another one of the study; empty without a file."""
        chosen = self.files[study].distinct_datasets() if datasets is None else datasets
        found = self.find(study, name, chosen)
        return pd.DataFrame() if found is None else found

    def several(
        self, study: str, names: Iterable[str], datasets: Sequence[str] | None = None
    ) -> dict[str, pd.DataFrame]:
        """Those of several frames that there are, by name; as of `find`."""
        frames = {name: self.find(study, name, datasets) for name in names}
        return {name: frame for name, frame in frames.items() if frame is not None}

    def layouts(self, study: Study, datasets: Sequence[str] | None = None) -> dict[str, pd.DataFrame]:
        """The tables of a study whose frames there are, by the names of their files."""
        return study.tabulate(self.files[study.name].calls(), self.several(study.name, study.tabulated, datasets))

    def _file(self, path: str) -> pd.DataFrame | None:
        if path not in self._read:
            file = frame_file(Path(path))
            self._read[path] = None if file is None else read_frame(file)
        return self._read[path]


def _joined(study: Study, source: str, measured: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
    """The summary over all data sets of a frame that jobs measured."""
    from treecrf_studies.framework.jobs import SummaryContext  # loads labellers

    names = measured["dataset"].unique() if "dataset" in measured else ()
    stand_ins = {name: describe(name).stand_in is not None for name in names}
    summary: Mapping[str, pd.DataFrame] = study.module("summary").make_frames(
        SummaryContext({source: [measured]}, {}, stand_ins=stand_ins)
    )
    return summary
