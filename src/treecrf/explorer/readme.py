"""The part of README.md that a snapshot of results gives: accuracies, verdicts on claims, and how near published values are.

``python -m treecrf.explorer.readme`` rewrites it from ``docs/results``, and in that folder the table of all published accuracies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.explorer.gathering import Gathered, gather
from treecrf.io.files import read_configuration, write_frame, write_text
from treecrf.rendering.markdown import linked
from treecrf.report.ledger import CLAIMS
from treecrf.report.papers import PAPERS, counts_text
from treecrf.report.snapshot import EVIDENCE
from treecrf.statistics.ranking import WORSE
from treecrf.studies.framework.claims.judge import NOT_RUN
from treecrf.studies.framework.settings import config_parser, load_settings
from treecrf.studies.framework.views import ACCURACY, CHOICE, METRICS, distinct_accuracies, is_near

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
"""What stands before and after the part."""

LEAST = 3
"""Methods that a data set of the table has results of."""

TABLE = "published.csv"
"""In the folder of the snapshot."""

METHODS = ("treecrf_newton", "linear_crf", "mallet", "lightgbm", "neural_crf")
"""Columns of the table, as far as they were run."""


def accuracy_table(gathered: Gathered) -> str:
    """Accuracy by data set and method of the study of training, with the choice and decoder of cross-validation; Markdown."""
    scores = gathered.scores
    is_shown = (scores[["study", "metric", "point", "decoder"]] == ["training", ACCURACY, CHOICE, "better"]).all(axis=1)
    shown, highest = scores[is_shown & scores["method"].isin(METHODS)], _highest(scores[is_shown])
    names = gathered.methods.set_index(["study", "method"])["name"]
    methods = [method for method in METHODS if method in set(shown["method"])]
    rows = shown.set_index(["dataset", "method"]).to_dict("index")
    lines = [["data set", *(names["training", method] for method in methods), "highest of all methods"]]
    lines.append(["---", *["---:"] * len(methods), "---"])
    for dataset in dict.fromkeys(shown["dataset"]):
        cells = [rows.get((dataset, method)) for method in methods]
        if sum(cell is not None for cell in cells) < LEAST:
            continue
        best = max(cell["value"] for cell in cells if cell)
        first = highest.loc[dataset]
        of_all = f"{first['value']:.2f} ({names['training', first['method']]})"
        lines.append([dataset, *(_cell(cell, best) if cell else "–" for cell in cells), of_all])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _highest(scores: pd.DataFrame) -> pd.DataFrame:
    """The row with the highest value of each data set, by data set."""
    return scores.sort_values("value", ascending=False, kind="stable").drop_duplicates("dataset").set_index("dataset")


def _cell(score: dict[Any, Any], best: float) -> str:
    text = f"{score['value']:.2f}"
    return (f"**{text}**" if score["value"] == best else text) + (" †" if score["standing"] == WORSE else "")


def verdicts_by_paper(claims: pd.DataFrame) -> str:
    """How many claims of each paper have which verdict; a list in Markdown."""
    by_paper = [(paper.title, claims[claims["id"].str.startswith(paper.letter)]) for paper in PAPERS]
    return "".join(
        f"- {title}, {len(of)} claims: {counts_text(of)}.\n"
        for title, of in by_paper
        if (of["verdict"] != NOT_RUN).any()
    )


def published_accuracies(gathered: Gathered) -> pd.DataFrame:
    """The accuracies that the papers print and what was measured in their place."""
    published = gathered.published
    return published[published["quantity"] == METRICS[ACCURACY].title]


def sentences(accuracies: pd.DataFrame) -> str:
    """How near measured accuracies are to published ones; each printed number counts once, and only on the papers' data."""
    own = distinct_accuracies(accuracies)
    inferred = own["inferred"].astype(bool)
    texts = [
        f"Of the papers' {len(own)} distinct accuracies, {_near(own[~inferred], 'at_choice')} are reproduced within one point with "
        f"settings chosen by cross-validation, {_near(own[~inferred], 'measured')} at the peak of the test curve, which chapter 3 "
        "of the dissertation prints."
    ]
    if inferred.any():
        texts.append(
            f"The columns of the FAQ sets are inferred: {_near(own[inferred], 'at_choice')} by cross-validation, "
            f"{_near(own[inferred], 'measured')} at the peak."
        )
    return " ".join(texts)


def _near(rows: pd.DataFrame, column: str) -> str:
    """How many measured values are near the published ones, and the median difference."""
    difference = (rows[column] - rows["published"]).astype(float)
    return f"{int(is_near(rows, column).sum())} of {len(rows)} (median difference {difference.median():+.2f})"


def differences(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy and the measured ones, the largest difference first.

    Columns: source, dataset, variant, method, decoder, data, published, then ``measured`` (what compares with the published
    value: the peak of the test curve where the paper prints one) and ``at_choice`` (cross-validated choice), each followed by
    its difference from the published value; counted (whether it is the first row with this printed number).
    """
    values = accuracies[["published", "measured", "at_choice"]].astype(float)
    rows = accuracies.assign(
        **values,
        data=accuracies["stand_in"].eq(True).map({True: "a stand-in for them", False: "the papers' data"}),
        measured_minus_published=values["measured"] - values["published"],
        at_choice_minus_published=values["at_choice"] - values["published"],
    )
    names = [
        "source", "dataset", "variant", "method", "decoder", "data", "published", "measured", "measured_minus_published",
        "at_choice", "at_choice_minus_published", "counted",
    ]  # fmt: skip
    order = rows["measured_minus_published"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order, names].round(2).reset_index(drop=True)


def results_part(gathered: Gathered, claims: pd.DataFrame) -> str:
    """The part in Markdown, with links from the folder of the snapshot."""
    return (
        f"{accuracy_table(gathered)}\n"
        "Accuracy in percent, settings chosen by cross-validation. Bold: highest of these methods. †: a test finds a better method. –: not computed.\n\n"
        f"{verdicts_by_paper(claims)}\n{sentences(published_accuracies(gathered))} "
        f"[Every accuracy]({TABLE}), [claims](claims.md), [all results](index.md).\n"
    )


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
    """The command ``python -m treecrf.explorer.readme``."""
    parser = config_parser("python -m treecrf.explorer.readme", __doc__)
    parser.add_argument("--folder", default="docs/results", help="of the snapshot (default: %(default)s)")
    parser.add_argument("--readme", default="README.md", help="file whose part is rewritten (default: %(default)s)")
    given = parser.parse_args(arguments)
    readme, folder = Path(given.readme), Path(given.folder)
    try:
        with_results(text := readme.read_text(encoding="utf-8"), "")
        found = {"results": str(folder / EVIDENCE)}
        gathered = gather(load_settings(read_configuration(given.config) | found))
        part = results_part(gathered, pd.read_csv(folder / CLAIMS, keep_default_na=False))
        write_frame(differences(published_accuracies(gathered)), folder / TABLE)
        link = Path(os.path.relpath(folder, readme.parent)).as_posix()
        write_text(with_results(text, linked(part, link)), readme)
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
