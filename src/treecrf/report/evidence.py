"""Evidence that verdicts rest on, as files to commit: a folder that `treecrf.report.ledger.verdicts` reads as it does results."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frame, write_text
from treecrf.report.ledger import claim_rows
from treecrf.studies import registry
from treecrf.studies.paths import StudyFiles
from treecrf.studies.sensitivity import datasets_of
from treecrf.studies.settings import Settings
from treecrf.studies.study import Study

FOLDER = "evidence"
"""Of a snapshot."""

DIGITS = 6
"""Significant ones of numbers with a point."""


def write_evidence(study: Study, settings: Settings, folder: Path) -> None:
    """Write the frames that claims read, and what their data sets are, under their names among the results.

    Data sets are those that claims are about. Of the frames in `treecrf.studies.study.Study.claimed_of`, which are large,
    only the methods that claims read.

    Parameters
    ----------
    study : Study
        Whose claims these are.
    settings : Settings
        Where its results are.
    folder : Path
        Written to; files of other studies stay.
    """
    about, files = claimed_datasets(), StudyFiles(study, settings)
    (folder / study.name).mkdir(
        parents=True, exist_ok=True
    )  # also where no claim is about its data sets: the study was run
    for path in filter(Path.is_file, map(Path, files.claimed() + files.descriptions())):
        copy = folder / path.relative_to(settings.results)
        if path.parent.name not in about | {study.name}:
            continue
        if path.suffix == ".csv":
            frame = _of_methods(read_frame(path), study.claimed_of.get(path.stem))
            write_text(frame.to_csv(index=False, float_format=f"%.{DIGITS}g"), copy)
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


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


@cache
def claimed_datasets() -> frozenset[str]:
    """The data sets that claims are about."""
    return frozenset(dataset for row in claim_rows() if "study" in row for dataset in datasets_of(row))


def about_evidence() -> str:
    """What the folder holds, in Markdown."""
    reduced = [
        f"`{study.name}/*/{name}.csv` ({', '.join(f'`{method}`' for method in methods)})"
        for study in registry()
        for name, methods in study.claimed_of.items()
    ]
    return (
        f"`{FOLDER}/` holds what the verdicts rest on: the frames that claims read, by study and data set, of the data sets that "
        f"claims are about. Numbers have {DIGITS} significant digits. Some frames have the methods that claims compare and no "
        f'others: {"; ".join(reduced)}. `treecrf.report.ledger.verdicts("docs/results/{FOLDER}")` computes the verdicts from '
        "them again."
    )


def _of_methods(frame: pd.DataFrame, methods: tuple[str, ...] | None) -> pd.DataFrame:
    """The rows of these methods, or comparisons between two of them; all rows where there are none to choose."""
    if methods is None:
        return frame
    named = frame[[name for name in ("method", "other") if name in frame]]
    return frame[named.isin(methods).all(axis=1)]
