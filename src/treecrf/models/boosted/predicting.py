"""Potentials of new data, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.lattice import Weights
from treecrf.models.boosted.dictionary import make_lattice
from treecrf.models.boosted.evaluating import make_evaluator
from treecrf.models.boosted.growth import WHOLE_ROWS
from treecrf.models.boosted.windows import columns_of, distinct_windows_of
from treecrf.models.chains import LatticeChains
from treecrf.sequences import SequenceSet, window_codes
from treecrf.trees.forest import Evaluator

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def staged_potentials(labeller: TreeCRF, data: SequenceSet, every: int) -> Iterator[NDArray[np.float64]]:
    """Potentials of all labels and states, where trees look at previous labels; `data` are aligned."""
    n_labels, forest = len(labeller.label_names_), labeller.forest_
    if labeller.flat_ is not None and every * n_labels == forest.n_trees:
        yield labeller.flat_.potentials(window_codes(data, labeller.window), repeated=tuple(labeller.window) == (0, 0))
        return
    space = chain.StateSpace(n_labels, labeller.order)
    columns, _, window_of = distinct_windows_of(labeller, data)
    divides = labeller.missing not in WHOLE_ROWS
    evaluator = make_evaluator(columns, space.labels_of_state, divides, forest.most_leaves, forest.n_surrogates)
    potentials = np.repeat(labeller.start_[:, None, :], len(columns.cells), axis=1)
    if not labeller.n_iterations:
        yield _at_positions(potentials, window_of)
    for iteration in range(labeller.n_iterations):
        for label in range(n_labels):
            evaluator.add(forest.tree(iteration * n_labels + label), potentials[label])
        if (iteration + 1) % every == 0:
            yield _at_positions(potentials, window_of)


def staged_lattices(labeller: TreeCRF, data: SequenceSet, every: int) -> Iterator[LatticeChains]:
    """The chains of a labeller with separable transitions; `data` are aligned."""
    n_labels, forest = len(labeller.label_names_), labeller.forest_
    lattice = make_lattice(data, labeller.dictionary_, labeller.label_dictionary)
    transitions = labeller.start_.copy()
    position_of = np.repeat(np.arange(data.n_positions), np.diff(lattice.first))
    if labeller.flat_ is not None and every * n_labels == forest.n_trees:
        table = labeller.flat_.potentials(window_codes(data, labeller.window))[:, :, 0]
        unary = table[lattice.labels, position_of]
        yield LatticeChains(lattice, Weights(unary, transitions + labeller.transitions_.sum(axis=0), np.empty(0)))
        return
    order = np.argsort(lattice.labels, kind="stable")
    bounds = np.searchsorted(lattice.labels[order], np.arange(n_labels + 1))
    entries = [order[begin:end] for begin, end in pairwise(bounds)]
    evaluator = Evaluator(columns_of(labeller, data), chain.StateSpace(n_labels, 0).labels_of_state, forest.most_leaves)
    unary = np.zeros(len(lattice.labels))
    for iteration in range(max(labeller.n_iterations, 1)):
        if labeller.n_iterations:
            for label, of_label in enumerate(entries):
                tree = forest.tree(iteration * n_labels + label)
                unary[of_label] += tree.values[evaluator.leaves(tree)[position_of[of_label]]]
            transitions += labeller.transitions_[iteration]
        if (iteration + 1) % every == 0:
            yield LatticeChains(lattice, Weights(unary.copy(), transitions.copy(), np.empty(0)))


def _at_positions(potentials: NDArray[np.float64], window_of: NDArray[np.int32] | None) -> NDArray[np.float64]:
    """Potentials of every position, from those of the windows that differ; shapes (n_labels, n, n_states)."""
    return potentials if window_of is None else np.take(potentials, window_of, axis=1)
