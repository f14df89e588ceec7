"""Random generators derived from names, so that no data set's draws depend on another's."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

from treecrf.io.messages import quoted

Item = TypeVar("Item")

NTest = int | Literal["all"]
"""Number of test items; "all": all that do not train."""


def generator(*names: object, seed: int) -> np.random.Generator:
    """A generator for some names (of the data set, of the part drawn) and a seed >= 0; the same on every machine."""
    check_count("seed", seed, least=0)
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).digest()
    return np.random.default_rng([int(seed), int.from_bytes(digest[:8], "big")])


def check_count(name: str, value: object, *, least: int = 1, most: int | None = None) -> None:
    """Refuse an option that is not a whole number of at least `least` and at most `most`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        reach = f"from {least:,} on" if most is None else f"from {least:,} to {most:,}"
        raise ValueError(f"{name}={quoted(value)}: give a whole number {reach}.")


MOST_POSITIONS = 10_000_000
"""Of a generated set: more would not fit into the memory of most machines."""


def check_sizes(length: int, **sizes: int) -> None:
    """Refuse numbers of generated sequences of a length that are no counts, or more than memory holds."""
    check_count("length", length, most=MOST_POSITIONS)
    for name, size in sizes.items():
        check_count(name, size, most=MOST_POSITIONS // length)


def draw(items: Sequence[Item], n_train: int, n_test: NTest, rng: np.random.Generator) -> tuple[list[Item], list[Item]]:
    """Items for training and testing, drawn without repeats, in the order of the draw."""
    check_count("n_train", n_train)
    size = max(len(items) - n_train, 1) if n_test == "all" else n_test
    check_count("n_test", size)
    if n_train + size > len(items):
        raise ValueError(f"{n_train} + {size} words are asked for and there are {len(items)}; ask for fewer.")
    chosen = [items[i] for i in rng.permutation(len(items))[: n_train + size]]
    return chosen[:n_train], chosen[n_train:]
