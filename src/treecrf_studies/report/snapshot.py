"""Results to look at without running anything: the pages of a run as Markdown, with tables, figures and provenance, to
commit.

``python -m treecrf_studies.report.snapshot`` writes them from a run of ``config/config.yaml``, or of several files of
settings: the evidence of studies and data sets that the run has finished takes the place of what was there of
them; that of others stays. Tables, figures, verdicts and pages are made from the evidence, by the code as it is.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from treecrf.io.files import (
    frame_file,
    read_configuration,
    read_frame,
    read_json,
    write_frame,
    write_json,
    write_text,
)
from treecrf_studies.framework.counts import FILE, write_counts
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.page import flat_name, study_page
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Difference, Settings, config_parser, load_settings
from treecrf_studies.framework.study import Study
from treecrf_studies.records.jobs import read_records
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import with_and
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.rendering.parts import (
    Markdown,
    Note,
    Page,
    Part,
    Section,
    Table,
    flattened,
    joined,
    listed,
    md,
    paragraph,
    read_layout,
    write_pages,
)
from treecrf_studies.rendering.parts import Study as Shown
from treecrf_studies.report import ledger, provenance
from treecrf_studies.report.page import pages_of_results
from treecrf_studies.report.papers import claim_path
from treecrf_studies.report.provenance import PATH as RUN
from treecrf_studies.report.provenance import TITLE, cite_page, differing_layout

PROVENANCE = "provenance.json"
"""In the folder of a study: where its numbers come from. There is a part where this file is."""

EVIDENCE = "evidence"
"""The folder of a snapshot with the frames that verdicts and the explorer read, which both read as they do results."""

REMADE = "Later code made tables, figures and verdicts from the evidence of these runs."
"""Said of a part that was made anew from the evidence."""

BY_DATASET = ("raw_files", "cpu_time", "cpu_seconds_by_phase")
"""What the origin of a study has a row of for each data set."""

EVIDENCE_DIGITS = 8
"""Significant ones of numbers with a point in it."""

MOST_ROWS = 3_000
"""Of a frame that the evidence has as CSV; a longer one, which nobody reads, is Parquet, a twentieth as large."""

MOST_COMMITS = 4
"""That are named above a page."""


class StudyPart(NamedTuple):
    """The part of a snapshot that is about one study.

    The runs that it comes from, each as `PROVENANCE` holds it: the newest, then earlier ones of data sets that the
    newest has not finished.
    """

    study: Study
    runs: list[dict[str, Any]]


def write_snapshot(settings: Settings, folder: str | os.PathLike[str], today: datetime.date) -> None:
    """Write the results of a run to `folder`; of studies that the run has no results of, what is there stays.

    Without results of any study, the snapshot that is there is made anew from its evidence.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting.
    folder : path-like
        Of each study a folder with its tables (CSV), its figures and where they come from; the evidence; from all of
        it the pages of the site, as Markdown.
    today : date

    Raises
    ------
    ValueError
        If neither the run nor the snapshot has results of a study, or the profile of the run decides no claim.
    """
    if not settings.decides_claims:
        raise ValueError(
            f"{settings.results}: the run has the profile {settings.profile!r}, which decides no claim; run `make "
            "results`."
        )
    final = Path(folder)
    run = {study.name for study in registry() if _has_results(StudyFiles(study, settings))}
    if not run and not (final / EVIDENCE).is_dir():
        raise ValueError(f"{settings.results}: no study is finished there; run `make results` first.")
    new, old = (final.with_name(f"{final.name}.{os.getpid()}.{suffix}") for suffix in ("tmp", "old"))
    try:
        for study in registry():
            if study.name in run:
                earlier = _earlier_runs(StudyFiles(study, settings), final)
                write_json(_origin(study, settings, today) | {"earlier": earlier}, new / study.name / PROVENANCE)
                write_evidence(study, settings, new / EVIDENCE)
                kept = [name for run in earlier for name in run["data_sets"]]
                if kept:  # what no data set has, such as an example, is not computed either
                    whole = (path.name for path in (final / EVIDENCE / study.name).iterdir() if path.is_file())
                    kept += [name for name in whole if frame_file(new / EVIDENCE / study.name / name) is None]
                keep_evidence(study, final / EVIDENCE, new / EVIDENCE, kept)
            elif (final / study.name / PROVENANCE).is_file():
                origin = read_json(final / study.name / PROVENANCE)
                write_json(origin | {"remade": True}, new / study.name / PROVENANCE)
                keep_evidence(study, final / EVIDENCE, new / EVIDENCE)
        write_site(new, final)
        if final.exists():
            final.rename(old)
        new.rename(final)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def write_site(folder: Path, old: Path) -> None:
    """Write the ledger, tables, figures and pages of the snapshot in `folder`, which has evidence and origins.

    What needs a frame that the evidence lacks stays as the snapshot in `old` has it, unless the study ran again.
    """
    parts, evidence = read_parts(folder), folder / EVIDENCE
    ledger.write_ledger(evidence, decides=True, folder=folder)
    judged = ledger.read_ledger(folder)
    settings = recorded_settings(folder)
    runs = [run for part in parts for run in part.runs]
    costs = pd.DataFrame([row for run in runs for row in run["cpu_time"]])
    if len(costs):  # studies share the jobs that prepare their data
        costs = costs.drop_duplicates(["study", "step", "data set"])
    with tempfile.TemporaryDirectory(prefix="treecrf-") as place:
        results = shutil.copytree(evidence.resolve(), Path(place, "results"), copy_function=os.symlink)
        remade = settings.model_copy(update={"results": str(results)})
        frames = Frames(remade)
        every = [_shown(part.study, frames, _Kept.of(part, old / part.study.name)) for part in parts]
        shown = [study for study in every if study is not None]
        pages = pages_of_results(frames, shown, judged, _absent(parts), costs)
        origins = _origins(parts, costs, any(evidence.glob(f"*/*/{FILE}")))
        pages.append(cite_page(run_text(runs), max(run["date"] for run in runs)[:4]))
        pages = [page._replace(banner=_banner(_runs_of(page, parts, shown))) for page in pages]
        pages.append(Page(RUN, "What was run", origins))
        write_pages(pages, folder, documentation="..")


def _has_results(files: StudyFiles) -> bool:
    """Whether the run has a finished data set of a study, or, where one summary is of all, a table or a figure."""
    is_summed_up = files.study.summary.of_dataset and bool(files.finished())
    return is_summed_up or any(Path(path).is_file() for path in files.results())


class _Kept(NamedTuple):
    """The folder of a study's earlier tables and figures, and whose may be shown: of all, or of some data sets."""

    folder: Path
    datasets: Collection[str] | None

    @classmethod
    def of(cls, part: StudyPart, folder: Path) -> _Kept:
        """All where the pages are made anew, else those of the data sets that the last run has not finished."""
        last, *earlier = part.runs
        return cls(folder, None if last.get("remade") else [name for run in earlier for name in run["data_sets"]])

    def find(self, name: str, suffix: str, dataset: str) -> Path | None:
        """The file of a table or figure, of one data set or "", if it is there and may be shown."""
        path = self.folder / f"{flat_name(name)}{suffix}"
        return path if (self.datasets is None or dataset in self.datasets) and path.is_file() else None


def _shown(study: Study, frames: Frames, kept: _Kept) -> Shown | None:
    """What the page shows of a study, with tables and figures made of the frames in the folder of results.

    What needs a frame that is not there is taken from what is kept.
    """
    files, layouts = frames.files[study.name], frames.layouts(study)
    for name, (table, value) in files.shown(study.tables).items():
        if name not in layouts and (before := kept.find(name, ".csv", table.dataset(value))) is not None:
            layouts[name] = read_layout(before)
        if name in layouts:
            write_frame(flattened(layouts[name]), Path(files.folder, "tables", f"{name}.csv"))
    _draw(study, frames, kept)
    named = [name for name in files.all_datasets() if any(Path(files.folder, name).glob("*.csv"))]
    return study_page(study, frames.settings, layouts, datasets=named)


def _draw(study: Study, frames: Frames, kept: _Kept) -> None:
    """Each figure from its frames; else the one that is kept."""
    files = frames.files[study.name]
    figures, shown = study.module("figures"), files.shown(study.figures)
    for name, function, needs, value, options in files.calls(study.figures):
        dataset, picture = shown[name][0].dataset(value), Path(files.folder, f"{name}.svg")
        read = frames.several(study.name, needs, [dataset] if dataset else None)
        picture.parent.mkdir(parents=True, exist_ok=True)
        if len(read) == len(needs):
            given = [value] if value and not dataset else []
            save_figure(getattr(figures, function)(*read.values(), *given, **options), picture, "svg")
        elif (before := kept.find(name, ".svg", dataset)) is not None:
            shutil.copyfile(before, picture)


def run_text(runs: Sequence[Mapping[str, Any]]) -> str:
    """When runs were, and the commits of their code, or how many where a line has no room for them."""
    dates, commits = (list(dict.fromkeys(str(run[name])[:10] for run in runs)) for name in ("date", "commit"))
    named = f" {with_and(commits)}" if len(commits) <= MOST_COMMITS else ""
    code = f"commit{named}" if len(commits) == 1 else f"commits{named}" if named else f"{len(commits)} commits"
    return f"results of {with_and(sorted(dates))}, code at {code}"


def _banner(runs: Sequence[Mapping[str, Any]]) -> Markdown:
    """What stands above a page: its runs, with a link to where it says what was run."""
    text = run_text(runs)
    return md("> {text}: [what was run](site:{run}#origin).", text=text[0].upper() + text[1:], run=Markdown(RUN))


def _runs_of(page: Page, parts: Sequence[StudyPart], shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """The runs behind a page: those of the studies that it shows sections of, or whose claim it is; else all."""
    owners = {section.identifier: study.identifier for study in shown for section in study.sections}
    owners |= {claim_path(row["id"]): row["study"].name for row in ledger.claim_rows()}
    of_page = {owners.get(name) for name in (page.path, *(section.identifier for section in page.sections))}
    runs = [run for part in parts if part.study.name in of_page for run in part.runs]
    return runs or [run for part in parts for run in part.runs]


def read_parts(folder: Path) -> list[StudyPart]:
    """The parts of the snapshot in `folder`, in the order of the registry."""
    parts = [StudyPart(study, _runs(folder, study)) for study in registry()]
    return [part for part in parts if part.runs]


def _runs(folder: Path, study: Study) -> list[dict[str, Any]]:
    """The runs that the part of a study comes from, the newest first; none where there is no such part."""
    path = folder / study.name / PROVENANCE
    newest = read_json(path) if path.is_file() else None
    return [] if newest is None else [newest, *newest.pop("earlier", [])]


# --- parts ------------------------------------------------------------------------------------------


def recorded_settings(folder: Path) -> Settings:
    """The settings of the runs that a snapshot is of, from where its parts say that they come from.

    Raises
    ------
    ValueError
        If one of them is no setting any more.
    """
    return _joined_settings(run for part in read_parts(folder) for run in reversed(part.runs))


def _joined_settings(runs: Iterable[Mapping[str, Any]]) -> Settings:
    """The settings of runs, each laid over those before."""
    recorded: dict[str, Any] = {}
    for run in runs:
        given = run["settings"]
        recorded |= given | {"datasets": recorded.get("datasets", {}) | given["datasets"]}
    former = {study.name: "as the protocol was when this was run" for study in registry()}
    return load_settings(recorded | {"reasons": former | recorded.get("reasons", {})})


def _origin(study: Study, settings: Settings, today: datetime.date) -> dict[str, Any]:
    """Where the numbers of a study come from."""
    results, files = Path(settings.results), StudyFiles(study, settings)
    jobs = provenance.job_costs(results, provenance.used_datasets(settings, registry()))
    records = read_records(results)
    records = records[records["name"].map(provenance.study_of) == study.name]
    frames = {
        "machines": provenance.machines_frame(results, records),
        "environments": provenance.environments_frame(results, records),
        "cpu_time": provenance.costs_of(study, jobs, settings),
        "cpu_seconds_by_phase": provenance.phase_costs(results, settings, [study]),
    }
    origin = provenance.origin(settings, [study])
    return {
        "date": today.isoformat(),
        **origin,
        "commit": next(iter(frames["environments"]["commit"].dropna()), origin["commit"]),  # that ran most jobs
        "banner": settings.banner,
        "unfinished": files.unfinished(),
        "data_sets": files.computed(),
        # Through JSON text: pandas knows how to write its own values, and a phase that a method lacks is null, not NaN.
        **{name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()},
    }


def _earlier_runs(files: StudyFiles, folder: Path) -> list[dict[str, Any]]:
    """The runs in the snapshot in `folder` that computed data sets of a study which the new run has not finished."""
    lacking = set(files.all_datasets()) - set(files.computed())
    earlier = []
    for run in _runs(folder, files.study):
        kept = [name for name in run["data_sets"] if name in lacking]
        lacking -= set(kept)
        if kept:
            rows = {name: [row for row in run[name] if row["data set"] in kept] for name in BY_DATASET}
            earlier.append(run | {"data_sets": kept} | rows)
    return earlier


def _absent(parts: Sequence[StudyPart]) -> Mapping[str, str]:
    """Studies that there is nothing of, and the data sets that others lack."""
    kept = {part.study.name: {name for run in part.runs for name in run["data_sets"]} for part in parts}
    lacking = {
        part.study.name: [name for name in part.runs[0]["unfinished"] if name not in kept[part.study.name]]
        for part in parts
    }
    texts = {study.title: ", ".join(lacking.get(study.name, ["all data sets"])) for study in registry()}
    return {title: f"{names} not run" for title, names in texts.items() if names}


def _differences(part: StudyPart, parts: Sequence[StudyPart]) -> Iterator[Difference]:
    """Where the settings of a study differ from the protocol; of several runs, each on its data sets."""
    every = [run for other in parts for run in other.runs]
    for run in part.runs:
        differences = [each for each in _joined_settings([*every, run]).differences if each.study == part.study.name]
        if len(part.runs) == 1:
            yield from differences
        else:
            named = [[name for name in run["data_sets"] if name in (each.datasets or [name])] for each in differences]
            yield from (each._replace(datasets=tuple(of)) for each, of in zip(differences, named, strict=True) if of)


def _origins(parts: Sequence[StudyPart], costs: pd.DataFrame, has_counts: bool) -> list[Section]:
    """Where the numbers of each study come from, and what they took."""
    rows = [
        {
            "study": part.study.title,
            "data sets": "all" if len(part.runs) == 1 else ", ".join(run["data_sets"]),
            "run on": run["date"],
            "commit": str(run["commit"])[:10],
            "machine": run["machine"],
        }
        for part in parts
        for run in part.runs
    ]
    files = [
        md("[{title}]({name}/{file})", title=part.study.title, name=part.study.name, file=Markdown(PROVENANCE))
        for part in parts
    ]
    banners = dict.fromkeys(filter(None, (run.get("banner") for part in parts for run in part.runs)))
    shown: list[Part] = [
        *listed(dict.fromkeys(sentence for text in banners for sentence in re.split(r"(?<=\.) ", text))),
        Table("When and where the studies were run", pd.DataFrame(rows)),
        *([paragraph(REMADE)] if any(part.runs[0].get("remade") for part in parts) else []),
        paragraph("Settings, seeds, versions and checksums: {files}.", files=joined(files)),
    ]
    differing = differing_layout(each for part in parts for each in _differences(part, parts))
    return [
        Section("origin", "Origin of the results", shown),
        Section("differing", TITLE, [Table(TITLE, differing)] if len(differing) else []),
        Section("evidence", "Compute it again", [about_evidence(has_counts)]),
        Section("cpu-time", "CPU time", [Table("Jobs by study", provenance.study_costs(costs))] if len(costs) else []),
    ]


# --- evidence ---------------------------------------------------------------------------------------


def write_evidence(study: Study, settings: Settings, folder: Path) -> None:
    """Write the frames that claims, the explorer, tables and figures read, and what their data sets are.

    They have their names among the results.

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
    names = dict.fromkeys(name for entry in (*study.tables, *study.figures) for name in entry.needs)
    names |= dict.fromkeys(study.explored)
    paths = {*files.claimed(), *(path for of_frame in files.frames(names).values() for path in of_frame)}
    there = [path for path in map(Path, sorted(paths)) if path.is_file()]
    for path in there:
        text = read_frame(path).to_csv(index=False, float_format=f"%.{EVIDENCE_DIGITS}g")
        place = folder / path.relative_to(settings.results)
        if len(frame := pd.read_csv(io.StringIO(text))) > MOST_ROWS:
            write_frame(frame, place.with_suffix(".parquet"))
        else:
            write_text(text, place.with_suffix(".csv"))
    write_counts(study, settings, folder / study.name)
    with_frames = {path.parent.name for path in there}
    for path in map(Path, files.descriptions()):
        if path.is_file() and path.parent.name in with_frames:
            write_text(path.read_text(encoding="utf-8"), folder / path.relative_to(settings.results))


def keep_evidence(study: Study, old: Path, folder: Path, datasets: Collection[str] | None = None) -> None:
    """Copy what `write_evidence` once wrote, with the descriptions of the data sets that there are frames of.

    Parameters
    ----------
    study : Study
    old, folder : Path
        Copied from and to.
    datasets : collection of str, optional
        Those whose evidence takes the place of what is there of them; by default everything is copied.
    """
    if not (old / study.name).is_dir():
        return
    (folder / study.name).mkdir(parents=True, exist_ok=True)
    for name in [path.name for path in (old / study.name).iterdir()] if datasets is None else datasets:
        before, now, description = old / study.name / name, folder / study.name / name, old / "data" / name
        if now.is_dir():  # of jobs that have ended since
            shutil.rmtree(now)
        if before.is_dir():
            shutil.copytree(before, now)
        elif before.is_file():
            shutil.copyfile(before, now)
        if not study.draws and description.is_dir():
            shutil.copytree(description, folder / "data" / name, dirs_exist_ok=True)


ABOUT_EVIDENCE = """
The folder `{folder}` holds the numbers behind verdicts, tables, figures and the explorer, with at most {digits}
significant digits, as Parquet where a frame has more than {rows} rows. {counts}

- `make snapshot`, without results of a run, makes these pages again.
- `treecrf_studies.report.ledger.verdicts("docs/results/{folder}")` computes the verdicts.
- `python -m treecrf_studies.explorer.page --results docs/results/{folder} --reports build` writes the explorer.
- docs/recompute.md computes 40 of the numbers again, by other code.
"""


def about_evidence(has_counts: bool) -> Note:
    """What the folder holds."""
    counts = f"`{FILE}` has the correct positions of every test sequence." if has_counts else ""
    rows = f"{MOST_ROWS:,}"
    return paragraph(ABOUT_EVIDENCE, folder=EVIDENCE, digits=EVIDENCE_DIGITS, rows=rows, counts=Markdown(counts))


# --- command -----------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf_studies.report.snapshot``."""
    parser = config_parser("python -m treecrf_studies.report.snapshot", __doc__)
    parser.add_argument("--folder", default="docs/results", help="where to write (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        settings = load_settings(read_configuration(given.config))
        write_snapshot(settings, given.folder, datetime.datetime.now(tz=datetime.UTC).date())
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"The results are in {given.folder}/index.md.")


if __name__ == "__main__":
    main()
