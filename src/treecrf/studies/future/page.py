"""Page section on future features (PhD chapter 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_frame
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
from treecrf.studies.described import described
from treecrf.studies.framework.settings import Settings
from treecrf.studies.future import STUDY
from treecrf.studies.future.methods import decoder_text, method_text

INTRODUCTION = """
Labellers that look back at previous labels, and one that also looks ahead: FF-MEMM discovers patterns of later observations
as in multiple-instance learning (section 5.3). Percent of test positions; CRFs are decoded by {decoder}, MEMM and FF-MEMM by
{memm_decoder}. Mean ± standard deviation over {n_seeds} draws of the data. A validation set of each draw chooses leaves, bounds of steps, the start value G0
and the number of iterations. "distant" and FF-TreeCRF are not in the dissertation, nor are features for more than two labels.
"""

CHOICES = (
    "n_seeds", "held_out", "equivalence_margin", "n_iterations", "chain_iterations", "memm_decoder", "test_every", "alpha_uppers", "beta_uppers", "eta_uppers", "eta_starts", "n_bins",
    "max_lower_iterations", "patience", "tolerance", "l2_regularization",
)  # fmt: skip
"""Settings that the dissertation leaves open or that a reader needs to repeat the study."""


def study_page(settings: Settings, results: Path, layouts: Mapping[str, pd.DataFrame]) -> Study | None:
    """The study of future features, from the data sets that are finished; None where there is nothing."""
    folder = results / "future"
    finished = [name for name in settings.future.datasets if STUDY.is_finished(results, name)]
    if not finished:
        return None
    shown = Exhibits(folder, layouts, STUDY.caption)
    patterns = shown.captioned_table("table_5_3", "Table 5.3, published and measured")
    example = shown.captioned_table("example", "The label of the second position, published and measured")
    pictures = [part for name in finished for part in _pictures(folder, name)]
    sections = [
        _orders(settings, finished, shown),
        Section("future-patterns", "Start values of patterns (table 5.3)", patterns),
        Section("future-example", "Forward and backward pass (section 5.1)", example),
        Section("future-pictures", "Windows of future features", pictures),
    ]
    return Study("future", STUDY.title, [section for section in sections if section.parts])


def _orders(settings: Settings, names: Sequence[str], shown: Exhibits) -> Section:
    alt = f"Accuracy by order, a panel for each of {', '.join(names)}, a line for each labeller."
    others = "Beyond tables 5.4 and 5.5: accuracy in percent by order"
    beyond = [shown.table("orders", others)] if len(shown.layouts.get("orders", ())) else []
    tests, noise = "Tests between neighbours", "Variance components"
    parts = [
        paragraph(
            INTRODUCTION,
            n_seeds=by_dataset(settings.future, "n_seeds"),
            **{name: decoder_text(getattr(settings.future, name)) for name in ("decoder", "memm_decoder")},
        ),
        *listed([described(settings, name) for name in names]),
        *shown.figure("orders", alt),
        *shown.captioned_table("table_5_4", "Table 5.4, published and measured"),
        *shown.captioned_table("table_5_5", "Table 5.5, published and measured"),
        *shown.captioned_table("decoders", "Distance from the published values by decoder, points"),
        *beyond,
        *shown.captioned_table("gains", "Best labeller with vs without discovered features"),
        Fold(tests, [captioned(STUDY.caption("tests")), shown.table("tests", tests)]),
        Fold(noise, [captioned(STUDY.caption("variances")), shown.table("variances", noise)]),
        shown.folded_table("choices", "Settings chosen by validation, and CPU seconds"),
        open_choices(settings.future, CHOICES),
    ]
    return Section("future-orders", "Accuracy by order (tables 5.4 and 5.5)", parts)


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
