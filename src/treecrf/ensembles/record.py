"""What a run of ESPBoost must tell beside its loss (protocol, section 6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.espboost import ESPBoost


class Record(NamedTuple):
    """How much of an ensemble a fitted `ESPBoost` is.

    Attributes
    ----------
    n_rounds : int
        Until boosting ended.
    first_share : float
        Of all weight, that of the first path. Above one half the vote is that path alone, whatever the other rounds.
    correlation : float
        Mean correlation of two experts' mistakes; NaN for one expert, or where all are always right or always wrong.
    first_loss : float
        After one round.
    """

    n_rounds: int
    first_share: float
    correlation: float
    first_loss: float


def record(boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> Record:
    """The record of a fitted ensemble on some positions.

    Parameters
    ----------
    boosted : ESPBoost
    predictions, labels, classes : see `ESPBoost.fit`
    """
    share = boosted.alphas_[0] / boosted.alphas_.sum()
    first_loss = boosted.staged_losses(predictions, labels, classes)[0]
    return Record(len(boosted.alphas_), float(share), mistake_correlation(predictions, labels), float(first_loss))


def mistake_correlation(predictions: NDArray[Any], labels: NDArray[Any]) -> float:
    """The mean correlation of the mistakes of two experts, over the pairs that both make some and are right sometimes."""
    wrong = np.asarray(predictions) != np.asarray(labels)[:, None]
    wrong = wrong[:, wrong.any(axis=0) & ~wrong.all(axis=0)]
    n_experts = wrong.shape[1]
    if n_experts < 2:
        return float("nan")
    correlations = np.corrcoef(wrong.T.astype(np.float64))
    return float((correlations.sum() - n_experts) / (n_experts * (n_experts - 1)))
