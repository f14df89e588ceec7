"""Page section on ensembles (Cortes, Kuznetsov and Mohri 2014)."""

from __future__ import annotations

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.ensembles.methods import VOTES
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
Votes of experts whose predictions alone are known. A path expert takes one expert for each class of positions; ESPBoost boosts path
experts. Two sets of {n_sequences} generated sequences of ten letters and five experts: ads1, where each expert knows two positions,
and ads2, where each is wrong at four positions of every sequence. They are generated on {n_pools} with fresh seeds,
{n_samples} training samples of {n_train} sequences each.
"""

OF_PAPER = """
Table 1 of the paper is about these sets, described in a text that is not public. What was fitted to the table is no evidence for
it: beta of the random path on ads1 and the accuracies of its experts were, so that agreement on ads1 says little; the directions of mistakes on ads2 were, on other pools.
"""

STICKING = "SLE is reconstructed from its numbers. {found}"

BOUND = """
The fraction of training positions whose margin is at most ρ has a bound. It is {slack} or more above the fraction in all runs and
rounds, so that passing it shows little; the equality behind it, F(α) = ∏ Z at ρ = 0, holds to {difference} of its value in every round.
"""

REAL = """
The same on real data, by a protocol that counts what an ensemble costs: the sequences of a data set are divided into A, which trains
{n_experts} experts, B, which trains what combines them and judges every choice, and C, which tests, in draws of {n_seeds}. Because an
ensemble spends the labels of B, the experts are also trained with A and B; what was chosen or learnt on B is then applied to them.
Percent of errors; draws have sequences in common, so their deviation is no standard error. SLE is not run here.
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
    found = []
    for dataset, rows in losses[losses["method"] == "sle"].groupby("dataset", sort=False):
        sticks = rows["n_experts"] == 1
        text = f"On {dataset} {sticks.sum()} of {len(rows)} runs stick at the best expert"
        means = [rows["loss"][part].mean() for part in (sticks, ~sticks) if part.any()]
        voted = losses[(losses["dataset"] == dataset) & (losses["method"] == "espboost")]["loss"].mean()
        text += f" (mean loss {with_and(number(mean, 4) for mean in means)}" + (
            " of these and of the others" if len(means) > 1 else ""
        )
        found.append(f"{text}; {VOTES['espboost']} has {number(voted, 4)}).{_order_text(voted, rows, sticks)}")
    return found


def _order_text(voted: float, rows: pd.DataFrame, sticks: pd.Series) -> str:
    """That the order rests on runs of SLE that stick, where it does."""
    is_turned = bool((~sticks).any()) and rows["loss"].mean() > voted > rows["loss"][~sticks].mean()
    return " There ESPBoost is ahead of SLE only because of the runs that stick." if is_turned else ""


def boosting_sentences(boosting: pd.DataFrame, unit: str = "draws") -> list[str]:
    """Of each data set, what the weight of path 1 means for the vote, from the numbers; a `unit` is a row."""
    return [_boosting_sentence(str(name), rows, unit) for name, rows in boosting.groupby("dataset", sort=False)]


def _boosting_sentence(dataset: str, rows: pd.DataFrame, unit: str) -> str:
    n_alone, n_one = int((rows["first_share"] > 0.5).sum()), int((rows["chosen_rounds"] == 1).sum())
    low, high = (number(100 * value, 0) for value in (rows["first_share"].min(), rows["first_share"].max()))
    weight = f"{dataset}: path 1 has {low} to {high} % of the weight"
    correlation = f"the experts' mistakes correlate at {signed(rows['correlation'].mean())}"
    if not n_alone:
        return f"{weight}, never over half, so that later rounds decide some votes; {correlation}."
    return (
        f"{weight}, over half in {n_alone} of {len(rows)} {unit}: there ESPBoost is its first path, an expert for each "
        "class of positions, whatever the later rounds, and cross-validation sees a flat curve (it chose one round in "
        f"{n_one} of {len(rows)} {unit}); {correlation}."
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
                computed(lambda losses: [paragraph(STICKING, found=" ".join(sticking_sentences(losses)))], "losses"),
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
                figure("bound_by_round", "Margin loss and bound by round, a panel for each set."),
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
                figure("errors", "Errors of every ensemble, a panel for each data set."),
                table("accuracy", "Errors of every ensemble"),
                table("steps", "Tests between ensembles"),
                table("boosting", "Selected experts"),
                computed(lambda boosting: listed(boosting_sentences(boosting)), "boosting"),
                table("experts", "Errors of the experts"),
            ),
        ),
    ),
)
