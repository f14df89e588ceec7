"""The part of README.md that a snapshot of results gives: measured beside published accuracies, and the verdicts on claims.

``python -m treecrf.explorer.readme`` rewrites it from ``docs/results``, and in that folder the picture and the table of all
published accuracies.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from treecrf.explorer.charts import charts, static_svg
from treecrf.explorer.gathering import gather
from treecrf.explorer.published import OWN, published_rows
from treecrf.explorer.views import ACCURACY, METRICS
from treecrf.io.files import read_configuration, write_frame, write_text
from treecrf.report import evidence
from treecrf.report.ledger import CLAIMS
from treecrf.report.ledger_page import ledger_summary
from treecrf.report.study_part import linked
from treecrf.studies.settings import load_settings

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
"""What stands before and after the part."""

PICTURE, TABLE = "published.svg", "published.csv"
"""In the folder of the snapshot."""

NEAR = 1.0
"""Points that a measured accuracy may differ from a published one to be near it."""

WIDTH = 640
"""Of the picture, in pixels."""


def published_accuracies(folder: Path, config: str) -> pd.DataFrame:
    """The accuracies that the papers print and what was measured in their place (`treecrf.explorer.published.published_rows`).

    Parameters
    ----------
    folder : Path
        Of the snapshot.
    config : str
        Settings of the run.
    """
    settings = load_settings(read_configuration([config]) | {"results": str(folder / evidence.FOLDER)})
    rows = published_rows(gather(settings))
    return rows[rows["quantity"] == METRICS[ACCURACY].title]


def picture(accuracies: pd.DataFrame) -> str:
    """Measured by published accuracy, as SVG."""
    return static_svg(charts()["published"], accuracies, WIDTH)


def sentences(accuracies: pd.DataFrame, claims: pd.DataFrame) -> str:
    """How near measured accuracies are to published ones, and how many claims have which verdict; Markdown.

    Each printed number counts once, and only on the papers' data. Links are those from the folder of the snapshot.
    """
    own = accuracies[(accuracies["data"] == OWN) & accuracies["counted"]]
    inferred = own["inferred"].astype(bool)
    texts = [
        f"The papers print {len(own)} distinct accuracies that this run measures too. With settings and iterations chosen by "
        f"cross-validation, {_near(own[~inferred], 'at_choice')} are within one point of the published value; with the peak of "
        f"the test curve, which chapter 3 of the dissertation prints, {_near(own[~inferred], 'measured')}."
    ]
    if inferred.any():
        texts.append(
            f"The FAQ sets are counted apart, as their columns are inferred: {_near(own[inferred], 'at_choice')} at the "
            f"cross-validated choice, {_near(own[inferred], 'measured')} at the peak."
        )
    links = f"[Every accuracy]({TABLE}) [{ledger_summary(claims)}](claims.md) [All results](index.md)"
    return f"{' '.join(texts)} {links}\n"


def _near(rows: pd.DataFrame, column: str) -> str:
    """How many measured values are near the published ones, and the median difference."""
    difference = rows[column] - rows["published"]
    return f"{int((difference.abs() <= NEAR).sum())} of {len(rows)} (median difference {difference.median():+.2f})"


def differences(accuracies: pd.DataFrame) -> pd.DataFrame:
    """Every published accuracy and the measured ones, the largest difference first.

    Columns: source, dataset, variant, method, decoder, data, published, then ``measured`` (what compares with the published
    value: the peak of the test curve where the paper prints one) and ``at_choice`` (cross-validated choice), each followed by
    its difference from the published value; counted (whether it is the first row with this printed number).
    """
    values = accuracies[["published", "measured", "at_choice"]].astype(float)
    rows = accuracies.assign(
        **values,
        measured_minus_published=values["measured"] - values["published"],
        at_choice_minus_published=values["at_choice"] - values["published"],
    )
    names = [
        "source", "dataset", "variant", "method", "decoder", "data", "published", "measured", "measured_minus_published",
        "at_choice", "at_choice_minus_published", "counted",
    ]  # fmt: skip
    order = rows["measured_minus_published"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order, names].round(2).reset_index(drop=True)


def readme_with_results(readme: str, folder: Path, link: str, accuracies: pd.DataFrame) -> str:
    """The text of README.md with its part taken from the snapshot in `folder`.

    Parameters
    ----------
    readme : str
        Has `BEGIN` and `END`, each on a line of its own.
    folder : Path
        Of the snapshot.
    link : str
        The way from README.md to that folder.
    accuracies : DataFrame
        From `published_accuracies`.

    Raises
    ------
    ValueError
        If the markers are not there.
    """
    check_markers(readme)
    text = sentences(accuracies, pd.read_csv(folder / CLAIMS, keep_default_na=False))
    image = f"![Measured by published accuracy: points near the dashed line are equal.]({PICTURE})"
    part = linked(f"{text}\n{image}\n", link)
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n{part}{END}{rest.partition(END)[2]}"


def check_markers(readme: str) -> None:
    """A ValueError if README.md has no place for results."""
    if BEGIN not in readme or END not in readme:
        raise ValueError(f"README.md: the lines {BEGIN} and {END} are not there; put them where results are to stand.")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf.explorer.readme``."""
    parser = argparse.ArgumentParser(prog="python -m treecrf.explorer.readme", description=__doc__)
    parser.add_argument("--config", default="config/config.yaml", help="settings of the run (default: %(default)s)")
    parser.add_argument("--folder", default="docs/results", help="of the snapshot (default: %(default)s)")
    parser.add_argument("--readme", default="README.md", help="file whose part is rewritten (default: %(default)s)")
    given = parser.parse_args(arguments)
    readme, folder = Path(given.readme), Path(given.folder)
    try:
        check_markers(text := readme.read_text(encoding="utf-8"))
        accuracies = published_accuracies(folder, given.config)
        write_text(picture(accuracies), folder / PICTURE)
        write_frame(differences(accuracies), folder / TABLE)
        link = Path(os.path.relpath(folder, readme.parent)).as_posix()
        write_text(readme_with_results(text, folder, link, accuracies), readme)
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
