"""The page's section on future features (PhD chapter 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

import pandas as pd

from treecrf.datasets import describe
from treecrf.reporting.files import read_frames
from treecrf.reporting.future_tables import future_layouts, method_text
from treecrf.reporting.parts import figure, fold, paragraph
from treecrf.reporting.rendering import to_fragment
from treecrf.settings import FutureSettings, Settings, TableDataset

INTRODUCTION = """
Labellers that look back at previous labels, and one that also looks ahead: FF-MEMM discovers patterns of later observations
as in multiple-instance learning (section 5.3). Percent of test positions, forward-backward decoding; mean ± standard
deviation over {n_seeds} draws of the data. A validation set of each draw chooses leaves, bounds of steps, the start value G0
and the number of iterations. "distant" and FF-TreeCRF are not in the dissertation, nor are features for more than two labels.
"""

ORDERS_NOTE = """
Tables 5.4 and 5.5 as a figure. Filled: mean over the draws, bar: one standard deviation; hollow: published. A flat line says
that more previous labels do not help.
"""

PATTERNS_NOTE = """
Table 5.3. Published values are of one draw, measured ones the median (accuracies: mean) over all draws. Instances and bags:
how often the features tell positive ones right, where the generator says which are; an instance counts as positive if the
score of some feature is above 0, a bag if some feature's Q is above one half.
"""

TESTS_NOTE = """
Each labeller against the one before it. Tests are made in every draw by itself; "significant in" counts the draws with
p &lt; 0.05 after Holm's correction over the neighbours. Clustered: takes sequences as independent, not positions.
"""

EXAMPLE_NOTE = """
Section 5.1: a hidden Markov model with three labels, seen e1, e2, e3. Bold: the label that wins. Looking back only says l2,
looking ahead only says l3, both together l1.
"""

WEIGHTS_NOTE = """
{name}: what the features of the model that validation prefers look at ({model}). Colour: how much Q, the probability that the
bag shows the pattern, is raised when the category stands so many positions ahead. Last column: the score G of the instance.
"""

TREES_NOTE = "{name}: the first tree of the first features. Right: the test holds. Leaves: what is added to G."

NEEDED = ("summary", "best", "tests")

CHOICES = (
    "n_seeds", "held_out", "n_iterations", "alpha_uppers", "beta_uppers", "eta_uppers", "eta_starts", "n_bins",
    "max_lower_iterations", "patience", "tolerance", "l2_regularization", "overrides",
)  # fmt: skip
"""Settings that the dissertation leaves open or that a reader needs to repeat the study."""


def future_sections(settings: Settings, results: Path) -> Iterator[str]:
    """The section on future features, from the data sets that are finished."""
    folder = results / "future"
    finished = [name for name in settings.future.datasets if future_is_finished(results, name)]
    if not finished:
        return
    frames = {file: read_frames([str(folder / name / f"{file}.csv") for name in finished]) for file in NEEDED}
    layouts = future_layouts(frames)
    parts = [
        '<section id="future"><h2>Future features (chapter 5)</h2>',
        paragraph(INTRODUCTION, n_seeds=settings.future.n_seeds),
        _described(settings, finished),
        _drawn(folder / "orders.svg", "Accuracy by order", ORDERS_NOTE),
        _wide(layouts["orders"]),
        fold("Tests between neighbours", paragraph(TESTS_NOTE) + _wide(layouts["tests"])),
        fold("What validation chose, CPU seconds", _wide(layouts["choices"])),
        f"<p>Choices that the dissertation leaves open: {_open_choices(settings.future)}.</p></section>",
    ]
    if len(layouts["table_5_3"]):
        parts.append(
            f'<section id="future-patterns"><h2>Start values of patterns (table 5.3)</h2>{paragraph(PATTERNS_NOTE)}'
            f"{_wide(layouts['table_5_3'])}</section>"
        )
    parts.append(
        f'<section id="future-example"><h2>One direction is not enough (section 5.1)</h2>{paragraph(EXAMPLE_NOTE)}'
        f"{_wide(layouts['example'])}</section>"
    )
    pictures = "".join(_pictures(folder, name) for name in finished)
    if pictures:
        parts.append(f'<section id="future-pictures"><h2>What future features look at</h2>{pictures}</section>')
    yield from parts


def future_is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summaries are there."""
    return all((results / "future" / name / f"{file}.csv").is_file() for file in NEEDED)


def _described(settings: Settings, names: Iterable[str]) -> str:
    """What the data sets are."""
    items = []
    for name in names:
        dataset = settings.datasets[name]
        source = "table" if isinstance(dataset, TableDataset) else dataset.source or name
        known = describe(source)
        window = known.window if dataset.window is None else dataset.window
        stand_in = f"; stand-in: {known.stand_in}" if known.stand_in else ""
        items.append(
            f"<li>{escape(f'{name}: {known.summary}, window −{window[0]} to +{window[1]}; {known.source}{stand_in}')}</li>"
        )
    return f"<ul>{''.join(items)}</ul>"


def _pictures(folder: Path, name: str) -> str:
    """The pictures of a data set, if they have been drawn."""
    weights, trees = folder / name / "weights.svg", folder / name / "trees.svg"
    if not weights.is_file() or not trees.is_file():
        return ""
    first = pd.read_csv(folder / name / "weights.csv", nrows=1)
    model = "none"
    if len(first):
        model = f"{method_text(first['method'][0])}, {first['bag'][0]}, G0 {first['g0'][0]:g}, first draw"
    return figure(weights, f"What features see on {name}", WEIGHTS_NOTE.format(name=name, model=model)) + fold(
        f"Trees of features on {name}", figure(trees, f"Trees on {name}", TREES_NOTE.format(name=name))
    )


def _open_choices(settings: FutureSettings) -> str:
    shown = settings.model_dump(mode="json")
    shown["overrides"] = {name: own for name, own in shown["overrides"].items() if name in settings.datasets}
    return ", ".join(f"{name} {shown[name]}" for name in CHOICES)


def _drawn(path: Path, title: str, caption: str) -> str:
    return figure(path, title, caption) if path.is_file() else ""


def _wide(layout: pd.DataFrame) -> str:
    return f'<div class="wide">{to_fragment(layout)}</div>'
