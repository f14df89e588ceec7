"""A snapshot made anew from its evidence: tables and figures by the code as it is, without the run's results."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frame, stacked, write_frame
from treecrf_studies.framework.page import study_page
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import Study
from treecrf_studies.registry import registry
from treecrf_studies.rendering.documents import read_study
from treecrf_studies.rendering.layouts import flattened
from treecrf_studies.rendering.parts import Figure, Fold, Note, Part, Table
from treecrf_studies.rendering.parts import Study as Shown
from treecrf_studies.rendering.style import save_figure

Captioned = tuple[Note | None, Part]


def remake_study(study: Study, settings: Settings, old: Path) -> Shown | None:
    """What the page shows of a study, with tables and figures made of the frames of the evidence.

    What needs a frame that the evidence does not have stays as the snapshot has it, with its caption.

    Parameters
    ----------
    study : Study
    settings : Settings
        Those of the run; `results` names a copy of the evidence, in which tables and figures are written as a run has them.
    old : Path
        The part of the snapshot about the study.
    """
    files, before = StudyFiles(study, settings), _captioned(old)
    layouts, kept = _remake_tables(study, files, old, before)
    kept |= _remake_figures(study, files, old)
    named = [name for name in files.all_datasets() if any(Path(files.folder, name).glob("*.csv"))]
    shown = study_page(study, settings, layouts, datasets=named)
    told = {name: before[name] for name in kept if name in before}
    return shown and shown._replace(
        sections=[section._replace(parts=_with_captions(section.parts, told)) for section in shown.sections]
    )


def _remake_tables(
    study: Study, files: StudyFiles, old: Path, before: Mapping[str, Captioned]
) -> tuple[dict[str, pd.DataFrame], set[str]]:
    """Each table from its frames; else the layout of the old page, or of a table that is only a file that file. And which are kept."""
    frames = {name: read for name in study.tabulated if (read := _frame(files, name)) is not None}
    calls = files.calls()
    made = study.tabulate(calls, frames)
    kept = {
        name: part.layout
        for name, *_ in calls
        if name not in made and _flat_name(name) in before and isinstance(part := before[_flat_name(name)][1], Table)
    }
    for name, *_ in calls:
        path, file = Path(files.folder, "tables", f"{name}.csv"), old / f"{_flat_name(name)}.csv"
        if name in made or name in kept:
            write_frame(flattened(made[name] if name in made else kept[name]), path)
        elif file.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, path)
    return kept | made, {_flat_name(name) for name in kept}


def _remake_figures(study: Study, files: StudyFiles, old: Path) -> set[str]:
    """Each figure from its frames; else the old one. Gives which are kept."""
    figures, shown, kept = study.module("figures"), files.shown(study.figures), set()
    for name, function, needs, value, options in files.calls(study.figures):
        over, picture, file = shown[name][0].over, Path(files.folder, f"{name}.svg"), old / f"{_flat_name(name)}.svg"
        frames = [_frame(files, need, value if over == "dataset" else "") for need in needs]
        picture.parent.mkdir(parents=True, exist_ok=True)
        if all(frame is not None for frame in frames):
            given = [value] if over == "baseline" else []
            save_figure(getattr(figures, function)(*frames, *given, **options), picture, "svg")
        elif file.is_file():
            shutil.copyfile(file, picture)
            kept.add(file.stem)
    return kept


def _flat_name(name: str) -> str:
    """Of a table or figure in the folder of a snapshot, which has no folders of data sets."""
    return name.replace("/", "_")


def _name(part: Part) -> str:
    """The flat name of a table or a figure; empty for other parts."""
    path = part.path if isinstance(part, Table | Figure) else None
    if path is None:
        return ""
    folder = path.parent.name
    is_of_dataset = isinstance(part, Figure) and folder not in {study.name for study in registry()}
    return f"{folder}_{path.stem}" if is_of_dataset else path.name if isinstance(part, Table) else path.stem


def _captioned(old: Path) -> dict[str, Captioned]:
    """The tables and figures of the old page of a study by their flat names, each after the note above it, if there is one."""
    found: dict[str, Captioned] = {}

    def look(parts: Sequence[Part]) -> None:
        for above, part in zip([None, *parts], parts, strict=False):
            if isinstance(part, Fold):
                look(part.parts)
            elif name := _name(part):
                found[name] = above if isinstance(above, Note) else None, part

    for section in read_study(old).sections:
        look(section.parts)
    return found


def _with_captions(parts: Sequence[Part], told: Mapping[str, Captioned]) -> list[Part]:
    """Parts of a page; tables and figures in `told` have the captions that they had, which are of the code that made them."""
    shown: list[Part] = []
    for part in parts:
        if isinstance(part, Fold):
            part = replace(part, parts=_with_captions(part.parts, told))
        elif (name := _name(part)) in told:
            note, before = told[name]
            if isinstance(part, Table) and shown and isinstance(shown[-1], Note) and note is not None:
                shown[-1] = note
            if isinstance(part, Figure) and isinstance(before, Figure):
                part = replace(part, caption=before.caption)
        shown.append(part)
    return shown


def _frame(files: StudyFiles, name: str, dataset: str = "") -> pd.DataFrame | None:
    """A frame of all data sets, or of one; None where the evidence has none of it. It holds every frame as CSV."""
    paths = [Path(path).with_suffix(".csv") for path in files.frames([name]).get(name, ())]
    there = [path for path in paths if path.is_file() and dataset in ("", path.parent.name)]
    return stacked([read_frame(path) for path in there]) if there else None
