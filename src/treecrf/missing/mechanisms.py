"""Mechanisms of missing cells, each a function of the data, the share of missing cells that is expected, and a
generator.

The cells of an observation are its categories and then its numbers. What lies outside a sequence (EDGE) is no cell, so
it never goes missing. Cells that are missing already stay so. One random number is drawn for every cell, or for every
observation, whatever the rate.

The score of a category is its place in an order at random. That of a number is its rank within the set, so units and
other monotone transforms change no missing cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from treecrf.io.arrays import Bools, Floats, Ints, as_array, integers, places_in, reals
from treecrf.io.messages import quoted
from treecrf.sequences import MISSING, SequenceSet
from treecrf.statistics.selection import derive_seed

FARTHEST = 700.0
"""A shift of a curve so far to either side leaves probabilities of 0 or 1."""

_ROUNDING = 1e-12


def name_scores(names: Sequence[str], *of: str) -> Floats:
    """The place of each name in an order at random that the names themselves decide.

    It is the same in every set with these names: training and test set share one cause of missing values.

    Parameters
    ----------
    names : sequence of str
        Of categories or labels.
    of : str
        What the scores are of, such as a mechanism and an attribute; other ones, another order.

    Returns
    -------
    float64, shape (n_names,)
        0 to n_names - 1.
    """
    seeds = [derive_seed("score", *of, name) for name in names]
    return np.argsort(np.argsort(seeds)).astype(np.float64)


def ranks(numbers: Floats) -> Floats:
    """The place of each number among those of its column, from 1; equal ones share the mean of their places.

    Parameters
    ----------
    numbers : float64, shape (n, n_columns)
        NaN where a number is not known; there the rank is NaN too.

    Returns
    -------
    float64, shape (n, n_columns)
    """
    import pandas as pd  # slow to import, and the names of mechanisms do not need it

    numbers = reals(numbers, "numbers", ("n", "n_columns"), known=False, some=False)
    return pd.DataFrame(numbers).rank().to_numpy(dtype=np.float64)


def standardised(scores: Floats) -> Floats:
    """Columns with mean 0 and variance 1 over what is known; NaN elsewhere, and in columns that are constant.

    Parameters
    ----------
    scores : float64, shape (n, n_columns)
        NaN where a score is not known.

    Returns
    -------
    float64, shape (n, n_columns)
    """
    known = np.ma.masked_invalid(reals(scores, "scores", ("n", "n_columns"), known=False, some=False))
    divided: Floats = ((known - known.mean(axis=0)) / known.std(axis=0)).filled(np.nan)
    return divided


def rising(scores: Floats, rate: float, mean: Callable[[Floats], float] = np.mean) -> Floats:
    """Probabilities that rise with the scores and have the mean `rate`.

    Parameters
    ----------
    scores : float64
        Standardised; NaN has the probability `rate`.
    rate : float
        0 to 1.
    mean : callable
        The share of missing cells that probabilities lead to; their mean unless given.

    Returns
    -------
    float64, of the shape of `scores`

    Notes
    -----
    The logistic curve of slope 1, shifted until the mean is right (Brent's method): what `mice::ampute` and pyampute
    call "right" (Schouten, Lugtig and Vink 2018).
    """
    from scipy.optimize import brentq  # tables read the names of mechanisms, and must not wait for SciPy
    from scipy.special import expit

    scores = as_array(scores, "scores")
    scores = reals(scores, "scores", scores.shape, known=False, some=False)
    known = ~np.isnan(scores)

    def curve(shift: float) -> Floats:
        return np.where(known, expit(np.where(known, scores, 0.0) + shift), rate)

    def excess(shift: float) -> float:
        return float(mean(curve(shift))) - rate

    if rate in (0, 1) or not known.any() or not excess(-FARTHEST) < -_ROUNDING < _ROUNDING < excess(FARTHEST):
        return np.full(scores.shape, float(rate))  # no score decides anything
    return curve(brentq(excess, -FARTHEST, FARTHEST))


class Chains:
    """Chains of cells, one after another.

    Parameters
    ----------
    places : int array, shape (n_cells,)
        The place of each cell in its chain, 0 for the first; the cell before a cell is the one before it in its chain.
    """

    def __init__(self, places: Ints) -> None:
        places = integers(places, "places", ("n_cells",), least=0, some=False)
        self._n_cells = len(places)
        if (places[:1] > 0).any() or (places[1:] > places[:-1] + 1).any():
            raise ValueError("places must count from 0 in each chain, one after another.")
        order = np.argsort(places, kind="stable")
        self._first, *self._later = np.split(order, np.cumsum(np.bincount(places))[:-1]) if len(places) else [order]

    def walk(self, start: float, after_seen: Floats, after_hole: float, draws: Floats | None = None) -> Floats:
        """Follow all chains from their first cells to their last.

        Parameters
        ----------
        start : float
            Probability with which the first cell of a chain is missing.
        after_seen : float64, shape (n_cells,)
            That of each other cell where the one before it is not missing.
        after_hole : float
            The same where it is.
        draws : float64, shape (n_cells,), optional
            Numbers from 0 to 1; a cell is missing if its own is below its probability.

        Returns
        -------
        float64, shape (n_cells,)
            1 for a missing cell and 0 for others; without `draws` the probability of being missing.
        """
        shape = (self._n_cells,)
        after_seen = reals(after_seen, "after_seen", shape, least=0, some=False)
        if draws is not None:
            draws = reals(draws, "draws", shape, some=False)
        missing = np.full(shape, float(start))

        def settle(cells: Ints) -> None:
            if draws is not None:
                missing[cells] = draws[cells] < missing[cells]

        settle(self._first)
        for cells in self._later:
            before = missing[cells - 1]
            missing[cells] = before * after_hole + (1 - before) * after_seen[cells]
            settle(cells)
        return missing


def inject(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing completely at random, each by itself, before windows are cut.

    Parameters
    ----------
    data : SequenceSet
    rate : float
        Probability with which a cell goes missing, 0 to 1.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If the rate is no probability.
    """
    _check(data, rate)
    return _with_missing(data, _draws(data, rng) < rate)


def by_neighbour(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing at random: by the value of the cell before, as far as that one is seen.

    The cell before is that of the column before in the same observation; with one column, that of the observation
    before. Where it is missing, or where there is none, the probability is `rate`, so nothing that is not seen decides.

    Parameters are those of `inject`.
    """
    _check(data, rate)
    n_observations, n_columns = _shape(data)
    places = np.tile(np.arange(n_columns), n_observations) if n_columns > 1 else places_in(data.observation_offsets)
    chains = Chains(places)
    before = np.roll(_value_scores(data, "neighbour").ravel(), 1)
    probabilities = rising(before, rate, lambda tried: float(chains.walk(rate, tried, rate).mean()))
    missing = chains.walk(rate, probabilities, rate, _draws(data, rng).ravel())
    return _with_missing(data, missing.reshape(_shape(data)) == 1)


def by_value(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing not at random: each by its own value, some values more often than others.

    Of categories an order at random says which, of numbers their rank: the largest most often.

    Parameters are those of `inject`.
    """
    _check(data, rate)
    probabilities = rising(_value_scores(data, "value"), rate)
    return _with_missing(data, _draws(data, rng) < probabilities)


def by_label(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing by the label of their position; beyond the last position the probability is `rate`.

    The columns have different orders of the labels. Parameters are those of `inject`.

    Raises
    ------
    ValueError
        If the rate is no probability, or the data have no labels.
    """
    _check(data, rate)
    if data.labels is None:
        raise ValueError("cells cannot go missing by the label, as these data have none; give them labels.")
    scores = np.full(_shape(data), np.nan)
    labelled = places_in(data.observation_offsets) < np.repeat(data.lengths, np.diff(data.observation_offsets))
    for j, name in enumerate([*(attribute.name for attribute in data.attributes), *data.number_names]):
        scores[labelled, j] = name_scores(data.label_names, "label", name)[data.labels]
    return _with_missing(data, _draws(data, rng) < rising(standardised(scores), rate))


def in_runs(data: SequenceSet, rate: float, rng: np.random.Generator, run_length: float = 5.0) -> SequenceSet:
    """Make stretches of observations of one column missing, as where a sensor fails for a while.

    Parameters
    ----------
    data, rate, rng
        As for `inject`.
    run_length : float
        Mean length of a stretch, in observations, unless the sequence ends before; lengths are geometric.

    Raises
    ------
    ValueError
        If the rate is no probability, or if such short runs cannot reach it.
    """
    _check(data, rate)
    if not run_length >= 1 or rate * (run_length + 1) > run_length:
        raise ValueError(
            f"rate={rate!r} with run_length={run_length!r}: runs of a mean length L (at least 1) reach a rate of at "
            "most L / (L + 1); lower the rate or give longer runs."
        )
    n_observations, n_columns = _shape(data)
    chains = Chains(np.tile(places_in(data.observation_offsets), n_columns))
    begins = np.full(data.n_cells, rate / (1 - rate) / run_length)
    # The first cell is missing with the rate of all others: the chain is stationary.
    missing = chains.walk(rate, begins, 1 - 1 / run_length, _draws(data, rng).T.ravel())
    return _with_missing(data, missing.reshape(n_columns, n_observations).T == 1)


def by_observation(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make all cells of an observation missing together, completely at random.

    Parameters are those of `inject`.
    """
    _check(data, rate)
    gone = rng.random(len(data.values)) < rate
    return _with_missing(data, np.broadcast_to(gone[:, None], _shape(data)))


class Mechanism(NamedTuple):
    """A way in which cells go missing.

    Attributes
    ----------
    name : str
        What readers see.
    make : callable
        A function of this module, or one like them.
    in_training : bool
        Whether training sets have missing values too.
    least_columns : int
        With fewer, categories and numbers together, it is none of its own.
    options : tuple of str
        Keyword arguments that `make` takes beyond data, rate and rng.
    """

    name: str
    make: Callable[..., SequenceSet]
    in_training: bool = True
    least_columns: int = 1
    options: tuple[str, ...] = ()


MCAR = "mcar"

MECHANISMS = {
    MCAR: Mechanism("completely at random", inject),
    "mar": Mechanism("by a neighbour's value", by_neighbour),
    "mnar": Mechanism("by its own value", by_value),
    "label": Mechanism("by the label", by_label),
    "runs": Mechanism("in runs", in_runs, options=("run_length",)),
    "observations": Mechanism("whole observations", by_observation, least_columns=2),
    "test_only": Mechanism("in test sets only", inject, in_training=False),
}
"""By name, in the order of rows."""


def _check(data: SequenceSet, rate: float) -> None:
    _check_set(data, "data")
    if not isinstance(rate, Real) or not 0 <= rate <= 1:
        raise ValueError(f"rate={quoted(rate)}: give a probability, 0 to 1.")


def _check_set(data: SequenceSet, what: str) -> None:
    if not isinstance(data, SequenceSet):
        raise ValueError(f"{what} is of type {type(data).__name__}; give a SequenceSet.")


def _shape(data: SequenceSet) -> tuple[int, int]:
    """Numbers of observations and of columns, which are the attributes and then the numbers."""
    return len(data.values), len(data.attributes) + len(data.number_names)


def _draws(data: SequenceSet, rng: np.random.Generator) -> Floats:
    """A number from 0 to 1 for each cell; those of the categories come first, whatever numbers stand beside them."""
    return np.hstack([rng.random(data.values.shape), rng.random(data.numbers.shape)])


def _with_missing(data: SequenceSet, missing: Bools) -> SequenceSet:
    of_values, of_numbers = np.split(missing, [len(data.attributes)], axis=1)
    damaged = data.with_values(np.where(of_values, MISSING, data.values))
    return damaged.with_numbers(np.where(of_numbers, np.nan, data.numbers))


def _value_scores(data: SequenceSet, mechanism: str) -> Floats:
    """Standardised scores of the cells, shape (n_observations, n_columns); NaN where a cell is missing."""
    scores = np.full(data.values.shape, np.nan)
    for j, attribute in enumerate(data.attributes):
        seen = data.values[:, j] != MISSING
        scores[seen, j] = name_scores(attribute.categories, mechanism, attribute.name)[data.values[seen, j]]
    return standardised(np.hstack([scores, ranks(data.numbers)]))


def resample_missing(data: SequenceSet, pattern: SequenceSet, rng: np.random.Generator) -> SequenceSet:
    """Empty the cells that are missing in other sequences.

    Each sequence is laid over one of the pattern, drawn at random with replacement, from its first observation on; a
    pattern that is shorter begins again. So columns that are missing together, in runs or at the beginning of sequences
    stay so. What is missing already stays so, too.

    Parameters
    ----------
    data : SequenceSet
    pattern : SequenceSet
        With the same attributes and numbers, and with missing values.
    rng : numpy.random.Generator

    Returns
    -------
    SequenceSet
    """
    _check_set(data, "data")
    _check_set(pattern, "pattern")
    names = [(*(attribute.name for attribute in some.attributes), some.number_names) for some in (data, pattern)]
    if names[0] != names[1]:
        raise ValueError("data and pattern have other inputs; give sets with the same attributes and numbers.")
    first, lengths = pattern.observation_offsets[:-1], np.diff(pattern.observation_offsets)
    known = np.flatnonzero(lengths)
    if not len(known) or not len(data):
        return data
    drawn = known[rng.integers(0, len(known), len(data))]
    here = np.diff(data.observation_offsets)
    place = places_in(data.observation_offsets) % np.repeat(lengths[drawn], here)
    rows = np.repeat(first[drawn], here) + place
    emptied = data.with_values(np.where(pattern.values[rows] == MISSING, MISSING, data.values))
    return emptied.with_numbers(np.where(np.isnan(pattern.numbers[rows]), np.nan, data.numbers))
