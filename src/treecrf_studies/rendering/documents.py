"""Studies as JSON, with the files of their tables and figures beside it: what a snapshot keeps of a run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from treecrf.io.files import read_json, write_frame, write_json
from treecrf_studies.rendering.layouts import flattened, layout_from_json, layout_to_json
from treecrf_studies.rendering.markdown import table_name
from treecrf_studies.rendering.parts import Downloads, Figure, Fold, Note, Part, Section, Study, Table

DOCUMENT = "document.json"


def write_study(study: Study, place: Path) -> None:
    """Write a study to the folder `place`, with its tables (CSV) and figures."""
    sections = [
        {"identifier": section.identifier, "title": section.title, "parts": _to_json(section.parts, place)}
        for section in study.sections
    ]
    written = {"identifier": study.identifier, "title": study.title, "sections": sections}
    write_json(written, place / DOCUMENT)


def read_study(place: Path) -> Study:
    """What `write_study` wrote."""
    written = read_json(place / DOCUMENT)
    sections = [
        Section(each["identifier"], each["title"], _from_json(each["parts"], place)) for each in written["sections"]
    ]
    return Study(written["identifier"], written["title"], sections)


def _to_json(parts: Sequence[Part], place: Path) -> list[dict[str, Any]]:
    return [found for part in parts for found in [_part_to_json(part, place)] if found]


def _part_to_json(part: Part, place: Path) -> dict[str, Any]:
    match part:
        case Note():
            return {"note": part.html}
        case Table():
            write_frame(flattened(part.layout), place / f"{table_name(part)}.csv")
            return {
                "table": table_name(part),
                "caption": part.caption,
                "anchor": part.anchor,
                **layout_to_json(part.layout),
            }
        case Figure():
            file = part.path
            name = f"{file.parent.name}_{file.name}" if file.parent.name != place.name else file.name
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place / name)
            caption = {"markup" if isinstance(part.caption, Markup) else "caption": part.caption}
            return {"figure": name, "alt": part.alt, "anchor": part.anchor, **caption}
        case Fold():
            return {"fold": part.title, "parts": _to_json(part.parts, place)}
        case Downloads():
            for path in part.paths.values():
                if path.with_suffix(".csv").is_file():
                    place.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path.with_suffix(".csv"), place / f"{_file_name(path)}.csv")
            return {"downloads": part.text, "files": {name: _file_name(path) for name, path in part.paths.items()}}
        case _:
            return {}


def _file_name(path: Path) -> str:
    return path.name if path.parent.name == "tables" else f"{path.parent.name}_{path.name}"


def _from_json(parts: Sequence[dict[str, Any]], place: Path) -> list[Part]:
    return [_part_from_json(part, place) for part in parts]


def _part_from_json(part: dict[str, Any], place: Path) -> Part:
    if "note" in part:
        return Note(Markup(part["note"]))
    if "table" in part:
        return Table(part["caption"], layout_from_json(part), place / part["table"], part["anchor"])
    if "figure" in part:
        caption = Markup(part["markup"]) if "markup" in part else part["caption"]
        return Figure(place / part["figure"], part["alt"], caption, part["anchor"])
    if "downloads" in part:
        return Downloads(part["downloads"], {name: place / file for name, file in part["files"].items()})
    return Fold(part["fold"], _from_json(part["parts"], place))
