"""Variance components of accuracies: sequences, methods, training sets and runs.

The estimator is that of moments (analysis of variance). Where sequences are equally long and no estimate is negative,
it is that of restricted likelihood (statsmodels' MixedLM), whose work grows with the cube of the number of accuracies
where factors are crossed: seconds for 17 sequences, and out of reach for 900.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd

from treecrf.io.arrays import Floats, reals
from treecrf.statistics.estimates import COUNT_COLUMNS, check_columns

FACTORS = ("method", "sequence", "training_set", "run")

COMPONENT_COLUMNS = ("component", "variance", "moment_estimate", "accuracy_points")


def decompose_variance(counts: pd.DataFrame) -> pd.DataFrame:
    """Variance components of the accuracies of sequences.

    Parameters
    ----------
    counts : DataFrame
        method, sequence, n_positions, n_correct, and training_set and run where there are any; one row for each
        combination. All methods share sequences and training sets. A run belongs to one method and training set; of
        more runs than another has, the first ones are used.

    Returns
    -------
    DataFrame
        component
            Factors joined by " x ", such as "sequence", "method x sequence", "method x training_set"; "run", what all
            sequences share of a run; "residual", the combination of all factors. Methods are fixed, so "method" is
            none. Factors with one level are left out.
        variance
            Of the effects on the accuracy (0 to 1) of one sequence; 0 where the estimate is negative.
        moment_estimate
            As estimated. A negative one says that the component is too small to be seen.
        accuracy_points
            Standard deviation, in percentage points, that the component gives to the accuracy of one method: all
            sequences, the mean of its training sets and runs.

    Raises
    ------
    ValueError
        If a column or a combination is missing, a combination is there twice, or a sequence has unlike numbers of
        positions.

    Notes
    -----
    Sequences are weighted by their positions; an effect has the same variance in short and in long ones. With weights
    that sum to 1 and q, the sum of their squares, a factor's independent effects of variance 1 have the expected sum of
    squares 1 - q about their mean, and their mean has the expected square q. Products of these are the coefficients of
    the equations that set the sums of squares equal to their expectations (Searle, Casella and McCulloch 1992, Variance
    Components, chapter 4).
    """
    factors, accuracies, weights = _lay_out(counts)
    terms = [term for size in range(1, len(factors) + 1) for term in combinations(factors, size) if term != ("method",)]
    names = list(dict.fromkeys(_component_of(term, factors) for term in terms))
    concentration = {name: float((weight**2).sum()) for name, weight in zip(factors, weights, strict=True)}
    equations, sums = np.zeros((len(names), len(names))), np.zeros(len(names))
    for term in terms:
        row = names.index(_component_of(term, factors))
        sums[row] += _sum_of_squares(accuracies, weights, [name in term for name in factors])
        for column, name in enumerate(names):
            equations[row, column] += _coefficient(term, _factors_of(name, factors), concentration)
    estimates = np.linalg.solve(equations, sums)
    shares = [
        math.prod(share for factor, share in concentration.items() if factor in _factors_of(name, factors) - {"method"})
        for name in names
    ]
    variances = np.maximum(estimates, 0.0)
    columns = (names, variances, estimates, 100 * np.sqrt(variances * shares))
    return pd.DataFrame(dict(zip(COMPONENT_COLUMNS, columns, strict=True)))


def _component_of(term: tuple[str, ...], factors: list[str]) -> str:
    """The component that deviations of these factors estimate; runs are within a method and training set."""
    if term == tuple(factors) or {"run", "sequence"} <= {*term}:
        return "residual"
    return "run" if "run" in term else " x ".join(term)


def _factors_of(component: str, factors: list[str]) -> set[str]:
    """Factors whose combinations have effects of their own."""
    if component == "residual":
        return set(factors)
    return {*factors} - {"sequence"} if component == "run" else set(component.split(" x "))


def _coefficient(term: tuple[str, ...], varying: set[str], concentration: dict[str, float]) -> float:
    """Expected sum of squares of the deviations of `term` where effects of variance 1 vary with `varying`."""
    if not {*term} <= varying:
        return 0.0
    return math.prod(1 - share if name in term else share for name, share in concentration.items() if name in varying)


def _sum_of_squares(accuracies: Floats, weights: list[Floats], deviates: list[bool]) -> float:
    """Weighted squares of the deviations along some dimensions of the means over the others."""
    rest = accuracies
    for axis, (weight, deviation) in enumerate(zip(weights, deviates, strict=True)):
        along = weight.reshape([-1 if other == axis else 1 for other in range(rest.ndim)])
        mean = (rest * along).sum(axis=axis, keepdims=True)
        rest = (rest - mean) * np.sqrt(along) if deviation else mean
    return float((rest**2).sum())


def _lay_out(counts: pd.DataFrame) -> tuple[list[str], Floats, list[Floats]]:
    """Factors with two levels or more, the accuracies with a dimension for each, and the weights of each dimension."""
    check_columns(counts, "counts", ("method", "sequence", *COUNT_COLUMNS))
    for name in COUNT_COLUMNS:
        reals(counts[name], f"{name} of the counts", ("n_rows",), some=False)
    table = _with_equal_runs(counts[counts["n_positions"] > 0])
    factors = [name for name in FACTORS if name in table.columns and len(table[name].unique()) > 1]
    if not {"sequence"} < {*factors}:
        raise ValueError(
            "Variance components need two sequences, and two methods, training sets or runs; the counts have fewer."
        )
    codes = [pd.factorize(table[name], sort=True)[0] for name in factors]
    shape = tuple(int(code.max()) + 1 for code in codes)
    place = np.ravel_multi_index(codes, shape)
    if len(np.unique(place)) != len(table) or len(table) != math.prod(shape):
        raise ValueError(
            f"The counts need one row for each combination of {', '.join(factors)}; leave incomplete ones out."
        )
    ordered = table.iloc[np.argsort(place)]
    positions, correct = (
        ordered[name].to_numpy(dtype=np.float64).reshape(shape) for name in ("n_positions", "n_correct")
    )
    factors_but_sequence = tuple(axis for axis, name in enumerate(factors) if name != "sequence")
    if np.ptp(positions, axis=factors_but_sequence).any():
        raise ValueError(
            "A sequence has unlike numbers of positions in the counts; count the same ones for every method."
        )
    lengths = positions.mean(axis=factors_but_sequence)
    weights = [
        lengths / lengths.sum() if name == "sequence" else np.full(size, 1 / size)
        for name, size in zip(factors, shape, strict=True)
    ]
    return factors, correct / positions, weights


def _with_equal_runs(counts: pd.DataFrame) -> pd.DataFrame:
    """The counts with runs numbered in each method and training set, as many as all have."""
    if "run" not in counts.columns:
        return counts
    owners = [name for name in ("method", "training_set") if name in counts.columns]
    runs = counts.groupby(owners, observed=True)["run"].rank(method="dense").astype(int)
    fewest = runs.groupby([counts[name] for name in owners], observed=True).max().min()
    return counts.assign(run=runs)[runs <= fewest]
