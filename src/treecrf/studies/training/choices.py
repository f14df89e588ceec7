"""Choice of the decoder, candidate and iteration of a method that tables show: the preferred one, and the peak."""

from __future__ import annotations

from typing import cast

import pandas as pd

from treecrf.options import Decoder
from treecrf.statistics.selection import best_candidate
from treecrf.studies.training.names import AS_CHOSEN, UNPERTURBED


def preferred_decoder(choice: pd.DataFrame) -> Decoder:
    """The decoder with the better cross-validated accuracy, mean over the splits; the first one wins ties."""
    means = choice.groupby("decoder", sort=False)["cv_accuracy"].mean()
    return cast(Decoder, means.idxmax())


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
