"""Binomial models of counts (PhD, section 4.4), by maximum likelihood where it is finite and where it is not.

The log odds of a correct position are a method's coefficient plus a training set's coefficient. There is no intercept:
every training set has an indicator, and every method but the baseline. The analysis of deviance nests this model in a
constant.

Separation. The counts order methods and training sets: a correct position holds its method at or above its training
set, a wrong one at or below. Two of them have a finite difference exactly where the order leads from each to the other
(the condition for the maximum of a Rasch model). Where it leads one way only, the difference is infinite and
the fitted probability is 0 or 1; where it leads neither way, the data do not decide, and the difference is NaN.
Every model here is fitted in parts, one for each set of methods and training sets with finite differences, so one
method without an error costs the others nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import shortest_path
from scipy.special import chdtrc, expit, fdtrc, ndtr, ndtri, xlogy
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from treecrf.io.arrays import Bools, Floats, Ints, integers, reals
from treecrf.statistics.estimates import EVALUATION_COLUMNS, adjust_holm, check_counts, lay_out

TOLERANCE = 1e-10
"""Fitting stops when no coefficient moves by more, absolutely plus relatively."""


@dataclass(frozen=True)
class Fit:
    """Maximum likelihood for methods and training sets whose differences are finite; k coefficients in all."""

    methods: Ints
    """Methods in this part; the first one has no indicator."""
    training_sets: Ints
    method_coefficients: Floats
    """Shape (n_methods,), the first one 0."""
    training_set_coefficients: Floats
    covariance: Floats
    """Shape (k, k): the methods but the first, then the training sets."""
    clustered_covariance: Floats
    """Like `covariance`; NaN where clusters are too few."""

    def probabilities(self) -> Floats:
        """Fitted probability of a correct position, shape (n_methods, n_training_sets) of this part."""
        return np.asarray(expit(self.method_coefficients[:, None] + self.training_set_coefficients))

    def coefficient_gradients(self) -> Floats:
        """Derivatives of the methods' coefficients, shape (n_methods, k)."""
        return np.eye(len(self.methods), len(self.covariance) + 1)[:, 1:]

    def accuracy_gradients(self) -> Floats:
        """Derivatives of accuracy minus the first method's, summed over training sets, shape (n_methods, k)."""
        probabilities = self.probabilities()
        slopes = probabilities * (1 - probabilities)
        return np.hstack([np.diag(slopes.sum(axis=1))[:, 1:], slopes - slopes[0]])


def order_by_counts(cells: Floats, sizes: Floats) -> Bools:
    """Which of the methods, then training sets, the counts hold at or above which others, directly or through others.

    `cells` and `sizes` are correct positions and positions, shape (n_methods, n_training_sets); returns a square
    matrix.
    """
    cells, sizes = _checked(cells, sizes)
    n_methods = len(cells)
    edges = np.zeros((sum(cells.shape),) * 2)
    edges[:n_methods, n_methods:] = cells > 0
    edges[n_methods:, :n_methods] = (cells < sizes).T
    return np.isfinite(shortest_path(edges, unweighted=True))


def _checked(cells: ArrayLike, sizes: ArrayLike) -> tuple[Floats, Floats]:
    positions = reals(sizes, "sizes", ("n_methods", "n_training_sets"), least=0).astype(np.float64)
    correct = reals(cells, "cells", positions.shape, least=0).astype(np.float64)
    if (correct > positions).any():
        raise ValueError("cells are above sizes somewhere; there are no more correct positions than positions.")
    return correct, positions


def _fit_members(correct: Floats, positions: Floats, members: Bools) -> Fit:
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


def make_design(method: Ints, training_set: Ints) -> Floats:
    """Indicators of the methods but the first and of all training sets, one row for each pair of indices."""
    method = integers(method, "method", ("n_rows",), least=0)
    most = len(method) - 1  # each number from 0 on has a row
    method = integers(method, "method", ("n_rows",), most=most)
    training_set = integers(training_set, "training_set", method.shape, least=0, most=most)
    return np.column_stack([np.eye(method.max() + 1)[method][:, 1:], np.eye(training_set.max() + 1)[training_set]])


def fit_probabilities(cells: Floats, sizes: Floats) -> Floats:
    """Maximum likelihood probability of a correct position, shape (n_methods, n_training_sets).

    0 or 1 where the maximum is a limit; NaN where there are no positions and the others do not decide.
    """
    cells, sizes = _checked(cells, sizes)
    n_methods = len(cells)
    orders = order_by_counts(cells, sizes)
    above, below = orders[:n_methods, n_methods:], orders[n_methods:, :n_methods].T
    probabilities = np.where(above, 1.0, np.where(below, 0.0, np.nan))
    for members in np.unique(orders & orders.T, axis=0):
        fit = _fit_members(cells[:, :, None], sizes[:, :, None], members)
        probabilities[np.ix_(fit.methods, fit.training_sets)] = fit.probabilities()
    return probabilities


def find_likelihood_ratios(cells: Floats, sizes: Floats) -> Floats:
    """For each method, the deviance added by making it and the first method one; shape (n_methods,)."""
    cells, sizes = _checked(cells, sizes)
    deviance = _deviance_of(cells, sizes, fit_probabilities(cells, sizes))
    ratios = np.zeros(len(cells))
    for method in range(1, len(cells)):
        merged, merged_sizes = (_merge_into_first(counts, method) for counts in (cells, sizes))
        probabilities = fit_probabilities(merged, merged_sizes)
        probabilities = np.insert(probabilities, method, probabilities[0], axis=0)
        ratios[method] = max(0.0, _deviance_of(cells, sizes, probabilities) - deviance)
    return ratios


def _merge_into_first(counts: Floats, method: int) -> Floats:
    """`counts` (n_methods, n_training_sets) with the row of `method` added to the first one and left out."""
    merged = counts.copy()
    merged[0] += counts[method]
    return np.delete(merged, method, axis=0)


def _deviance_of(correct: Floats, positions: Floats, probabilities: Floats) -> float:
    """Twice the log likelihood that fitted probabilities (broadcast) lose against the observed proportions."""
    used = positions > 0
    right, n, fitted = correct[used], positions[used], np.broadcast_to(probabilities, positions.shape)[used]
    observed = right / n
    gain = xlogy(right, observed) - xlogy(right, fitted) + xlogy(n - right, 1 - observed) - xlogy(n - right, 1 - fitted)
    return float(2 * gain.sum())


def _pearson_of(correct: Floats, positions: Floats, probabilities: Floats) -> float:
    """Pearson's statistic of fitted probabilities (broadcast): squared residuals over binomial variances."""
    used = positions > 0
    fitted = np.broadcast_to(probabilities, positions.shape)[used]
    variance = positions[used] * fitted * (1 - fitted)
    squares = (correct[used] - positions[used] * fitted) ** 2
    return float((squares[variance > 0] / variance[variance > 0]).sum())


COMPARISON_COLUMNS = (
    "dataset",
    "rate",
    "baseline",
    "method",
    "coefficient",
    "standard_error",
    "z",
    "p_value",
    "p_holm",
    "likelihood_ratio",
    "likelihood_ratio_p_value",
    "clustered_standard_error",
    "clustered_p_value",
    "clustered_p_holm",
    "accuracy_points",
    "points_low",
    "points_high",
)

DEVIANCE_COLUMNS = (
    "dataset",
    "rate",
    "term",
    "degrees_of_freedom",
    "deviance",
    "residual_degrees_of_freedom",
    "residual_deviance",
    "p_value",
    "dispersion",
    "pearson_dispersion",
    "f",
    "f_p_value",
)


def compare_methods(counts: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Each method against the baseline, for every data set and rate: log odds, tests, points of accuracy.

    Rates with fewer than two methods are left out.

    Parameters
    ----------
    counts : DataFrame
        dataset, rate, method, training_set, test_set, sequence (of the test set), n_positions, n_correct; one row for
        each evaluation and test sequence. Rows without positions are ignored.
    baseline : str
        The method that the others are measured against.

    Returns
    -------
    DataFrame
        One row for each data set, rate and method but the baseline, in rising order.

        dataset, rate, baseline, method
            What is compared.
        coefficient, standard_error, z, p_value, p_holm
            Log odds against the baseline, Wald test, and Holm's correction over the methods of the data set and rate.
        likelihood_ratio, likelihood_ratio_p_value
            Of the model in which the method and the baseline are one; chi-square with 1 degree of freedom.
        clustered_standard_error, clustered_p_value, clustered_p_holm
            The Wald test with standard errors clustered by test sequence, over its test sets, training sets and
            methods. NaN where there are fewer than two test sequences.
        accuracy_points, points_low, points_high
            Predicted accuracy with the method minus with the baseline, in percentage points, mean of the training
            sets; 95 % interval by the delta method from the clustered covariance, or the plain one where the clustered
            standard error is NaN.

    Notes
    -----
    Clustered covariances carry statsmodels' correction for small samples, G / (G - 1) (n - 1) / (n - k), for
    G sequences, k coefficients and n rows: one for each method, training set and sequence (test sets added up).

    Degenerate data:

    - A method with the baseline's number of correct positions, and in every training set its number of positions:
      coefficient, z, likelihood_ratio and accuracy_points are exactly 0 and the p-values 1. If also each
      sequence has the same counts in every training set, the clustered standard error is exactly 0 and the interval
      is [0, 0], also where both are always right or always wrong.
    - A coefficient without a finite maximum (a method always right, or always wrong, or the baseline is): inf or
      -inf, or NaN where the data do not decide (say, both always right on different numbers of positions). Its
      standard errors, z, Wald p-values and interval are NaN. The likelihood ratio and accuracy_points are limits,
      and stay finite.
    - A training set on which every method is always right, or always wrong, tells nothing about the methods and
      takes no part in the fit, nor in n and k; accuracy_points counts it with a difference of 0.
    - Sequences with no variation at all about the model would give a clustered standard error of 0 to a
      coefficient that is not 0: NaN.
    - NaN among the p-values of a data set and rate counts as 1 in Holm's correction of the others.
    """
    _check(counts)
    known = sorted(counts["method"].unique())
    if baseline not in known:
        raise ValueError(f"No method is called {baseline!r}; the methods are {', '.join(known)}.")
    tables = list(_tables(counts, "sequence"))
    for table in tables:
        if baseline not in table.methods:
            where = f"{table.dataset} at rate {table.rate:g}"
            raise ValueError(
                f"The baseline {baseline!r} has no rows for {where}, which has {', '.join(table.methods)}."
            )
    return _compare_tables(tables, [baseline])


def compare_all(counts: pd.DataFrame) -> pd.DataFrame:
    """`compare_methods` with every method in turn as the baseline, in rising order, where it was run."""
    _check(counts)
    return _compare_tables(list(_tables(counts, "sequence")), sorted(counts["method"].unique()))


def analysis_of_deviance(counts: pd.DataFrame) -> pd.DataFrame:
    """Deviance that the training sets and then the methods take off that of a constant, for every data set and rate.

    The tables of R's ``anova(glm(cbind(correct, wrong) ~ training_set + method, binomial), test = "Chisq")`` and, with
    the family ``quasibinomial``, ``test = "F"``, on one row for each evaluation. The model of section 4.4, which has no
    constant and an indicator of every training set, is the last of them. Rates with fewer than two methods are left
    out.

    Parameters
    ----------
    counts : DataFrame
        As for `compare_methods`.

    Returns
    -------
    DataFrame
        Three rows for each data set and rate, in rising order.

        dataset, rate, term
            "constant" (one probability for all), "training_set" or "method": the last term of the model.
        degrees_of_freedom (Int64), deviance, p_value
            Of the term, given those above it, by the likelihood-ratio test (chi-square); missing for "constant".
        residual_degrees_of_freedom, residual_deviance
            Of the model; evaluations minus coefficients.
        dispersion, pearson_dispersion
            Residual deviance, and Pearson's statistic, over the residual degrees of freedom. Near 1 where positions are
            independent; NaN without degrees of freedom.
        f, f_p_value
            Of the term in the quasi-binomial model: deviance / degrees_of_freedom over Pearson's dispersion of the last
            model.
    """
    _check(counts)
    rows = [row for table in _tables(counts, "test_set") for row in _deviance_rows(table)]
    return pd.DataFrame(rows, columns=list(DEVIANCE_COLUMNS)).astype({"degrees_of_freedom": "Int64"})


@dataclass(frozen=True)
class _Table:
    """The counts of one data set and rate."""

    dataset: str
    rate: float
    methods: list[str]
    correct: Floats
    """Shape (n_methods, n_training_sets, n_units), a unit being a test sequence or a test set."""
    positions: Floats
    """Like `correct`; 0 where there are no rows."""

    def with_baseline_first(self, baseline: str) -> _Table:
        """The counts with the baseline as the first method."""
        order = sorted(range(len(self.methods)), key=lambda index: self.methods[index] != baseline)
        methods = [self.methods[index] for index in order]
        return _Table(self.dataset, self.rate, methods, self.correct[order], self.positions[order])


def _check(counts: pd.DataFrame) -> None:
    """Raise where `counts` cannot be analysed."""
    check_counts(counts, EVALUATION_COLUMNS)
    if counts.duplicated(list(EVALUATION_COLUMNS)).any():
        raise ValueError(f"The counts have more than one row with the same {', '.join(EVALUATION_COLUMNS)}.")


def _tables(counts: pd.DataFrame, unit: str) -> Iterator[_Table]:
    """The counts by method, training set and `unit`, of each data set and rate with something to compare."""
    used = counts[counts["n_positions"] > 0]
    for _, group in used.groupby(["dataset", "rate"], observed=True):
        if group["method"].nunique() < 2:
            continue
        methods, correct, positions = lay_out(group, ("method", "training_set", unit))
        first = group.iloc[0]
        yield _Table(str(first["dataset"]), float(first["rate"]), methods, correct, positions)


def _compare_tables(tables: list[_Table], baselines: Iterable[str]) -> pd.DataFrame:
    """The comparisons with each baseline on the tables that have it."""
    frames = [
        _comparisons(table.with_baseline_first(baseline))
        for baseline in baselines
        for table in tables
        if baseline in table.methods
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COMPARISON_COLUMNS))


def _comparisons(table: _Table) -> pd.DataFrame:
    """Each method against the first one."""
    n_methods, n_training_sets, n_sequences = table.correct.shape
    cells, sizes = table.correct.sum(axis=2), table.positions.sum(axis=2)
    orders = order_by_counts(cells, sizes)
    fit = _fit_members(table.correct, table.positions, orders[0] & orders[:, 0])
    equal = (sizes == sizes[0]).all(axis=1) & (cells.sum(axis=1) == cells[0].sum())
    coefficient = np.where(orders[:n_methods, 0], np.inf, np.where(orders[0, :n_methods], -np.inf, np.nan))
    coefficient[fit.methods] = fit.method_coefficients
    coefficient[equal] = 0.0
    plain, clustered = _standard_errors(fit, fit.coefficient_gradients(), n_methods)
    ratio = np.where(equal, 0.0, find_likelihood_ratios(cells, sizes))
    probabilities = fit_probabilities(cells, sizes)
    points = np.where(equal, 0.0, 100 * (probabilities - probabilities[0]).mean(axis=1))
    points_errors = _standard_errors(fit, fit.accuracy_gradients() / n_training_sets, n_methods)
    if n_sequences > 1:
        without_variation, identical = _vary_in_nothing(table, fit), _identical(table)
        for errors in (clustered, points_errors[1]):
            errors[without_variation] = np.where(coefficient[without_variation] == 0, 0.0, np.nan)
            errors[identical] = 0.0
    z, p_value = _wald(coefficient, plain)
    clustered_p_value = _wald(coefficient, clustered)[1] if n_sequences > 1 else np.full(n_methods, np.nan)
    half_width = 100 * ndtri(0.975) * np.where(np.isnan(clustered), *points_errors)
    frame = pd.DataFrame(
        {
            "dataset": table.dataset,
            "rate": table.rate,
            "baseline": table.methods[0],
            "method": table.methods,
            "coefficient": coefficient,
            "standard_error": plain,
            "z": z,
            "p_value": p_value,
            "likelihood_ratio": ratio,
            "likelihood_ratio_p_value": chdtrc(1, ratio),
            "clustered_standard_error": clustered,
            "clustered_p_value": clustered_p_value,
            "accuracy_points": points,
            "points_low": points - half_width,
            "points_high": points + half_width,
        }
    )[1:]
    for name, adjusted in (("p_value", "p_holm"), ("clustered_p_value", "clustered_p_holm")):
        frame[adjusted] = adjust_holm(frame[name].to_numpy())
    return frame[list(COMPARISON_COLUMNS)]


def _standard_errors(fit: Fit, gradients: Floats, n_methods: int) -> tuple[Floats, Floats]:
    """Plain and clustered standard errors of a quantity with these derivatives; NaN for methods outside the fit."""
    plain, clustered = np.full((2, n_methods), np.nan)
    for errors, covariance in ((plain, fit.covariance), (clustered, fit.clustered_covariance)):
        variances = ((gradients @ covariance) * gradients).sum(axis=1)
        errors[fit.methods] = np.sqrt(np.maximum(variances, 0.0))
    return plain, clustered


def _identical(table: _Table) -> Bools:
    """Whether a method has the counts of the first one in every training set and sequence, shape (n_methods,)."""
    same = (table.correct == table.correct[0]) & (table.positions == table.positions[0])
    return np.asarray(same.all(axis=(1, 2)))


def _vary_in_nothing(table: _Table, fit: Fit) -> Bools:
    """Whether no sequence has a residual that bears on a method's coefficient, decided exactly; shape (n_methods,).

    With one training set the fitted probabilities are the methods' accuracies, and two methods matter that have theirs
    in every sequence; with several, every sequence must be the same share of all counts.
    """
    part = np.ix_(fit.methods, fit.training_sets)
    correct, positions = table.correct[part], table.positions[part]
    cells, sizes = correct.sum(axis=2, keepdims=True), positions.sum(axis=2, keepdims=True)
    if len(fit.training_sets) == 1:
        steady = (correct * sizes == cells * positions).all(axis=(1, 2))
        steady &= steady[0]
    else:
        share = positions.sum(axis=(0, 1))
        shared = (correct * sizes.sum() == cells * share) & (positions * sizes.sum() == sizes * share)
        steady = np.full(len(fit.methods), shared.all())
    is_steady = np.zeros(len(table.methods), dtype=bool)
    is_steady[fit.methods] = steady
    return is_steady


def _deviance_rows(table: _Table) -> list[dict[str, object]]:
    """The models constant, + training set, + method, in this order."""
    cells, sizes = table.correct.sum(axis=2), table.positions.sum(axis=2)
    models = (
        ("constant", np.full(cells.shape, cells.sum() / sizes.sum()), 1),
        ("training_set", np.broadcast_to(cells.sum(axis=0) / sizes.sum(axis=0), cells.shape), cells.shape[1]),
        ("method", fit_probabilities(cells, sizes), int(np.linalg.matrix_rank(make_design(*np.nonzero(sizes))))),
    )
    n_evaluations = int(np.count_nonzero(table.positions))
    rows: list[dict[str, Any]] = []
    for term, probabilities, n_coefficients in models:
        deviance = _deviance_of(table.correct, table.positions, probabilities[:, :, None])
        pearson = _pearson_of(table.correct, table.positions, probabilities[:, :, None])
        left = n_evaluations - n_coefficients
        row = {"dataset": table.dataset, "rate": table.rate, "term": term, "residual_degrees_of_freedom": left}
        row |= {"residual_deviance": deviance, "dispersion": deviance / left if left else np.nan}
        rows.append(row | {"pearson_dispersion": pearson / left if left else np.nan})
    full = rows[-1]
    for above, row in pairwise(rows):
        degrees = above["residual_degrees_of_freedom"] - row["residual_degrees_of_freedom"]
        explained = max(0.0, above["residual_deviance"] - row["residual_deviance"])
        row |= {"degrees_of_freedom": degrees, "deviance": explained}
        if degrees:
            row["p_value"] = float(chdtrc(degrees, explained))
            row["f"] = explained / degrees / (full["pearson_dispersion"] or np.nan)
            row["f_p_value"] = float(fdtrc(degrees, full["residual_degrees_of_freedom"], row["f"]))
    return rows


def _wald(coefficient: Floats, standard_error: Floats) -> tuple[Floats, Floats]:
    """z and its two-sided p-value; 0 and 1 for a coefficient of exactly 0, NaN where the standard error is NaN."""
    z = coefficient / np.where(coefficient == 0, 1.0, standard_error)
    return z, np.asarray(2 * ndtr(-np.abs(z)))
