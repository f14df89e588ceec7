"""The explorer as one HTML file: the views of all studies, and scripts that show what is chosen of them.

The scripts (``script/*.js``, in the order of `SCRIPTS`) draw tables and charts; the address's fragment names the view
and all that is chosen in it. A Content-Security-Policy in the page forbids every request.

``python -m treecrf_studies.explorer.page --results docs/results/evidence --reports build`` writes it for results that
no run is at work on.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from treecrf.io.files import read_configuration, resource, write_text
from treecrf.pages.page import as_json, policy_of
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf.statistics.ranking import REFERENCE, STANDINGS
from treecrf_studies.datasets import describe
from treecrf_studies.explorer.gathering import Gathered, gather
from treecrf_studies.framework.metrics import ACCURACY, METRICS, OF_CHUNKS
from treecrf_studies.framework.settings import Settings, TableDataset, config_parser, load_settings
from treecrf_studies.methods.catalogue import LABELLERS
from treecrf_studies.registry import registry
from treecrf_studies.rendering.glossary import glossary
from treecrf_studies.rendering.parts import listed_pages
from treecrf_studies.rendering.site import MARKDOWN, PAGE
from treecrf_studies.report.ledger import SNAPSHOT
from treecrf_studies.report.page import EXPLORER
from treecrf_studies.report.snapshot import recorded_settings

PACKAGE = "treecrf_studies.explorer"

SCRIPTS = ("data", "tables", "elements", "charts", "compare", "leaderboard", "pairs", "cell", "start")

ENVIRONMENT = Environment(
    loader=PackageLoader(PACKAGE), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
)
"""Of the template; text that it is given is escaped."""

DOCUMENTED = (("own_data.html", "Your own data"), ("glossary.html", "Glossary"), ("explorer.html", "How to read it"))
"""Pages of the documentation that the explorer links."""

DECODERS = {"forward_backward": "forward-backward", "viterbi": "Viterbi", "better": "preferred by cross-validation"}

COLOURS = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#ff8c42"),
    ("#009e73", "#3ddbab"),
    ("#b5468b", "#f09ccb"),
    ("#8a6d00", "#e3c83a"),
    ("#6a3d9a", "#b794f4"),
    ("#4d4d4d", "#c4c9d1"),
    ("#17859b", "#4fd1e0"),
    ("#8c564b", "#d1a18f"),
)
"""Of families of methods, on a light and on a dark ground."""

FAMILIES = {
    "boosted": "boosted trees",
    "linear": "linear chains",
    "java": "Java programs",
    "neural": "networks",
    "window": "classifiers of windows",
    "ensembles": "ensembles",
    "kernel": "kernels",
}
"""What readers see of the families of the catalogue; those of other methods are the first words of their names."""

STANDING_COLOURS = {
    "best": ("#0072b2", "#6ab8ec"),
    "near": ("#0072b2", "#6ab8ec"),
    "behind": ("#b34700", "#f0a050"),
    "open": ("#6b6b6b", "#9aa0a8"),
    "top": ("#e3f0f8", "#1d3446"),
}


def write_explorer(settings: Settings, documentation: str = "") -> None:
    """Write `EXPLORER` beside the page of the run, from whatever the results folder holds; `documentation` is the way
    to that, if it is there.
    """
    write_text(render_explorer(settings, gather(settings), documentation), Path(settings.reports, EXPLORER))


def render_explorer(settings: Settings, gathered: Gathered, documentation: str = "") -> str:
    """The page of what can be explored."""
    if not settings.may_concern_papers:
        gathered = gathered._replace(published=gathered.published.iloc[:0])
    scripts = [_script(name) for name in SCRIPTS]
    page = ENVIRONMENT.get_template("explorer.html").render(
        title="treecrf explorer",
        page=PAGE,
        ways=[
            (PAGE, "All results"),
            *((f"{documentation}/{path}", name) for path, name in DOCUMENTED if documentation),
        ],
        pages=[(f"{Path(path).stem}.html", name) for path, name in listed_pages(Path(settings.reports, MARKDOWN))],
        style=Markup(resource(PACKAGE, "explorer.css") + _colours()),
        chart_style=Markup(resource(PACKAGE, "charts.css")),
        scripts=scripts,
        policy=Markup(policy_of(scripts)),
        data=pack(gathered._asdict() | {"scores": gathered.scores.rename(columns={"quantity": "metric"})}),
        words=Markup(as_json(_words(settings, gathered))),
        note=settings.banner,
        opening="Results" if len(gathered.scores) else "No study has results yet",
    )
    return f"{page}\n"


def _words(settings: Settings, gathered: Gathered) -> dict[str, Any]:
    """Texts about studies, data sets, methods and metrics."""
    there, entries = set(gathered.scores["study"]), glossary()
    sources = {
        name: getattr(settings.datasets.get(name), "source", None) for name in gathered.scores["dataset"].unique()
    }
    return {
        "studies": {study.name: study.title for study in registry() if study.name in there},
        "tests": {study.name: study.tested for study in registry() if study.views},
        "tested": ACCURACY,
        "standings": STANDINGS,
        "reference": REFERENCE,
        "level": SIGNIFICANCE_LEVEL,
        "metrics": {name: metric._asdict() | {"title": metric.title} for name, metric in METRICS.items()},
        "decoders": DECODERS,
        "colours": COLOURS,
        "datasets": {name: _about(settings, name) for name in sources},
        "repeated": {name: source for name, source in sources.items() if source in sources},
        "methods": {name: text for name in gathered.methods["name"] if (text := _explained(name, entries))},
        "families": {
            f"{study}/{method}": FAMILIES[LABELLERS[method].family]
            for study, method in gathered.methods[["study", "method"]].itertuples(index=False)
            if method in LABELLERS and LABELLERS[method].family in FAMILIES
        },
        "spans": OF_CHUNKS["F1"].removeprefix("F1"),
    }


def _explained(name: str, entries: Mapping[str, str]) -> str:
    """The entry of the glossary whose word is the longest in the name of a method; empty without one."""
    words = [word for word in entries if word.lower() in name.lower()]
    return entries[max(words, key=len)] if words else ""


def _about(settings: Settings, name: str) -> str:
    """What a data set is; empty for a user's own file."""
    dataset = settings.datasets.get(name)
    if dataset is None or isinstance(dataset, TableDataset):
        return ""
    described = describe(dataset.source or name)
    return described.summary + (f"; stand-in: {described.stand_in}" if described.stand_in else "")


def _colours() -> str:
    """Colours of methods and standings as variables of the style."""
    pairs = {f"m{place}": pair for place, pair in enumerate(COLOURS)} | STANDING_COLOURS
    rules = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in pairs.items())
    return f":root {{ {rules} }}\n"


def _script(name: str) -> Markup:
    return Markup(resource(PACKAGE, os.path.join("script", f"{name}.js")))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf_studies.explorer.page``."""
    parser = config_parser("python -m treecrf_studies.explorer.page", "Write the page to explore.")
    parser.add_argument("--results", help="folder of results, instead of that of the settings")
    parser.add_argument("--reports", help="folder to write to, instead of that of the settings")
    parser.add_argument("--documentation", default="", help="way from that folder to the documentation, for links")
    given = vars(parser.parse_args(arguments))
    folders = {name: given[name] for name in ("results", "reports") if given[name]}
    try:
        snapshot = Path(given["results"] or "").parent
        if (snapshot / SNAPSHOT).is_file():  # its runs had these settings
            settings = recorded_settings(snapshot).model_copy(update=folders | {"note": ""})
        else:
            settings = load_settings(read_configuration(given["config"]) | folders)
        write_explorer(settings, given["documentation"])
    except (OSError, ValueError) as error:
        sys.exit(str(error))


PACKED_DIGITS = 6
"""Significant ones of numbers with a point."""


def pack(frames: Mapping[str, pd.DataFrame]) -> Markup:
    """Frames by name as JSON that a script element can hold.

    A frame is an object of its columns: a list of values; or, where texts repeat, ``{"levels": [...], "codes":
    [...]}``. What is missing is null, numbers have `PACKED_DIGITS` significant digits.
    """
    packed = {name: {column: _column(frame[column]) for column in frame} for name, frame in frames.items()}
    return Markup(as_json(packed))


def _column(values: pd.Series) -> Any:
    plain = [_plain(value) for value in values.tolist()]
    if not any(isinstance(value, str) for value in plain):
        return plain
    levels = list(dict.fromkeys(plain))
    place = {level: index for index, level in enumerate(levels)}
    return {"levels": levels, "codes": [place[value] for value in plain]}


def _plain(value: Any) -> Any:
    """A value as JSON knows it."""
    if isinstance(value, (list, str, bool)):
        return value
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float):
        rounded = float(f"{value:.{PACKED_DIGITS}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
    return value


if __name__ == "__main__":
    main()
