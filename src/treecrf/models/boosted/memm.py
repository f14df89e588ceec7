"""`MEMM`: a maximum entropy Markov model whose local models are sums of regression trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treecrf.models.boosted.params import Criterion
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.sequences import SequenceSet


class MEMM(TreeCRF):
    """Maximum entropy Markov model (McCallum, Freitag and Pereira 2000) trained by tree boosting (PhD section 5.2).

    ``P(y_t | y_{t-1} .. y_{t-k}, w_t)`` is the normalized exponential of one sum of trees for each label, and a
    sequence's probability is the product over its positions. Training looks at the true previous labels; prediction
    runs the forward recursion over the directed chain, or Viterbi. Order 0 is the sliding window, the same model as
    ``TreeCRF(order=0)``.

    Parameters and attributes are those of `TreeCRF`; ``pseudo_likelihood_iterations`` must be 0. `potentials` gives
    ``log P(y | state, window)``.
    """

    _criterion: ClassVar[Criterion] = "local"

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        for potentials in super()._staged_potentials(data, every):
            yield normalize_locally(potentials)

    def _check_settings(self) -> None:
        super()._check_settings()
        setting = self.boosting_params().lattice_setting
        if setting is not None:
            raise ValueError(f"{setting}: a {type(self).__name__} has none; leave it at its default.")
        if self.pseudo_likelihood_iterations:
            raise ValueError(
                f"pseudo_likelihood_iterations={self.pseudo_likelihood_iterations!r}: a MEMM's likelihood is local "
                "already; give 0."
            )


@dataclass(eq=False, repr=False)
class SlidingWindow(MEMM):
    """The sliding window: every position by itself, a sum of regression trees for each label (PhD section 5.4).

    Parameters and attributes are those of `MEMM`, whose order is 0 here.
    """

    order: int = 0

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.order:
            raise ValueError(f"order={self.order!r}: a sliding window sees no previous label; give 0, or take a MEMM.")


def normalize_locally(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log P(y | state, window)`` from the scores of the labels, shape (n_labels, n_positions, n_states)."""
    relative = scores - scores.max(axis=0)
    return relative - np.log(np.exp(relative).sum(axis=0))
