"""Overlap between the draws of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import numpy as np

from treecrf.datasets.grouping import observed
from treecrf.datasets.synthetic import Splits


def shared_part(draws: Iterable[Splits]) -> float:
    """Which part of the sequences of one draw is in another one, on average; 1 with a single draw.

    It is the share of a finite sample that each draw takes, where draws are random ones from it, and 1 where all draws divide
    the same sequences.
    """
    drawn = [{sequence for data in sets for sequence in observed(data)} for sets in draws]
    shares = [len(one & other) / len(one) for one, other in permutations(drawn, 2)]
    return float(np.mean(shares)) if shares else 1.0
