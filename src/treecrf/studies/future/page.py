"""Page section on future features (PhD chapter 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.datasets import describe
from treecrf.io.files import read_frame, read_frames
from treecrf.io.messages import counted
from treecrf.rendering.cells import signed, window_text
from treecrf.rendering.parts import (
    Exhibits,
    Fold,
    Part,
    Section,
    Study,
    by_dataset,
    captioned,
    drawn,
    listed,
    open_choices,
    paragraph,
)
from treecrf.studies.future import STUDY
from treecrf.studies.future.methods import method_text
from treecrf.studies.headlines import DIGITS, best_rows, counted_names
from treecrf.studies.settings import Settings, TableDataset

INTRODUCTION = """
Labellers that look back at previous labels, and one that also looks ahead: FF-MEMM discovers patterns of later observations
as in multiple-instance learning (section 5.3). Percent of test positions, forward-backward decoding; mean ± standard
deviation over {n_seeds} draws of the data. A validation set of each draw chooses leaves, bounds of steps, the start value G0
and the number of iterations. "distant" and FF-TreeCRF are not in the dissertation, nor are features for more than two labels.
"""

NEEDED = ("summary", "best", "tests")

CHOICES = (
    "n_seeds", "held_out", "equivalence_margin", "n_iterations", "chain_iterations", "test_every", "alpha_uppers", "beta_uppers", "eta_uppers", "eta_starts", "n_bins",
    "max_lower_iterations", "patience", "tolerance", "l2_regularization",
)  # fmt: skip
"""Settings that the dissertation leaves open or that a reader needs to repeat the study."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of future features, from the data sets that are finished; None where there is nothing."""
    folder = results / "future"
    finished = [name for name in settings.future.datasets if is_finished(results, name)]
    if not finished:
        return None
    best = read_frames([str(folder / name / "best.csv") for name in finished])
    shown = Exhibits(folder, layouts, STUDY.caption)
    patterns = shown.captioned_table("table_5_3", "Table 5.3, published and measured")
    example = shown.captioned_table("example", "The label of the second position, published and measured")
    pictures = [part for name in finished for part in _pictures(folder, name)]
    sections = [
        _orders(settings, finished, shown),
        Section("future-patterns", "Start values of patterns (table 5.3)", patterns),
        Section("future-example", "One direction is not enough (section 5.1)", example),
        Section("future-pictures", "What future features look at", pictures),
    ]
    return Study("future", STUDY.title, future_headline(best), [section for section in sections if section.parts])


def is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summaries are there."""
    return all((results / "future" / name / f"{file}.csv").is_file() for file in NEEDED)


def _orders(settings: Settings, names: Sequence[str], shown: Exhibits) -> Section:
    alt = f"Accuracy by order, a panel for each of {', '.join(names)}, a line for each labeller."
    tests, noise = "Tests between neighbours", "Where the noise comes from"
    parts = [
        paragraph(INTRODUCTION, n_seeds=by_dataset(settings.future, "n_seeds")),
        *listed([_described(settings, name) for name in names]),
        *shown.figure("orders", alt),
        shown.table("orders", "Tables 5.4 and 5.5, published and measured: accuracy in percent by order"),
        Fold(tests, [captioned(STUDY.caption("tests")), shown.table("tests", tests)]),
        Fold(noise, [captioned(STUDY.caption("variances")), shown.table("variances", noise)]),
        shown.folded_table("choices", "What validation chose, CPU seconds"),
        open_choices(settings.future, CHOICES),
    ]
    return Section("future-orders", "Accuracy by order (tables 5.4 and 5.5)", parts)


def _described(settings: Settings, name: str) -> str:
    """What a data set is."""
    dataset = settings.datasets[name]
    source = "table" if isinstance(dataset, TableDataset) else dataset.source or name
    known = describe(source)
    window = window_text(known.window if dataset.window is None else dataset.window)
    stand_in = f"; stand-in: {known.stand_in}" if known.stand_in else ""
    return f"{name}: {known.summary}, {window}; {known.source}{stand_in}"


def _pictures(folder: Path, name: str) -> list[Part]:
    """The pictures of a data set, if they have been drawn."""
    weights, trees = folder / name / "weights.svg", folder / name / "trees.svg"
    if not weights.is_file() or not trees.is_file():
        return []
    first = read_frame(folder / name / "weights.csv")
    model = "none"
    if len(first):
        model = f"{method_text(first['method'][0])}, {first['bag'][0]}, G0 {first['g0'][0]:g}, first draw"
    seen = f"What the future features found on {name} look at: colour by category and positions ahead."
    grown = f"The first tree of the first features found on {name}."
    return [
        *drawn(weights, seen, f"{name} ({model}). {STUDY.caption('weights')}"),
        Fold(f"Trees of features on {name}", drawn(trees, grown, f"{name}. {STUDY.caption('trees')}")),
    ]


# --- headline ---------------------------------------------------------------------------------------


def future_headline(best: pd.DataFrame) -> str:
    """How often discovered features win, and where they win most, from the `best` variants of each data set."""
    discovered = best["method"].str.startswith("ff_")
    if discovered.all() or not discovered.any():
        winners = best_rows(best, "test_mean", "dataset").drop_duplicates(["dataset", "method"])  # of several bags
        counts = counted_names(map(method_text, winners["method"]), winners["dataset"].nunique(), "data set")
        return f"Most accurate: {counts}."
    ahead, behind = (best_rows(frame, "test_mean", "dataset") for frame in (best[discovered], best[~discovered]))
    gains = (ahead.groupby("dataset")["test_mean"].max() - behind.groupby("dataset")["test_mean"].max()).dropna()
    gains = gains.round(DIGITS)
    where = str(gains.idxmax())
    equal = f", and as accurate on {(gains == 0).sum()}" if (gains == 0).any() else ""
    difference = f"Median difference: {signed(gains.median())} points; largest" if len(gains) > 1 else "Accuracy"
    return (
        f"The best labeller with discovered future features is more accurate than the best one without on {(gains > 0).sum()} of "
        f"{counted(len(gains), 'data set')}{equal}. {difference} on {where}: {_reached(ahead, where)}, {_reached(behind, where)}."
    )


def _reached(best: pd.DataFrame, dataset: str) -> str:
    """The best labellers on a data set with their accuracy."""
    rows = best[best["dataset"] == dataset]
    return f"{' and '.join(dict.fromkeys(map(method_text, rows['method'])))} {rows['test_mean'].max():.2f} %"
