"""What an ensemble of labellers can combine its experts by: one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles.stacking import BoostedStacking, MarginalAverage, Stacking
from treecrf.ensembles.voting import WeightedVote


class Evidence(NamedTuple):
    """What the experts say of some sequences.

    Attributes
    ----------
    marginals : float64, shape (n_positions, n_experts, n_labels)
    offsets : int64, shape (n_sequences + 1,)
    groups : int64, shape (n_sequences,)
        Of related sequences.
    """

    marginals: NDArray[np.float64]
    offsets: NDArray[np.int64]
    groups: NDArray[np.int64]

    @property
    def predictions(self) -> NDArray[np.uint8]:
        """The likeliest label of each expert, uint8, shape (n_positions, n_experts)."""
        return np.ascontiguousarray(self.marginals.argmax(axis=2), dtype=np.uint8)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.marginals.shape[2]

    @property
    def group_of_positions(self) -> NDArray[np.int64]:
        """The group of the sequence of every position, shape (n_positions,)."""
        return np.repeat(self.groups, np.diff(self.offsets))


class Combiner(Protocol):
    """Labels and marginals from what experts say."""

    def fit(self, evidence: Evidence, labels: NDArray[np.int16], seed: int) -> Self:
        """Learn from sequences that the experts were not trained with."""

    def predict_proba(self, evidence: Evidence) -> NDArray[np.float64]:
        """Float64, shape (n_positions, n_labels)."""

    def predict(self, evidence: Evidence) -> NDArray[np.int16]:
        """Int16, shape (n_positions,)."""

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays."""

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what `state` gave."""


class OfMarginals:
    """A combiner of marginals."""

    def __init__(self, rule: MarginalAverage | Stacking | BoostedStacking) -> None:
        self.rule = rule

    def fit(self, evidence: Evidence, labels: NDArray[np.int16], seed: int) -> Self:
        """See `Combiner`."""
        self.rule.fit(evidence.marginals, labels)
        return self

    def predict_proba(self, evidence: Evidence) -> NDArray[np.float64]:
        """See `Combiner`."""
        return self.rule.predict_proba(evidence.marginals)

    def predict(self, evidence: Evidence) -> NDArray[np.int16]:
        """The likeliest labels."""
        return self.predict_proba(evidence).argmax(axis=1).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """See `Combiner`."""
        return self.rule.state()

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """See `Combiner`."""
        self.rule.restore(values, arrays)


COMBINERS: dict[str, Callable[[], Combiner]] = {
    "stacking": lambda: OfMarginals(Stacking()),
    "boosted_stacking": lambda: OfMarginals(BoostedStacking()),
    "marginal_average": lambda: OfMarginals(MarginalAverage()),
}
"""By the names that `Ensemble` gives them."""
