"""What an ensemble combines its experts by: averages and stacking of their marginals, votes, a row for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import NOT_NEGATIVE, SOME_IN_EACH_ROW, TRUTH, WEIGHTS, Bool, Float64, Int64, Known
from treecrf.ensembles.baselines import BETAS, Descent, OnlineMajorityVote, RandomPath, StepwiseEnsemble
from treecrf.ensembles.espboost import ESPBoost, choose_rounds, cross_validated_losses, fold_of_positions
from treecrf.ensembles.voting import (
    CLASS_MAPS,
    MOST_LABELS,
    N_CLASSES,
    BestExpert,
    MajorityVote,
    WeightedVote,
    position_classes,
)
from treecrf.estimators.checks import SEED, TEXT, check_parts, one_of
from treecrf.io.arrays import Arrays, Bools, Codes, Floats, Ints
from treecrf.io.messages import needs_extra, warned_once
from treecrf.models.base import Labeller, take_declared
from treecrf.models.window.classifiers import MULTICLASS, check_model_text
from treecrf.sequences import SequenceSet


class Evidence(NamedTuple):
    """What the experts say of some sequences.

    Attributes
    ----------
    marginals : float64, shape (n_positions, n_experts, n_labels)
    offsets : int64, shape (n_sequences + 1,)
    groups : int64, shape (n_sequences,)
        Of related sequences.
    """

    marginals: Floats
    offsets: Ints
    groups: Ints

    @property
    def predictions(self) -> NDArray[np.uint8]:
        """The likeliest label of each expert, uint8, shape (n_positions, n_experts)."""
        return np.ascontiguousarray(self.marginals.argmax(axis=2), dtype=np.uint8)

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.marginals.shape[2]

    @property
    def group_of_positions(self) -> Ints:
        """The group of the sequence of every position, shape (n_positions,)."""
        return np.repeat(self.groups, np.diff(self.offsets))

    @classmethod
    def ask(cls, experts: Sequence[Labeller], data: SequenceSet) -> Evidence:
        """What trained experts say of a set."""
        with warned_once():
            marginals = np.stack([expert.predict_proba(data) for expert in experts], axis=1)
        return cls(marginals, data.offsets, data.groups)

    def classes(self, class_map: str) -> tuple[Ints, int]:
        """The class of every position, and how many there are (`treecrf.ensembles.voting.position_classes`)."""
        return position_classes(class_map, self.offsets, self.predictions, self.n_labels)

    @property
    def sequences(self) -> Ints:
        """The sequence of every position, shape (n_positions,)."""
        return np.repeat(np.arange(len(self.groups)), np.diff(self.offsets))


Vote = TypeVar("Vote", Descent, OnlineMajorityVote, RandomPath)
Choose = Callable[[Evidence, Codes, int], tuple[str, WeightedVote]]
"""Gives a class map and a fitted vote from evidence, labels and a seed."""

_N_FOLDS = 5


def majority_vote(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`MajorityVote`; nothing is chosen."""
    return "one", MajorityVote().fit(evidence.predictions, labels, *evidence.classes("one"))


def best_expert(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`BestExpert`."""
    return "one", BestExpert().fit(evidence.predictions, labels, *evidence.classes("one"))


def espboost(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`ESPBoost` with the class map and the rounds of the smallest cross-validated loss, the first ones of equals."""
    predictions, n_folds = evidence.predictions, _n_folds(evidence)
    curves = [
        cross_validated_losses(
            predictions, labels, evidence.classes(name)[0], evidence.group_of_positions, n_folds=n_folds, seed=seed
        )
        for name in CLASS_MAPS
    ]
    best = int(np.argmin([curve.min() for curve in curves]))
    boosted = ESPBoost(choose_rounds(curves[best]))
    return CLASS_MAPS[best], boosted.fit(predictions, labels, *evidence.classes(CLASS_MAPS[best]))


def descent(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`Descent` with the class map of the smallest cross-validated loss."""
    return _best(evidence, labels, seed, [(name, Descent()) for name in CLASS_MAPS])


def online_majority_vote(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`OnlineMajorityVote` with the class map and beta of the smallest cross-validated loss."""
    candidates = [(name, OnlineMajorityVote(beta)) for name, beta in product(CLASS_MAPS, BETAS)]
    return _best(evidence, labels, seed, candidates)


def random_path(evidence: Evidence, labels: Codes, seed: int) -> tuple[str, WeightedVote]:
    """`RandomPath`, drawn with the class map and beta of `online_majority_vote`."""
    class_map, vote = online_majority_vote(evidence, labels, seed)
    assert isinstance(vote, OnlineMajorityVote)
    return class_map, _fit(RandomPath(vote.beta, random_state=seed), evidence, labels, class_map)


def _best(evidence: Evidence, labels: Codes, seed: int, candidates: list[tuple[str, Vote]]) -> tuple[str, WeightedVote]:
    """The candidate with the smallest cross-validated loss, the first one of equals, fitted."""
    folds = fold_of_positions(evidence.group_of_positions, _n_folds(evidence), seed)
    losses = []
    for class_map, vote in candidates:
        classes = evidence.classes(class_map)[0]
        n_wrong = 0.0
        for fold in range(int(folds.max()) + 1):
            judges = folds == fold
            fitted = _fit(vote, evidence, labels, class_map, ~judges)
            n_wrong += judges.sum() * fitted.loss(evidence.predictions[judges], labels[judges], classes[judges])
        losses.append(n_wrong)
    class_map, vote = candidates[int(np.argmin(losses))]
    return class_map, _fit(vote, evidence, labels, class_map)


def _fit(vote: Vote, evidence: Evidence, labels: Codes, class_map: str, kept: Bools | None = None) -> Vote:
    """Fit a vote to the positions that are kept, or to all."""
    positions = slice(None) if kept is None else kept
    classes, n_classes = evidence.classes(class_map)
    arguments = (evidence.predictions[positions], labels[positions], classes[positions], n_classes)
    if isinstance(vote, OnlineMajorityVote):
        return vote.fit(*arguments, sequences=evidence.sequences[positions])
    return vote.fit(*arguments)


def _n_folds(evidence: Evidence) -> int:
    """As many folds as usual, or as there are unrelated sequences."""
    n_groups = len(np.unique(evidence.groups))
    if n_groups < 2:
        raise ValueError(
            "the sequences that train what combines the experts are all related, so none can judge; give more, or "
            "combine by stacking."
        )
    return min(_N_FOLDS, n_groups)


class Combiner:
    """Labels and marginals from what experts say; what a file keeps of it is nothing, unless a subclass says more."""

    has_probabilities = True
    """Whether `predict_proba` gives probabilities, not shares of votes."""

    needs_evidence = True
    """Whether `fit` learns from what experts say of sequences that they were not trained with; without, it is not
    called.
    """

    def fit(self, evidence: Evidence, labels: Codes, seed: int) -> Self:
        """Learn from sequences that the experts were not trained with."""
        raise NotImplementedError

    def predict_proba(self, evidence: Evidence) -> Floats:
        """Float64, shape (n_positions, n_labels)."""
        raise NotImplementedError

    def predict(self, evidence: Evidence) -> Codes:
        """The likeliest labels, int16, shape (n_positions,)."""
        return self.predict_proba(evidence).argmax(axis=1).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learnt, as JSON values and arrays."""
        return {}, {}

    def restore(self, values: dict[str, Any], arrays: Arrays, sizes: Known) -> None:
        """Take back what `state` gave; `sizes` are n_labels and n_experts. Arrays are taken out (`take_declared`)."""


class OfVotes(Combiner):
    """A combiner by a `WeightedVote`, which a function chooses together with the classes of positions."""

    has_probabilities = False

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def fit(self, evidence: Evidence, labels: Codes, seed: int) -> Self:
        check_labels(evidence)
        self.class_map, self.vote = self._choose(evidence, labels, seed)
        return self

    def predict_proba(self, evidence: Evidence) -> Floats:
        """The share of the weights for each label."""
        return self.vote.shares(evidence.predictions, evidence.classes(self.class_map)[0], evidence.n_labels)

    def predict(self, evidence: Evidence) -> Codes:
        """The labels that win the votes."""
        return self.vote.vote(evidence.predictions, evidence.classes(self.class_map)[0]).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        return {"class_map": self.class_map}, {"weights": self.vote.weights_}

    def restore(self, values: dict[str, Any], arrays: Arrays, sizes: Known) -> None:
        check_parts("combiner", values, {"class_map": one_of(*N_CLASSES, "voted_label")})
        self.class_map, self.vote = values["class_map"], WeightedVote()
        n_classes = (N_CLASSES | {"voted_label": sizes["n_labels"]})[self.class_map]
        self.vote.weights_ = take_declared(arrays, _WEIGHTS, {**sizes, "n_classes": n_classes})["weights"]


class OfSteps(Combiner):
    """A combiner by a `StepwiseEnsemble`."""

    has_probabilities = False

    def fit(self, evidence: Evidence, labels: Codes, seed: int) -> Self:
        check_labels(evidence)
        self.vote = StepwiseEnsemble(seed).fit(evidence.predictions, labels)
        return self

    def predict_proba(self, evidence: Evidence) -> Floats:
        """The share of the votes for each label."""
        plurality, votes = WeightedVote(), evidence.predictions
        plurality.weights_ = self.vote.counts_[None].astype(np.float64)
        return plurality.shares(votes, np.zeros(len(votes), dtype=np.int64), evidence.n_labels)

    def predict(self, evidence: Evidence) -> Codes:
        """The labels that win the votes."""
        return self.vote.vote(evidence.predictions).astype(np.int16)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        values = {"random_state": self.vote.random_state}
        return values, {"counts": self.vote.counts_, "accuracies": self.vote.accuracies_}

    def restore(self, values: dict[str, Any], arrays: Arrays, sizes: Known) -> None:
        check_parts("combiner", values, {"random_state": SEED})
        self.vote = StepwiseEnsemble(values["random_state"])
        votes = take_declared(arrays, _COUNTS, sizes)
        self.vote.counts_, self.vote.accuracies_ = votes["counts"], votes["accuracies"]


_WEIGHTS = {"weights": Annotated[Float64, "n_classes, n_experts", NOT_NEGATIVE, SOME_IN_EACH_ROW]}
_COUNTS = {
    "counts": Annotated[Int64, "n_experts", NOT_NEGATIVE, SOME_IN_EACH_ROW],
    "accuracies": Annotated[Float64, "n_experts", NOT_NEGATIVE],
}


def check_labels(evidence: Evidence) -> None:
    """Refuse more labels than votes take."""
    if evidence.n_labels > MOST_LABELS:
        raise ValueError(f"votes take up to {MOST_LABELS} labels, not {evidence.n_labels}; combine by stacking.")


LEAST_PROBABILITY = 1e-6
"""Marginals below it count as it: their logarithms differ without meaning."""

MOST_STEPS = 10_000
"""Of the regression; marginals of similar experts take hundreds."""

RAREST = 1e-15
"""The probability of a label that the combiner's training does not have."""


class MarginalAverage(Combiner):
    """The mean of the experts' marginals, weighted where there are weights; there is nothing to learn.

    Parameters
    ----------
    weights : sequence of float, optional
        One for each expert, in any unit.
    """

    needs_evidence = False

    def __init__(self, weights: Sequence[float] | None = None) -> None:
        self.weights = weights

    def predict_proba(self, evidence: Evidence) -> Floats:
        """The mean."""
        marginals = evidence.marginals
        if self.weights is None:
            return marginals.mean(axis=1)
        total = float(sum(self.weights))
        mean = np.zeros((marginals.shape[0], marginals.shape[2]))
        for expert, weight in enumerate(self.weights):  # one after another: the same sums on every machine
            mean += weight / total * marginals[:, expert]
        return mean


class Stacking(Combiner):
    """Multinomial logistic regression on the logarithms of the experts' marginals (scikit-learn's, with its penalty).

    Attributes
    ----------
    coefficients_ : float64, shape (n_labels, n_experts n_labels)
    intercepts_ : float64, shape (n_labels,)
    occurs_ : bool, shape (n_labels,)
        Whether the combiner's training has the label.
    """

    def fit(self, evidence: Evidence, labels: NDArray[Any], seed: int) -> Self:
        """See `Combiner`; nothing is drawn."""
        with needs_extra("rivals"):
            from sklearn.linear_model import LogisticRegression  # takes long to import, and training alone needs it
        from threadpoolctl import threadpool_limits

        features, n_labels = log_marginals(evidence.marginals), evidence.n_labels
        self.occurs_ = np.bincount(labels, minlength=n_labels) > 0
        self.coefficients_ = np.zeros((n_labels, features.shape[1]))
        self.intercepts_ = np.zeros(n_labels)
        if self.occurs_.sum() > 1:
            # The sums of one thread are the same on every machine.
            with threadpool_limits(limits=1, user_api="blas"):
                regression = LogisticRegression(max_iter=MOST_STEPS).fit(features, labels)
            # Of two labels the regression has the scores of the second one alone.
            last = np.flatnonzero(self.occurs_)[-len(regression.coef_) :]
            self.coefficients_[last], self.intercepts_[last] = regression.coef_, regression.intercept_
        return self

    def predict_proba(self, evidence: Evidence) -> Floats:
        """See `Combiner`."""
        scores = log_marginals(evidence.marginals) @ self.coefficients_.T + self.intercepts_
        return softmax(scores, self.occurs_)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learnt, as JSON values and arrays."""
        arrays = {"coefficients": self.coefficients_, "intercepts": self.intercepts_, "occurs": self.occurs_}
        return {}, arrays

    def restore(self, values: dict[str, Any], arrays: Arrays, sizes: Known) -> None:
        """See `Combiner`."""
        n_features = sizes["n_experts"] * sizes["n_labels"]
        read = take_declared(arrays, _REGRESSION | _OCCURS, {**sizes, "n_features": n_features})
        self.coefficients_, self.intercepts_, self.occurs_ = (read[n] for n in ("coefficients", "intercepts", "occurs"))


class BoostedStacking(Combiner):
    """The same by gradient boosting of small trees (LightGBM) in place of the regression.

    Attributes
    ----------
    model_text_ : str
        The trees, in LightGBM's text format.
    occurs_ : bool, shape (n_labels,)
        Whether the combiner's training has the label.
    """

    n_iterations, max_leaves, learning_rate = 100, 7, 0.05

    def fit(self, evidence: Evidence, labels: NDArray[Any], seed: int) -> Self:
        """See `Combiner`; nothing is drawn."""
        with needs_extra("rivals"):
            import lightgbm  # takes long to import

        self.occurs_ = np.bincount(labels, minlength=evidence.n_labels) > 0
        settings = {
            **MULTICLASS,
            "num_class": evidence.n_labels,
            "num_leaves": self.max_leaves,
            "learning_rate": self.learning_rate,
        }
        examples = lightgbm.Dataset(log_marginals(evidence.marginals), labels, params=settings)
        self.model_text_ = lightgbm.train(settings, examples, self.n_iterations).model_to_string()
        return self

    def predict_proba(self, evidence: Evidence) -> Floats:
        """See `Combiner`."""
        with needs_extra("rivals"):
            import lightgbm

        booster = lightgbm.Booster(model_str=self.model_text_)
        scores = booster.predict(log_marginals(evidence.marginals), raw_score=True, num_threads=1)
        return softmax(np.asarray(scores), self.occurs_)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learnt, as JSON values and arrays."""
        return {"model_text": self.model_text_}, {"occurs": self.occurs_}

    def restore(self, values: dict[str, Any], arrays: Arrays, sizes: Known) -> None:
        """See `Combiner`."""
        check_parts("combiner", values, {"model_text": TEXT})
        self.model_text_, self.occurs_ = values["model_text"], take_declared(arrays, _OCCURS, sizes)["occurs"]
        check_model_text(self.model_text_, sizes["n_labels"], sizes["n_experts"] * sizes["n_labels"])


_REGRESSION = {
    "coefficients": Annotated[Float64, "n_labels, n_features", WEIGHTS],
    "intercepts": Annotated[Float64, "n_labels", WEIGHTS],
}
_OCCURS = {"occurs": Annotated[Bool, "n_labels", TRUTH, SOME_IN_EACH_ROW]}


def log_marginals(marginals: Floats) -> Floats:
    """The features of stacking, shape (n_positions, n_experts n_labels)."""
    return np.log(np.maximum(marginals, LEAST_PROBABILITY)).reshape(len(marginals), -1)


def softmax(scores: Floats, occurs: Bools) -> Floats:
    """Probabilities from scores, shape (n_positions, n_labels); labels that do not occur have next to none."""
    scores = np.where(occurs, scores, -np.inf)
    probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities = np.maximum(probabilities / probabilities.sum(axis=1, keepdims=True), RAREST)
    return probabilities / probabilities.sum(axis=1, keepdims=True)


COMBINERS: dict[str, Callable[[], Combiner]] = {
    "stacking": Stacking,
    "boosted_stacking": BoostedStacking,
    "marginal_average": MarginalAverage,
    "majority_vote": lambda: OfVotes(majority_vote),
    "best_expert": lambda: OfVotes(best_expert),
    "espboost": lambda: OfVotes(espboost),
    "descent": lambda: OfVotes(descent),
    "online_majority_vote": lambda: OfVotes(online_majority_vote),
    "random_path": lambda: OfVotes(random_path),
    "stepwise": OfSteps,
}
"""By the names that `Ensemble` gives them."""
