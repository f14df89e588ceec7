"""Evidence as files to commit: the frames that verdicts and the explorer read, in a folder that both read as they do results."""

from __future__ import annotations

import shutil
from pathlib import Path

from treecrf.io.files import read_frame, write_text
from treecrf.rendering.parts import Note, paragraph
from treecrf.studies.framework.paths import StudyFiles
from treecrf.studies.framework.settings import Settings
from treecrf.studies.framework.study import Study

FOLDER = "evidence"
"""Of a snapshot."""

DIGITS = 6
"""Significant ones of numbers with a point."""


def write_evidence(study: Study, settings: Settings, folder: Path) -> None:
    """Write the frames that claims and the explorer read, and what their data sets are, under their names among the results.

    Parameters
    ----------
    study : Study
    settings : Settings
        Where its results are.
    folder : Path
        Written to; files of other studies stay.
    """
    (folder / study.name).mkdir(parents=True, exist_ok=True)  # also without a frame: the study was run
    files = StudyFiles(study, settings)
    names = () if study.explored is None else study.explored.frames
    paths = {*files.claimed(), *(path for found in files.frames(names).values() for path in found)}
    with_frames = {Path(path).parent.name for path in paths if Path(path).is_file()}
    for path in map(Path, sorted(paths)):
        if path.is_file():
            text = read_frame(path).to_csv(index=False, float_format=f"%.{DIGITS}g")
            write_text(text, (folder / path.relative_to(settings.results)).with_suffix(".csv"))
    for path in map(Path, files.descriptions()):
        if path.is_file() and path.parent.name in with_frames:
            write_text(path.read_text(encoding="utf-8"), folder / path.relative_to(settings.results))


def keep_evidence(study: Study, old: Path, folder: Path) -> None:
    """Copy what `write_evidence` once wrote, with the descriptions of the data sets that there are frames of.

    Parameters
    ----------
    study : Study
    old, folder : Path
        Copied from and to.
    """
    if not (old / study.name).is_dir():
        return
    shutil.copytree(old / study.name, folder / study.name)
    for frames in (old / study.name).iterdir():
        description = old / "data" / frames.name
        if not study.draws and description.is_dir():
            shutil.copytree(description, folder / "data" / frames.name, dirs_exist_ok=True)


def about_evidence() -> Note:
    """What the folder holds."""
    text = (
        "<code>{folder}/</code> holds the frames that verdicts and the explorer read, by study and data set; numbers have {digits} "
        'significant digits. <code>treecrf.report.ledger.verdicts("docs/results/{folder}")</code> computes the verdicts again, '
        "<code>python -m treecrf.explorer.page --results docs/results/{folder} --reports build</code> writes the explorer."
    )
    return paragraph(text, folder=FOLDER, digits=DIGITS)
