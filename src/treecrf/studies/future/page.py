"""Page section on future features (PhD chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from treecrf.datasets import describe
from treecrf.io.files import read_frame, read_frames
from treecrf.rendering.cells import window_text
from treecrf.rendering.parts import (
    Fold,
    Part,
    Section,
    Study,
    Table,
    by_dataset,
    drawn,
    listed,
    open_choices,
    paragraph,
)
from treecrf.studies.future.headline import future_headline
from treecrf.studies.future.tables import future_layouts, method_text
from treecrf.studies.settings import Settings, TableDataset

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
    "n_seeds", "held_out", "n_iterations", "chain_iterations", "test_every", "alpha_uppers", "beta_uppers", "eta_uppers", "eta_starts", "n_bins",
    "max_lower_iterations", "patience", "tolerance", "l2_regularization",
)  # fmt: skip
"""Settings that the dissertation leaves open or that a reader needs to repeat the study."""


def future_study(settings: Settings, results: Path) -> Study | None:
    """The study of future features, from the data sets that are finished; None where there is nothing."""
    folder = results / "future"
    finished = [name for name in settings.future.datasets if future_is_finished(results, name)]
    if not finished:
        return None
    frames = {file: read_frames([str(folder / name / f"{file}.csv") for name in finished]) for file in NEEDED}
    layouts = future_layouts(frames)

    def table(name: str, caption: str) -> Table:
        return Table(caption, layouts[name], folder / "tables" / name)

    sections = [_orders(settings, finished, table, folder)]
    if len(layouts["table_5_3"]):
        patterns: list[Part] = [paragraph(PATTERNS_NOTE), table("table_5_3", "Table 5.3, published and measured")]
        sections.append(Section("future-patterns", "Start values of patterns (table 5.3)", patterns))
    example: list[Part] = [
        paragraph(EXAMPLE_NOTE),
        table("example", "The label of the second position, published and measured"),
    ]
    sections.append(Section("future-example", "One direction is not enough (section 5.1)", example))
    pictures = [part for name in finished for part in _pictures(folder, name)]
    if pictures:
        sections.append(Section("future-pictures", "What future features look at", pictures))
    return Study("future", "Future features (chapter 5)", future_headline(frames["best"]), sections)


def future_is_finished(results: Path, name: str) -> bool:
    """Whether a data set's summaries are there."""
    return all((results / "future" / name / f"{file}.csv").is_file() for file in NEEDED)


def _orders(settings: Settings, names: Sequence[str], table: Callable[[str, str], Table], folder: Path) -> Section:
    alt = f"Accuracy by order, a panel for each of {', '.join(names)}, a line for each labeller."
    parts: list[Part] = [
        paragraph(INTRODUCTION, n_seeds=by_dataset(settings.future, "n_seeds")),
        *listed([_described(settings, name) for name in names]),
        *drawn(folder / "orders.svg", alt, ORDERS_NOTE),
        table("orders", "Tables 5.4 and 5.5, published and measured: accuracy in percent by order"),
        Fold("Tests between neighbours", [paragraph(TESTS_NOTE), table("tests", "Tests between neighbours")]),
        Fold("What validation chose, CPU seconds", [table("choices", "What validation chose, CPU seconds")]),
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
    return [
        *drawn(weights, seen, WEIGHTS_NOTE.format(name=name, model=model)),
        Fold(
            f"Trees of features on {name}",
            drawn(trees, f"The first tree of the first features found on {name}.", TREES_NOTE.format(name=name)),
        ),
    ]
