"""Page section on ensembles (Cortes, Kuznetsov and Mohri 2014), and what a run teaches of them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.ensembles.methods import BEST as RETRAINED_EXPERT
from treecrf_studies.ensembles.methods import COMBINED, VOTES
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps
from treecrf_studies.framework.page import (
    PageSection,
    StudyPage,
    choices,
    computed,
    datasets,
    figure,
    setting,
    table,
    text,
)
from treecrf_studies.rendering.cells import number, signed, with_and
from treecrf_studies.rendering.parts import Part, listed, paragraph

GENERATED = """
Here only the predictions of the experts are known, and ensembles vote with them. Compare ESPBoost with the on-line
majority vote and with the best expert. A path expert takes one expert for each class of positions, and ESPBoost boosts
path experts.

The two sets have generated sequences of ten letters and five experts. On ads1, each expert knows two positions. On
ads2, each is wrong at four positions of every sequence.

Fresh seeds make {n_pools} of {n_sequences} sequences for each set, with {n_samples} training samples of {n_train}
sequences.
"""

OF_PAPER = """
Table 1 of the paper has such sets, but their description is in a text that is not public.

Agreement with the table is not evidence where a parameter was fitted to it. On ads1, these are beta of the random path
and the accuracies of the experts, so agreement says little. On ads2, they are the directions of mistakes, which were
fitted on other pools.
"""

STICKING = "The loss of SLE depends on how many runs stick at the best expert."

BOUND = """
The bound on the margin loss is loose. In all runs and rounds, it is {slack} or more above the fraction of training
positions whose margin is at most ρ. So passing it shows little. The equality behind it, F(α) = ∏ Z at ρ = 0, is
stricter. It holds to {difference} of its value in every round.
"""

REAL = """
On real data, an ensemble is compared with a single expert that has the same labels. The sequences of a data set are
divided into three parts. Part A trains {n_experts} experts. Part B trains the combiners and decides every choice. Part
C tests. The number of draws is {n_seeds}.

An expert could also learn from the labels that an ensemble spends on B. So experts are also trained on A and B (rows
with A + B). What was chosen or learnt on B is applied to them.

Results are percent of errors. Draws have sequences in common, so their deviation is no standard error. SLE is not run
here.
"""

CHOICES = (
    "pool_seeds",
    "n_sequences",
    "n_train",
    "n_samples",
    "n_rounds",
    "n_folds",
    "rhos",
    "n_seeds",
    "sizes",
    "experts",
    "newton_iterations",
    "newton_leaves",
    "newton_regularization",
    "newton_rate",
    "tree_iterations",
    "tree_leaves",
    "tree_regularization",
    "variance",
    "linear_iterations",
    "crfsuite_penalty",
    "crfsuite_iterations",
    "n_epochs",
    "lightgbm_iterations",
    "lightgbm_leaves",
    "equivalence_margin",
)
"""Settings that the paper leaves open or that a reader needs to repeat the study."""


def sticking_sentences(losses: pd.DataFrame) -> list[str]:
    """How many runs of SLE stick at the best expert on each set, and the losses of these and of the others."""
    items = []
    for dataset, rows in losses[losses["method"] == "sle"].groupby("dataset", sort=False):
        sticks = rows["n_experts"] == 1
        means = [
            f"{number(rows['loss'][part].mean(), 4)} for {runs}"
            for runs, part in (("these", sticks), ("the others", ~sticks))
            if part.any()
        ]
        voted = losses[(losses["dataset"] == dataset) & (losses["method"] == "espboost")]["loss"].mean()
        loss = with_and([*means, f"{number(voted, 4)} for {VOTES['espboost']}"])
        text = f"On {dataset}, {sticks.sum()} of {len(rows)} runs stick at the best expert. The mean loss is {loss}."
        items.append(f"{text}{_order_text(voted, rows, sticks)}")
    return items


def _order_text(voted: float, rows: pd.DataFrame, sticks: pd.Series) -> str:
    """That the order rests on runs of SLE that stick, where it does."""
    is_turned = bool((~sticks).any()) and rows["loss"].mean() > voted > rows["loss"][~sticks].mean()
    return " ESPBoost has a lower loss than SLE only because of the runs that stick." if is_turned else ""


def boosting_sentences(boosting: pd.DataFrame, unit: str = "draws") -> list[str]:
    """Of each data set, what the weight of path 1 means for the vote, from the numbers; a `unit` is a row."""
    return [_boosting_sentence(str(name), rows, unit) for name, rows in boosting.groupby("dataset", sort=False)]


def _boosting_sentence(dataset: str, rows: pd.DataFrame, unit: str) -> str:
    n_alone, n_one = int((rows["first_share"] > 0.5).sum()), int((rows["chosen_rounds"] == 1).sum())
    low, high = (number(100 * value, 0) for value in (rows["first_share"].min(), rows["first_share"].max()))
    weight = f"{dataset}: path 1 has {low} to {high} % of the weight"
    correlation = f"The experts' mistakes correlate at {signed(rows['correlation'].mean())}."
    if not n_alone:
        return f"{weight}, never over half, so later rounds decide some votes. {correlation}"
    return (
        f"{weight}, over half in {n_alone} of {len(rows)} {unit}. There its vote alone decides every prediction, and "
        "ESPBoost is a single path expert, whatever the later rounds. Cross-validation then sees a flat curve: it "
        f"chose one round in {n_one} of {len(rows)} {unit}. {correlation}"
    )


def _bound(boosted: pd.DataFrame) -> list[Part]:
    return [paragraph(BOUND, slack=number(boosted["slack"].min()), difference=f"{boosted['difference'].max():.0e}")]


PAGE = StudyPage(
    (
        PageSection(
            "ensembles-table_1",
            "Generated sets",
            (
                text(
                    GENERATED,
                    OF_PAPER,
                    n_sequences=lambda context: f"{context.own.n_sequences:,}",
                    n_pools=lambda context: counted(len(context.own.pool_seeds), "pool"),
                    n_samples=setting("n_samples"),
                    n_train=setting("n_train"),
                ),
                table("table_1", "Hamming losses, published and measured", "Table 1"),
                computed(lambda losses: [paragraph(STICKING), *listed(sticking_sentences(losses))], "losses"),
                table("sticking", "SLE, split by whether it sticks at the best expert"),
                choices(CHOICES),
            ),
            "table 1",
        ),
        PageSection(
            "ensembles-bound",
            "The bound on the margin loss",
            (
                computed(_bound, "boosted"),
                figure("bound_by_round", "Margin loss and bound by round, with a panel for each set."),
                table("bound", "The bound and its equality", "Theorem 3"),
                computed(lambda boosted: listed(boosting_sentences(boosted, "runs")), "boosted"),
            ),
            "theorem 3",
        ),
        PageSection(
            "ensembles-data",
            "Real data",
            (
                text(REAL, n_experts=lambda context: len(context.own.experts), n_seeds=setting("n_seeds")),
                datasets(),
                figure("errors", "Errors of every ensemble on part C, with a panel for each data set."),
                table("accuracy", "Errors of every ensemble"),
                table("steps", "Tests between ensembles"),
                table("boosting", "Selected experts"),
                computed(lambda boosting: listed(boosting_sentences(boosting)), "boosting"),
                table("experts", "Errors of the experts"),
            ),
        ),
    ),
)


# --- what a run teaches -----------------------------------------------------------------------------


def experts(frames: Frames) -> Iterator[Pair]:
    """ESPBoost against the best expert, and what part B's labels are worth to that expert (ESPBoost 2014)."""
    tests = frames.read("ensembles", "comparisons")
    names = {"espboost": COMBINED["espboost"], RETRAINED_EXPERT: "the best expert with all labels"}
    for method, name in names.items():
        yield Pair(name, "the best expert of part A", gaps(tests, method, "best_expert"))
