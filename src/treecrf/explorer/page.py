"""The explorer as one HTML file: the frames of all studies, charts and tables of whatever is chosen of them.

What a reader sees first is in the HTML itself (headlines, counts, the chart of published and measured numbers, a table for each
study), so that it is there without script and on paper; the script (``script/*.js``, in the order of `SCRIPTS`) draws the views.
The view and all that is chosen in it are in the address's fragment. A Content-Security-Policy in the page forbids every request.

``python -m treecrf.explorer.page --results docs/results/evidence --reports build`` writes it for results that no run is at work on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import PackageLoader
from markupsafe import Markup

from treecrf.explorer.charts import charts, static_svg
from treecrf.explorer.gathering import Gathered, gather
from treecrf.explorer.packing import pack
from treecrf.explorer.published import published_rows
from treecrf.explorer.views import ACCURACY, CHOICE, METRICS
from treecrf.io.files import read_configuration, resource, write_text
from treecrf.io.messages import counted
from treecrf.rendering.cells import BEST, number
from treecrf.rendering.layouts import to_fragment
from treecrf.rendering.parts import first_sentence
from treecrf.rendering.plain import plain_title
from treecrf.rendering.templates import ENVIRONMENT
from treecrf.report import provenance
from treecrf.report.differing import TITLE, differing_layout
from treecrf.report.ledger import CLAIMS, read_ledger, verdicts, verdicts_by_rule
from treecrf.report.ledger_page import SIGNS, ledger_summary
from treecrf.report.page import EXPLORER, PAGE, studies
from treecrf.report.rules import verdict_text
from treecrf.statistics.ranking import AT_THE_TOP, REFERENCE, STANDINGS, UNTESTED
from treecrf.studies import registry
from treecrf.studies.claims import NOT_RUN, VERDICTS
from treecrf.studies.settings import Settings, load_settings

PACKAGE = "treecrf.explorer"

SCRIPTS = ("data", "address", "drawing", "overview", "leaderboard", "cell", "claims", "start")

PAPERS = {
    "P": "PhD dissertation (2009)",
    "M": "M.S. thesis",
    "I": "ICML 2004",
    "U": "UAI 2004",
    "E": "ESPBoost (2014)",
}
"""By the letters that ids of claims begin with."""


def write_explorer(settings: Settings) -> None:
    """Write `EXPLORER` beside the page of the run, from whatever the results folder holds."""
    claims, by_rule = _ledger(settings)
    headlines = {
        study.identifier: study.headline for study in studies(settings, Path(settings.results)) if study.headline
    }
    write_text(
        render_explorer(settings, gather(settings), claims, by_rule, headlines), Path(settings.reports, EXPLORER)
    )


def render_explorer(
    settings: Settings, gathered: Gathered, claims: pd.DataFrame, by_rule: pd.DataFrame, headlines: dict[str, str]
) -> str:
    """The page.

    Parameters
    ----------
    settings : Settings
        Of the run.
    gathered : Gathered
        What can be explored.
    claims, by_rule : DataFrame
        From `treecrf.report.ledger`; may be without rows.
    headlines : dict
        Sentences for each study that has results, the main one first.
    """
    specifications = charts()
    judged = claims if (claims["verdict"] != NOT_RUN).any() else claims.iloc[:0]
    is_published = len(judged) > 0
    titles = {study.name: study.title if is_published else plain_title(study.title) for study in registry()}
    differing = differing_layout(settings.differences)
    environment = ENVIRONMENT.overlay(loader=PackageLoader(PACKAGE))
    page = environment.get_template("explorer.html").render(
        title="Explore the results",
        page=PAGE,
        style=Markup(resource("treecrf.rendering", "page.css") + resource(PACKAGE, "explorer.css")),
        bundle=_bundle(),
        scripts=[Markup(resource("treecrf.rendering", "page.js")), *(_script(name) for name in SCRIPTS)],
        data=pack(_frames(gathered, judged, by_rule)),
        words=_json(_words(gathered, titles)),
        charts=_json(specifications),
        note=settings.banner,
        differing=to_fragment(differing, TITLE) if is_published and len(differing) else "",
        opening=_opening(settings, gathered),
        is_published=is_published,
        headlines=[
            (name, title, *first_sentence(headlines[name])) for name, title in titles.items() if name in headlines
        ],
        claims=judged.to_dict("records"),
        ledger=ledger_summary(judged) if len(judged) else "",
        signs=SIGNS,
        verdict_text=verdict_text,
        published=_static_published(gathered, specifications),
        tables=_static_tables(gathered, titles),
        commit=provenance.commit(),
        machine=provenance.machine(),
    )
    return f"{page}\n"


# --- parts ------------------------------------------------------------------------------------------


def _ledger(settings: Settings) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ledger that the run has written, or what it would be: the evidence of a snapshot has none."""
    results, decides = Path(settings.results), settings.decides_claims
    if (results / CLAIMS).is_file():
        return read_ledger(results)
    return verdicts(results, decides), verdicts_by_rule(results, decides)


def _frames(gathered: Gathered, claims: pd.DataFrame, by_rule: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {**gathered._asdict(), "claims": claims, "rules": by_rule}


def _words(gathered: Gathered, titles: Mapping[str, str]) -> dict[str, Any]:
    """Texts about studies and metrics."""
    there = set(gathered.scores["study"])
    return {
        "studies": {name: title for name, title in titles.items() if name in there},
        "tests": {study.name: study.explored.test for study in registry() if study.explored},
        "tested": ACCURACY,
        "standings": STANDINGS,
        "top": AT_THE_TOP,
        "untested": UNTESTED,
        "reference": REFERENCE,
        "metrics": {name: metric._asdict() for name, metric in METRICS.items()},
        "decoders": {
            "forward_backward": "forward-backward",
            "viterbi": "Viterbi",
            "better": "preferred by cross-validation",
        },
        "verdicts": [[name, verdict_text(name), SIGNS[name]] for name in VERDICTS],
        "papers": PAPERS,
        "page": PAGE,
    }


def _opening(settings: Settings, gathered: Gathered) -> str:
    """What was run, in a sentence."""
    scores, runs = gathered.scores, gathered.runs
    if scores.empty:
        return "No study has results yet."
    n_methods = scores.drop_duplicates(["study", "method"]).shape[0]
    n_datasets = scores["dataset"].nunique()
    n_studies = scores["study"].nunique()
    return (
        f"{n_studies} of {len(registry())} studies have results here: {counted(n_methods, 'method')} on {counted(n_datasets, 'data set')}, "
        f"{len(runs):,} runs kept, {len(gathered.pairs):,} differences between methods tested. Seed {settings.seed}."
    )


def _static_published(gathered: Gathered, specifications: dict[str, Any]) -> list[tuple[str, Markup]]:
    """A chart for each quantity of the published numbers, for readers without script."""
    found = []
    for quantity, rows in published_rows(gathered).groupby("quantity", sort=False):
        kind = "published_log" if "seconds" in str(quantity) else "published"
        found.append((str(quantity), Markup(static_svg(specifications[kind], rows))))
    return found


def _static_tables(gathered: Gathered, titles: Mapping[str, str]) -> list[tuple[str, Markup]]:
    """Accuracy of all methods by data set, a table for each study."""
    scores = gathered.scores
    shown = scores[(scores["metric"] == ACCURACY) & (scores["point"] == CHOICE)]
    names = gathered.methods.set_index(["study", "method"])["name"]
    found = []
    for study, title in titles.items():
        of_study = shown[shown["study"] == study]
        if of_study.empty:
            continue
        rows = of_study.drop_duplicates(["dataset", "variant", "decoder", "method"])
        texts = [
            number(value) + (f" {BEST}" if standing in AT_THE_TOP else "")
            for value, standing in zip(rows["value"], rows["standing"], strict=True)
        ]
        labelled = rows.assign(
            text=texts,
            case=[
                " · ".join(filter(None, case))
                for case in rows[["dataset", "variant", "decoder"]].itertuples(index=False)
            ],
            name=[names[study, method] for method in rows["method"]],
        )
        cases, methods = list(dict.fromkeys(labelled["case"])), list(dict.fromkeys(labelled["name"]))
        by_cell = labelled.set_index(["case", "name"])["text"].to_dict()
        layout = pd.DataFrame(
            {"data set": cases} | {name: [by_cell.get((case, name), "–") for case in cases] for name in methods}
        )
        found.append(
            (title, to_fragment(layout, f"Accuracy in percent, {BEST} or bold: the best and those equivalent to it"))
        )
    return found


def _bundle() -> Markup:
    """Vega, Vega-Lite and Vega-Embed as one script; its names stay inside, but for vegaEmbed."""
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(f"(() => {{\n{bundle}\n}})();".replace("</script", "<\\/script"))


def _script(name: str) -> Markup:
    return Markup(resource(PACKAGE, os.path.join("script", f"{name}.js")))


def _json(value: Any) -> Markup:
    return Markup(json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf.explorer.page``."""
    parser = argparse.ArgumentParser(prog="python -m treecrf.explorer.page", description="Write the page to explore.")
    parser.add_argument("--config", default="config/config.yaml", help="settings of the run (default: %(default)s)")
    parser.add_argument("--results", help="folder of results, instead of that of the settings")
    parser.add_argument("--reports", help="folder to write to, instead of that of the settings")
    given = vars(parser.parse_args(arguments))
    folders = {name: given[name] for name in ("results", "reports") if given[name]}
    try:
        write_explorer(load_settings(read_configuration([given["config"]]) | folders))
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
