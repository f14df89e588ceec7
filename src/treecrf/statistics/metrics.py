"""Measures of labels and probabilities: accuracy with its interval, chunks, calibration; means of what was measured repeatedly."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from treecrf.io.messages import quoted

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
    As `estimate_share`. Where all positions are right, or none, clusters do not differ, and the other end is that of Clopper and
    Pearson (1934, Biometrika 26:404-413) for clusters that are wholly so: another one may be right or wrong at all its positions.
    """
    found, low, high = estimate_share(correct, positions)
    if found in (0, 100) and len(correct) > 1:
        width = 100 * (1 - 0.025 ** (1 / len(correct)))
        low, high = (0.0, width) if found == 0 else (100 - width, 100.0)
    shift = 0.0 if points is None else points - found
    low, high = np.clip([low + shift, high + shift], 0, 100).tolist()  # NaN stays NaN
    return Accuracy(found + shift, low, high)


def estimate_share(counts: NDArray[np.number], positions: NDArray[np.integer]) -> Accuracy:
    """A share of positions (or a difference of two), in percent, with a 95% interval for other clusters.

    Parameters
    ----------
    counts : int or float array, shape (n_clusters,)
        Positions that count, or the difference of two such counts.
    positions : int array, shape (n_clusters,)

    Notes
    -----
    Clusters are independent; nothing is assumed within one. The share is a ratio of two sums, and its variance that of the
    linearized ratio (Cochran 1977, Sampling Techniques, section 2.11), with Student's t for n_clusters - 1 degrees of freedom.
    Where clusters are equally long this is the t interval of their shares.
    """
    n_clusters, n_positions = len(counts), float(positions.sum())
    share = float(counts.sum()) / n_positions
    if n_clusters < 2:
        return Accuracy(100 * share, np.nan, np.nan)
    residuals = counts - share * positions
    error = (n_clusters / (n_clusters - 1) * float(residuals @ residuals)) ** 0.5 / n_positions
    half_width = float(stdtrit(n_clusters - 1, 0.975)) * 100 * error
    return Accuracy(100 * share, 100 * share - half_width, 100 * share + half_width)


def correct_for_choice(
    correct: NDArray[np.integer], positions: NDArray[np.integer], seed: int, n_resamples: int = N_RESAMPLES
) -> float:
    """The accuracy, in percent, to expect of the best candidate, which the same clusters have chosen.

    Parameters
    ----------
    correct : int array, shape (n_candidates, n_clusters)
        Correct positions of each candidate in clusters that it was not trained with.
    positions : int array, shape (n_clusters,)
    seed, n_resamples : int

    Notes
    -----
    The best of many candidates is partly the luckiest. Clusters are drawn with replacement, the best candidate of those is
    found, and judged by the clusters that were not drawn; the mean over the draws is the estimate (bootstrap bias corrected
    cross-validation: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895-1922). With one cluster
    nothing can be corrected.
    """
    n_clusters = len(positions)
    if n_clusters < 2:
        return 100 * float(correct.sum(axis=1).max() / positions.sum())
    rng = np.random.default_rng(seed)
    times = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), n_resamples)
    times = times[(times == 0).any(axis=1)]
    chosen = (times @ correct.T / (times @ positions)[:, None]).argmax(axis=1)
    left_out = (times == 0).astype(np.int64)
    right = (left_out @ correct.T)[np.arange(len(times)), chosen]
    return 100 * float((right / (left_out @ positions)).mean())


TAGS = ("B", "I", "O")

TAG = re.compile("O|[BI](-.+)?")
"""Of a position: "O", or "B" or "I" with the type of the chunk, such as "B-NP"; or without, where there is one type."""


class ChunkScore(NamedTuple):
    """Precision and recall of chunks.

    Attributes
    ----------
    precision, recall, f1 : float
        Percent; 0 where there is nothing to count.
    n_true, n_predicted, n_correct : int
        Chunks: true, predicted, and both (the same first and last position, and the same type).
    """

    precision: float
    recall: float
    f1: float
    n_true: int
    n_predicted: int
    n_correct: int


def are_chunk_tags(names: ArrayLike) -> bool:
    """Whether labels with these names mark chunks: all are tags, some of them B or I."""
    texts = [str(name) for name in np.asarray(names)]
    return all(TAG.fullmatch(text) for text in texts) and any(text != "O" for text in texts)


def chunk_f1(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike) -> ChunkScore:
    """Precision, recall and F1 of chunks, as conlleval (Tjong Kim Sang and Buchholz 2000) counts them.

    A chunk begins at a B, and at an I that stands after an O, after another type or first in its sequence; it reaches to the
    last I of its type before another tag or the sequence's end. seqeval counts so in its default mode.

    Parameters
    ----------
    true, predicted : str, shape (n_positions,)
        "O", "B" or "I"; or "B-TYPE" and "I-TYPE".
    offsets : int64, shape (n_sequences + 1,)
        Sequence i has the positions ``offsets[i]`` to ``offsets[i + 1] - 1``.

    Returns
    -------
    ChunkScore

    Raises
    ------
    ValueError
        For arrays of different lengths, and for another tag.
    """
    return _score(*_found_chunks(true, predicted, offsets)[1:])


def chunk_f1_by_type(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike) -> dict[str, ChunkScore]:
    """`chunk_f1` of the chunks of each type, in the order of the types' names; the parameters are as there.

    Parameters
    ----------
    true, predicted, offsets : see `chunk_f1`
    """
    types, in_truth, in_prediction = _found_chunks(true, predicted, offsets)
    return {
        name: _score(in_truth[in_truth[:, 2] == code], in_prediction[in_prediction[:, 2] == code])
        for code, name in enumerate(types)
    }


def segment_f1(true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike) -> ChunkScore:
    """Precision, recall and F1 of segments: the longest runs of one label within a sequence.

    A segment is right if the first and the last position and the label are.

    Parameters
    ----------
    true, predicted : labels of any kind, shape (n_positions,)
    offsets : see `chunk_f1`
    """
    bounds = np.asarray(offsets, dtype=np.int64)
    codes = np.unique(np.concatenate([np.asarray(true), np.asarray(predicted)]), return_inverse=True)[1]
    return _score(_runs(codes[: bounds[-1]], bounds), _runs(codes[bounds[-1] :], bounds))


def _found_chunks(
    true: ArrayLike, predicted: ArrayLike, offsets: ArrayLike
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The types, and the chunks in the truth and in what was predicted."""
    bounds = np.asarray(offsets, dtype=np.int64)
    arrays = {"true": np.asarray(true), "predicted": np.asarray(predicted)}
    for name, tags in arrays.items():
        if tags.shape != (bounds[-1],):
            raise ValueError(
                f"chunk_f1: {name} has shape {tags.shape} and offsets end at {bounds[-1]}; give a tag a position."
            )
    names, codes = np.unique(np.concatenate(list(arrays.values())).astype(str), return_inverse=True)
    for text in names.tolist():
        if not TAG.fullmatch(text):
            raise ValueError(f"chunk_f1: there is a tag {quoted(text)}; give B, I and O, or B-TYPE, I-TYPE and O.")
    types = sorted({text[2:] for text in names.tolist() if text != "O"})
    tags = np.array([text[0] for text in names], dtype="U1")[codes]
    kinds = np.array([types.index(text[2:]) if text != "O" else -1 for text in names], dtype=np.int64)[codes]
    halves = zip(np.split(tags, 2), np.split(kinds, 2), strict=True)
    first, second = (_chunks(tag, kind, bounds) for tag, kind in halves)
    return types, first, second


def _chunks(tags: NDArray[np.str_], types: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """First and last position and type of every chunk; int64, shape (n_chunks, 3). The type of an O is -1."""
    bound = _bounds(offsets)
    inside = tags != "O"
    differs = np.roll(types, 1) != types  # what the last position brings to the first is bound anyway
    begins = (tags == "B") | (inside & (bound[:-1] | differs))
    ends = inside & (bound[1:] | np.roll(begins | ~inside, -1))
    first = np.flatnonzero(begins)
    return np.column_stack([first, np.flatnonzero(ends), types[first]])


def _runs(labels: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """First and last position and label of every run; int64, shape (n_runs, 3)."""
    bound = _bounds(offsets)
    begins = bound[:-1] | (np.roll(labels, 1) != labels)
    first = np.flatnonzero(begins)
    last = np.append(first, len(labels))[1:] - 1
    return np.column_stack([first, last, labels[first]])


def _bounds(offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a sequence begins at a position, or ends before it; shape (n_positions + 1,)."""
    bound = np.zeros(int(offsets[-1]) + 1, dtype=np.bool_)
    bound[offsets] = True
    return bound


def _score(true: NDArray[np.int64], predicted: NDArray[np.int64]) -> ChunkScore:
    # A position begins at most one chunk, so that a row is found at most once in the other array.
    n_true, n_predicted = len(true), len(predicted)
    n_correct = n_true + n_predicted - len(np.unique(np.concatenate([true, predicted]), axis=0))
    precision, recall = _percent(n_correct, n_predicted), _percent(n_correct, n_true)
    return ChunkScore(precision, recall, _percent(2 * n_correct, n_true + n_predicted), n_true, n_predicted, n_correct)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


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
    measured = np.asarray(values, dtype=np.float64)
    mean, n_repeats = float(measured.mean()), len(measured)
    if n_repeats == 1:
        return mean, (-np.inf, np.inf)
    half_width = float(stdtrit(n_repeats - 1, (1 + confidence) / 2) * measured.std(ddof=1) / np.sqrt(n_repeats))
    return mean, (mean - half_width, mean + half_width)


def geometric_mean(values: ArrayLike, confidence: float = CONFIDENCE) -> tuple[float, tuple[float, float]]:
    """The same for ratios: geometric mean and the interval of the mean of logarithms; (0, inf) with one measurement."""
    mean, ends = mean_with_interval(np.log(values), confidence)
    low, high = np.exp(ends)
    return float(np.exp(mean)), (float(low), float(high))
