"""The artificial sets of table 1: labels, and experts that predict them (protocol, section 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_LETTERS, LENGTH, N_EXPERTS = 26, 10, 5

DIRECTIONS = np.array([1, -1, 1, -1, 1])
"""What a mistake of each expert adds to the letter; fitted to table 1."""


class Predicted(NamedTuple):
    """Labels of sequences of the same length, and what experts predict.

    Attributes
    ----------
    predictions : uint8, shape (n_positions, n_experts)
    labels, classes, sequences : int64, shape (n_positions,)
        Of every position: the true label, its place in its sequence, and the sequence.
    """

    predictions: NDArray[np.uint8]
    labels: NDArray[np.int64]
    classes: NDArray[np.int64]
    sequences: NDArray[np.int64]

    def select(self, first: int, last: int) -> Predicted:
        """The sequences from `first` to before `last`."""
        return self._kept(np.arange(first * LENGTH, last * LENGTH))

    def without(self, first: int, last: int) -> Predicted:
        """All sequences but those from `first` to before `last`."""
        positions = np.arange(len(self.labels))
        return self._kept(positions[(positions < first * LENGTH) | (positions >= last * LENGTH)])

    def _kept(self, positions: NDArray[np.int64]) -> Predicted:
        return Predicted(
            self.predictions[positions], self.labels[positions], self.classes[positions], self.sequences[positions]
        )


def ads1(n_sequences: int = 40_000, seed: int = 0) -> Predicted:
    """Expert j is right with probability .98 at two positions of its own, with .30 elsewhere."""
    rng = np.random.default_rng([1, seed])
    labels = _draw_labels(n_sequences, rng)
    is_own = np.arange(LENGTH)[:, None] // 2 == np.arange(N_EXPERTS)
    wrong = rng.random((n_sequences, LENGTH, N_EXPERTS)) >= np.where(is_own, 0.98, 0.30)
    return _predict(labels, wrong)


def ads2(n_sequences: int = 40_000, seed: int = 0) -> Predicted:
    """Every expert is wrong at four positions of each sequence, drawn for each sequence and expert."""
    rng = np.random.default_rng([2, seed])
    labels = _draw_labels(n_sequences, rng)
    wrong = rng.random((n_sequences, LENGTH, N_EXPERTS)).argsort(axis=1).argsort(axis=1) < 4
    return _predict(labels, wrong)


def _draw_labels(n_sequences: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Letters of sequences of one random Markov chain, shape (n_sequences, LENGTH); the first is uniform."""
    levels = rng.dirichlet(np.ones(N_LETTERS), N_LETTERS).cumsum(axis=1)
    labels = np.empty((n_sequences, LENGTH), dtype=np.int64)
    labels[:, 0] = rng.integers(0, N_LETTERS, n_sequences)
    for place in range(1, LENGTH):
        drawn = (levels[labels[:, place - 1]] <= rng.random((n_sequences, 1))).sum(axis=1)
        labels[:, place] = np.minimum(drawn, N_LETTERS - 1)
    return labels


def _predict(labels: NDArray[np.int64], wrong: NDArray[np.bool_]) -> Predicted:
    predictions = (labels[:, :, None] + wrong * DIRECTIONS) % N_LETTERS
    sequences, classes = np.indices(labels.shape)
    return Predicted(
        predictions.reshape(-1, N_EXPERTS).astype(np.uint8), labels.ravel(), classes.ravel(), sequences.ravel()
    )
