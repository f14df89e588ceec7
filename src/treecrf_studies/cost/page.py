"""Page section on cost (PhD figure 3.3, ICML 2004)."""

from __future__ import annotations

from treecrf_studies.cost.words import tell_growth
from treecrf_studies.framework.page import PageSection, StudyPage, figure, table

BY_LENGTH = tell_growth("length", "forward_backward", "sequence length", "CPU seconds of forward-backward")
BY_FEATURES = tell_growth("n_features", "induction", "number of features", "CPU seconds of an induction")
EVALUATION_BY_LENGTH = tell_growth("length", "evaluation", "sequence length", "CPU seconds of evaluating F")

BAND = "Bands go from the smallest to the largest of repeated measurements."
LOGARITHMIC = "Each method has a line. Both axes are logarithmic."

LENGTH = f"Line plot of CPU seconds per iteration of forward-backward by sequence length. {LOGARITHMIC} {BAND}"
FEATURES = f"Line plot of CPU seconds of one induction of features by number of features. {LOGARITHMIC} {BAND}"
EVALUATION = (
    "Line plot of CPU time to evaluate F at one position by sequence length. Each way to evaluate it has a line. "
    f"{BAND}"
)
SAMPLING = (
    "Line plot of accuracy by CPU seconds of training. Each data set has a panel, and each way of sampling has a line. "
    "Bars go from the smallest to the largest of repeated measurements."
)

PAGE = StudyPage(
    (
        PageSection(
            "cost-growth",
            "Cost by length and features",
            (
                figure("figure_3_3a", LENGTH, BY_LENGTH),
                figure("figure_3_3b", FEATURES, BY_FEATURES),
                figure("figure_3_3c", EVALUATION, EVALUATION_BY_LENGTH),
            ),
            "figure 3.3",
        ),
        PageSection(
            "cost-windows",
            "Cost and accuracy by window size",
            (table("windows", "CPU seconds of one iteration and accuracy by window"),),
        ),
        PageSection(
            "cost-sampling",
            "Sampling, trimming, pseudo-likelihood",
            (
                figure("sampling", SAMPLING),
                table("sampling", "Sampling, trimming, pseudo-likelihood", has_caption=False),
            ),
        ),
    ),
)
