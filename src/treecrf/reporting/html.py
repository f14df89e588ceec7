"""The page that shows a whole run: one file, no network."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from treecrf.datasets import describe
from treecrf.reporting.files import read_json, write_text
from treecrf.reporting.future_page import future_is_finished, future_sections
from treecrf.reporting.missing_page import missing_is_finished, missing_sections
from treecrf.reporting.parts import paragraph
from treecrf.reporting.tables import frame_to_fragment
from treecrf.reporting.training_page import training_is_finished, training_sections
from treecrf.settings import Settings, TableDataset

PACKAGES = ("treecrf", "numpy", "numba", "pandas", "scikit-learn", "scipy", "matplotlib", "statsmodels", "snakemake")


DATASET_NOTE = """
Training: {train[sequences]:,} sequences, {train[positions]:,} positions. Test: {test[sequences]:,} sequences,
{test[positions]:,} positions. {labels} labels; attributes: {attributes}; window −{left} to +{right}.
"""


def write_page(settings: Settings, logs: str | os.PathLike[str]) -> None:
    """Write ``index.html`` into the reports folder from whatever the results folder holds.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting, which the page lists.
    logs : path-like
        Folder of the jobs' logs: a data set without results is shown with the first line of its failed jobs' logs.
    """
    results = Path(settings.results)
    body = "\n".join(_sections(settings, results, Path(logs)))
    text = files("treecrf.reporting").joinpath("page.html").read_text(encoding="utf-8")
    for key, value in (("{{style}}", _resource("page.css")), ("{{body}}", body)):
        text = text.replace(key, value)
    write_text(text, Path(settings.reports) / "index.html")


def _sections(settings: Settings, results: Path, logs: Path) -> Iterator[str]:
    names = dict.fromkeys([*settings.training.datasets, *settings.missing.datasets])
    absent = [name for name in settings.training.datasets if not training_is_finished(results, name)]
    absent += [name for name in settings.missing.datasets if not missing_is_finished(results, name)]
    absent += [name for name in settings.future.datasets if not future_is_finished(results, name)]
    yield _heading(settings)
    if absent:
        reasons = {name: _reason(name, _raw_files(settings, name), logs) for name in dict.fromkeys(absent)}
        yield _absent(reasons)
    yield from training_sections(settings, results)
    yield from missing_sections(settings, results)
    yield from future_sections(settings, results)
    for name in names:
        if training_is_finished(results, name) or missing_is_finished(results, name):
            yield _dataset(name, read_json(results / "data" / name / "description.json"))
    yield _cost(results)
    yield _appendix(settings)


# --- sections ---------------------------------------------------------------------------------------


def _heading(settings: Settings) -> str:
    names = dict.fromkeys([*settings.training.datasets, *settings.missing.datasets])
    links = "".join(f'<a href="#{name}">{escape(name)}</a>' for name in names)
    if settings.future.datasets:
        links = f'<a href="#future">future features</a>{links}'
    if settings.missing.datasets:
        links = f'<a href="#missing">missing values</a>{links}'
    if settings.training.datasets:
        links = f'<a href="#training">training</a>{links}'
    return (
        "<header><h1>TreeCRF: published and measured</h1>"
        "<p>Conditional random fields whose potentials are sums of regression trees, trained and tested as in "
        "chapters 3 to 5 of the dissertation. Every number below was computed by the run that wrote this page, but for "
        "the columns headed <em>published</em>.</p>"
        f'<nav>{links}<a href="#cost">CPU time</a><a href="#settings">settings</a></nav></header>'
    )


def _absent(reasons: dict[str, str]) -> str:
    items = "".join(f"<li><b>{escape(name)}</b>: {escape(reason)}</li>" for name, reason in reasons.items())
    return f'<section class="warning"><h2>Not in this page</h2><ul>{items}</ul></section>'


def _dataset(name: str, description: dict[str, Any]) -> str:
    left, right = description["window"]
    counts = paragraph(
        DATASET_NOTE,
        **{side: description[side] for side in ("train", "test")},
        labels=len(description["labels"]),
        attributes=description["n_attributes"],
        left=left,
        right=right,
    )
    stand_in, terms = (description[key] and escape(str(description[key])) for key in ("stand_in", "terms"))
    return (
        f'<section id="{escape(name)}"><h2>{escape(name)}</h2><p>{escape(description["title"])}</p>'
        + (f'<p class="stand-in">Stand-in: {stand_in}</p>' if stand_in else "")
        + counts
        + (f"<p>Source: {terms}.</p>" if terms else "")
        + "</section>"
    )


def _cost(results: Path) -> str:
    jobs = _benchmarks(results / "benchmarks")
    return (
        '<section id="cost"><h2>CPU time of this run</h2><p>Seconds and memory of the jobs behind this page, by step, start of '
        f"Python included, as Snakemake sampled them.</p>{frame_to_fragment(jobs) if len(jobs) else ''}</section>"
    )


def _benchmarks(folder: Path) -> pd.DataFrame:
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        measured = pd.read_csv(path, sep="\t", na_values=["-", "NA"])
        rows.append(
            {
                "step": path.relative_to(folder).parts[0].removesuffix(".tsv"),
                **measured[["s", "cpu_time", "max_rss"]].iloc[0],
            }
        )
    if not rows:
        return pd.DataFrame()
    groups = pd.DataFrame(rows).groupby("step", sort=False)
    frame = groups.agg(
        jobs=("s", "size"), wall=("s", "sum"), cpu=("cpu_time", "sum"), memory=("max_rss", "max")
    ).reset_index()
    return pd.DataFrame(
        {
            "step": frame["step"],
            "jobs": frame["jobs"].astype(str),
            "wall seconds": frame["wall"].map("{:.1f}".format),
            "CPU seconds": frame["cpu"].map("{:.1f}".format),
            "most memory, MiB": frame["memory"].map("{:.0f}".format),
        }
    )


def _appendix(settings: Settings) -> str:
    values = settings.model_dump(mode="json")
    used = dict.fromkeys([*settings.training.datasets, *settings.missing.datasets])
    values["datasets"] = {name: values["datasets"][name] for name in used}
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    versions = [("python", platform.python_version())]
    for package in PACKAGES:
        try:
            versions.append((package, version(package)))
        except PackageNotFoundError:
            continue
    table = frame_to_fragment(pd.DataFrame(versions, columns=["package", "version"]))
    return (
        f'<section id="settings"><h2>Settings and versions</h2><pre>{escape(text)}</pre>{table}'
        f"<p>{escape(platform.system())} {escape(platform.machine())}, {os.cpu_count()} cores.</p></section>"
    )


# --- parts ------------------------------------------------------------------------------------------


def _raw_files(settings: Settings, name: str) -> tuple[str, ...]:
    dataset = settings.datasets[name]
    return () if isinstance(dataset, TableDataset) else tuple(describe(dataset.source or name).files)


def _reason(name: str, raw_files: Iterable[str], logs: Path) -> str:
    """The first line of the newest failed job's log that belongs to the data set."""
    candidates = [path for path in logs.rglob("*.log") if path.name.startswith((f"{name}.", f"{name}_"))]
    candidates += [path for file in raw_files if (path := logs / "download" / f"{file}.log").is_file()]
    for path in sorted(candidates, key=lambda path: path.stat().st_mtime, reverse=True):
        lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if any(line.startswith(("Where it happened", "Traceback")) for line in lines):
            return lines[0] if not lines[0].startswith("Traceback") else lines[-1]
    return "not computed; see Snakemake's messages."


def _resource(name: str) -> str:
    return files("treecrf.reporting").joinpath(name).read_text(encoding="utf-8")
