"""The page on the run itself: data sets, CPU time, settings, versions and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_json
from treecrf.io.messages import counted
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Difference, Settings
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import count_text, grouped, window_text
from treecrf_studies.rendering.parts import Group, Page, Part, Section, Table, paragraph, setting_text
from treecrf_studies.rendering.text import code, md
from treecrf_studies.report import provenance

PATH = "run.md"

JOBS_NOTE = """
The tables show CPU seconds and memory of the jobs behind these pages, with the start of Python. They leave out downloads and
the writing of the pages.
"""

PHASES_NOTE = "CPU seconds with one thread, as the labellers count them: {phases}."

RELATED_NOTE = """
Accuracy is too optimistic where a related sequence was trained on. Related sequences are therefore kept together in folds and
hold-outs, and count as one in tests. The setting `groups` of a data set says which are related; the other columns show the groups
under other rules. Short words share a run by chance.
"""

DATASET = """
**{name}**: {title}. Training: {train:,} sequences, {train_positions:,} positions. Test: {test:,} sequences, {test_positions:,} positions.
{labels} labels; attributes: {attributes}; {window}.
"""

SUFFIXES = (".csv", ".parquet", ".svg", ".pdf", ".png")
"""Files of results that are listed."""


def run_page(settings: Settings, is_published: bool) -> Page:
    """The page; `is_published` says whether the run is about papers."""
    wanted = [study.name for study in registry() if getattr(settings, study.name).is_wanted]
    sections = [
        Section("datasets", "Data sets", _datasets(settings)),
        Section("cpu-time", "CPU time", _costs(settings)),
        Section("differing", TITLE, differing_parts(settings, wanted) if settings.may_concern_papers else []),
        Section("settings", "Settings and versions", _settings(settings)),
        Section("files", "Files of results", _files(Path(settings.results), is_published)),
    ]
    return Page(PATH, "This run", "This run", [Group("", [section for section in sections if section.parts])])


def _datasets(settings: Settings) -> list[Part]:
    done = {
        name: Path(settings.results) / "data" / name / "description.json"
        for study in registry()
        if not study.draws
        for name in StudyFiles(study, settings).finished()
    }
    described = {name: read_json(path) for name, path in done.items() if path.is_file()}
    return [part for name, each in described.items() for part in _dataset(name, each)] + related_sequences(described)


def _dataset(name: str, described: Mapping[str, Any]) -> list[Part]:
    parts: list[Part] = [
        paragraph(
            DATASET,
            name=name,
            title=described["title"],
            labels=len(described["labels"]),
            attributes=described["n_attributes"],
            window=window_text(described["window"]),
            **{side: described[side]["sequences"] for side in ("train", "test")},
            **{f"{side}_positions": described[side]["positions"] for side in ("train", "test")},
        ),
    ]
    if described["stand_in"]:
        parts.append(paragraph("Stand-in: {text}", text=described["stand_in"]))
    if described["terms"]:
        parts.append(paragraph("Source: {terms}.", terms=described["terms"]))
    return parts


def related_sequences(described: Mapping[str, Mapping[str, Any]]) -> list[Part]:
    """How many groups of related sequences there are, as kept together and by other rules; nothing without data sets."""
    if not described:
        return []
    named = list(described.values())
    columns: dict[tuple[str, str], list[str]] = {
        ("", "data set"): list(described),
        ("kept together", "training sequences"): [count_text(each["train"]["sequences"]) for each in named],
        ("kept together", "in groups"): [count_text(each["train"]["groups"]) for each in named],
    }
    for place, found in enumerate(named[0]["relatives"]):
        rule = found["rule"]
        group = (
            rule if isinstance(rule, str) else f"> {100 * rule['share']:.0f} % of runs of {rule['length']} in common"
        )
        columns[group, "groups"] = [count_text(each["relatives"][place]["groups"]) for each in named]
        columns[group, "tests with a relative"] = [
            count_text(each["relatives"][place]["related_tests"]) for each in named
        ]
    return [paragraph(RELATED_NOTE), Table("Related sequences", grouped(columns))]


def _costs(settings: Settings) -> list[Part]:
    results = Path(settings.results)
    jobs = provenance.job_costs(results, provenance.used_datasets(settings, registry()))
    phases = provenance.phase_costs(results, settings, registry())
    parts: list[Part] = []
    if len(jobs):
        parts += [paragraph(JOBS_NOTE), Table("Jobs by study", provenance.study_costs(jobs))]
        parts.append(Table("Jobs by step and data set", jobs))
    if len(phases):
        notes = [f"{study.phases_note} ({study.name})" for study in registry() if study.phases]
        parts += [paragraph(PHASES_NOTE, phases=", ".join(notes)), Table("CPU seconds by phase", phases)]
    return parts


def _settings(settings: Settings) -> list[Part]:
    commit = provenance.commit()
    of_commit = md("Code: commit {commit}. ", commit=code(commit)) if commit else ""
    used = provenance.leaves(provenance.used_settings(settings, registry()))
    rows = [(".".join(names), setting_text(value)) for names, value in used]
    return [
        paragraph("{commit}{machine}.", commit=of_commit, machine=provenance.machine()),
        *provenance.computed_by(Path(settings.results)),
        Table("Versions", provenance.versions()),
        Table("Every setting", pd.DataFrame(rows, columns=["setting", "value"])),
    ]


def _files(results: Path, is_published: bool) -> list[Part]:
    """The files of results by their folder; the ledger of claims only where the run is about papers."""
    rows: list[tuple[str, str]] = []
    for path in sorted(results.rglob("*")):
        place = path.relative_to(results)
        is_ledger = path.stem in ("claims", "claims_by_rule", "claims_compared")
        if path.suffix in SUFFIXES and place.parts[0] not in ("logs", "benchmarks") and (is_published or not is_ledger):
            name = place.parent.as_posix() if len(place.parts) > 1 else "results"
            rows.append((name, path.name))
    return [Table("Files of results", pd.DataFrame(rows, columns=["folder", "file"]))] if rows else []


TITLE = "Settings that differ from the protocol"

NOTE = "The protocol is the default of every setting. Profile of this run: {profile}."


def differing_parts(settings: Settings, studies: Iterable[str]) -> list[Part]:
    """What the profile of the run is, and a table of the settings that differ from the protocol, of the studies with
    these names.
    """
    shown = set(studies)
    layout = differing_layout(each for each in settings.differences if each.study in shown)
    note = paragraph(NOTE, profile=settings.profile)
    return [note, Table(TITLE, layout)] if len(layout) else [note, paragraph("No setting differs.")]


def differing_layout(differences: Iterable[Difference]) -> pd.DataFrame:
    """Study, data sets, setting, value of the protocol, value of this run and the reason, as texts."""
    rows = [
        (each.study, ", ".join(each.datasets) or "all", each.setting, *_values(each), each.why or "not given")
        for each in differences
    ]
    return pd.DataFrame(rows, columns=["study", "data sets", "setting", "protocol", "this run", "why"])


def _values(difference: Difference) -> tuple[str, str]:
    """The protocol's value and the run's; of methods, how many and which ones are left out or added."""
    before, now = difference.protocol, difference.used
    if difference.setting != "methods":
        return setting_text(before), setting_text(now)
    changes = {"without": _only(before, now), "also": _only(now, before)}
    texts = [f"{word} {', '.join(names)}" for word, names in changes.items() if names]
    return counted(len(before), "method"), f"{counted(len(now), 'method')}: {'; '.join(texts)}"


def _only(these: list[Any], others: list[Any]) -> list[Any]:
    return [name for name in these if name not in others]
