"""Checksums of results, so that a file that was cut or changed after it was written is not taken for the result.

The note of ``FOLDER/NAME`` is ``FOLDER/.checksums/NAME.sha256``, in the form that ``sha256sum --check`` reads.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from treecrf.io.files import leftovers, write_text

FOLDER = ".checksums"

MOST_NAMED = 5
"""Damaged files that are named; of more, the number is given."""


def sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def note(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Write down the checksums of files as they are now."""
    for path in paths:
        write_text(f"{sha256(path)}  {Path(path).name}\n", _note_of(Path(path)))


def forget(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Remove the notes of files that are about to be rewritten, and what a killed job has left of such notes."""
    for path in paths:
        written = _note_of(Path(path))
        for file in (written, *leftovers(written)):
            file.unlink(missing_ok=True)


def noted(folder: str | os.PathLike[str]) -> list[Path]:
    """The files under `folder` whose checksums are written down."""
    notes = sorted(Path(folder).rglob(f"{FOLDER}/*.sha256"))
    return [path.parents[1] / path.name.removesuffix(".sha256") for path in notes]


def is_noted(path: str | os.PathLike[str]) -> bool:
    """Whether the checksum of a file is written down."""
    return _note_of(Path(path)).is_file()


def refuse_damaged(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse, by a ValueError that names them, files that are not as they were when their checksums were written down.

    Files without a note, and files that are gone, pass.
    """
    damaged = [str(path) for path in paths if _is_damaged(Path(path))]
    if not damaged:
        return
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    raise ValueError(
        f"{', '.join(damaged[:MOST_NAMED])}{more}: damaged or changed since the job that wrote it (another checksum); "
        "delete it and run again."
    )


def _note_of(path: Path) -> Path:
    return path.parent / FOLDER / f"{path.name}.sha256"


def _is_damaged(path: Path) -> bool:
    written = _note_of(path)
    return (
        path.is_file() and is_noted(path) and written.read_text(encoding="utf-8").split() != [sha256(path), path.name]
    )
