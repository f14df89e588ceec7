"""The part of README.md that a snapshot of results gives: accuracies, verdicts on claims, and how near published values
are.

``python -m treecrf_studies.explorer.readme`` rewrites it from ``docs/results``, and in that folder the table of all
published accuracies.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import read_configuration, write_frame, write_text
from treecrf.statistics.ranking import AT_THE_TOP, STANDINGS, WORSE
from treecrf_studies.explorer.gathering import Gathered, gather
from treecrf_studies.framework.claims.judge import NOT_RUN
from treecrf_studies.framework.metrics import ACCURACY, METRICS
from treecrf_studies.framework.settings import config_parser, load_settings
from treecrf_studies.framework.views import (
    CEILING,
    CHOICE,
    PEAK,
    distinct_accuracies,
    headline_accuracies,
    is_near,
    nearness,
)
from treecrf_studies.report.ledger import CLAIMS
from treecrf_studies.report.papers import PAPERS, THREE, counts_text
from treecrf_studies.report.snapshot import EVIDENCE
from treecrf_studies.training.choices import BETTER, BLOCKS

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
"""What stands before and after the part."""

LEAST_METHODS = 3
"""Methods that a data set of the table has results of."""

TABLE = "published.csv"
"""In the folder of the snapshot."""

WORSE_SIGN = "↓"
"""After an accuracy where the sequence-level test finds another method more accurate."""

METHODS = ("treecrf_newton", "linear_crf", "mallet", "lightgbm", "neural_crf")
"""Columns of the table, as far as they were run."""


def accuracy_table(gathered: Gathered) -> str:
    """Accuracy by data set and method of the study of training, with the choice and decoder of cross-validation;
    Markdown.
    """
    scores = shown_scores(gathered)
    shown = scores[scores["method"].isin(METHODS)]
    names = gathered.methods.set_index(["study", "method"])["name"]["training"]
    methods = [method for method in METHODS if method in set(shown["method"])]
    rows = shown.set_index(["dataset", "method"]).to_dict("index")
    lines = [["data set", *(names[method] for method in methods), "highest of all methods", "not separated from it"]]
    lines.append(["---", *["---:"] * (len(methods) + 2)])
    for dataset in dict.fromkeys(shown["dataset"]):
        cells = [rows.get((dataset, method)) for method in methods]
        if sum(cell is not None for cell in cells) >= LEAST_METHODS:
            of_all = scores[scores["dataset"] == dataset]
            tested = of_all[of_all["standing"].isin(STANDINGS)]
            near = f"{(tested['standing'] != WORSE).sum()} of {len(tested)} methods" if len(tested) else "–"
            found = [f"{of_all['value'].astype(float).max():.2f}", near]
            lines.append([dataset, *(_cell(cell) if cell else "–" for cell in cells), *found])
    return _markdown(lines)


def unbeaten(gathered: Gathered) -> tuple[list[str], list[str]]:
    """The data sets on which all methods of the study of training are tested, and the methods that no test finds worse
    than another on any of them; the explorer's headline says the same.
    """
    scores = shown_scores(gathered)
    scores = scores[scores["standing"].isin(STANDINGS)]
    names = gathered.methods.set_index(["study", "method"])["name"]["training"]
    known = scores.pivot_table(index="method", columns="dataset", values="value", aggfunc="size", sort=False).notna()
    shared = [str(name) for name in known.columns[known.all()]]
    is_worse = (scores["standing"] == WORSE) & scores["dataset"].isin(shared)
    worse = is_worse.groupby(scores["method"], sort=False).any()
    return shared, [names[str(method)] for method in worse.index[~worse]]


def findings(gathered: Gathered) -> str:
    """What the tests find over the data sets that all methods have, in a sentence; empty where there are none."""
    shared, methods = unbeaten(gathered)
    if not shared:
        return ""
    scores = shown_scores(gathered)
    n = scores.loc[scores["standing"].isin(STANDINGS), "method"].nunique()
    found = (
        f"finds a method better than {_listed(methods, 'or')}" if methods else "leaves a method without a better one"
    )
    return f"All {n} methods have results on {_listed(shared, 'and')}. No test on these sets {found}."


def _listed(texts: Sequence[str], last: str) -> str:
    return f" {last} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def shown_scores(gathered: Gathered) -> pd.DataFrame:
    """Accuracies of the study of training that the table is made of: those on the papers' test sets."""
    scores = gathered.scores[~gathered.scores["dataset"].isin(gathered.larger["sample"])]
    return scores[
        (scores[["study", "metric", "point", "decoder"]] == ["training", ACCURACY, CHOICE, BETTER]).all(axis=1)
    ]


def about_table(gathered: Gathered, by_lines: Sequence[str]) -> str:
    """What stands below the table: how many trainings, and the marks; `by_lines` are the data sets tested by lines."""
    shown = shown_scores(gathered)
    names = gathered.methods.set_index(["study", "method"])["name"]["training"]
    usual = int(shown["n"].mode().iloc[0])
    fewer = _other_numbers(shown, usual, names)
    others = f" ({', '.join(f'{name}: {n}' for name, n in fewer.items())})" if fewer else ""
    few = [name for name in by_lines if name in set(shown["dataset"])]
    lines = f" Of {', '.join(few)} the test takes lines of the few documents as independent." if few else ""
    return (
        f"Percent of test positions (of FAQ sets the mean over documents), mean of {usual} trainings{others}; settings "
        "chosen by cross-validation. [Marks](../statistics.md#marks): ▲, the highest of all methods and those "
        f"equivalent to it; {WORSE_SIGN}, the sequence-level test with Holm's correction finds another method more "
        f"accurate.{lines} –: not computed."
    )


def _other_numbers(scores: pd.DataFrame, usual: int, names: Mapping[str, str]) -> dict[str, int]:
    """Methods of the table, data sets whose methods all have another number of trainings than usual, and that number."""
    by_set = scores.groupby("dataset", sort=False)["n"].max()
    sets = {str(name): int(n) for name, n in by_set.items() if n != usual}
    highest = scores.loc[scores.groupby("dataset")["value"].idxmax(), "method"]
    rest = scores[~scores["dataset"].isin(sets) & scores["method"].isin([*METHODS, *highest])]
    by_method = rest.groupby("method", sort=False)["n"].max()
    return {names[str(method)]: int(n) for method, n in by_method.items() if n != usual} | sets


def _cell(score: Mapping[Any, Any]) -> str:
    text = f"{score['value']:.2f}"
    return (f"**{text}**" if score["standing"] in AT_THE_TOP else text) + (
        f" {WORSE_SIGN}" if score["standing"] == WORSE else ""
    )


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def verdicts_by_paper(claims: pd.DataFrame) -> str:
    """How many claims of each paper have which verdict, by each of the ways to judge them; a table in Markdown."""
    lines = [["paper", "claims", *THREE.values()], ["---", "---:", *["---"] * len(THREE)]]
    by_paper = [(paper.title, claims[claims["id"].map(paper.has)]) for paper in PAPERS]
    for title, of in [*by_paper, ("all", claims)]:
        if (of["verdict"] != NOT_RUN).any():
            counts = [counts_text(of[of[column] != ""], column) or "–" for column in THREE]
            lines.append([title, str(len(of)), *counts])
    return _markdown(lines) if len(lines) > 2 else ""


def published_accuracies(gathered: Gathered) -> pd.DataFrame:
    """The accuracies that the papers print and what was measured in their place."""
    published = gathered.published
    return published[published["quantity"] == METRICS[ACCURACY].title]


def sentences(accuracies: pd.DataFrame) -> str:
    """How near measured accuracies are to published ones; each printed number counts once."""
    own, compared = distinct_accuracies(accuracies), headline_accuracies(accuracies)
    n_ceiling = int(((own["published"].astype(float) >= CEILING) & ~own["inferred"].astype(bool)).sum())
    away = (compared["at_choice"] - compared["published"]).astype(float)
    return (
        f"The dissertation prints {len(own)} distinct test accuracies of labels. One training each, with settings and "
        f"iteration chosen by cross-validation, meets {int(is_near(compared, 'at_choice').sum())} of {len(compared)} "
        f"within one point (median difference {away.median():+.2f}); not counted are those of FAQ sets, whose columns "
        f"are inferred, and {n_ceiling} of {CEILING:g} % or more."
    )


def nearness_table(accuracies: pd.DataFrame) -> str:
    """The same by table and by what the measured number is of; Markdown.

    Chapter 3 prints peaks of test curves (tables 3.4, 3.5).
    """
    lines = [
        [
            "table",
            "measured on",
            "accuracies",
            "within one point, choice",
            "median",
            "within one point, peak",
            "median",
        ],
        ["---", "---", "---:", "---:", "---:", "---:", "---:"],
    ]
    for row in nearness(accuracies).to_dict("records"):
        of = f"{row['source']}, {row['kind']}" if row["kind"] else row["source"]
        found = [text for name in ("choice", "peak") for text in _near(row, name)]
        lines.append([of, row["sample"], str(row["n"]), *found])
    return _markdown(lines)


def _near(row: Mapping[Any, Any], name: str) -> tuple[str, str]:
    """How many of the measured values are near, and the median difference; dashes where nothing was measured."""
    if not row[f"n_{name}"]:
        return "–", "–"
    return f"{row[f'near_{name}']} of {row[f'n_{name}']}", f"{row[f'median_{name}']:+.2f}"


def differences(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy and the measured ones, the largest difference first.

    Columns: source, dataset, variant, method, decoder, sample (what the measured number is of), published;
    ``at_choice`` (cross-validated choice) and ``peak`` (of the test curve, where the paper prints one), each followed
    by its difference from the published value; counted (whether it is the first row with this printed number).
    """
    measured = accuracies["measured"].where(accuracies["point"] == PEAK)
    values = accuracies.assign(peak=measured)[["published", "at_choice", "peak"]].astype(float)
    values = values.map("{:.2f}".format).astype(float)  # as tables round
    away = values[["at_choice", "peak"]].sub(values["published"], axis=0).round(2) + 0.0  # no -0.0
    rows = accuracies.assign(**values, **away.add_suffix("_minus_published"))
    names = [
        "source",
        "dataset",
        "variant",
        "method",
        "decoder",
        "sample",
        "published",
        "at_choice",
        "at_choice_minus_published",
        "peak",
        "peak_minus_published",
        "counted",
    ]
    order = rows["at_choice_minus_published"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order, names].reset_index(drop=True)


def results_part(gathered: Gathered, claims: pd.DataFrame, by_lines: Sequence[str]) -> str:
    """The part in Markdown, with links from the folder of the snapshot."""
    accuracies = published_accuracies(gathered)
    return (
        f"{findings(gathered)}\n\n{accuracy_table(gathered)}\n{about_table(gathered, by_lines)}\n\n"
        f"{verdicts_by_paper(claims)}\n{sentences(accuracies)}\n\n{nearness_table(accuracies)}\n"
        f"[Every accuracy]({TABLE}), [claims](claims.md), [all results](index.md).\n"
    )


def sets_by_lines(evidence: Path) -> list[str]:
    """Data sets of the study of training whose test takes blocks of lines as independent, since they have few
    documents.
    """
    paths = sorted(evidence.glob("training/*/comparisons.csv"))
    return [path.parent.name for path in paths if (pd.read_csv(path, nrows=1)["test"] == BLOCKS).any()]


def linked(text: str, way: str) -> str:
    """Markdown with `way` before its links to files: that to their folder."""
    return re.sub(r"\]\((?!https?:)", f"]({way}/", text)


def with_results(readme: str, part: str) -> str:
    """The text of README.md with another part.

    Raises
    ------
    ValueError
        If `BEGIN` and `END` are not there, each on a line of its own.
    """
    if BEGIN not in readme or END not in readme:
        raise ValueError(f"README.md: the lines {BEGIN} and {END} are not there; put them where results are to stand.")
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n{part}{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf_studies.explorer.readme``."""
    parser = config_parser("python -m treecrf_studies.explorer.readme", __doc__)
    parser.add_argument("--folder", default="docs/results", help="of the snapshot (default: %(default)s)")
    parser.add_argument("--readme", default="README.md", help="file whose part is rewritten (default: %(default)s)")
    given = parser.parse_args(arguments)
    readme, folder = Path(given.readme), Path(given.folder)
    try:
        with_results(text := readme.read_text(encoding="utf-8"), "")
        found = {"results": str(folder / EVIDENCE)}
        gathered = gather(load_settings(read_configuration(given.config) | found))
        part = results_part(
            gathered, pd.read_csv(folder / CLAIMS, keep_default_na=False), sets_by_lines(folder / EVIDENCE)
        )
        write_frame(differences(published_accuracies(gathered)), folder / TABLE)
        link = Path(os.path.relpath(folder, readme.parent)).as_posix()
        write_text(with_results(text, linked(part, link)), readme)
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
