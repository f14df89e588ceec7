"""A snapshot made anew from its evidence: tables and figures by the code as it is, without the run's results."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frame, stacked, write_frame
from treecrf.rendering.documents import read_study
from treecrf.rendering.layouts import flattened
from treecrf.rendering.parts import Fold, Part, Table
from treecrf.rendering.parts import Study as Shown
from treecrf.rendering.style import save_figure
from treecrf.studies.framework.page import study_page
from treecrf.studies.framework.paths import StudyFiles
from treecrf.studies.framework.settings import Settings
from treecrf.studies.framework.study import Study


def remake_study(study: Study, settings: Settings, old: Path) -> Shown | None:
    """What the page shows of a study, with tables and figures made of the frames of the evidence.

    What needs a frame that the evidence does not have stays as the snapshot has it.

    Parameters
    ----------
    study : Study
    settings : Settings
        Those of the run; `results` names a copy of the evidence, in which tables and figures are written as a run has them.
    old : Path
        The part of the snapshot about the study.
    """
    files = StudyFiles(study, settings)
    layouts = _remake_tables(study, files, old)
    _remake_figures(study, files, old)
    named = [name for name in files.all_datasets() if any(Path(files.folder, name).glob("*.csv"))]
    return study_page(study, settings, layouts, datasets=named)


def _remake_tables(study: Study, files: StudyFiles, old: Path) -> dict[str, pd.DataFrame]:
    """Each table from its frames; else the layout of the old page, or of a table that is only a file that file."""
    frames = {name: read for name in study.tabulated if (read := _frame(files, name)) is not None}
    calls = files.calls()
    before = {part.path.name: part.layout for part in _parts(old) if isinstance(part, Table) and part.path}
    kept = {name: before[_flat_name(name)] for name, *_ in calls if _flat_name(name) in before}
    layouts = kept | study.tabulate(calls, frames)
    for name, *_ in calls:
        path, file = Path(files.folder, "tables", f"{name}.csv"), old / f"{_flat_name(name)}.csv"
        if name in layouts:
            write_frame(flattened(layouts[name]), path)
        elif file.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, path)
    return layouts


def _remake_figures(study: Study, files: StudyFiles, old: Path) -> None:
    figures, shown = study.module("figures"), files.shown(study.figures)
    for name, function, needs, value, options in files.calls(study.figures):
        over, picture, file = shown[name][0].over, Path(files.folder, f"{name}.svg"), old / f"{_flat_name(name)}.svg"
        frames = [_frame(files, need, value if over == "dataset" else "") for need in needs]
        picture.parent.mkdir(parents=True, exist_ok=True)
        if all(frame is not None for frame in frames):
            given = [value] if over == "baseline" else []
            save_figure(getattr(figures, function)(*frames, *given, **options), picture, "svg")
        elif file.is_file():
            shutil.copyfile(file, picture)


def _flat_name(name: str) -> str:
    """Of a table or figure in the folder of a snapshot, which has no folders of data sets."""
    return name.replace("/", "_")


def _frame(files: StudyFiles, name: str, dataset: str = "") -> pd.DataFrame | None:
    """A frame of all data sets, or of one; None where the evidence has none of it. It holds every frame as CSV."""
    paths = [Path(path).with_suffix(".csv") for path in files.frames([name]).get(name, ())]
    there = [path for path in paths if path.is_file() and dataset in ("", path.parent.name)]
    return stacked([read_frame(path) for path in there]) if there else None


def _parts(old: Path) -> Iterator[Part]:
    """The parts of the old page of a study."""
    for section in read_study(old).sections:
        yield from _flat(section.parts)


def _flat(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Fold):
            yield from _flat(part.parts)
        else:
            yield part
