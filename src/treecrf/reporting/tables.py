"""Tables to read and to print: published values beside measured ones."""

from __future__ import annotations

import pandas as pd

from treecrf.figures.style import DECODER_NAMES

DASH = "–"

STYLE = """body { font: 14px sans-serif }
table { border-collapse: collapse }
td, th { padding: 3px 8px; border-bottom: 1px solid #bbb; text-align: right }"""

LATEX_NAMES = {
    "λ": r"$\lambda$",
    "F = 0": "$F=0$",
    "mean ± sd": r"mean $\pm$ sd",
    "min–max": "min--max",
}


def summary_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """The training study's summary as text, with two-line headings.

    Parameters
    ----------
    summary : DataFrame
        From `treecrf.studies.training.summarise`, of any number of data sets.

    Returns
    -------
    DataFrame of str
        Columns (group, name): published; the cross-validated choice; the peak of the test curve.
    """
    columns: dict[tuple[str, str], list[str]] = {
        ("", "data set"): [
            f"{row.dataset} (stand-in)" if row.stand_in else str(row.dataset) for row in summary.itertuples()
        ],
        ("", "decoder"): [
            DECODER_NAMES[decoder] + (f": {DECODER_NAMES[used]}" if decoder != used else "")
            for decoder, used in zip(summary["decoder"], summary["chosen_decoder"], strict=True)
        ],
        ("", "published"): [_number(value) for value in summary["published"]],
    }
    for group, kind, prefix in (
        ("cross-validated choice", "chosen", ""),
        ("peak of the test curve", "peak", "peak_"),
    ):
        columns[group, "λ"] = [f"{value:g}" for value in summary[f"{prefix}l2_regularization"]]
        columns[group, "iter."] = [f"{value:d}" for value in summary[f"{prefix}iteration"]]
        columns[group, "F = 0"] = [_number(value) for value in summary[f"{kind}_accuracy"]]
        columns[group, "mean ± sd"] = [
            f"{mean:.2f} ± {sd:.2f}" for mean, sd in zip(summary[f"{kind}_mean"], summary[f"{kind}_sd"], strict=True)
        ]
        columns[group, "min–max"] = [
            f"{low:.2f}–{high:.2f}" for low, high in zip(summary[f"{kind}_min"], summary[f"{kind}_max"], strict=True)
        ]
        columns[group, "difference"] = [_signed(value) for value in summary[f"{kind}_minus_published"]]
    frame = pd.DataFrame(columns)
    frame.columns = pd.MultiIndex.from_tuples(list(columns))
    return frame


def summary_to_html(summary: pd.DataFrame) -> str:
    """The training study's summary as an HTML page that stands by itself."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{STYLE}</style>'
        f"{summary_to_fragment(summary)}</html>\n"
    )


def summary_to_fragment(summary: pd.DataFrame) -> str:
    """The training study's summary as an HTML table."""
    return frame_to_fragment(summary_layout(summary), n_text_columns=2)


def frame_to_fragment(frame: pd.DataFrame, n_text_columns: int = 1) -> str:
    """Any frame of texts as an HTML table; the first columns hold words, the others numbers."""
    table = frame.to_html(index=False, border=0, justify="left", classes=f"words-{n_text_columns}")
    return table.replace('<table border="0" class="dataframe ', '<table class="')


def summary_to_latex(summary: pd.DataFrame) -> str:
    """The training study's summary as a LaTeX table (package booktabs)."""
    frame = summary_layout(summary).replace({"_": r"\\_", "–": "--", "±": r"$\\pm$", "−": "$-$"}, regex=True)
    frame.columns = pd.MultiIndex.from_tuples([(head[0], LATEX_NAMES.get(head[1], head[1])) for head in frame.columns])
    return frame.to_latex(
        index=False, escape=False, column_format="ll" + "r" * (frame.shape[1] - 2), multicolumn_format="c"
    )


def _number(value: float, digits: int = 2) -> str:
    return DASH if pd.isna(value) else f"{value:.{digits}f}"


def _signed(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:+.2f}".replace("-", "−")
