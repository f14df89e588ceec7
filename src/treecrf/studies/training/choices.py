"""Values of columns of this study's frames, and the decoder, candidate and iteration that tables show."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pandas as pd

if TYPE_CHECKING:
    from treecrf.options import Decoder
from treecrf.statistics.selection import best_candidate

BETTER = "better"
"""Of `decoder`: the decoder that cross-validation prefers (table 3.5 shows one number)."""

UNPERTURBED = -1
"""Of `run`: the run that starts from no weights; the others hold their seed."""

AS_CHOSEN = "as chosen for each split"
"""Of `candidate`: for a method whose splits have one each, and not the same one."""

CHOICE, PEAK = "choice", "peak"
"""Of `stage`: after the chosen iteration, or after the one with the best accuracy on the test set."""

SEQUENCES, BLOCKS = "sequences", "blocks"
"""Of `valid_test`: what a test takes as independent."""

METHODS, TRAININGS = "methods", "these trainings"
"""Of `about`: what a test compares."""

PAIR = ("dataset", "decoder", "method", "other")
"""Columns that tell comparisons apart."""


def preferred_decoder(choice: pd.DataFrame) -> Decoder:
    """The decoder with the better cross-validated accuracy, mean over the splits; the first one wins ties."""
    means = choice.groupby("decoder", sort=False)["cv_accuracy"].mean()
    return cast("Decoder", means.idxmax())


def joined_candidates(curves: pd.DataFrame) -> pd.DataFrame:
    """The curves, with one candidate for all splits where each split has one only (`AS_CHOSEN`): those chosen elsewhere."""
    plain = curves[curves["run"] == UNPERTURBED]
    if plain["candidate"].nunique() < 2 or plain.groupby("split")["candidate"].nunique().max() > 1:
        return curves
    return curves.assign(candidate=AS_CHOSEN, rank=0)


def peaks(curves: pd.DataFrame) -> pd.DataFrame:
    """The candidate and iteration with the best test accuracy (`TrainingOutcome.curves`), by decoder, unperturbed.

    A peak uses the test labels to choose: it is an optimistic upper bound. Of several
    splits, the mean of their accuracies counts.
    """
    plain = curves[curves["run"] == UNPERTURBED]
    accuracy = plain.assign(accuracy=plain["n_correct"] / plain["n_positions"])
    keys = ["decoder", "candidate", "rank", "iteration"]
    means = accuracy.groupby(keys, sort=False)["accuracy"].mean().reset_index()
    groups = means.groupby("decoder", sort=False)
    rows = [best_candidate(group, ["iteration", "rank"], "accuracy") for _, group in groups]
    return pd.DataFrame(rows)[[*keys, "accuracy"]].reset_index(drop=True)


def of_first_decoder(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame of larger samples with the decoder that it names first."""
    return frame[frame["decoder"].isin(frame["decoder"].head(1))]
