"""Maximum likelihood for binomial models of methods and training sets, where it is finite and where it is not.

Separation. The counts order methods and training sets: a correct position holds its method at or above its training
set, a wrong one at or below. Two of them have a finite difference exactly where the order leads from each to the other
(the condition for the maximum of a Rasch model). Where it leads one way only, the difference is infinite and
the fitted probability is 0 or 1; where it leads neither way, the data do not decide, and the difference is NaN.
Every model here is fitted in parts, one for each set of methods and training sets with finite differences, so one
method without an error costs the others nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from scipy.special import expit, xlogy
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

TOLERANCE = 1e-10
"""Fitting stops when no coefficient moves by more, absolutely plus relatively."""


@dataclass(frozen=True)
class Fit:
    """Maximum likelihood for methods and training sets whose differences are finite; k coefficients in all."""

    methods: NDArray[np.int64]
    """Methods in this part; the first one has no indicator."""
    training_sets: NDArray[np.int64]
    method_coefficients: NDArray[np.float64]
    """Shape (n_methods,), the first one 0."""
    training_set_coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """Shape (k, k): the methods but the first, then the training sets."""
    clustered_covariance: NDArray[np.float64]
    """Like `covariance`; NaN where clusters are too few."""

    def probabilities(self) -> NDArray[np.float64]:
        """Fitted probability of a correct position, shape (n_methods, n_training_sets) of this part."""
        return np.asarray(expit(self.method_coefficients[:, None] + self.training_set_coefficients))

    def coefficient_gradients(self) -> NDArray[np.float64]:
        """Derivatives of the methods' coefficients, shape (n_methods, k)."""
        return np.eye(len(self.methods), len(self.covariance) + 1)[:, 1:]

    def accuracy_gradients(self) -> NDArray[np.float64]:
        """Derivatives of accuracy minus the first method's, summed over training sets, shape (n_methods, k)."""
        probabilities = self.probabilities()
        slopes = probabilities * (1 - probabilities)
        return np.hstack([np.diag(slopes.sum(axis=1))[:, 1:], slopes - slopes[0]])


def order_by_counts(cells: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the methods, then training sets, the counts hold at or above which others, directly or through others.

    `cells` and `sizes` are correct positions and positions, shape (n_methods, n_training_sets); returns a square
    matrix.
    """
    n_methods = len(cells)
    edges = np.zeros((sum(cells.shape),) * 2)
    edges[:n_methods, n_methods:] = cells > 0
    edges[n_methods:, :n_methods] = (cells < sizes).T
    return np.isfinite(shortest_path(edges, unweighted=True))


def fit_members(correct: NDArray[np.float64], positions: NDArray[np.float64], members: NDArray[np.bool_]) -> Fit:
    """Fit the methods and training sets in `members` (bool), which must have finite differences.

    `correct` and `positions` have the shape (n_methods, n_training_sets, n_sequences). A single method or training set
    has no coefficients.
    """
    methods, training_sets = np.flatnonzero(members[: len(correct)]), np.flatnonzero(members[len(correct) :])
    if members.sum() == 1:
        nothing = np.zeros((0, 0))
        return Fit(methods, training_sets, np.zeros(len(methods)), np.zeros(len(training_sets)), nothing, nothing)
    part = np.ix_(methods, training_sets)
    method, training_set, sequence = np.nonzero(positions[part])
    right = correct[part][method, training_set, sequence]
    wrong = positions[part][method, training_set, sequence] - right
    design = make_design(method, training_set)
    clusters = np.unique(sequence, return_inverse=True)[1]
    clustered = clusters.max() > 0 and len(design) > design.shape[1]
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        # Saturated models warn of separation, which the members do not have, and of 0 / 0 degrees of freedom.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        result = GLM(np.column_stack([right, wrong]), design, family=Binomial()).fit(
            tol_criterion="params",
            tol=TOLERANCE,
            rtol=TOLERANCE,
            **({"cov_type": "cluster", "cov_kwds": {"groups": clusters}} if clustered else {}),
        )
    if not result.converged:
        raise RuntimeError("The binomial model of the counts did not converge.")
    covariance = np.asarray(result.normalized_cov_params)
    return Fit(
        methods=methods,
        training_sets=training_sets,
        method_coefficients=np.concatenate([[0.0], result.params[: len(methods) - 1]]),
        training_set_coefficients=np.asarray(result.params[len(methods) - 1 :]),
        covariance=covariance,
        clustered_covariance=np.asarray(result.cov_params()) if clustered else np.full_like(covariance, np.nan),
    )


def make_design(method: NDArray[np.int64], training_set: NDArray[np.int64]) -> NDArray[np.float64]:
    """Indicators of the methods but the first and of all training sets, one row for each pair of indices."""
    return np.column_stack([np.eye(method.max() + 1)[method][:, 1:], np.eye(training_set.max() + 1)[training_set]])


def fit_probabilities(cells: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximum likelihood probability of a correct position, shape (n_methods, n_training_sets).

    0 or 1 where the maximum is a limit; NaN where there are no positions and the others do not decide.
    """
    n_methods = len(cells)
    orders = order_by_counts(cells, sizes)
    above, below = orders[:n_methods, n_methods:], orders[n_methods:, :n_methods].T
    probabilities = np.where(above, 1.0, np.where(below, 0.0, np.nan))
    for members in np.unique(orders & orders.T, axis=0):
        fit = fit_members(cells[:, :, None], sizes[:, :, None], members)
        probabilities[np.ix_(fit.methods, fit.training_sets)] = fit.probabilities()
    return probabilities


def find_likelihood_ratios(cells: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each method, the deviance added by making it and the first method one; shape (n_methods,)."""
    deviance = deviance_of(cells, sizes, fit_probabilities(cells, sizes))
    ratios = np.zeros(len(cells))
    for method in range(1, len(cells)):
        merged, merged_sizes = (_merge_into_first(counts, method) for counts in (cells, sizes))
        probabilities = fit_probabilities(merged, merged_sizes)
        probabilities = np.insert(probabilities, method, probabilities[0], axis=0)
        ratios[method] = max(0.0, deviance_of(cells, sizes, probabilities) - deviance)
    return ratios


def _merge_into_first(counts: NDArray[np.float64], method: int) -> NDArray[np.float64]:
    """`counts` (n_methods, n_training_sets) with the row of `method` added to the first one and left out."""
    merged = counts.copy()
    merged[0] += counts[method]
    return np.delete(merged, method, axis=0)


def deviance_of(
    correct: NDArray[np.float64], positions: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> float:
    """Twice the log likelihood that fitted probabilities (broadcast) lose against the observed proportions."""
    used = positions > 0
    right, n, fitted = correct[used], positions[used], np.broadcast_to(probabilities, positions.shape)[used]
    observed = right / n
    gain = xlogy(right, observed) - xlogy(right, fitted) + xlogy(n - right, 1 - observed) - xlogy(n - right, 1 - fitted)
    return float(2 * gain.sum())
