"""What an ensemble of labellers can combine its experts by: one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.ensembles import choosing
from treecrf.ensembles.choosing import Choose
from treecrf.ensembles.evidence import Evidence
from treecrf.ensembles.stacking import BoostedStacking, MarginalAverage, Stacking
from treecrf.ensembles.stepwise import StepwiseEnsemble
from treecrf.ensembles.voting import MOST_LABELS, WeightedVote


class Combiner(Protocol):
    """Labels and marginals from what experts say."""

    has_probabilities: bool
    """Whether `predict_proba` gives probabilities, not shares of votes."""

    @property
    def needs_evidence(self) -> bool:
        """Whether `fit` learns from what experts say of sequences that they were not trained with; without, it is not called."""

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

    has_probabilities = True

    def __init__(self, rule: MarginalAverage | Stacking | BoostedStacking) -> None:
        self.rule = rule

    @property
    def needs_evidence(self) -> bool:
        """There is nothing to learn for a mean."""
        return not isinstance(self.rule, MarginalAverage)

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


class OfVotes:
    """A combiner by a `WeightedVote`, which a function chooses together with the classes of positions."""

    needs_evidence, has_probabilities = True, False

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def fit(self, evidence: Evidence, labels: NDArray[np.int16], seed: int) -> Self:
        """See `Combiner`."""
        check_labels(evidence)
        self.class_map, self.vote = self._choose(evidence, labels, seed)
        return self

    def predict_proba(self, evidence: Evidence) -> NDArray[np.float64]:
        """The share of the weights for each label."""
        return self.vote.shares(evidence.predictions, evidence.classes(self.class_map)[0], evidence.n_labels)

    def predict(self, evidence: Evidence) -> NDArray[np.int16]:
        """The labels that win the votes."""
        return self.vote.vote(evidence.predictions, evidence.classes(self.class_map)[0]).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """See `Combiner`."""
        return {"class_map": self.class_map}, {"weights": self.vote.weights_}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """See `Combiner`."""
        self.class_map, self.vote = values["class_map"], WeightedVote()
        self.vote.weights_ = arrays["weights"]


class OfSteps:
    """A combiner by a `StepwiseEnsemble`."""

    needs_evidence, has_probabilities = True, False

    def fit(self, evidence: Evidence, labels: NDArray[np.int16], seed: int) -> Self:
        """See `Combiner`."""
        check_labels(evidence)
        self.vote = StepwiseEnsemble(seed).fit(evidence.predictions, labels)
        return self

    def predict_proba(self, evidence: Evidence) -> NDArray[np.float64]:
        """The share of the votes for each label."""
        plurality, given = WeightedVote(), evidence.predictions
        plurality.weights_ = self.vote.counts_[None].astype(np.float64)
        return plurality.shares(given, np.zeros(len(given), dtype=np.int64), evidence.n_labels)

    def predict(self, evidence: Evidence) -> NDArray[np.int16]:
        """The labels that win the votes."""
        return self.vote.vote(evidence.predictions).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """See `Combiner`."""
        values = {"random_state": self.vote.random_state}
        return values, {"counts": self.vote.counts_, "accuracies": self.vote.accuracies_}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """See `Combiner`."""
        self.vote = StepwiseEnsemble(values["random_state"])
        self.vote.counts_, self.vote.accuracies_ = arrays["counts"], arrays["accuracies"]


def check_labels(evidence: Evidence) -> None:
    """Refuse more labels than votes take."""
    if evidence.n_labels > MOST_LABELS:
        raise ValueError(f"votes take up to {MOST_LABELS} labels, not {evidence.n_labels}; combine by stacking.")


COMBINERS: dict[str, Callable[[], Combiner]] = {
    "stacking": lambda: OfMarginals(Stacking()),
    "boosted_stacking": lambda: OfMarginals(BoostedStacking()),
    "marginal_average": lambda: OfMarginals(MarginalAverage()),
    "majority_vote": lambda: OfVotes(choosing.majority_vote),
    "best_expert": lambda: OfVotes(choosing.best_expert),
    "espboost": lambda: OfVotes(choosing.espboost),
    "descent": lambda: OfVotes(choosing.descent),
    "online_majority_vote": lambda: OfVotes(choosing.online_majority_vote),
    "random_path": lambda: OfVotes(choosing.random_path),
    "stepwise": OfSteps,
}
"""By the names that `Ensemble` gives them."""
