"""Page section on kernels (Altun, Smola and Hofmann 2004)."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.comparisons import Comparison, compare_steps, correct_family, find_pair
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
from treecrf_studies.kernels.methods import BEST_KERNEL, BEST_TREES, DUAL, STEPS, method_text
from treecrf_studies.rendering.cells import dataset_names, p_text, signed, with_and
from treecrf_studies.rendering.parts import Part, listed, paragraph

INTRODUCTION = """
A conditional random field whose scores of windows are functions in the space of a kernel: with a polynomial kernel of degree d, a
linear CRF on all products of up to d features, trained without writing these down. Percent of test positions, forward-backward
decoding; draws of the data: {n_seeds}. In each draw, {n_folds}-fold cross-validation over the training sequences chooses the
variance of the prior, among the values named below, and the settings and iterations of rivals; no choice looks at test sequences.
Trees have fewer settings to choose from than kernels, and at most {tree_iterations} iterations.
"""

OF_PAPER = """
The paper compares degrees 1 to 3 with a primal linear CRF on pitch accents; its data and the numbers of its figure are lost, and no
other data set here is the paper's.
"""

SAME_OBJECTIVE = """
Primal and dual, by the sequence-level test: {decisions}. They minimize the same objective: features divided by the root of the mean squared norm
plus the constant, a bias for each label, one prior for all weights. CRFsuite as users run it ({crfsuite}) scales nothing, cuts numbers
into bins and has no bias, so it is another model.
"""

CHOICES = (
    "n_seeds",
    "n_folds",
    "variances",
    "transition_variance",
    "coef0",
    "tolerance",
    "choosing_tolerance",
    "rank",
    "tree_iterations",
    "test_every",
    "tree_rates",
    "tree_regularization",
    "separable_leaves",
    "full_leaves",
    "treecrf_leaves",
    "treecrf_regularizations",
    "crfsuite_penalties",
    "neural_dropouts",
    "neural_epochs",
    "picture",
    "measured_variance",
    "solver_degrees",
    "solver_steps",
    "ranks",
    "sizes",
    "equivalence_margin",
)
"""Settings that the paper leaves open or that a reader needs to repeat the study."""


def kernels_against_trees(comparisons: pd.DataFrame) -> list[Comparison]:
    """The best kernel against the best trees on each data set that has both; all together are a family (Holm)."""
    families = (rows for _, rows in comparisons.groupby("dataset", sort=False))
    return correct_family(find_pair(rows, BEST_KERNEL, BEST_TREES) for rows in families)


def against_trees(comparisons: pd.DataFrame) -> list[Part]:
    """What the best kernel is against the best trees on each data set, in a sentence."""
    names = dict(zip(comparisons["dataset"], dataset_names(comparisons), strict=True))
    pairs = kernels_against_trees(comparisons)
    if not pairs:
        return []
    heading = (
        "Kernels vs trees: the best of either in each draw, chosen by cross-validation, and the sequence-level test, "
        "corrected over the data sets (Holm)."
    )
    return [paragraph(heading), *listed([_sentence(str(names[pair.dataset]), pair) for pair in pairs])]


def _sentence(dataset: str, pair: Comparison) -> str:
    low, high = map(signed, pair.interval)
    words = {"better": "beat trees", "worse": "lose to trees", "equivalent": "are as good as trees"}.get(
        pair.decision, "are not separated from trees"
    )
    return f"{dataset}: kernels {words} ({signed(pair.points)} points, 95 % interval, uncorrected, {low} to {high}, {p_text(pair.p_holm)})."


def _same_objective(comparisons: pd.DataFrame) -> list[Part]:
    found = [
        f"{pair.decision} on {pair.dataset} ({signed(pair.points)} points)"
        for pair in compare_steps(comparisons, STEPS)
        if (pair.method, pair.other) == (DUAL, "primal")
    ]
    values = {"decisions": with_and(found), "crfsuite": method_text("crfsuite")}
    return [paragraph(SAME_OBJECTIVE, **values)] if found else []


PAGE = StudyPage(
    (
        PageSection(
            "kernels-accuracy",
            "Accuracy",
            (
                text(
                    INTRODUCTION,
                    OF_PAPER,
                    **{name: setting(name) for name in ("n_seeds", "n_folds", "tree_iterations")},
                ),
                datasets(),
                figure("figure_1", "Accuracy by degree of the kernel, a panel for each data set."),
                table("accuracy", "Accuracy of every method"),
                computed(against_trees, "comparisons"),
                computed(_same_objective, "comparisons"),
                table("choices", "Chosen settings and cost"),
                choices(CHOICES),
            ),
            "figure 1",
        ),
        PageSection("kernels-tests", "Tests", (table("steps", "Tests between methods"),)),
        PageSection(
            "kernels-solvers",
            "Solvers",
            (
                figure("solvers", "Objective above its minimum by CPU seconds."),
                table("solvers", "Where the solvers end", has_caption=False),
            ),
        ),
        PageSection(
            "kernels-ranks",
            "Low ranks",
            (
                figure("ranks", "Accuracy and objective by rank."),
                table("ranks", "Low ranks", has_caption=False),
            ),
        ),
        PageSection(
            "kernels-sizes",
            "Time and memory",
            (
                figure("sizes", "CPU seconds and memory by positions."),
                table("sizes", "Time and memory", has_caption=False),
            ),
        ),
    ),
)
