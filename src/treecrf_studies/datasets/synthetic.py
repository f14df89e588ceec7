"""Generated data sets of the dissertation: the hidden Markov model of 3.5.3, XOR, OR and EXTRA of 5.4.1."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.selection import generator
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import check_sizes, from_symbols

BAG = 6
"""Number of future positions that the labels of XOR, OR and EXTRA look at."""

_BITS = 8  # of which the last two are noise
_BIT_ATTRIBUTES = tuple(Attribute(f"x{j}", ("0", "1")) for j in range(1, _BITS + 1))


def _draw_hmm(n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences of the hidden Markov model with 3 labels and 24 symbols (PhD section 3.5.3).

    A label stays with probability 0.6 and turns into each other one with 0.2; label i (from 0) emits one of
    the symbols 8 i .. 8 i + 7 with probability 0.6, one of the others with 0.4. The first label is drawn evenly
    (the text does not say).
    """
    labels = np.empty((n_sequences, length), dtype=np.int16)
    labels[:, 0] = rng.integers(0, 3, n_sequences)
    turns = rng.choice(3, size=(n_sequences, length), p=[0.6, 0.2, 0.2])
    for t in range(1, length):
        labels[:, t] = (labels[:, t - 1] + turns[:, t]) % 3
    is_of_label = rng.random(labels.shape) < 0.6
    first = 8 * labels
    symbols = np.where(is_of_label, first + rng.integers(0, 8, labels.shape), first + rng.integers(8, 24, labels.shape))
    return from_symbols(labels, symbols % 24, ("l1", "l2", "l3"), tuple(f"o{i}" for i in range(1, 25)))


def load_hmm(
    *, n_train: int = 100, n_test: int = 100, length: int = 100, seed: int = 0
) -> tuple[SequenceSet, SequenceSet]:
    """Training and test sequences of the hidden Markov model.

    Parameters
    ----------
    n_train, n_test : int
        Number of sequences.
    length : int
        Positions of each.
    seed : int
    """
    check_sizes(length, n_train=n_train, n_test=n_test)
    train = _draw_hmm(n_train, length, generator("hmm", "train", seed=seed))
    return train, _draw_hmm(n_test, length, generator("hmm", "test", seed=seed))


RULES = ("xor", "or", "extra")
FUTURE_KINDS = (*RULES, "distant")
"""What `_draw_future` generates."""


def is_positive(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether at most one of the first 6 of 8 bits is set, by position."""
    return bits[..., :6].sum(axis=-1) <= 1


LAST_BAGS = ("cut", "full")
"""What the last positions of XOR, OR and EXTRA look at, which the dissertation does not say: the positions that are
left ("cut"), or `BAG` observations as everywhere, of which those after the last position have no label ("full").
"""


def bag_labels(bits: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Whether one of the next `BAG` observations has at most one of its first 6 bits set.

    Parameters
    ----------
    bits : bool, shape (n_sequences, n_observations, 8)
    length : int
        Number of positions; bags are full where `BAG` more observations follow, else cut at the end.

    Returns
    -------
    bool, shape (n_sequences, length)
    """
    positive = is_positive(bits)
    return np.stack([positive[:, t + 1 : t + 1 + BAG].any(axis=1) for t in range(length)], axis=1)


def _labels(kind: str, local: NDArray[np.int64], bag: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Labels from the number of true bits among a position's first 6, and from its bag."""
    return {"xor": (local >= 4) ^ bag, "or": (local >= 4) | bag, "extra": local + bag >= 4}[kind]


def _draw_future(
    kind: str, n_sequences: int, length: int, rng: np.random.Generator, last_bags: str = "cut"
) -> SequenceSet:
    """Sequences of "xor", "or" or "extra" (PhD section 5.4.1: 8 random bits a position, 2 labels), or "distant"."""
    if last_bags not in LAST_BAGS or (kind == "distant" and last_bags != "cut"):
        reason = "'distant' has no bags; leave it out" if kind == "distant" else f"give one of {', '.join(LAST_BAGS)}"
        raise ValueError(f"last_bags={quoted(last_bags)}: {reason}.")
    if kind == "distant":
        return _draw_distant(n_sequences, length, rng)
    n_observations = length + (BAG if last_bags == "full" else 0)
    bits = rng.random((n_sequences, n_observations, _BITS)) < 0.5
    labels = _labels(kind, bits[:, :length, :6].sum(axis=-1), bag_labels(bits, length))
    return SequenceSet(
        bits.reshape(-1, _BITS).astype(np.int16),
        np.arange(0, n_sequences * length + 1, length),
        _BIT_ATTRIBUTES,
        labels.ravel().astype(np.int16),
        ("0", "1"),
        observation_offsets=np.arange(0, n_sequences * n_observations + 1, n_observations),
    )


class FutureRule(NamedTuple):
    """What labelled a set of XOR, OR or EXTRA.

    Attributes
    ----------
    kind : "xor", "or" or "extra"
    last_bags : "cut" or "full"
    bits : bool, shape (n_sequences, n_observations, 8)
    bag_labels : bool, shape (n_sequences, length)
    """

    kind: str
    last_bags: str
    bits: NDArray[np.bool_]
    bag_labels: NDArray[np.bool_]


def find_rule(data: SequenceSet) -> FutureRule | None:
    """The rule that gives exactly the labels of these sequences; None for other data."""
    sizes = {(int(n), int(m)) for n, m in zip(data.lengths, np.diff(data.observation_offsets), strict=True)}
    if data.attributes != _BIT_ATTRIBUTES or len(sizes) != 1 or data.labels is None:
        return None
    ((length, n_observations),) = sizes
    bits = data.values.reshape(len(data), n_observations, _BITS) == 1
    bag, local = bag_labels(bits, length), bits[:, :length, :6].sum(axis=-1)
    kinds = [kind for kind in RULES if (_labels(kind, local, bag).ravel() == data.labels).all()]
    return FutureRule(kinds[0], "full" if n_observations > length else "cut", bits, bag) if kinds else None


def best_window_accuracy(kind: str, length: int, last_bags: str = "cut") -> float:
    """Percent of positions that the best labeller gets right in expectation if it sees the observation alone.

    It knows the 6 bits and how often a bag is positive over all positions, not where the position is: the Bayes
    accuracy of a sliding window of one observation (column SW of PhD table 5.4).

    Parameters
    ----------
    kind : "xor", "or" or "extra"
    length : int
        Positions of a sequence.
    last_bags : "cut" or "full"
    """
    observations = np.array(list(product([False, True], repeat=6)))
    positive = is_positive(observations).mean()
    instances = np.full(length, BAG) if last_bags == "full" else np.minimum(np.arange(length)[::-1], BAG)
    share = 1 - ((1 - positive) ** instances).mean()
    local = observations.sum(axis=1)
    one = sum(p * _labels(kind, local, np.full(64, bag)) for bag, p in ((True, share), (False, 1 - share)))
    return float(100 * np.maximum(one, 1 - one).mean())


class Splits(NamedTuple):
    """Training, validation and test set."""

    train: SequenceSet
    validation: SequenceSet
    test: SequenceSet

    @property
    def all_training(self) -> SequenceSet:
        """Training and validation sequences, of which the second ones have chosen settings."""
        return SequenceSet.concatenate([self.train, self.validation])


def future_splits(
    kind: str,
    *,
    n_train: int = 400,
    n_validation: int = 200,
    n_test: int = 100,
    length: int = 30,
    seed: int = 0,
    last_bags: str = "cut",
) -> Splits:
    """All three sets of a kind that `_draw_future` knows, each from a generator of its own.

    Parameters
    ----------
    kind : str
    n_train, n_validation, n_test : int
        Number of sequences.
    length : int
        Positions of each.
    seed : int
    last_bags : "cut" or "full"
        See `LAST_BAGS`.
    """
    sizes = {"train": n_train, "validation": n_validation, "test": n_test}
    check_sizes(length, n_train=n_train, n_validation=n_validation, n_test=n_test)
    return Splits(
        *(_draw_future(kind, size, length, generator(kind, part, seed=seed), last_bags) for part, size in sizes.items())
    )


def _load_future(kind: str, **options: Any) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set; options as for `future_splits`."""
    splits = future_splits(kind, **options)
    return splits.train, splits.test


DISTANCE = 9
"""How far ahead the labels of "distant" look."""


def _draw_distant(n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences whose label at a "?" says which of two signs, "+" or "-", stands `DISTANCE` positions later.

    Every other position holds one of four letters, of which "a" and "b" have label 0 and "c" and "d" label 1; the signs
    have label 0. Between a "?" and its sign all letters are drawn evenly, so neither the near letters nor their labels
    tell anything about the sign: no chain of a lower order than `DISTANCE` can carry it back.
    """
    symbols = rng.integers(0, 4, (n_sequences, length))
    labels = symbols >= 2
    for first in range(0, length - DISTANCE, DISTANCE + 1):
        sign = rng.random(n_sequences) < 0.5
        symbols[:, first], labels[:, first] = 4, sign
        symbols[:, first + DISTANCE], labels[:, first + DISTANCE] = np.where(sign, 5, 6), False
    return from_symbols(labels, symbols, ("0", "1"), ("a", "b", "c", "d", "?", "+", "-"))


DESCRIPTIONS = (
    Description(
        "hmm",
        "hidden Markov model",
        (1, 1),
        load_hmm,
        source="generated; Hao 2009, section 3.5.3",
        kind="generated",
        is_drawn=True,
    ),
    *(
        Description(
            kind,
            f"label = {kind.upper()}(current, future) (section 5.4.1)",
            (0, 0),
            partial(_load_future, kind),
            source="generated; Hao 2009, section 5.4.1",
            kind="generated",
            is_drawn=True,
        )
        for kind in RULES
    ),
    Description(
        "distant",
        "labels that a sign nine positions later decides",
        (0, 0),
        partial(_load_future, "distant"),
        source="generated; not in the papers",
        kind="generated",
        is_drawn=True,
    ),
)
