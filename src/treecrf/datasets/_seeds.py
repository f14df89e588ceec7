"""Random generators derived from names, so that no data set's draws depend on another's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def generator(*names: object, seed: int) -> np.random.Generator:
    """A generator for some names (of the data set, of the part drawn) and a seed >= 0; the same on every machine."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed={seed!r}: give a whole number from 0 on.")
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).digest()
    return np.random.default_rng([int(seed), int.from_bytes(digest[:8], "big")])


def draw(items: Sequence[Item], n_train: int, n_test: int, rng: np.random.Generator) -> tuple[list[Item], list[Item]]:
    """Items for training and testing, drawn without repeats, in the order of the draw."""
    if n_train < 1 or n_test < 1:
        raise ValueError(f"n_train={n_train}, n_test={n_test}: both sets need at least one word; give larger numbers.")
    if n_train + n_test > len(items):
        raise ValueError(f"{n_train} + {n_test} words are asked for and there are {len(items)}; ask for fewer.")
    chosen = [items[i] for i in rng.permutation(len(items))[: n_train + n_test]]
    return chosen[:n_train], chosen[n_train:]
