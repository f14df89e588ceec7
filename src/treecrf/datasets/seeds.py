"""Random generators derived from names, so that no data set's draws depend on another's."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: object) -> np.random.Generator:
    """A generator for a seed and some names (of the data set, of the part drawn)."""
    digest = hashlib.sha256("\0".join(map(str, names)).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
