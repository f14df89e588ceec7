"""The reproducibility checklist of a run: what reviewers ask for, made of settings, records and results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_frames, resource
from treecrf.records.jobs import read_records
from treecrf.rendering.cells import DASH, count_text, number
from treecrf.rendering.layouts import to_markdown
from treecrf.rendering.parts import Figure, Fold, Note, Part, Table, listed, paragraph
from treecrf.report import provenance
from treecrf.studies.paths import StudyFiles
from treecrf.studies.settings import Settings
from treecrf.studies.study import Study

CHECKLIST = "checklist.md"
"""In the folder of reports."""

TITLE = "Reproducibility checklist"

LIMITATIONS = "limitations.txt"
"""In the folder of each study: a limitation a line."""

_ABOUT_PAPERS = re.compile("paper|publi|thesis", re.IGNORECASE)
"""What stands in limitations of the comparison with the papers."""

SCORES_NOTE = """
What chose among settings and iterations (held-out sequences of the training set, percent) beside what the choice reached on the
test set. A validation score far above its test score says that the choice was lucky or the test set is another population.
"""

RUNS_NOTE = (
    "Every setting that says how often something is done, as studies have it but for overrides of single data sets."
)

GRIDS_NOTE = "Every setting that is a list of numbers: what is searched, or measured one after another."


def checklist(settings: Settings, studies: Sequence[Study], is_published: bool = True) -> list[Part]:
    """The parts of the checklist.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting.
    studies : sequence of Study
        Those that the run has results of.
    is_published : bool
        Whether anything is compared with the papers; limitations of that are left out otherwise.
    """
    results = Path(settings.results)
    jobs = provenance.job_costs(results / "benchmarks", provenance.used_datasets(settings, studies))
    scores = validation_scores(settings, studies)
    title = "Validation and test scores"
    chosen: list[Part] = [paragraph(SCORES_NOTE), Fold(title, [Table(title, scores)])] if len(scores) else []
    return [
        *computed_by(results),
        *([Table("Run times", provenance.study_costs(jobs))] if len(jobs) else []),
        Table("Seeds", provenance.seeds(settings, studies)),
        paragraph(RUNS_NOTE),
        Table("Numbers of runs", run_counts(settings, studies)),
        paragraph(GRIDS_NOTE),
        Table("Grids", grids(settings, studies)),
        *chosen,
        *limitations(studies, is_published),
    ]


def computed_by(results: Path) -> list[Part]:
    """The machines and the environments that computed a run; nothing where no job has left a record."""
    records = read_records(results)
    if records.empty:
        return []
    machines, environments = (
        provenance.machines_frame(results, records),
        provenance.environments_frame(results, records),
    )
    return [Table("Machines", machines.map(_text)), Table("Environments", environments.map(_text))]


def checklist_markdown(parts: Sequence[Part], level: int = 1) -> str:
    """The checklist as Markdown, its heading of a level."""
    return f"{level * '#'} {TITLE}\n\n{''.join(_markdown(part) for part in parts)}"


def validation_scores(settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """The score that chose beside the score on the test set, of every choice of the studies that keep both.

    Returns
    -------
    DataFrame of str
        study, data set, method, what else tells its rows apart, validation (%) and test (%).
    """
    frames = [_scores(study, settings) for study in studies]
    names = ["study", "data set", "method", "of", "validation (%)", "test (%)"]
    return pd.concat([pd.DataFrame(columns=names), *frames], ignore_index=True)[names]


def run_counts(settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """How often each study does something; columns study, setting, value."""
    return _settings_table(settings, studies, lambda name, value: name.startswith("n_") and isinstance(value, int))


def grids(settings: Settings, studies: Sequence[Study]) -> pd.DataFrame:
    """The values that each study tries; columns study, setting, value."""
    return _settings_table(settings, studies, lambda name, value: isinstance(value, list) and _are_numbers(value))


def limitations(studies: Sequence[Study], is_published: bool) -> list[Part]:
    """What the results of each study do not show."""
    parts: list[Part] = []
    for study in studies:
        lines = resource(f"treecrf.studies.{study.name}", LIMITATIONS).splitlines()
        kept = [line for line in lines if is_published or not _ABOUT_PAPERS.search(line)]
        parts += [paragraph("<b>Limitations of {name}</b>", name=study.name), *listed(kept)] if kept else []
    return parts


def _scores(study: Study, settings: Settings) -> pd.DataFrame:
    scores = study.scores
    found = StudyFiles(study, settings).frames([scores.frame]) if scores else {}
    paths = [path for paths in found.values() for path in paths if Path(path).is_file()]
    if scores is None or not paths:
        return pd.DataFrame()
    rows = read_frames(paths)
    rows = rows[rows[scores.validation].notna()]
    apart = rows[list(scores.apart)].astype(str)
    return pd.DataFrame(
        {
            "study": study.name,
            "data set": rows["dataset"],
            "method": rows[scores.method],
            "of": [", ".join(texts) or DASH for texts in apart.itertuples(index=False)],
            "validation (%)": rows[scores.validation].map(number),
            "test (%)": rows[scores.test].map(number),
        }
    )


def _settings_table(settings: Settings, studies: Sequence[Study], wanted: Any) -> pd.DataFrame:
    values = provenance.used_settings(settings, studies)
    rows = [
        (study.name, name, ", ".join(f"{part:g}" for part in value) if isinstance(value, list) else str(value))
        for study in studies
        for name, value in values[study.name].items()
        if wanted(name, value)
    ]
    return pd.DataFrame(rows, columns=["study", "setting", "value"])


def _text(value: Any) -> str:
    if isinstance(value, int | float):
        return count_text(value)
    return DASH if value is None else str(value)


def _are_numbers(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _markdown(part: Part) -> str:
    match part:
        case Note():
            return f"{part.html}\n\n"
        case Table():
            return f"**{part.caption}**\n\n{to_markdown(part.layout)}\n"
        case Fold():
            return "".join(_markdown(inner) for inner in part.parts)
        case Figure():
            raise TypeError("a checklist has no figures")
