"""State of the training of FutureFeatureMEMM for one data set, and the growing of its trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from treecrf import chain
from treecrf.models.boosted.training import CompleteGrower
from treecrf.sequences import SequenceSet
from treecrf.trees.best_first import Sample, make_problem
from treecrf.trees.columns import Columns
from treecrf.trees.forest import Evaluator, Tree
from treecrf.trees.packing import choose_packing, pack_sums
from treecrf.trees.splitting import ONE_VS_REST, gradient_leaves
from treecrf_studies.methods.future._bag_kernels import log_likelihood_along, residuals_of
from treecrf_studies.methods.future.features import Bags, with_features

_EVERYWHERE = np.zeros((0, 0), dtype=np.bool_)


@dataclass
class Side:
    """A data set during training: what trees see of it, and the scores given the true previous labels.

    Attributes
    ----------
    cut : SequenceSet
        From `cut_windows`, labelled.
    bags : Bags
    observed : int32, shape (n_positions,)
        The state that the true labels make before each position.
    scores : float64, shape (n_positions, n_labels)
    bits : list
        Thermometer codes of the features found.
    """

    cut: SequenceSet
    bags: Bags
    labels: NDArray[np.int16]
    observed: NDArray[np.int32]
    scores: NDArray[np.float64]
    bits: list[NDArray[np.int16]] = field(default_factory=list)

    def seen(self) -> SequenceSet:
        """Windows with the bits of all features."""
        return with_features(self.cut, self.bits)

    def values_of(self, tree: Tree, columns: Columns, space: chain.StateSpace) -> NDArray[np.float64]:
        """The value of a tree at every position, shape (n_positions,)."""
        values = np.zeros((len(self.labels), space.n_states))
        Evaluator(columns, space.labels_of_state, len(tree.values)).add(tree, values)
        return values[np.arange(len(values)), self.observed]

    def copy(self) -> Side:
        """The state of the training, to come back to."""
        return replace(self, scores=self.scores.copy(), bits=list(self.bits))

    def restore(self, saved: Side) -> None:
        """Come back to it."""
        self.scores[:], self.bits[:] = saved.scores, saved.bits

    def log_likelihood(self) -> float:
        """Of the labels (PhD equation 5.4)."""
        return float(log_likelihood_along(self.scores, self.scores, 0.0, self.labels))


class Pair(NamedTuple):
    """One label against the rest, at every position.

    Attributes
    ----------
    scores : float64, shape (n_positions, 2)
        Of the rest, and of the label.
    labels : int16, shape (n_positions,)
        1 where the label is the true one, else 0.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.int16]

    def direction(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What raises the label's score by `values`, shape (n_positions, 2)."""
        return np.column_stack([np.zeros(len(values)), values])

    def log_likelihood(self, values: NDArray[np.float64], weight: float) -> float:
        """Log likelihood with the label's score raised by `values`, weighted."""
        return float(log_likelihood_along(self.scores, self.direction(values), weight, self.labels))

    def residuals(self, values: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """``I(y_t = label) - P(y_t = label)`` there, shape (n_positions,)."""
        residuals = np.empty_like(self.scores)
        residuals_of(self.scores + weight * self.direction(values), self.labels, residuals)
        return np.ascontiguousarray(residuals[:, 1])


def one_against_rest(side: Side, label: int) -> Pair:
    """A label's scores beside those of all others together."""
    rest = logsumexp(np.delete(side.scores, label, axis=1), axis=1)
    return Pair(np.column_stack([rest, side.scores[:, label]]), (side.labels == label).astype(np.int16))


def tree_grower(
    columns: Columns,
    space: chain.StateSpace,
    states: NDArray[np.int32],
    max_leaves: int,
    l2_regularization: float,
) -> Callable[[NDArray[np.float64], NDArray[np.int64]], Tree]:
    """A function that grows a tree on gradients of n rows, the windows of `columns`.

    `states`, shape (n,), are those of the rows. The function takes the sums of gradients (float64, shape (n,)) and how
    many there are in each (int64, shape (n,); a row with none takes no part); a leaf's value is the sum of gradients
    over lambda plus their number.
    """
    n_rows = len(states)
    feature_types = np.full(columns.cells.shape[1] + space.order, ONE_VS_REST)
    everything = Sample(np.arange(n_rows, dtype=np.int32), _EVERYWHERE)
    rows = np.zeros((space.n_states, n_rows), dtype=np.int64)

    def grow(gradients: NDArray[np.float64], counts: NDArray[np.int64]) -> Tree:
        packing = choose_packing(n_rows, int(counts.sum()), 1)
        scale = float(np.abs(gradients).max()) or 1.0  # the gradients of bags are tiny, and packing is in fixed point
        rows[states, np.arange(n_rows)] = pack_sums(counts, gradients / scale, packing)
        problem = make_problem(columns, space, feature_types, max_leaves, gradient_leaves(l2_regularization), packing)
        tree = CompleteGrower(problem).grow(rows, everything)
        return tree._replace(values=scale * tree.values)

    return grow
