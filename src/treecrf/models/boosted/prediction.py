"""Potentials of new data, iteration by iteration, from trees or from their flat form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.beam import choose_beam
from treecrf.chain.lattice import Weights
from treecrf.models.boosted.boosting import split_iterations
from treecrf.models.boosted.growers import columns_of, distinct_windows_of, make_evaluator
from treecrf.models.boosted.label_dictionary import make_lattice, make_predecessors
from treecrf.models.boosted.lattice import LabelRows, LatticePotentials, rows_by_label
from treecrf.models.boosted.lattice_training import PairEvaluator
from treecrf.models.boosted.params import WHOLE_ROWS, uses_lattice
from treecrf.models.chains import LatticeChains
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.flattening import FlatForest
from treecrf.trees.forest import Evaluator

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF
    from treecrf.trees.tree import Tree


def staged_potentials(labeller: TreeCRF, data: SequenceSet, every: int) -> Iterator[NDArray[np.float64]]:
    """Potentials of all labels and states, where trees look at previous labels; `data` are aligned."""
    n_labels, forest = len(labeller.label_names_), labeller.forest_
    if labeller.flat_ is not None and every * n_labels == forest.n_trees:
        yield labeller.flat_.potentials(window_codes(data, labeller.window), repeated=tuple(labeller.window) == (0, 0))
        return
    space = chain.StateSpace(n_labels, labeller.order)
    columns, _, window_of = distinct_windows_of(labeller, data)
    divides = labeller.missing not in WHOLE_ROWS and data.has_missing
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
    """The chains of a labeller that knows which labels a position may have; `data` are aligned."""
    n_labels, forest = len(labeller.label_names_), labeller.forest_
    lattice = make_lattice(data, labeller.dictionary_, labeller.label_dictionary)
    full = labeller.transitions == "full"
    potentials = LatticePotentials(lattice, labeller.start_, full, exponentiated=False)
    if labeller.flat_ is not None and every * n_labels == forest.n_trees:
        table = labeller.flat_.potentials(window_codes(data, labeller.window))[:, :, 0]
        potentials.unary = table[lattice.labels, np.repeat(np.arange(data.n_positions), np.diff(lattice.first))]
        potentials.transitions += labeller.transitions_.sum(axis=0)
        yield _chains(labeller, potentials)
        return
    iterations = split_iterations(forest, labeller.transitions_, labeller.n_iterations)
    add = (_pair_adder if full else _window_adder)(labeller, data, potentials)
    by_label = rows_by_label(lattice, n_labels)
    if not iterations:
        yield _chains(labeller, potentials)
    for end in range(every, len(iterations) + 1, every):
        for label, of_label in enumerate(by_label):  # what is added to stays in the cache
            for stage in iterations[end - every : end]:
                add(stage.trees[label], of_label)
        for stage in iterations[end - every : end] if not full else ():
            potentials.transitions += stage.transitions
        yield _chains(labeller, potentials)


def _pair_adder(
    labeller: TreeCRF, data: SequenceSet, potentials: LatticePotentials
) -> Callable[[Tree, LabelRows], None]:
    """What adds a tree that sees the label before to the pairs of a label."""
    predecessors = make_predecessors(data, labeller.dictionary_, labeller.label_dictionary)
    columns, n_labels = columns_of(labeller, data), len(labeller.label_names_)
    evaluator = PairEvaluator(columns, predecessors, n_labels, labeller.forest_.most_leaves)
    return lambda tree, of_label: evaluator.add(tree, of_label, potentials.pairs)


def _window_adder(
    labeller: TreeCRF, data: SequenceSet, potentials: LatticePotentials
) -> Callable[[Tree, LabelRows], None]:
    """What adds a tree that sees the window alone to the entries of a label."""
    labels_of_state = chain.StateSpace(len(labeller.label_names_), 0).labels_of_state
    evaluator = Evaluator(columns_of(labeller, data), labels_of_state, labeller.forest_.most_leaves)
    return lambda tree, of_label: potentials.add_leaves(
        of_label.entries, tree.values, evaluator.leaves(tree)[of_label.positions]
    )


def _chains(labeller: TreeCRF, potentials: LatticePotentials) -> LatticeChains:
    """The chains with these potentials, which may change afterwards."""
    lattice, weights = potentials.lattice, potentials.weights()
    if labeller.beam is None:
        return LatticeChains(lattice, Weights(*(part.copy() for part in weights)))
    beam = choose_beam(lattice, weights, labeller.beam)
    return LatticeChains(
        beam.lattice, Weights(beam.potentials.unary, weights.transitions.copy(), beam.potentials.pairs)
    )


def _at_positions(potentials: NDArray[np.float64], window_of: NDArray[np.int32] | None) -> NDArray[np.float64]:
    """Potentials of every position, from those of the windows that differ; shapes (n_labels, n, n_states)."""
    return potentials if window_of is None else np.take(potentials, window_of, axis=1)


def make_flat_forest(labeller: TreeCRF) -> FlatForest:
    """The trees of a fitted labeller as one vector of weights; errors as `TreeCRF.flattened`."""
    if labeller.shape_["missing"] not in WHOLE_ROWS:
        raise ValueError(
            f"flattened: this model was trained with missing={labeller.shape_['missing']!r}, and flat trees cannot divide rows; "
            "train it with missing='error' or 'incorporated'."
        )
    separable = labeller.transitions == "separable"
    if uses_lattice(labeller) and not separable:
        raise ValueError(
            "flattened: potentials of all pairs of labels would be as large as without a label_dictionary or a beam; label with "
            "the trees, or train with transitions='separable'."
        )
    space = chain.StateSpace(len(labeller.label_names_), 0 if separable else labeller.order)
    start = np.zeros((space.n_labels, 1)) if separable else labeller.start_
    sizes = slot_sizes(labeller.attributes_, labeller.window) + (labeller.missing != "error")
    return FlatForest(labeller.forest_, sizes, space.labels_of_state, start)
