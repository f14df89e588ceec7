"""Page section on cost (PhD figure 3.3, ICML 2004)."""

from __future__ import annotations

from treecrf_studies.framework.page import PageSection, StudyPage, figure, table

BAND = "in a band from the smallest to the largest of repeated measurements."

LENGTH = f"CPU seconds of forward-backward per iteration by sequence length, both axes logarithmic, a line for each method {BAND}"
FEATURES = f"CPU seconds of one induction of features by number of features, both axes logarithmic, a line for each method {BAND}"
EVALUATION = f"Time to evaluate F at one position by sequence length, a line for each way to evaluate it {BAND}"
SAMPLING = "Accuracy against CPU seconds of training, a panel for each data set, a line for each way of sampling, bars from the smallest to the largest of repeated measurements."

PAGE = StudyPage(
    (
        PageSection(
            "cost-growth",
            "Cost by length and features",
            (
                figure("figure_3_3a", LENGTH),
                figure("figure_3_3b", FEATURES),
                figure("figure_3_3c", EVALUATION),
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
