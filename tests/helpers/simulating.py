"""Simulated outcomes of methods on test sequences, of the same expected accuracy unless some are ahead."""

from typing import NamedTuple

import numpy as np
from scipy.stats import norm


class Spread(NamedTuple):
    """Standard deviations of what adds up to the score of a position, which is right above a bound."""

    sequence: float = 0.5
    """Difficulty of a sequence, for all methods."""
    method_sequence: float = 0.4
    """How a sequence suits a method."""
    training: float = 0.0
    """How good a training of a method is."""
    training_sequence: float = 0.2
    """How a sequence suits a training."""
    set: float = 0.0
    """How good training on a set is, for all methods."""
    method_set: float = 0.0
    """How a set suits a method."""
    method_position: float = 0.5
    training_position: float = 0.3
    position: float = 0.8


MIDDLE = 0.9
"""Mean score of a method that is not ahead."""

RUN = 4
"""Neighbouring positions that share what is called theirs: errors come in runs."""


def draw_lengths(rng, n_sequences, longest):
    """Unequal lengths from 2 on, long ones rare; shape (n_sequences,)."""
    return np.maximum(2, (longest * rng.random(n_sequences) ** 2).astype(int))


def draw_outcomes(rng, lengths, n_trainings=1, ahead=(0.0, 0.0), spread=Spread(), n_sets=1):  # noqa: B008
    """Where methods are right: bool, shape (n_methods, n_trainings, n_sets, n_positions).

    Trainings of the methods are independent, sets shared. `ahead` is added to the scores of each method.
    """
    n_methods = len(ahead)
    sequence = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    place = np.arange(len(sequence)) - starts[sequence]
    run = np.cumsum(place % RUN == 0) - 1

    def effects(deviation, *shape):
        return deviation * rng.normal(size=shape) if deviation else np.zeros(shape)

    by_sequence = effects(spread.sequence, 1, 1, 1, len(lengths)) + effects(
        spread.method_sequence, n_methods, 1, 1, len(lengths)
    )
    by_sequence = by_sequence + effects(spread.training_sequence, n_methods, n_trainings, n_sets, len(lengths))
    by_training = effects(spread.training, n_methods, n_trainings, 1, 1)
    by_set = effects(spread.set, 1, 1, n_sets, 1) + effects(spread.method_set, n_methods, 1, n_sets, 1)
    scores = by_sequence[..., sequence] + by_training + by_set + MIDDLE
    by_run = effects(spread.position, 1, 1, 1, run[-1] + 1) + effects(
        spread.method_position, n_methods, 1, 1, run[-1] + 1
    )
    scores = (
        scores + (by_run + effects(spread.training_position, n_methods, n_trainings, n_sets, run[-1] + 1))[..., run]
    )
    scores += np.reshape(ahead, (-1, 1, 1, 1))
    return scores > 0


def expected_accuracy(ahead, spread=Spread()):  # noqa: B008
    """Percent of positions that methods label correctly: the scores are normal."""
    return 100 * norm.cdf((MIDDLE + np.asarray(ahead)) / np.sqrt(np.square(spread).sum()))


def by_cluster(outcomes, lengths):
    """Correct positions of each sequence, the last dimension of `outcomes` being positions."""
    return np.add.reduceat(outcomes, np.cumsum(lengths) - lengths, axis=-1, dtype=np.int64)
