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
from posixpath import normpath
from typing import Any

import pandas as pd

from treecrf.io.files import read_configuration, write_frame, write_text
from treecrf.statistics.ranking import AT_THE_TOP, STANDINGS, WORSE
from treecrf_studies.explorer.gathering import Gathered, gather
from treecrf_studies.framework.claims.judge import NOT_RUN
from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.framework.settings import config_parser, load_settings
from treecrf_studies.framework.views import (
    CHOICE,
    NO_PEAK,
    PEAK,
    POINTS,
    distinct_accuracies,
    nearness,
    nearness_texts,
    published_pairs,
)
from treecrf_studies.rendering.cells import DASH, with_and
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
    methods = [method for method in METHODS if method in set(scores["method"])]
    lines = [
        [
            "data set",
            *(method_names(gathered)[method] for method in methods),
            "highest of all methods",
            "not separated from it",
        ]
    ]
    lines.append(["---", *["---:"] * (len(methods) + 2)])
    for dataset, of_all in scores.groupby("dataset", sort=False):
        cells = {row["method"]: _cell(row) for row in of_all.to_dict("records") if row["method"] in methods}
        if len(cells) >= LEAST_METHODS:
            is_worse = of_all.loc[of_all["standing"].isin(STANDINGS), "standing"] == WORSE
            near = f"{(~is_worse).sum()} of {len(is_worse)} methods" if len(is_worse) else DASH
            summary = [f"{of_all['value'].astype(float).max():.2f}", near]
            lines.append([str(dataset), *(cells.get(method, DASH) for method in methods), *summary])
    return _markdown(lines)


def method_names(gathered: Gathered) -> dict[str, str]:
    """What readers see of the methods of the study of training, by their ids."""
    known = gathered.methods
    return dict(known.loc[known["study"] == "training", ["method", "name"]].itertuples(index=False))


def unbeaten(gathered: Gathered) -> tuple[list[str], list[str]]:
    """The data sets on which all methods of the study of training are tested, and the methods that no test finds worse
    than another on any of them; the explorer's headline says the same.
    """
    scores = shown_scores(gathered)
    scores = scores[scores["standing"].isin(STANDINGS)]
    known = scores.pivot_table(index="method", columns="dataset", values="value", aggfunc="size", sort=False).notna()
    shared = [str(name) for name in known.columns[known.all()]]
    is_worse = (scores["standing"] == WORSE) & scores["dataset"].isin(shared)
    worse = is_worse.groupby(scores["method"], sort=False).any()
    names = method_names(gathered)
    return shared, [names[str(method)] for method in worse.index[~worse]]


def findings(gathered: Gathered) -> str:
    """What the tests find over the data sets that all methods have, in a sentence; empty where there are none."""
    shared, methods = unbeaten(gathered)
    if not shared:
        return ""
    scores = shown_scores(gathered)
    n = scores.loc[scores["standing"].isin(STANDINGS), "method"].nunique()
    better = with_and(methods, "or")
    outcome = f"finds a method better than {better}" if methods else "leaves a method without a better one"
    return f"All {n} methods have results on {with_and(shared)}. No test on these sets {outcome}."


def shown_scores(gathered: Gathered) -> pd.DataFrame:
    """Accuracies of the study of training that the table is made of: those on the papers' test sets."""
    scores = gathered.scores[~gathered.scores["dataset"].isin(gathered.larger["sample"])]
    return scores[
        (scores[["study", "quantity", "point", "decoder"]] == ["training", ACCURACY, CHOICE, BETTER]).all(axis=1)
    ]


def about_table(gathered: Gathered, by_lines: Sequence[str]) -> str:
    """What stands below the table: how many trainings, and the marks; `by_lines` are the data sets tested by lines."""
    shown, names = shown_scores(gathered), method_names(gathered)
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
    """Methods and data sets with another number of trainings than usual, and that number."""
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
            counts = [counts_text(of[of[column] != ""], column) or DASH for column in THREE]
            lines.append([title, str(len(of)), *counts])
    return _markdown(lines) if len(lines) > 2 else ""


def sentences(pairs: pd.DataFrame) -> str:
    """How near measured accuracies are to published ones; each printed number counts once."""
    met, of, apart = nearness_texts(pairs)
    median = pairs.loc[pairs["kind"] == "", "away"].median()
    return (
        f"The dissertation prints {len(pairs)} distinct test accuracies of labels. One training each, with settings "
        f"chosen by cross-validation, meets {met} within one point: {of} (median difference {median:+.2f}). Counted "
        f"apart: {apart}."
    )


def nearness_table(pairs: pd.DataFrame) -> str:
    """The same by table and by what the measured number is of; Markdown."""
    lines = [
        ["table", "measured on", "compared", "accuracies", "within one point", "median difference"],
        ["---", "---", "---", "---:", "---:", "---:"],
    ]
    points = pairs["point"].mask(pairs["measured"].isna(), CHOICE)
    by = nearness(pairs.assign(point=points), "source", "sample", "kind", "point")
    for row in by.sort_values("kind", kind="stable").to_dict("records"):
        of = f"{row['source']}, {row['kind']}" if row["kind"] not in ("", NO_PEAK) else row["source"]
        at = POINTS[row["point"]] + (f", {NO_PEAK}" if row["kind"] == NO_PEAK else "")
        lines.append([of, row["sample"], at, str(row["n"]), str(row["near"]), f"{row['median']:+.2f}"])
    return _markdown(lines)


def differences(published: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy and the measured ones, the largest difference first.

    Columns: source, dataset, variant, method, decoder, sample (what the measured number is of), published;
    ``at_choice`` (cross-validated choice) and ``peak`` (of the test curve, where the paper prints one), each followed
    by its difference from the published value; not_counted (why the pair is not counted).
    """
    pairs = published_pairs(published[published["quantity"] == ACCURACY])
    values = pairs.assign(peak=pairs["measured"].where(pairs["point"] == PEAK))[["published", "at_choice", "peak"]]
    values = values.map("{:.2f}".format).astype(float)  # as tables round
    away = values[["at_choice", "peak"]].sub(values["published"], axis=0).round(2) + 0.0  # no -0.0
    rows = pairs.assign(**values, **away.add_suffix("_minus_published"), not_counted=pairs["kind"])
    names = ["source", "dataset", "variant", "method", "decoder", "sample", "published"]
    names += ["at_choice", "at_choice_minus_published", "peak", "peak_minus_published", "not_counted"]
    order = rows["at_choice_minus_published"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order, names].reset_index(drop=True)


def results_part(gathered: Gathered, claims: pd.DataFrame, by_lines: Sequence[str]) -> str:
    """The part in Markdown, with links from the folder of the snapshot."""
    pairs = distinct_accuracies(gathered.published)
    return (
        f"{findings(gathered)}\n\n{accuracy_table(gathered)}\n{about_table(gathered, by_lines)}\n\n"
        f"{verdicts_by_paper(claims)}\n{sentences(pairs)}\n\n{nearness_table(pairs)}\n"
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
    return re.sub(r"\]\((?!https?:)([^)]*)", lambda link: f"]({normpath(f'{way}/{link[1]}')}", text)


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
        evidence = {"results": str(folder / EVIDENCE)}
        gathered = gather(load_settings(read_configuration(given.config) | evidence))
        part = results_part(
            gathered, pd.read_csv(folder / CLAIMS, keep_default_na=False), sets_by_lines(folder / EVIDENCE)
        )
        write_frame(differences(gathered.published), folder / TABLE)
        link = Path(os.path.relpath(folder, readme.parent)).as_posix()
        write_text(with_results(text, linked(part, link)), readme)
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
