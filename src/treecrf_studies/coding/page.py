"""Page section on many labels (M.S. thesis), and what a run teaches of them."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.coding.methods import method_text
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps
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
This study compares ways to label chains with many labels. The cost of inference grows with the square of their number,
and output coding avoids it. Check first whether that is needed: the tables also have methods that learn all labels at
once. A beam keeps only the best labels of each position.

Output coding gives every label a random bit string, and a chain of two labels learns each bit. With i-SECOC, bits are
independent; iid is the same without chains. With c-SECOC(h), a bit sees what the h bits before it predict for the
neighbours. The learners are gradient tree boosting (GTB) and the voted perceptron (VP).

Accuracy is the percent of test positions with forward-backward decoding. The number of draws of the data is {n_seeds}.
In each, {held_out} of the training sequences choose settings.
"""

OF_THESIS = """
The thesis chose histories and beams on the test set. Curves on the test set are shown as the thesis drew them.
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

LENGTHS = "Accuracy by bits of the code, with a panel for each learner and window and a line for each kind of code."
SECONDS = "Accuracy by CPU seconds of training, with a panel for each window."
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


# --- what a run teaches -----------------------------------------------------------------------------


def many_labels(frames: Frames) -> Iterator[Pair]:
    """Trees of all labels at once against the chosen cascade of codes (M.S. thesis)."""
    best, tests = frames.read("coding", "best"), frames.read("coding", "comparisons")
    if not (len(best) and len(tests)):
        return
    tests = tests[tests["window"] == 1]
    cascades = best[(best["learner"] == "gtb") & (best["use"] == "cascade") & (best["window"] == 1)]
    chosen = cascades[["dataset", "method"]].to_numpy()
    for method in ("separable", "full"):
        of_method = [gap for name, cascade in chosen for gap in gaps(tests[tests["dataset"] == name], method, cascade)]
        yield Pair(f"{method_text(method)} with window 1", "the chosen cascade", of_method)
