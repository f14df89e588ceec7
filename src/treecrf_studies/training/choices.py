"""Values of columns of this study's frames, and the decoder, candidate and iteration that tables show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pandas as pd

if TYPE_CHECKING:
    from treecrf_studies.options import Decoder
from treecrf.statistics.selection import best_candidate

BETTER = "better"
"""Of `decoder`: the decoder that cross-validation prefers (table 3.5 shows one number)."""

UNPERTURBED = -1
"""Of `run`: the run that starts from no weights; the others hold their seed."""

AS_CHOSEN = "as chosen for each split"
"""Of `candidate`: for a method whose splits have one each, and not the same one."""

CHOICE, PEAK, LAST, HIGHEST = "choice", "peak", "last", "highest"
"""Of `stage` and `point`: after the chosen iteration, after the one with the best accuracy on the test set, after the
last one; of `point`, further: the best of all settings and iterations.
"""

FORWARD_BACKWARD_STEP, INDUCTION_STEP = "forward_backward", "induction"
"""Of `point`, further: one iteration's part in inference, and in one induction of features."""

SEQUENCES, BLOCKS = "sequences", "blocks"
"""Of `test`: what a test takes as independent."""

METHODS, TRAININGS = "methods", "these trainings"
"""Of `about`: what a test compares."""

PAIR = ["dataset", "decoder", "method", "other"]
"""Columns that tell comparisons apart."""


def preferred_decoder(choice: pd.DataFrame) -> Decoder:
    """The decoder with the better cross-validated accuracy, mean over the splits; the first one wins ties."""
    means = choice.groupby("decoder", sort=False)["cv_accuracy"].mean()
    return cast("Decoder", means.idxmax())


def preferred_at(frame: pd.DataFrame, point: str = CHOICE) -> pd.DataFrame:
    """The rows of a frame with the preferred decoders, at a point if it has several; none of an empty frame."""
    return frame[(frame["decoder"] == BETTER) & (frame.get("point", point) == point)] if len(frame) else frame


def with_iterations(summary: pd.DataFrame) -> pd.DataFrame:
    """A summary with has_iterations: a method whose only iteration is everywhere the first has none to speak of."""
    shown = summary[summary["point"].isin([CHOICE, PEAK])]
    return summary.assign(has_iterations=summary["method"].map(shown.groupby("method")["iteration_high"].max() > 1))


def by_decoder(choice: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The choice with each decoder, and then as `BETTER` with the preferred one."""
    for decoder, chosen in choice.groupby("decoder", sort=False):
        yield str(decoder), chosen
    yield BETTER, choice[choice["decoder"] == preferred_decoder(choice)]


def unperturbed(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the unperturbed trainings."""
    return frame[frame["run"] == UNPERTURBED]


def joined_candidates(curves: pd.DataFrame) -> pd.DataFrame:
    """The curves, with one candidate for all splits where each split has one only (`AS_CHOSEN`): those chosen
    elsewhere.
    """
    plain = unperturbed(curves)
    if plain["candidate"].nunique() < 2 or plain.groupby("split")["candidate"].nunique().max() > 1:
        return curves
    return curves.assign(candidate=AS_CHOSEN, rank=0)


def peaks(curves: pd.DataFrame) -> pd.DataFrame:
    """The highest point of each test curve, the first of equals: settings by cross-validation, iteration by the test
    labels.

    The dissertation prints such peaks (sections 3.5.1 to 3.5.3). `curves` is from
    `treecrf_studies.training.summary.learning_curves`. Gives its rows at the peaks, and of each method that of the
    preferred decoder again, as `BETTER`.
    """
    highest = curves.loc[curves.groupby(["dataset", "method", "decoder"], sort=False)["accuracy"].idxmax()]
    return pd.concat([highest, highest[highest["preferred"]].assign(decoder=BETTER)], ignore_index=True)


def highest_points(curves: pd.DataFrame) -> pd.DataFrame:
    """The candidate and iteration with the best test accuracy of all (`TrainingOutcome.curves`), by decoder,
    unperturbed.

    Not a peak: it uses the test labels to choose the settings too. Of several splits, the mean of their accuracies
    counts.
    """
    plain = unperturbed(curves)
    accuracy = plain.assign(accuracy=plain["n_correct"] / plain["n_positions"])
    keys = ["decoder", "candidate", "rank", "iteration"]
    means = accuracy.groupby(keys, sort=False)["accuracy"].mean().reset_index()
    groups = means.groupby("decoder", sort=False)
    rows = [best_candidate(group, ["iteration", "rank"], "accuracy") for _, group in groups]
    return pd.DataFrame(rows)[[*keys, "accuracy"]].reset_index(drop=True)


def of_first_decoder(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a frame of larger samples with the decoder that it names first."""
    return frame[frame["decoder"].isin(frame["decoder"].head(1))]
