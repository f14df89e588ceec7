"""What studies measure of predictions: names of metrics, and the marginals beside each predicted label.

A method without probabilities (votes, distances to words of a code) has NaN there: shares of votes add up to one, and
are no probabilities. Log loss, Brier score and reliability follow from the marginals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treecrf.models.base import Labeller
    from treecrf.sequences import SequenceSet


ACCURACY, MACRO_F1, SEQUENCES_RIGHT = "accuracy", "macro F1", "sequences right"
LOG_LOSS, BRIER_SCORE, LOG_LIKELIHOOD = "log loss", "Brier score", "log likelihood"
"""Values of `quantity`; see `METRICS`."""

OF_CHUNKS = {name: f"{name} of noun phrases" for name in ("precision", "recall", "F1")}
"""Further ones."""


class Metric(NamedTuple):
    """What readers see of a metric: its name and unit, digits after the point, and whether less is better."""

    name: str
    unit: str = "%"
    digits: int = 2
    is_loss: bool = False

    @property
    def title(self) -> str:
        """The name with the unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


METRICS = {
    **{name: Metric(name) for name in (ACCURACY, MACRO_F1, *OF_CHUNKS.values())},
    SEQUENCES_RIGHT: Metric("sequences without an error"),
    LOG_LOSS: Metric(LOG_LOSS, "nats", 4, is_loss=True),
    BRIER_SCORE: Metric(BRIER_SCORE, "", 4, is_loss=True),
    LOG_LIKELIHOOD: Metric(LOG_LIKELIHOOD, "nats", 4),
}


P_LABEL, P_PREDICTED, SUM_SQUARES = "p_label", "p_predicted", "sum_squares"
"""Columns of predictions: the probability of the true label, that of the predicted one, and the sum of the squares of
those of all labels. A number for each position instead of one for each label.
"""

CONFIDENCE = (P_LABEL, P_PREDICTED, SUM_SQUARES)

PREDICTED = ("position", "label", "predicted", *CONFIDENCE)
"""Columns of predictions in all studies, after those that tell runs, sequences and their groups apart."""

LEAST_PROBABILITY = float(np.finfo(np.float32).eps)
"""Probabilities below it count as it in log loss, as scikit-learn has it for numbers of this precision."""


def confidence(
    marginals: NDArray[np.floating] | None, labels: NDArray[np.integer], predicted: NDArray[np.integer]
) -> dict[str, NDArray[np.float32]]:
    """The columns `CONFIDENCE` of a set: float32, shape (n_positions,); NaN without marginals, as of a method without
    probabilities.

    `marginals` have shape (n_positions, n_labels). Labels of -1 are not known to the method: it gives them no
    probability.
    """
    if marginals is None:
        return {name: np.full(len(predicted), np.nan, dtype=np.float32) for name in CONFIDENCE}
    positions = np.arange(len(predicted))
    columns = {
        P_LABEL: np.where(labels >= 0, marginals[positions, labels], 0.0),
        P_PREDICTED: marginals[positions, predicted],
        SUM_SQUARES: (marginals**2).sum(axis=1),
    }
    return {name: values.astype(np.float32) for name, values in columns.items()}


def prediction_frame(
    data: SequenceSet, predicted: NDArray[np.int16], marginals: NDArray[np.float64] | None = None
) -> pd.DataFrame:
    """A row for each position: sequence, group (of related sequences), position, label, predicted, and `CONFIDENCE`."""
    labels = np.asarray(data.labels)
    return pd.DataFrame(
        {
            "sequence": np.repeat(np.arange(len(data)), data.lengths),
            "group": np.repeat(data.groups, data.lengths),
            "position": np.arange(data.n_positions),
            "label": labels,
            "predicted": predicted,
            **confidence(marginals, labels, predicted),
        }
    )


def marginals_after(labeller: Labeller, data: SequenceSet, iteration: int = 0) -> NDArray[np.float64] | None:
    """P(y_t | X) of every position after an iteration of a training, shape (n_positions, n_labels).

    Iteration 0 stands for the last one, as does one that a training did not reach. None of a labeller without
    probabilities.
    """
    if not labeller.has_probabilities:
        return None
    marginals = None
    if iteration and labeller.has_stages:
        stages: Any = labeller
        marginals = next(stages.staged_predict_proba(data, iteration), None)
    return labeller.predict_proba(data) if marginals is None else marginals


def has_confidence(rows: pd.DataFrame) -> bool:
    """Whether the probabilities of all predictions are known."""
    return len(rows) > 0 and bool(rows[P_LABEL].notna().all())


def log_loss(rows: pd.DataFrame) -> float:
    """The mean of minus the logarithm of the probability of the true label, in nats; probabilities below
    `LEAST_PROBABILITY` count as it.
    """
    return float(-np.log(np.maximum(rows[P_LABEL].to_numpy(dtype=float), LEAST_PROBABILITY)).mean())


def brier_score(rows: pd.DataFrame) -> float:
    """As `treecrf.statistics.metrics.brier_score`: the sum over labels, from 0 to 2."""
    from treecrf.statistics.metrics import brier_of_sums  # brings SciPy, which tables do without

    return brier_of_sums(rows[SUM_SQUARES].to_numpy(dtype=float), rows[P_LABEL].to_numpy(dtype=float))


def reliability(rows: pd.DataFrame) -> pd.DataFrame:
    """As `treecrf.statistics.metrics.reliability`, of the label that was predicted, which Viterbi may not find
    likeliest.
    """
    from treecrf.statistics.metrics import bin_confidence

    right = (rows["label"] == rows["predicted"]).to_numpy()
    return bin_confidence(rows[P_PREDICTED].to_numpy(dtype=float), right)
