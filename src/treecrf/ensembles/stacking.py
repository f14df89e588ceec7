"""`MarginalAverage` and `Stacking`: combinations of the experts' marginals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import SOME_IN_EACH_ROW, TRUTH, WEIGHTS, Bool, Float64, Known
from treecrf.estimators.checks import TEXT, check_parts
from treecrf.io.messages import needs_extra
from treecrf.models.fitted import take_declared
from treecrf.models.window.lightgbm_text import MULTICLASS, check_model_text

LEAST_PROBABILITY = 1e-6
"""Marginals below it count as it: their logarithms differ without meaning."""

MOST_STEPS = 10_000
"""Of the regression; marginals of similar experts take hundreds."""

RAREST = 1e-15
"""The probability of a label that the combiner's training does not have."""


class MarginalAverage:
    """The mean of the experts' marginals, weighted where there are weights; there is nothing to learn.

    Parameters
    ----------
    weights : sequence of float, optional
        One for each expert, in any unit.
    """

    def __init__(self, weights: Sequence[float] | None = None) -> None:
        self.weights = weights

    def fit(self, marginals: NDArray[np.float64], labels: NDArray[Any]) -> Self:
        """Return the combiner as it is, as a mean has nothing to learn; arguments as of `Stacking.fit`."""
        return self

    def predict_proba(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Float64, shape (n_positions, n_labels), from marginals of shape (n_positions, n_experts, n_labels)."""
        if self.weights is None:
            return marginals.mean(axis=1)
        total = float(sum(self.weights))
        mean = np.zeros((marginals.shape[0], marginals.shape[2]))
        for expert, weight in enumerate(self.weights):  # one after another: the same sums on every machine
            mean += weight / total * marginals[:, expert]
        return mean

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file keeps of the combiner: nothing, as a mean has nothing learnt."""
        return {}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]], sizes: Known) -> Self:
        """Return the combiner as it is, as a file keeps nothing of it."""
        return self


class Stacking:
    """Multinomial logistic regression on the logarithms of the experts' marginals (scikit-learn's, with its penalty).

    Attributes
    ----------
    coefficients_ : float64, shape (n_labels, n_experts n_labels)
    intercepts_ : float64, shape (n_labels,)
    occurs_ : bool, shape (n_labels,)
        Whether the combiner's training has the label.
    """

    def fit(self, marginals: NDArray[np.float64], labels: NDArray[Any]) -> Self:
        """Learn from positions that the experts were not trained with.

        Parameters
        ----------
        marginals : float64, shape (n_positions, n_experts, n_labels)
        labels : int, shape (n_positions,)
        """
        with needs_extra("rivals"):
            from sklearn.linear_model import LogisticRegression  # takes long to import, and training alone needs it
        from threadpoolctl import threadpool_limits

        features, n_labels = log_marginals(marginals), marginals.shape[2]
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

    def predict_proba(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Float64, shape (n_positions, n_labels), from marginals of shape (n_positions, n_experts, n_labels)."""
        scores = log_marginals(marginals) @ self.coefficients_.T + self.intercepts_
        return softmax(scores, self.occurs_)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays."""
        arrays = {"coefficients": self.coefficients_, "intercepts": self.intercepts_, "occurs": self.occurs_}
        return {}, arrays

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]], sizes: Known) -> Self:
        """Take back what `state` gave; see `treecrf.ensembles.combiners.Combiner`."""
        n_features = sizes["n_experts"] * sizes["n_labels"]
        read = take_declared(arrays, _REGRESSION | _OCCURS, {**sizes, "n_features": n_features})
        self.coefficients_, self.intercepts_, self.occurs_ = (read[n] for n in ("coefficients", "intercepts", "occurs"))
        return self


class BoostedStacking:
    """The same by gradient boosting of small trees (LightGBM) in place of the regression.

    Attributes
    ----------
    model_text_ : str
        The trees, in LightGBM's text format.
    occurs_ : bool, shape (n_labels,)
        Whether the combiner's training has the label.
    """

    n_iterations, max_leaves, learning_rate = 100, 7, 0.05

    def fit(self, marginals: NDArray[np.float64], labels: NDArray[Any]) -> Self:
        """Learn from positions that the experts were not trained with; the arguments are those of `Stacking.fit`."""
        with needs_extra("rivals"):
            import lightgbm  # takes long to import

        self.occurs_ = np.bincount(labels, minlength=marginals.shape[2]) > 0
        settings = {
            **MULTICLASS,
            "num_class": marginals.shape[2],
            "num_leaves": self.max_leaves,
            "learning_rate": self.learning_rate,
        }
        examples = lightgbm.Dataset(log_marginals(marginals), labels, params=settings)
        self.model_text_ = lightgbm.train(settings, examples, self.n_iterations).model_to_string()
        return self

    def predict_proba(self, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Float64, shape (n_positions, n_labels), from marginals of shape (n_positions, n_experts, n_labels)."""
        with needs_extra("rivals"):
            import lightgbm

        booster = lightgbm.Booster(model_str=self.model_text_)
        scores = booster.predict(log_marginals(marginals), raw_score=True, num_threads=1)
        return softmax(np.asarray(scores), self.occurs_)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays."""
        return {"model_text": self.model_text_}, {"occurs": self.occurs_}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]], sizes: Known) -> Self:
        """Take back what `state` gave; see `treecrf.ensembles.combiners.Combiner`."""
        check_parts("combiner", values, {"model_text": TEXT})
        self.model_text_, self.occurs_ = values["model_text"], take_declared(arrays, _OCCURS, sizes)["occurs"]
        check_model_text(self.model_text_, sizes["n_labels"], sizes["n_experts"] * sizes["n_labels"])
        return self


_REGRESSION = {
    "coefficients": Annotated[Float64, "n_labels, n_features", WEIGHTS],
    "intercepts": Annotated[Float64, "n_labels", WEIGHTS],
}
_OCCURS = {"occurs": Annotated[Bool, "n_labels", TRUTH, SOME_IN_EACH_ROW]}


def log_marginals(marginals: NDArray[np.float64]) -> NDArray[np.float64]:
    """The features of stacking, shape (n_positions, n_experts n_labels)."""
    return np.log(np.maximum(marginals, LEAST_PROBABILITY)).reshape(len(marginals), -1)


def softmax(scores: NDArray[np.float64], occurs: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Probabilities from scores, shape (n_positions, n_labels); labels that do not occur have next to none."""
    scores = np.where(occurs, scores, -np.inf)
    probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities = np.maximum(probabilities / probabilities.sum(axis=1, keepdims=True), RAREST)
    return probabilities / probabilities.sum(axis=1, keepdims=True)
