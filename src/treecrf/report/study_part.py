"""The part of a snapshot that is about one study: it comes from one run, and stays when others are replaced."""

from __future__ import annotations

import datetime
import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from treecrf.io.files import read_json, write_json, write_text
from treecrf.records.jobs import read_records
from treecrf.rendering.markdown import figure_markdown, parts_markdown, study_markdown, table_markdown
from treecrf.rendering.parts import Figure, Table
from treecrf.rendering.parts import Study as Shown
from treecrf.report import evidence, provenance
from treecrf.report.differing import TITLE, differing_parts
from treecrf.report.page import unfinished
from treecrf.studies import registry
from treecrf.studies.framework.settings import Settings
from treecrf.studies.framework.study import Study

PROVENANCE = "provenance.json"
"""In the folder of a study: its main result and where its numbers come from. There is a part where this file is."""

FIRST = "first.md"
"""In the folder of a study: its first figure and its first table."""


class StudyPart(NamedTuple):
    """What pages about several studies show of one.

    Attributes
    ----------
    study : Study
    origin : dict
        What `PROVENANCE` holds.
    first : str
        What `FIRST` holds, with links from the folder of the snapshot.
    """

    study: Study
    origin: dict[str, Any]
    first: str


def write_part(study: Study, shown: Shown, settings: Settings, folder: Path, today: datetime.date) -> None:
    """Write the part of a study that a run has results of.

    Parameters
    ----------
    study : Study
    shown : treecrf.rendering.parts.Study
        The same study as the page shows it.
    settings : Settings
        Where the results are, and every setting.
    folder : Path
        Of the snapshot, which has no part of the study yet.
    today : date
    """
    place = folder / study.name
    differing = f"## {TITLE}\n\n{parts_markdown(differing_parts(settings, [study.name]), place)}"
    write_text(f"{study_markdown(shown, folder)}\n{differing}", folder / f"{study.name}.md")
    write_text(_first(shown, place).replace(f"]({study.name}/", "]("), place / FIRST)
    write_json({"headline": shown.headline, **_origin(study, settings, today)}, place / PROVENANCE)
    evidence.write_evidence(study, settings, folder / evidence.FOLDER)


def keep_part(study: Study, old: Path, folder: Path) -> None:
    """Copy the part of a study, if there is one, to another snapshot.

    Parameters
    ----------
    study : Study
    old, folder : Path
        Of the snapshots copied from and to.
    """
    if not (old / study.name / PROVENANCE).is_file():
        return
    shutil.copytree(old / study.name, folder / study.name)
    shutil.copyfile(old / f"{study.name}.md", folder / f"{study.name}.md")
    evidence.keep_evidence(study, old / evidence.FOLDER, folder / evidence.FOLDER)


def read_parts(folder: Path) -> list[StudyPart]:
    """The parts of the snapshot in `folder`, in the order of the registry."""
    return [
        _read_part(study, folder / study.name) for study in registry() if (folder / study.name / PROVENANCE).is_file()
    ]


def linked(text: str, way: str) -> str:
    """Markdown with `way` before its links to files: that to their folder."""
    return re.sub(r"\]\((?!https?:)", f"]({way}/", text)


def _read_part(study: Study, place: Path) -> StudyPart:
    first = (place / FIRST).read_text(encoding="utf-8")
    return StudyPart(study, read_json(place / PROVENANCE), linked(first, place.name))


def _first(shown: Shown, place: Path) -> str:
    """The first figure and the first table of a study."""
    parts = [part for section in shown.sections for part in section.parts]
    figure = next((figure_markdown(part, place) for part in parts if isinstance(part, Figure)), "")
    return figure + next((table_markdown(part, place) for part in parts if isinstance(part, Table)), "")


def _origin(study: Study, settings: Settings, today: datetime.date) -> dict[str, Any]:
    """Where the numbers of a study come from."""
    results = Path(settings.results)
    jobs = provenance.job_costs(results / "benchmarks", provenance.used_datasets(settings, registry()))
    records = read_records(results)
    records = records[records["name"].map(provenance.study_of) == study.name]
    frames = {
        "machines": provenance.machines_frame(results, records),
        "environments": provenance.environments_frame(results, records),
        "versions": provenance.versions(),
        "seeds": provenance.seeds(settings, [study]),
        "raw_files": provenance.raw_checksums(settings, [study]),
        "cpu_time": provenance.costs_of(study, jobs, settings),
        "cpu_seconds_by_phase": provenance.phase_costs(results, settings, [study]),
    }
    origin = {
        "date": today.isoformat(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
        "unfinished": unfinished(study, settings, results),
        "settings": provenance.used_settings(settings, [study]),
    }
    # Through JSON text: pandas knows how to write its own values, and a phase that a method lacks is null, not NaN.
    return origin | {name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()}
