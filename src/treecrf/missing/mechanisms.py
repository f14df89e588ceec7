"""Ways in which cells go missing, each a function of the data, the share of missing cells that is expected, and a generator.

The cells of an observation are its categories and then its numbers. What lies outside a sequence (EDGE) is no cell, so it
never goes missing. Cells that are missing already stay so.
One random number is drawn for every cell, or for every observation, whatever the rate.

The score of a category is its place in an order at random. That of a number is its rank within the set, so units and other
monotone transforms change no hole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.missing.chains import Chains
from treecrf.missing.probabilities import Floats, name_scores, ranks, rising, standardised
from treecrf.sequences import MISSING, SequenceSet


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
    _check_rate(rate)
    return _with_holes(data, _draws(data, rng) < rate)


def by_neighbour(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing at random: by the value of the cell before, as far as that one is seen.

    The cell before is that of the column before in the same observation; with one column, that of the observation
    before. Where it is missing, or where there is none, the probability is `rate`, so nothing that is not seen decides.

    Parameters are those of `inject`.
    """
    _check_rate(rate)
    n_observations, n_columns = _shape(data)
    places = np.tile(np.arange(n_columns), n_observations) if n_columns > 1 else _places(data)
    chains = Chains(places)
    before = np.roll(_value_scores(data, "neighbour").ravel(), 1)
    probabilities = rising(before, rate, lambda tried: float(chains.walk(rate, tried, rate).mean()))
    holes = chains.walk(rate, probabilities, rate, _draws(data, rng).ravel())
    return _with_holes(data, holes.reshape(_shape(data)) == 1)


def by_value(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing not at random: each by its own value, some values more often than others.

    Of categories an order at random says which, of numbers their rank: the largest most often.

    Parameters are those of `inject`.
    """
    _check_rate(rate)
    probabilities = rising(_value_scores(data, "value"), rate)
    return _with_holes(data, _draws(data, rng) < probabilities)


def by_label(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing by the label of their position; beyond the last position the probability is `rate`.

    The columns have different orders of the labels. Parameters are those of `inject`.

    Raises
    ------
    ValueError
        If the rate is no probability, or the data have no labels.
    """
    _check_rate(rate)
    if data.labels is None:
        raise ValueError("cells cannot go missing by the label, as these data have none; give them labels.")
    scores = np.full(_shape(data), np.nan)
    labelled = _places(data) < np.repeat(data.lengths, np.diff(data.observation_offsets))
    for j, name in enumerate([*(attribute.name for attribute in data.attributes), *data.number_names]):
        scores[labelled, j] = name_scores(data.label_names, "label", name)[data.labels]
    return _with_holes(data, _draws(data, rng) < rising(standardised(scores), rate))


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
    _check_rate(rate)
    if not run_length >= 1 or rate * (run_length + 1) > run_length:
        raise ValueError(
            f"rate={rate!r} with run_length={run_length!r}: runs of a mean length L (at least 1) reach a rate of at most "
            "L / (L + 1); lower the rate or give longer runs."
        )
    n_observations, n_columns = _shape(data)
    chains = Chains(np.tile(_places(data), n_columns))
    begins = np.full(data.n_cells, rate / (1 - rate) / run_length)
    holes = chains.walk(
        rate, begins, 1 - 1 / run_length, _draws(data, rng).T.ravel()
    )  # the first cell as all others: the chain is stationary
    return _with_holes(data, holes.reshape(n_columns, n_observations).T == 1)


def by_observation(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make all cells of an observation missing together, completely at random.

    Parameters are those of `inject`.
    """
    _check_rate(rate)
    gone = rng.random(len(data.values)) < rate
    return _with_holes(data, np.broadcast_to(gone[:, None], _shape(data)))


class Mechanism(NamedTuple):
    """A way in which cells go missing.

    Attributes
    ----------
    name : str
        What readers see.
    make : callable
        A function of this module, or one like them.
    in_training : bool
        Whether training sets have holes too.
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


def _check_rate(rate: float) -> None:
    if not 0 <= rate <= 1:
        raise ValueError(f"rate={rate!r}: give a probability, 0 to 1.")


def _shape(data: SequenceSet) -> tuple[int, int]:
    """Numbers of observations and of columns, which are the attributes and then the numbers."""
    return len(data.values), len(data.attributes) + len(data.number_names)


def _draws(data: SequenceSet, rng: np.random.Generator) -> Floats:
    """A number from 0 to 1 for each cell; those of the categories come first, whatever numbers stand beside them."""
    return np.hstack([rng.random(data.values.shape), rng.random(data.numbers.shape)])


def _with_holes(data: SequenceSet, holes: NDArray[np.bool_]) -> SequenceSet:
    of_values, of_numbers = np.split(holes, [len(data.attributes)], axis=1)
    damaged = data.with_values(np.where(of_values, MISSING, data.values))
    return damaged.with_numbers(np.where(of_numbers, np.nan, data.numbers))


def _places(data: SequenceSet) -> NDArray[np.int64]:
    """The place of each observation in its sequence, from 0."""
    first = data.observation_offsets
    return np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))


def _value_scores(data: SequenceSet, mechanism: str) -> Floats:
    """Standardised scores of the cells, shape (n_observations, n_columns); NaN where a cell is missing."""
    scores = np.full(data.values.shape, np.nan)
    for j, attribute in enumerate(data.attributes):
        seen = data.values[:, j] != MISSING
        scores[seen, j] = name_scores(attribute.categories, mechanism, attribute.name)[data.values[seen, j]]
    return standardised(np.hstack([scores, ranks(data.numbers)]))
