"""Whether predicted probabilities are as often right as they say: the Brier score, and reliability by bins."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

N_BINS = 10


def brier_score(probabilities: NDArray[np.float64], labels: NDArray[np.integer]) -> float:
    """The mean squared distance between what was predicted and what was there (Brier 1950, Monthly Weather Review 78:1-3).

    Parameters
    ----------
    probabilities : float64, shape (n_positions, n_labels)
    labels : int array, shape (n_positions,)

    Returns
    -------
    float
        The sum over labels, as Brier has it: from 0 (perfect) to 2.
    """
    of_truth = probabilities[np.arange(len(labels)), labels]
    return float(((probabilities**2).sum(axis=1) - 2 * of_truth + 1).mean())


def reliability(probabilities: NDArray[np.float64], labels: NDArray[np.integer], n_bins: int = N_BINS) -> pd.DataFrame:
    """How often the likeliest label is right, by its probability.

    Parameters
    ----------
    probabilities : float64, shape (n_positions, n_labels)
    labels : int array, shape (n_positions,)
    n_bins : int
        Of equal width; a probability on an edge belongs to the bin below.

    Returns
    -------
    DataFrame
        One row for each bin with positions: low, high (its edges), n_positions, probability (the mean of the likeliest labels'),
        right (the share of them that is right). Equal where the model is calibrated (Murphy and Winkler 1977, Applied Statistics
        26:41-47).
    """
    likeliest = probabilities.argmax(axis=1)
    return bin_confidence(probabilities[np.arange(len(labels)), likeliest], likeliest == labels, n_bins)


def bin_confidence(confidence: NDArray[np.float64], right: NDArray[np.bool_], n_bins: int = N_BINS) -> pd.DataFrame:
    """How often predictions are right, by their probability: the bins of `reliability`.

    Parameters
    ----------
    confidence : float64, shape (n_positions,)
        Probabilities of the labels that were predicted.
    right : bool, shape (n_positions,)
    n_bins : int
    """
    number = np.clip(np.ceil(confidence * n_bins).astype(np.int64) - 1, 0, n_bins - 1)
    n_positions = np.bincount(number, minlength=n_bins)
    some = np.flatnonzero(n_positions)
    sums = [np.bincount(number, weights=values, minlength=n_bins)[some] for values in (confidence, right)]
    of_bin = n_positions[some]
    return pd.DataFrame(
        {
            "low": some / n_bins, "high": (some + 1) / n_bins, "n_positions": of_bin,
            "probability": sums[0] / of_bin, "right": sums[1] / of_bin,
        }
    )  # fmt: skip


def calibration_error(bins: pd.DataFrame) -> float:
    """The mean distance between probability and share right, of all positions (Naeini et al. 2015, AAAI), from `reliability`."""
    distance = (bins["probability"] - bins["right"]).abs().to_numpy()
    return float(np.average(distance, weights=bins["n_positions"]))
