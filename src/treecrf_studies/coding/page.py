"""Page section on many labels (M.S. thesis)."""

from __future__ import annotations

from treecrf_studies.framework.page import (
    PageSection,
    StudyPage,
    choices,
    datasets,
    figure,
    percent,
    setting,
    table,
    text,
)

INTRODUCTION = """
Chains with many labels: inference costs the square of their number. Output coding gives every label a word of random bits and
learns the bits, each by a chain of two labels: independently (i-SECOC; iid without chains), or one after another, each with the
predictions of the h bits before it for the neighbours (c-SECOC(h)). The learners are gradient tree boosting (GTB) and the voted
perceptron (VP); a beam keeps the best labels of each position. Other labellers learn all labels at once. Percent of test
positions, forward-backward decoding; {n_seeds} draws of the data; {held_out} of the training sequences choose.
"""

OF_THESIS = """
The thesis chose histories and beams on the test set; curves on the test set are shown as the thesis drew them.
"""

CHOICES = (
    "n_seeds",
    "n_timed_runs",
    "held_out",
    "n_choosing",
    "choosing_length",
    "equivalence_margin",
    "code_lengths",
    "gtb_code_lengths",
    "beams",
    "gtb_iterations",
    "gtb_leaves",
    "gtb_regularization",
    "beam_iterations",
    "n_epochs",
    "early_update",
    "cross_fit",
    "label_dictionary",
    "tree_iterations",
    "test_every",
    "tree_regularization",
    "tree_splits",
    "separable_leaves",
    "separable_rates",
    "full_leaves",
    "full_rates",
    "crfsuite_penalties",
    "neural_dropouts",
    "neural_epochs",
    "first_counted",
)
"""Settings that the thesis leaves open or that a reader needs to repeat the study."""

LENGTHS = "Accuracy by bits of the code, a panel for each learner and window, a line for each kind of code."
SECONDS = "Accuracy against CPU seconds of training, a panel for each window."
CHOSEN = "History and beam chosen on held-out and on test sequences"

PAGE = StudyPage(
    (
        PageSection(
            "coding-all",
            "All labels at once",
            (
                text(INTRODUCTION, OF_THESIS, n_seeds=setting("n_seeds"), held_out=setting("held_out", percent)),
                datasets(has_window=False),
                table("all_labels", "All labels at once, the chosen cascades and beams"),
                table("steps", "Tests between methods"),
                figure("seconds", SECONDS),
                choices(CHOICES),
            ),
            "figures 5.3 and 5.5",
        ),
        PageSection(
            "coding-codes",
            "Codes",
            (
                figure("lengths", LENGTHS),
                table("codes", "Accuracy with the longest code"),
                table("choices", CHOSEN),
            ),
            "figures 5.1, 5.2, 5.4 and 5.6",
        ),
        PageSection("coding-beams", "Beam search", (table("beams", "Accuracy and CPU seconds by beam"),)),
        PageSection("coding-chunks", "Noun phrases (CoNLL-2000)", (table("chunks", "Noun phrases"),)),
    ),
)
