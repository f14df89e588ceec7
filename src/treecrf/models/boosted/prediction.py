"""Potentials of new data, iteration by iteration, from trees or from their flat form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.beam import choose_beam
from treecrf.chain.lattice import Weights
from treecrf.models.boosted.growers import columns_of, distinct_windows_of, make_evaluator
from treecrf.models.boosted.label_dictionary import Candidates, make_candidates
from treecrf.models.boosted.lattice import LabelRows, LatticePotentials, PairEvaluator, rows_by_label
from treecrf.models.boosted.params import WHOLE_ROWS, BoostingParams
from treecrf.models.chains import LatticeChains
from treecrf.sequences import Attribute, SequenceSet, slot_sizes, window_codes
from treecrf.trees.flat import FlatForest
from treecrf.trees.forest import Evaluator, Forest


class BoostedPotentials(NamedTuple):
    """What a training has learnt.

    Attributes
    ----------
    params : BoostingParams
    start, forest, transitions, dictionary, flat
        As of `TreeCRF`, whose attributes have their names.
    """

    params: BoostingParams
    start: NDArray[np.float64]
    forest: Forest
    transitions: NDArray[np.float64]
    dictionary: NDArray[np.bool_]
    flat: FlatForest | None

    def divides(self, data: SequenceSet) -> bool:
        """Whether trees divide rows of a set."""
        return self.params.missing not in WHOLE_ROWS and data.has_missing

    def answers_at_once(self, every: int, data: SequenceSet) -> FlatForest | None:
        """The flat form, where one answer after all iterations is asked for and no row divides."""
        return None if every != len(self.transitions) or self.divides(data) else self.flat


def staged_potentials(learnt: BoostedPotentials, data: SequenceSet, every: int) -> Iterator[NDArray[np.float64]]:
    """Potentials of all labels and states, where trees look at previous labels; `data` are aligned."""
    params, forest, n_labels = learnt.params, learnt.forest, len(learnt.start)
    if flat := learnt.answers_at_once(every, data):
        yield flat.potentials(window_codes(data, params.window), repeated=tuple(params.window) == (0, 0))
        return
    space = chain.StateSpace(n_labels, params.order)
    columns, window_of = distinct_windows_of(data, params.window, params.codes_missing)
    evaluator = make_evaluator(
        columns, space.labels_of_state, learnt.divides(data), forest.most_leaves, forest.n_surrogates
    )
    potentials = np.repeat(learnt.start[:, None, :], len(columns.cells), axis=1)
    n_trees = every * n_labels
    for end in range(n_trees, forest.n_trees + 1, n_trees):
        evaluator.add_trees(forest, end - n_trees, end, potentials)
        yield potentials if window_of is None else np.take(potentials, window_of, axis=1)


def staged_lattices(learnt: BoostedPotentials, data: SequenceSet, every: int) -> Iterator[LatticeChains]:
    """The chains of a labeller that knows which labels a position may have; `data` are aligned."""
    params, n_labels = learnt.params, len(learnt.start)
    candidates = make_candidates(data, learnt.dictionary, params.label_dictionary)
    lattice = candidates.lattice
    potentials = LatticePotentials(lattice, learnt.start, params.sees_labels, exponentiated=False)
    if flat := learnt.answers_at_once(every, data):
        table = flat.potentials(window_codes(data, params.window))[:, :, 0]
        potentials.unary = table[lattice.labels, np.repeat(np.arange(data.n_positions), np.diff(lattice.first))]
        potentials.transitions += learnt.transitions.sum(axis=0)
        yield _chains(potentials, params.beam)
        return
    add, by_label = _adder(learnt, data, candidates, potentials), rows_by_label(lattice, n_labels)
    for end in range(every, len(learnt.transitions) + 1, every):
        for label, of_label in enumerate(by_label):  # what is added to stays in the cache
            add(np.arange((end - every) * n_labels + label, end * n_labels, n_labels), of_label)
        for change in learnt.transitions[end - every : end] if not params.sees_labels else ():
            potentials.transitions += change
        yield _chains(potentials, params.beam)


def _adder(
    learnt: BoostedPotentials, data: SequenceSet, candidates: Candidates, potentials: LatticePotentials
) -> Callable[[NDArray[np.int64], LabelRows], None]:
    """What adds some trees of a label to its pairs, or, where they see the window alone, to its entries."""
    params, forest, n_labels = learnt.params, learnt.forest, len(learnt.start)
    columns = columns_of(data, params.window, params.codes_missing)
    if params.sees_labels:
        pairs = PairEvaluator(columns, candidates.predecessors, n_labels, forest.most_leaves)

        def add_to_pairs(trees: NDArray[np.int64], of_label: LabelRows) -> None:
            for number in trees:
                pairs.add(forest.tree(number), of_label, potentials)

        return add_to_pairs
    windows = Evaluator(columns, chain.StateSpace(n_labels, 0).labels_of_state, forest.most_leaves)
    return lambda trees, of_label: windows.add_to_entries(
        forest, trees, of_label.positions, of_label.entries, potentials.unary
    )


def _chains(potentials: LatticePotentials, n_best: int | None) -> LatticeChains:
    """The chains with these potentials, which may change afterwards."""
    lattice, weights = potentials.lattice, potentials.weights()
    if n_best is None:
        return LatticeChains(lattice, Weights(*(part.copy() for part in weights)))
    beam = choose_beam(lattice, weights, n_best)
    return LatticeChains(
        beam.lattice, Weights(beam.potentials.unary, weights.transitions.copy(), beam.potentials.pairs)
    )


def make_flat_forest(learnt: BoostedPotentials, attributes: tuple[Attribute, ...]) -> FlatForest:
    """The trees as one vector of weights; errors as `TreeCRF.flattened`."""
    params, n_labels = learnt.params, len(learnt.start)
    if params.uses_lattice and params.sees_labels:
        raise ValueError(
            "flattened: potentials of all pairs of labels would be as large as without a label_dictionary or a beam; label with "
            "the trees, or train with transitions='separable'."
        )
    space = chain.StateSpace(n_labels, params.order if params.sees_labels else 0)
    start = learnt.start if params.sees_labels else np.zeros((n_labels, 1))
    sizes = slot_sizes(attributes, params.window) + params.codes_missing
    return FlatForest(learnt.forest, sizes, space.labels_of_state, start)
