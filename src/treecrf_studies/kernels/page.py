"""Page section on kernels (Altun, Smola and Hofmann 2004), and what a run teaches of them."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf_studies.framework.comparisons import Comparison, compare_steps, correct_family, find_pair
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
from treecrf_studies.kernels.methods import BEST_KERNEL, BEST_TREES, DUAL, STEPS, method_text
from treecrf_studies.rendering.cells import dataset_names, p_text, signed, with_and
from treecrf_studies.rendering.parts import Part, listed, paragraph

INTRODUCTION = """
This study compares kernel CRFs with linear CRFs, trees and other methods. A CRF with a polynomial kernel of degree d is
a linear CRF on all products of up to d features. Training need not write these products down. See first whether degrees
2 and 3 are more accurate than degree 1, and than the best trees.

Accuracy is the percent of test positions with forward-backward decoding. The number of draws of the data is {n_seeds}.
In each draw, {n_folds}-fold cross-validation over the training sequences chooses the variance of the prior, and the
settings and iterations of other methods. No choice uses test sequences.

Trees have fewer settings to choose from than kernels, and at most {tree_iterations} iterations.
"""

OF_PAPER = """
The paper compares degrees 1 to 3 with a primal linear CRF on pitch accents. Its data (Switchboard) are licensed,
and the numbers of its figure are lost. None of these data sets is the paper's: prosody stands in for it.
"""

SAME_OBJECTIVE = """
Primal and dual linear CRF minimize the same objective, so they should be equally accurate. The sequence-level test
compares dual with primal: {decisions}.

Both divide features by the root of the mean squared norm plus the constant. Both have a bias for each label and one
prior for all weights. CRFsuite as users run it (row {crfsuite}) is another model: it scales nothing, bins numbers and
has no bias.
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
    """The best kernel vs the best trees on each data set, in a sentence."""
    names = dict(zip(comparisons["dataset"], dataset_names(comparisons), strict=True))
    pairs = kernels_against_trees(comparisons)
    if not pairs:
        return []
    heading = (
        "The list has the accuracy of the best kernel CRF minus that of the best TreeCRF, in percentage points. "
        "Cross-validation chooses both in each draw. The p-values are those of the sequence-level test, with Holm's "
        "correction over the data sets; intervals are uncorrected."
    )
    return [paragraph(heading), *listed([_sentence(str(names[pair.dataset]), pair) for pair in pairs])]


def _sentence(dataset: str, pair: Comparison) -> str:
    low, high = map(signed, pair.interval)
    words = {
        "better": "kernels are more accurate than trees",
        "worse": "kernels are less accurate than trees",
        "equivalent": "kernels and trees are equivalent",
    }.get(pair.decision, "the test does not separate kernels from trees")
    points = f"{signed(pair.points)} points (95 % interval {low} to {high}, {p_text(pair.p_holm)})"
    return f"{dataset}: {points}; {words}."


def _same_objective(comparisons: pd.DataFrame) -> list[Part]:
    decisions = [
        f"{pair.decision} on {pair.dataset} ({signed(pair.points)} points)"
        for pair in compare_steps(comparisons, STEPS)
        if (pair.method, pair.other) == (DUAL, "primal")
    ]
    values = {"decisions": with_and(decisions), "crfsuite": method_text("crfsuite")}
    return [paragraph(SAME_OBJECTIVE, **values)] if decisions else []


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
                figure("figure_1", "Accuracy by degree of the kernel, with a panel for each data set."),
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
                figure(
                    "solvers", "Distance of the objective from its minimum by CPU seconds, with a line for each solver."
                ),
                table("solvers", "Where the solvers end", has_caption=False),
            ),
        ),
        PageSection(
            "kernels-ranks",
            "Low ranks",
            (
                figure(
                    "ranks", "Accuracy and objective by number of pivots, with a line for each rule of choosing them."
                ),
                table("ranks", "Low ranks", has_caption=False),
            ),
        ),
        PageSection(
            "kernels-sizes",
            "Time and memory",
            (
                figure(
                    "sizes",
                    "CPU seconds and memory by positions of the training set, with a line for each form of the model.",
                ),
                table("sizes", "Time and memory", has_caption=False),
            ),
        ),
    ),
)


# --- what a run teaches -----------------------------------------------------------------------------


def kernels_and_trees(frames: Frames) -> Iterator[Pair]:
    """Conjunctions of inputs in kernels, and kernels against trees (UAI 2004)."""
    tests = frames.read("kernels", "comparisons")
    for pair in (("degree_2", "degree_1"), (BEST_TREES, BEST_KERNEL)):
        yield Pair(method_text(pair[0]), method_text(pair[1]), gaps(tests, *pair))
