"""What verdicts rest on, as files to commit: a folder that `treecrf.report.ledger.verdicts` reads as it does results."""

from __future__ import annotations

import shutil
from pathlib import Path

from treecrf.io.files import read_frame, write_text
from treecrf.studies import registry
from treecrf.studies.paths import StudyFiles
from treecrf.studies.settings import Settings

FOLDER = "evidence"
"""Of a snapshot."""

DIGITS = 6
"""Significant ones of a number that is not whole."""


def write_evidence(settings: Settings, folder: Path) -> None:
    """Write the frames that claims read, and what their data sets are, to `folder` under their names among the results.

    Of the frames in `treecrf.studies.study.Study.claimed_of`, which are large, only the methods that claims read.
    """
    for study in registry():
        files = StudyFiles(study, settings)
        for path in filter(Path.is_file, map(Path, files.claimed())):
            frame, methods = read_frame(path), study.claimed_of.get(path.stem)
            shown = frame if methods is None else frame[frame["method"].isin(methods)]
            text = shown.to_csv(index=False, float_format=f"%.{DIGITS}g")
            write_text(text, folder / path.relative_to(settings.results))
        for path in filter(Path.is_file, map(Path, files.descriptions())):
            copy = folder / path.relative_to(settings.results)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def about_evidence() -> str:
    """What the folder holds, in Markdown."""
    parts = [
        f"of `{name}` ({study.name}) the methods {', '.join(f'`{method}`' for method in methods)} alone"
        for study in registry()
        for name, methods in study.claimed_of.items()
    ]
    reduced = f"; {'; '.join(parts)}, which claims read" if parts else ""
    return (
        f"`{FOLDER}/` holds what the verdicts rest on: the frames that claims read (CSV, by study and data set), numbers to "
        f'{DIGITS} significant digits{reduced}. `treecrf.report.ledger.verdicts("docs/results/{FOLDER}")` computes the verdicts '
        "from them again."
    )
