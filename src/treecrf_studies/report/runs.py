"""Runs on one's own data, each in a folder of its own, and the page that lists and compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from treecrf.io.files import write_text
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import DASH
from treecrf_studies.rendering.parts import (
    Markdown,
    Page,
    Part,
    Section,
    Table,
    link,
    paragraph,
    setting_text,
)
from treecrf_studies.rendering.site import PAGE, write_site
from treecrf_studies.rendering.style import training_method_name
from treecrf_studies.report.archive import MANIFEST
from treecrf_studies.report.comparing import RESULTS, Run, open_run, write_comparison
from treecrf_studies.report.provenance import dotted
from treecrf_studies.training.choices import CHOICE, preferred_at

CONFIGURATION, REPORTS = "config.yaml", "reports"
"""In the folder of a run, beside `RESULTS`."""

COMPARED = "compared_with_{other}"
"""In the folder of a run, the comparison with an earlier one."""

LENGTHS: Mapping[str, Any] = {
    "l2_regularizations": [5, 20],
    "memm_regularizations": [5, 20],
    "variances": [1, 10],
    "n_iterations": 60,
    "n_folds": 3,
    "n_perturbed_runs": 2,
}
"""Settings of training that keep a run short."""


def place_run(runs: Path, name: str, dataset: Mapping[str, Any], methods: Sequence[str]) -> Path:
    """The folder of a run on one data set, with its `CONFIGURATION`.

    A run with the same settings has the same folder, and is continued; another one has the next number.

    Parameters
    ----------
    runs : Path
        The folder of all runs.
    name : str
        Of the data set.
    dataset : mapping
        The keys of a data set of the kind table.
    methods : sequence of str

    Returns
    -------
    Path
        Such as ``runs/words-2``.

    Raises
    ------
    ValueError
        One sentence on a method or column that the workflow would refuse; nothing is written.
    """
    number = 1
    while True:
        folder = runs / f"{name}-{number}"
        path, text = folder / CONFIGURATION, _configuration(folder, name, dataset, methods)
        if not path.is_file():
            load_settings(yaml.safe_load(text))
            write_text(text, path)
        if path.read_text(encoding="utf-8") == text:
            return folder
        number += 1


def _configuration(folder: Path, name: str, dataset: Mapping[str, Any], methods: Sequence[str]) -> str:
    others: dict[str, Any] = {study.name: {"datasets": []} for study in registry() if study.name != "cost"}
    settings = {
        "profile": "own",
        "results": str(folder / RESULTS),
        "reports": str(folder / REPORTS),
        "datasets": {name: {"kind": "table", **dataset}},
        **others,
        "training": {"datasets": [name], "methods": list(methods), **LENGTHS},
        "cost": {"methods": [], "window_datasets": [], "sampling_datasets": []},
    }
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)


# --- the page ---------------------------------------------------------------------------------------


class _Kept(NamedTuple):
    """A finished run: name, time of writing, settings of its studies by dotted names, and accuracy and CPU seconds of
    each method of training by data set.
    """

    name: str
    written: str
    settings: dict[str, str]
    scores: pd.DataFrame


def write_runs(runs: Path) -> Path:
    """Write the page of all finished runs in a folder, the newest first, and return its path.

    Tables have the accuracy of each method, and settings that differ between runs. Each run has a page with all its
    settings, and is compared with the run before it on the same data sets.

    Raises
    ------
    FileNotFoundError
        If there is no finished run.
    """
    manifests = sorted(runs.glob(f"*/{RESULTS}/{MANIFEST}"))
    if not manifests:
        raise FileNotFoundError(f"{runs} has no finished run; run `treecrf-studies report DATA` first.")
    kept = sorted((_read(path.parent) for path in manifests), key=lambda run: (run.written, run.name), reverse=True)
    pages = [Page("index.md", "Runs", lead=_overview(kept))]
    for place, run in enumerate(kept):
        before = next((other for other in kept[place + 1 :] if _sets(other) == _sets(run)), None)
        pages.append(_page(runs, run, before))
    write_site(pages, runs, "treecrf: runs")
    return runs / PAGE


def _read(results: Path) -> _Kept:
    with open_run(results) as run:
        absent = {study.name for study in registry()} - run.studies()
        used = {name: value for name, value in run.manifest["settings"].items() if name not in absent}
        settings = {name: setting_text(value) for name, value in dotted(used).items()}
        return _Kept(results.parent.name, str(run.manifest["written"]), settings, _scores(run))


def _scores(run: Run) -> pd.DataFrame:
    frames = [
        preferred_at(frame, CHOICE)[["dataset", "method", "value", "cpu_seconds"]]
        for path, (_, frame) in run.frames().items()
        if path.startswith("training/") and path.endswith("/summary.csv")
    ]
    columns = ["dataset", "method", "value", "cpu_seconds"]
    scores = pd.concat([pd.DataFrame(columns=columns), *frames], ignore_index=True)
    return scores.astype({"value": float, "cpu_seconds": float})


def _sets(run: _Kept) -> set[str]:
    return set(run.scores["dataset"])


def _overview(kept: Sequence[_Kept]) -> list[Part]:
    """Results, a row for each run and data set; and settings, a row for each run, where there are several.

    All settings of a run are in one cell and results come first, so that a narrow screen shows them.
    """
    names = dict.fromkeys(name for run in kept for name in run.settings)
    differing = [name for name in names if len({run.settings.get(name, "") for run in kept}) > 1]
    methods = dict.fromkeys(method for run in kept for method in run.scores["method"])
    has_sets = any(len(_sets(run)) > 1 for run in kept)  # others are named for their data set
    rows = []
    for run in kept:
        for dataset, scores in run.scores.groupby("dataset", sort=False):
            accuracy = scores.set_index("method")["value"]
            row = {"run": run.name, "best method": training_method_name(str(accuracy.idxmax()))}
            row |= {
                f"{training_method_name(method)} (%)": f"{accuracy[method]:.2f}" if method in accuracy else DASH
                for method in methods
            }
            row |= {"data set": str(dataset)} if has_sets else {}
            row |= {"CPU seconds to the chosen iteration": f"{scores['cpu_seconds'].sum():.3g}"}
            rows.append(row | {"written (UTC)": run.written[:16].replace("T", " ")})
    parts: list[Part] = [Table("Accuracy on test positions", pd.DataFrame(rows))]
    if differing:
        texts = ["; ".join(f"{name}: {run.settings.get(name, DASH)}" for name in differing) for run in kept]
        settings = pd.DataFrame({"run": [run.name for run in kept], "settings": texts})
        parts.append(Table("Settings that differ", settings))
    return parts


def _page(runs: Path, run: _Kept, before: _Kept | None) -> Page:
    path = f"run/{run.name}.md"
    parts = [paragraph("{pages}", pages=link("Pages of this run", f"{run.name}/{REPORTS}/{PAGE}"))]
    if before is not None:
        place = Path(run.name, COMPARED.format(other=before.name))
        said = write_comparison(runs / before.name / RESULTS, runs / run.name / RESULTS, runs / place)
        to = link(Markdown(f"Comparison with {before.name}"), f"{place.as_posix()}/{PAGE}")
        parts.append(paragraph("{to}: {said}", to=to, said=said))
    shown = pd.DataFrame(sorted(run.settings.items()), columns=["setting", "value"])
    return Page(path, run.name, [Section("settings", "Settings", [Table("All settings", shown)])], parts)
