"""Measures of labels and probabilities: accuracy with its interval, F1, calibration; means of what was measured
repeatedly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io import arrays
from treecrf.io.arrays import Bools, Floats, Ints, integers, reals, truths

if TYPE_CHECKING:
    import pandas as pd

UNKNOWN = -1
"""The code of a label that is not known (`treecrf.sequences.MISSING`)."""

Codes = NDArray[np.integer]
Weights = Floats | None
Metric = Callable[[Codes, Codes, Ints, Weights], float]
"""Called with true codes (`UNKNOWN` for positions that do not count, -2 for a label that training did not have) and
predicted codes, both int16 of shape (n_positions,), offsets of sequences, int64 of shape (n_sequences + 1,), and
weights of positions, float64 (None: all count the same).
"""


def accuracy(truth: Codes, predicted: Codes, offsets: Ints, weights: Weights = None) -> float:
    """Fraction of positions that are labelled correctly.

    Parameters
    ----------
    truth, predicted, offsets, weights : see `Metric`
    """
    truth, predicted, weights = _checked(truth, predicted, weights)
    known = truth != UNKNOWN
    return float(np.average((truth == predicted)[known], weights=_of(weights, known)))


def balanced_accuracy(truth: Codes, predicted: Codes, offsets: Ints, weights: Weights = None) -> float:
    """Mean, over the labels that occur, of the fraction of their positions that is labelled correctly.

    Parameters
    ----------
    truth, predicted, offsets, weights : see `Metric`
    """
    truth, predicted, weights = _checked(truth, predicted, weights)
    known = truth != UNKNOWN
    _, label_of = np.unique(truth[known], return_inverse=True)
    of_known = _of(weights, known)
    right = (truth == predicted)[known] if of_known is None else (truth == predicted)[known] * of_known
    hits, positions = np.bincount(label_of, right), np.bincount(label_of, of_known)
    there = positions > 0  # not so where all weights of a label are 0
    return float((hits[there] / positions[there]).mean())


def macro_f1(truth: Codes, predicted: Codes, offsets: Ints, weights: Weights = None) -> float:
    """Mean of the F1 scores of the labels that occur, or are predicted: each is ``2 hits / (positions + predictions)``.

    Parameters
    ----------
    truth, predicted, offsets, weights : see `Metric`
    """
    truth, predicted, weights = _checked(truth, predicted, weights)
    known = truth != UNKNOWN
    truth, predicted, of_known = truth[known], predicted[known], _of(weights, known)
    names, is_hit = np.union1d(truth, predicted), truth == predicted
    counted = ((truth, of_known), (predicted, of_known), (truth[is_hit], _of(of_known, is_hit)))
    positions, predictions, hits = (
        np.bincount(np.searchsorted(names, codes), of_codes, minlength=len(names)) for codes, of_codes in counted
    )
    return mean_f1(hits, positions, predictions)


def _checked(truth: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None) -> tuple[Ints, Ints, Weights]:
    """The arguments of a metric as arrays of the same length, with something to count."""
    true = integers(truth, "truth", ("n_positions",))
    labels = integers(predicted, "predicted", true.shape)
    known = true != UNKNOWN
    if not known.any():
        raise ValueError("truth has no known label; give one at least.")
    if weights is None:
        return true, labels, None
    of_positions = reals(weights, "weights", true.shape, least=0)
    if not of_positions[known].any():
        raise ValueError("weights are 0 wherever the label is known; give a position more than 0.")
    return true, labels, of_positions


def _of(weights: Weights, chosen: Bools) -> Weights:
    return None if weights is None else weights[chosen]


def mean_f1(hits: NDArray[Any], positions: NDArray[Any], predictions: NDArray[Any]) -> float:
    """Mean of the F1 scores of the labels that occur, or are predicted, from the counts of each label.

    Parameters
    ----------
    hits, positions, predictions : int64, or float64 where positions have weights, shape (n_labels,)
        Positions where the label is predicted rightly, where it is true, and where it is predicted.
    """
    hits = reals(hits, "hits", ("n_labels",), least=0)
    positions, predictions = (
        reals(counts, what, hits.shape, least=0)
        for counts, what in ((positions, "positions"), (predictions, "predictions"))
    )
    occurs = positions + predictions
    there = occurs > 0
    return float((2 * hits[there] / occurs[there]).mean())


def sequence_accuracy(truth: Codes, predicted: Codes, offsets: Ints, weights: Weights = None) -> float:
    """Fraction of sequences all of whose positions are labelled correctly; a sequence has the mean of its weights.

    Parameters
    ----------
    truth, predicted, offsets, weights : see `Metric`
    """
    truth, predicted, weights = _checked(truth, predicted, weights)
    offsets = arrays.offsets(offsets, len(truth), rising=True)
    is_right = np.logical_and.reduceat((truth == predicted) | (truth == UNKNOWN), offsets[:-1])
    of_sequences = None if weights is None else np.add.reduceat(weights, offsets[:-1]) / np.diff(offsets)
    return float(np.average(is_right, weights=of_sequences))


METRICS: dict[str, Metric] = {
    metric.__name__: metric for metric in (accuracy, balanced_accuracy, macro_f1, sequence_accuracy)
}
"""By name."""

SCIKIT_NAMES = {"f1_macro": "macro_f1", "f1_micro": "accuracy", "neg_log_loss": "log_loss"}
"""Metrics by what scikit-learn calls them, where that is another name; the micro F1 of one label a position is its
accuracy.
"""


def sum_log_probabilities(probabilities: Floats, labels: Codes, offsets: Ints) -> Floats:
    """The logarithm of the probabilities of the labels that are known, summed by sequence.

    Parameters
    ----------
    probabilities : float64, shape (n_positions, n_labels)
    labels : int16, shape (n_positions,)
        `UNKNOWN` where they are not known.
    offsets : int64, shape (n_sequences + 1,)

    Returns
    -------
    float64, shape (n_sequences,)
    """
    probabilities = reals(probabilities, "probabilities", ("n_positions", "n_labels"), least=0)
    labels = _checked_labels(labels, probabilities, least=UNKNOWN)
    offsets = arrays.offsets(offsets, len(labels), rising=True)
    with np.errstate(divide="ignore"):  # votes may give a label nothing
        chosen = np.where(labels == UNKNOWN, 0.0, np.log(probabilities[np.arange(len(labels)), labels]))
    return np.asarray(np.add.reduceat(chosen, offsets[:-1]))


def _checked_labels(labels: ArrayLike, probabilities: NDArray[Any], least: int = 0) -> Ints:
    n_positions, n_labels = probabilities.shape
    return integers(labels, "labels", (n_positions,), least=least, most=n_labels - 1)


N_RESAMPLES = 500


class Accuracy(NamedTuple):
    """Percent of the positions that are right, and the ends of its interval; these are NaN with one cluster."""

    points: float
    low: float
    high: float


def estimate_accuracy(
    correct: NDArray[np.integer], positions: NDArray[np.integer], points: float | None = None
) -> Accuracy:
    """The accuracy to expect on other clusters, with a 95% interval within 0 to 100.

    Parameters
    ----------
    correct, positions : int arrays, shape (n_clusters,)
        Correct positions and all positions of each cluster: a sequence, or a group of related ones.
    points : float, optional
        Another estimate, which the interval is laid around (`correct_for_choice`).

    Notes
    -----
    As `estimate_share`. Where all positions are right, or none, clusters do not differ, and the other end is that of
    Clopper and Pearson (1934, Biometrika 26:404-413) for clusters that are wholly so: another one may be right or wrong
    at all its positions.
    """
    correct = integers(correct, "correct", ("n_clusters",), least=0)
    positions = _checked_positions(positions, correct.shape)
    if (correct > positions).any():
        raise ValueError(f"cluster {int((correct > positions).argmax())} has more correct positions than positions.")
    share, low, high = estimate_share(correct, positions)
    if share in (0, 100) and len(correct) > 1:
        width = 100 * (1 - 0.025 ** (1 / len(correct)))
        low, high = (0.0, width) if share == 0 else (100 - width, 100.0)
    shift = 0.0 if points is None else points - share
    low, high = np.clip([low + shift, high + shift], 0, 100).tolist()  # NaN stays NaN
    return Accuracy(share + shift, low, high)


def estimate_share(counts: NDArray[np.number], positions: NDArray[np.number]) -> Accuracy:
    """A share of positions (or a difference of two), in percent, with a 95% interval for other clusters.

    Parameters
    ----------
    counts : int or float array, shape (n_clusters,)
        Positions that count, or the difference of two such counts.
    positions : int or float array, shape (n_clusters,)
        Positions, or what they weigh together.

    Notes
    -----
    Clusters are independent; nothing is assumed within one. The share is a ratio of two sums, and its variance that of
    the linearized ratio (Cochran 1977, Sampling Techniques, section 2.11), with Student's t for n_clusters - 1 degrees
    of freedom. Where clusters are equally long this is the t interval of their shares.
    """
    from scipy.special import stdtrit  # takes long to import, and measures of labels do not need it

    counts = reals(counts, "counts", ("n_clusters",))
    positions = reals(positions, "positions", counts.shape, least=0)
    _check_some(positions)
    n_clusters, n_positions = len(counts), float(positions.sum())
    share = float(counts.sum()) / n_positions
    if n_clusters < 2:
        return Accuracy(100 * share, np.nan, np.nan)
    residuals = counts - share * positions
    error = (n_clusters / (n_clusters - 1) * float(residuals @ residuals)) ** 0.5 / n_positions
    half_width = float(stdtrit(n_clusters - 1, 0.975)) * 100 * error
    return Accuracy(100 * share, 100 * share - half_width, 100 * share + half_width)


def _checked_positions(positions: ArrayLike, shape: tuple[int, ...]) -> Ints:
    checked = integers(positions, "positions", shape, least=0)
    _check_some(checked)
    return checked


def _check_some(positions: NDArray[np.number]) -> None:
    if not positions.any():
        raise ValueError("positions are 0 in every cluster; count one at least.")


def correct_for_choice(
    correct: NDArray[np.integer], positions: NDArray[np.integer], seed: int, n_resamples: int = N_RESAMPLES
) -> float:
    """The accuracy, in percent, to expect of the best candidate, which the same clusters have chosen.

    Parameters
    ----------
    correct : int array, shape (n_candidates, n_clusters)
        Correct positions of each candidate in clusters that it was not trained with.
    positions : int array, shape (n_clusters,) or (n_candidates, n_clusters)
        What is counted there; of a ratio such as F1 another number for each candidate.
    seed, n_resamples : int

    Notes
    -----
    The best of many candidates is partly the luckiest. Clusters are drawn with replacement, the best candidate of those
    is found, and judged by the clusters that were not drawn; the mean over the draws is the estimate (bootstrap bias
    corrected cross-validation: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895-1922). With one
    cluster nothing can be corrected.
    """
    correct = integers(correct, "correct", ("n_candidates", "n_clusters"), least=0)
    by_candidate = np.ndim(positions) == 2
    positions = np.broadcast_to(
        _checked_positions(positions, correct.shape if by_candidate else correct.shape[1:]), correct.shape
    )
    n_clusters = correct.shape[1]
    if n_clusters < 2:
        return 100 * float((correct.sum(axis=1) / np.maximum(positions.sum(axis=1), 1)).max())
    rng = np.random.default_rng(seed)
    times = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), n_resamples).astype(np.float64)
    times = times[(times == 0).any(axis=1)]
    correct, positions = correct.astype(np.float64), positions.astype(np.float64)  # exact, and fast in products
    chosen = (times @ correct.T / np.maximum(times @ positions.T, 1)).argmax(axis=1)
    left_out, rows = (times == 0).astype(np.float64), np.arange(len(times))
    right, judged = (left_out @ correct.T)[rows, chosen], (left_out @ positions.T)[rows, chosen]
    return 100 * float((right[judged > 0] / judged[judged > 0]).mean())


N_BINS = 10


def brier_score(probabilities: Floats, labels: NDArray[np.integer]) -> float:
    """The mean squared distance between what was predicted and what was there (Brier 1950, Monthly Weather Review
    78:1-3).

    Parameters
    ----------
    probabilities : float64, shape (n_positions, n_labels)
    labels : int array, shape (n_positions,)

    Returns
    -------
    float
        The sum over labels, as Brier has it: from 0 (perfect) to 2.
    """
    probabilities = reals(probabilities, "probabilities", ("n_positions", "n_labels"))
    labels = _checked_labels(labels, probabilities)
    return brier_of_sums((probabilities**2).sum(axis=1), probabilities[np.arange(len(labels)), labels])


def brier_of_sums(sums_of_squares: Floats, of_truth: Floats) -> float:
    """`brier_score` from the sum of each position's squared probabilities, and the probability of its true label."""
    sums_of_squares = reals(sums_of_squares, "sums_of_squares", ("n_positions",))
    of_truth = reals(of_truth, "of_truth", sums_of_squares.shape)
    return float((sums_of_squares - 2 * of_truth + 1).mean())


def reliability(probabilities: Floats, labels: NDArray[np.integer], n_bins: int = N_BINS) -> pd.DataFrame:
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
        One row for each bin with positions: low, high (its edges), n_positions, probability (the mean of the likeliest
        labels'), right (the share of them that is right). Equal where the model is calibrated (Murphy and Winkler 1977,
        Applied Statistics 26:41-47).
    """
    probabilities = reals(probabilities, "probabilities", ("n_positions", "n_labels"))
    labels = _checked_labels(labels, probabilities)
    likeliest = probabilities.argmax(axis=1)
    return bin_confidence(probabilities[np.arange(len(labels)), likeliest], likeliest == labels, n_bins)


def bin_confidence(confidence: Floats, right: Bools, n_bins: int = N_BINS) -> pd.DataFrame:
    """How often predictions are right, by their probability: the bins of `reliability`.

    Parameters
    ----------
    confidence : float64, shape (n_positions,)
        Probabilities of the labels that were predicted.
    right : bool, shape (n_positions,)
    n_bins : int
    """
    import pandas as pd

    confidence = reals(confidence, "confidence", ("n_positions",), some=False)
    right = truths(right, "right", confidence.shape, some=False)
    number = np.ceil(np.clip(confidence, 0, 1) * n_bins).clip(1).astype(np.int64) - 1
    n_positions = np.bincount(number, minlength=n_bins)
    filled = np.flatnonzero(n_positions)
    sums = [np.bincount(number, weights=values, minlength=n_bins)[filled] for values in (confidence, right)]
    of_bin = n_positions[filled]
    return pd.DataFrame(
        {
            "low": filled / n_bins,
            "high": (filled + 1) / n_bins,
            "n_positions": of_bin,
            "probability": sums[0] / of_bin,
            "right": sums[1] / of_bin,
        }
    )


def calibration_error(bins: pd.DataFrame) -> float:
    """The mean distance between probability and share right, of all positions (Naeini et al. 2015, AAAI), from
    `reliability`.
    """
    distance = (bins["probability"] - bins["right"]).abs().to_numpy()
    return float(np.average(distance, weights=bins["n_positions"]))


CONFIDENCE = 0.95


def mean_with_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, tuple[float, float]]:
    """Mean of repeated measurements, and its interval by Student's t.

    Parameters
    ----------
    values : array-like of float, shape (n_repeats,)
        n_repeats >= 1.
    confidence : float

    Returns
    -------
    mean : float
    interval : (float, float)
        Infinite with one measurement, which says nothing about the next.
    """
    from scipy.special import stdtrit

    measured = reals(values, "values", ("n_repeats",), known=False).astype(np.float64)
    mean, n_repeats = float(measured.mean()), len(measured)
    if n_repeats == 1:
        return mean, (-np.inf, np.inf)
    half_width = float(stdtrit(n_repeats - 1, (1 + confidence) / 2) * measured.std(ddof=1) / np.sqrt(n_repeats))
    return mean, (mean - half_width, mean + half_width)


def geometric_mean(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, tuple[float, float]]:
    """Geometric mean of ratios and the interval of the mean of logarithms; (0, inf) with one measurement."""
    ratios = reals(values, "values", ("n_repeats",), least=0, known=False)
    mean, ends = mean_with_interval(np.log(ratios), confidence)
    low, high = np.exp(ends)
    return float(np.exp(mean)), (float(low), float(high))


def ratio_of_geometric_means(
    values: ArrayLike, others: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[float, tuple[float, float]]:
    """Geometric mean of measurements by that of others, and its interval by Welch's t test of the logarithms.

    Parameters
    ----------
    values, others : array-like of float, shapes (n,) and (m,)
        Two independent samples, above 0.
    confidence : float

    Returns
    -------
    ratio : float
    interval : (float, float)
        (0, inf) where a sample has one measurement.
    """
    from scipy.stats import ttest_ind

    first, second = (
        np.log(reals(sample, name, ("n_repeats",), least=0, known=False))
        for sample, name in ((values, "values"), (others, "others"))
    )
    ratio = float(np.exp(first.mean() - second.mean()))
    if min(len(first), len(second)) == 1:
        return ratio, (0.0, np.inf)
    low, high = np.exp(ttest_ind(first, second, equal_var=False).confidence_interval(confidence))
    return ratio, (float(low), float(high))
