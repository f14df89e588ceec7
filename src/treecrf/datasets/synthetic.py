"""Generated data sets of the dissertation: the hidden Markov model of 3.5.3, XOR, OR and EXTRA of 5.4.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets._seeds import check_sizes, generator
from treecrf.datasets.description import Description
from treecrf.sequences import Attribute, SequenceSet

BAG = 6
"""Number of future positions that the labels of XOR, OR and EXTRA look at."""

_BITS = 8  # of which the last two are noise
_BIT_ATTRIBUTES = tuple(Attribute(f"x{j}", ("0", "1")) for j in range(1, _BITS + 1))


def hmm(n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences of the hidden Markov model with 3 labels and 24 symbols (PhD section 3.5.3).

    A label stays with probability 0.6 and turns into each other one with 0.2; label i (from 0) emits one of
    the symbols 8 i .. 8 i + 7 with probability 0.6, one of the others with 0.4. The first label is drawn evenly
    (the text does not say).

    Parameters
    ----------
    n_sequences, length : int
        How many sequences, and positions in each.
    rng : numpy.random.Generator
    """
    labels = np.empty((n_sequences, length), dtype=np.int16)
    labels[:, 0] = rng.integers(0, 3, n_sequences)
    turns = rng.choice(3, size=(n_sequences, length), p=[0.6, 0.2, 0.2])
    for t in range(1, length):
        labels[:, t] = (labels[:, t - 1] + turns[:, t]) % 3
    own = rng.random(labels.shape) < 0.6
    symbols = np.where(
        own, 8 * labels + rng.integers(0, 8, labels.shape), 8 * labels + rng.integers(8, 24, labels.shape)
    )
    attribute = Attribute("symbol", tuple(f"o{i}" for i in range(1, 25)))
    offsets = np.arange(0, n_sequences * length + 1, length)
    return SequenceSet((symbols % 24).reshape(-1, 1), offsets, (attribute,), labels.ravel(), ("l1", "l2", "l3"))


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
    train = hmm(n_train, length, generator("hmm", "train", seed=seed))
    return train, hmm(n_test, length, generator("hmm", "test", seed=seed))


FUTURE_KINDS = ("xor", "or", "extra", "distant")
"""What `future` generates."""


def is_positive(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether at most one of the first 6 of 8 bits is set, by position."""
    return bits[..., :6].sum(axis=-1) <= 1


def is_future_set(data: SequenceSet) -> bool:
    """Whether these are sequences of "xor", "or" or "extra"."""
    return data.attributes == _BIT_ATTRIBUTES and len(set(data.lengths)) == 1


def bag_labels(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether one of the next `BAG` positions has at most one of its first 6 bits set.

    Parameters
    ----------
    bits : bool, shape (n_sequences, length, 8)

    Returns
    -------
    bool, shape (n_sequences, length); near the end the bag holds the positions that are left.
    """
    positive = is_positive(bits)
    length = bits.shape[1]
    return np.stack([positive[:, t + 1 : t + 1 + BAG].any(axis=1) for t in range(length)], axis=1)


def future(kind: str, n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences of "xor", "or" or "extra" (PhD section 5.4.1: 8 random bits a position, 2 labels), or "distant".

    Parameters
    ----------
    kind : str
    n_sequences, length : int
        How many sequences, and positions in each.
    rng : numpy.random.Generator
    """
    if kind == "distant":
        return distant(n_sequences, length, rng)
    bits = rng.random((n_sequences, length, _BITS)) < 0.5
    bag = bag_labels(bits)
    local = bits[..., :6].sum(axis=-1)
    labels = {"xor": (local >= 4) ^ bag, "or": (local >= 4) | bag, "extra": local + bag >= 4}[kind]
    offsets = np.arange(0, n_sequences * length + 1, length)
    return SequenceSet(bits.reshape(-1, _BITS).astype(np.int16), offsets, _BIT_ATTRIBUTES, labels.ravel(), ("0", "1"))


class Splits(NamedTuple):
    """Training, validation and test set."""

    train: SequenceSet
    validation: SequenceSet
    test: SequenceSet


def future_splits(
    kind: str, *, n_train: int = 400, n_validation: int = 200, n_test: int = 100, length: int = 30, seed: int = 0
) -> Splits:
    """All three sets of a kind that `future` knows, each from a generator of its own.

    Parameters
    ----------
    kind : str
    n_train, n_validation, n_test : int
        Number of sequences.
    length : int
        Positions of each.
    seed : int
    """
    sizes = {"train": n_train, "validation": n_validation, "test": n_test}
    check_sizes(length, n_train=n_train, n_validation=n_validation, n_test=n_test)
    return Splits(*(future(kind, size, length, generator(kind, part, seed=seed)) for part, size in sizes.items()))


def load_future(kind: str, **options: int) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set; options as for `future_splits`."""
    splits = future_splits(kind, **options)
    return splits.train, splits.test


DISTANCE = 9
"""How far ahead the labels of "distant" look."""


def distant(n_sequences: int, length: int, rng: np.random.Generator) -> SequenceSet:
    """Sequences whose label at a "?" says which of two signs, "+" or "-", stands `DISTANCE` positions later.

    Every other position holds one of four letters, of which "a" and "b" have label 0 and "c" and "d" label 1; the signs
    have label 0. Between a "?" and its sign all letters are drawn evenly, so neither the near letters nor their labels
    tell anything about the sign: no chain of a lower order than `DISTANCE` can carry it back.

    Parameters
    ----------
    n_sequences, length : int
        How many sequences, and positions in each.
    rng : numpy.random.Generator
    """
    symbols = rng.integers(0, 4, (n_sequences, length))
    labels = symbols >= 2
    for first in range(0, length - DISTANCE, DISTANCE + 1):
        sign = rng.random(n_sequences) < 0.5
        symbols[:, first], labels[:, first] = 4, sign
        symbols[:, first + DISTANCE], labels[:, first + DISTANCE] = np.where(sign, 5, 6), False
    attribute = Attribute("symbol", ("a", "b", "c", "d", "?", "+", "-"))
    offsets = np.arange(0, n_sequences * length + 1, length)
    values = symbols.astype(np.int32).reshape(-1, 1)
    return SequenceSet(values, offsets, (attribute,), labels.ravel().astype(np.int16), ("0", "1"))


def _future(kind: str) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    return lambda **options: load_future(kind, **options)


DESCRIPTIONS = (
    Description(
        "hmm", "hidden Markov model", (1, 1), load_hmm, source="generated; Hao 2009, section 3.5.3", kind="generated",
        is_drawn=True,
    ),
    *(
        Description(
            kind, f"{kind.upper()} of a label of the position and one of the future", (0, 0), _future(kind),
            source="generated; Hao 2009, section 5.4.1", kind="generated", is_drawn=True,
        )
        for kind in ("xor", "or", "extra")
    ),
    Description(
        "distant", "labels that a sign nine positions later decides", (0, 0), _future("distant"),
        source="generated; not in the papers", kind="generated", is_drawn=True,
    ),
)  # fmt: skip
