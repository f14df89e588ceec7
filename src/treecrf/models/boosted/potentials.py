"""Potentials of a data set, of all labels and states or of those that are possible; from trees or their flat form.

The label dictionary says which labels the symbol at a position may have (`treecrf.chain.lattice`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain.beam import choose_beam
from treecrf.chain.lattice import (
    Lattice,
    Predecessors,
    Weights,
    build_lattice,
    build_predecessors,
    predecessor_counts,
    transitions_of_pairs,
)
from treecrf.compiled.struct import allocate
from treecrf.io.messages import counted
from treecrf.models.boosted.params import WHOLE_ROWS, BoostingParams
from treecrf.models.chains import LatticeChains
from treecrf.sequences import MISSING, Attribute, SequenceSet, slot_sizes, window_codes, window_rows
from treecrf.trees.columns import Columns, build_columns, distinct_windows
from treecrf.trees.flat import FlatForest
from treecrf.trees.forest import Evaluator, Forest, Tree
from treecrf.trees.missing.partition import BlendingEvaluator
from treecrf.trees.pair_grower import PairLeaves, add_to_pairs, route_pairs, with_longer_list

# --- windows and evaluators ---------------------------------------------------------------------------


def columns_of(data: SequenceSet, window: tuple[int, int], with_missing: bool) -> Columns:
    """The windows of all positions; `with_missing` says whether each slot has a cell for "missing"."""
    return build_columns(window_codes(data, window), slot_sizes(data.attributes, window) + with_missing)


def distinct_windows_of(
    data: SequenceSet, window: tuple[int, int], with_missing: bool
) -> tuple[Columns, NDArray[np.int32] | None]:
    """Windows that differ, if a window is one observation, and the window of every position.

    Else, and if all differ, the windows of all positions, and None. Parameters are those of `columns_of`.
    """
    columns = columns_of(data, window, with_missing)
    if tuple(window) == (0, 0):
        examples, window_of = distinct_windows(columns.cells)
        if len(examples) < len(window_of):
            codes = window_codes(data, window)[examples]
            return build_columns(codes, slot_sizes(data.attributes, window) + with_missing), window_of
    return columns, None


def make_evaluator(
    columns: Columns, labels_of_state: NDArray[np.int16], divides: bool, most_leaves: int, n_surrogates: int
) -> Evaluator | BlendingEvaluator:
    """An evaluator, on `columns`, of trees with so many leaves and surrogates at most, which divide rows or not."""
    if divides:
        return BlendingEvaluator(columns, labels_of_state, most_leaves, n_surrogates)
    return Evaluator(columns, labels_of_state, most_leaves)


# --- labels that positions may have -------------------------------------------------------------------

CENTRE = "centre"
"""Value of the setting `label_dictionary` for the attribute of sets that have one alone."""


def attribute_of(attributes: Sequence[Attribute], setting: str) -> int:
    """Number of the attribute whose symbols decide.

    Raises
    ------
    ValueError
        If there is no such attribute, or several to choose from.
    """
    names = [a.name for a in attributes if not (a.ordered or a.anchored)]
    if setting != CENTRE and setting not in names:
        raise ValueError(f"label_dictionary={setting!r}: it must be {CENTRE!r} or one of {', '.join(names)}.")
    if setting == CENTRE and not names:
        raise ValueError("label_dictionary: the set has no attribute with categories; give None.")
    if setting == CENTRE and len(names) > 1:
        raise ValueError(
            f"label_dictionary={CENTRE!r}: the set has {counted(len(names), 'attribute')} with categories; name one of "
            f"{', '.join(names)}."
        )
    return [attribute.name for attribute in attributes].index(names[0] if setting == CENTRE else setting)


def learn_dictionary(
    train: SequenceSet, setting: str | None, before: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Which labels each symbol has in training, shape (n_symbols + 1, n_labels).

    All labels for a symbol that training does not show, and in the last row, for a missing one; the only row without a
    dictionary. A training that continues adds to the dictionary it had `before`.
    """
    n_labels = len(train.label_names)
    if setting is None:
        return np.ones((1, n_labels), dtype=np.bool_)
    attribute = attribute_of(train.attributes, setting)
    if before is not None:
        table = before.copy()
    else:
        table = np.zeros((n_symbols(train.attributes, setting), n_labels), dtype=np.bool_)
    known = np.asarray(train.labels) != MISSING
    table[train.values[window_rows(train, (0, 0))[:, 0], attribute][known], np.asarray(train.labels)[known]] = True
    table[~table.any(axis=1)] = True
    table[-1] = True
    return table


def n_symbols(attributes: Sequence[Attribute], setting: str | None) -> int:
    """Number of rows of a label dictionary."""
    return 1 if setting is None else len(attributes[attribute_of(attributes, setting)].categories) + 1


class Candidates(NamedTuple):
    """The labels that the positions of a set may have.

    Attributes
    ----------
    lattice : Lattice
        In training, with every position's true label.
    predecessors : Predecessors
        The labels that may stand before each position.
    """

    lattice: Lattice
    predecessors: Predecessors


def make_candidates(data: SequenceSet, dictionary: NDArray[np.bool_], setting: str | None) -> Candidates:
    """The labels that positions may have; `dictionary` is from `learn_dictionary` with the same setting."""
    if setting is None:
        rows = np.zeros(data.n_positions, dtype=np.int64)
    else:
        centres = window_rows(data, (0, 0))[:, 0]
        symbols = data.values[centres, attribute_of(data.attributes, setting)].astype(np.int64)
        rows = np.where(symbols == MISSING, len(dictionary) - 1, symbols)
    return Candidates(build_lattice(data.offsets, dictionary, rows), build_predecessors(data.offsets, dictionary, rows))


class LatticePotentials:
    """Potentials ``U(y_t, t) + T(y_t, y_{t-1})``, or those of pairs, ``F(y_t, y_{t-1}, t)``.

    With `exponentiated`, `unary` and `pairs` are kept as exponentials: forward-backward then takes none.

    Attributes
    ----------
    unary : float64, shape (n_entries,)
        U; where there are pairs, nothing is added to it.
    transitions : float64, shape (n_labels, n_labels + 1)
        T, never as exponentials.
    pairs : float64, shape (n_pairs,) or (0,)
        F.
    """

    def __init__(self, lattice: Lattice, start: NDArray[np.float64], full: bool, exponentiated: bool) -> None:
        self.lattice, self.exponentiated = lattice, exponentiated
        self.unary = np.full(len(lattice.labels), 1.0 if exponentiated else 0.0)
        self.transitions = start.copy()
        self.pairs = transitions_of_pairs(lattice, self._kept(start)) if full else np.empty(0)

    def weights(self) -> Weights:
        """All potentials; exponentials where they are kept so."""
        return Weights(self.unary, self._kept(self.transitions), self.pairs)

    def add_leaves(self, entries: NDArray[np.int64], values: NDArray[np.float64], leaves: NDArray[np.int16]) -> None:
        """Add to U of some entries the values of their leaves."""
        if self.exponentiated:
            self.unary[entries] *= np.exp(values)[leaves]
        else:
            self.unary[entries] += values[leaves]

    def add_pair_leaves(
        self, tree: Tree, leaves: PairLeaves, predecessors: Predecessors, blocks: NDArray[np.int64]
    ) -> None:
        """Add to F of some pairs their leaves' values; `blocks` has the first pair of the label at each position."""
        values = self._kept(tree.values)
        add_to_pairs(values, leaves, predecessors, blocks, self.exponentiated, self.pairs)

    def _kept(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(values) if self.exponentiated else values


class LabelRows(NamedTuple):
    """Where a lattice has a label.

    Attributes
    ----------
    entries : int64, shape (n,)
        Ascending.
    positions : int32, shape (n,)
    blocks : int64, shape (n,)
        First pair of each entry.
    """

    entries: NDArray[np.int64]
    positions: NDArray[np.int32]
    blocks: NDArray[np.int64]


def rows_by_label(lattice: Lattice, n_labels: int) -> list[LabelRows]:
    """Where a lattice has each label."""
    counts = np.diff(lattice.first)
    before = predecessor_counts(lattice.offsets, counts)
    positions = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    blocks = (np.arange(len(lattice.labels)) - lattice.first[positions]) * before[positions]
    blocks += lattice.first_pair[positions]
    order = np.argsort(lattice.labels, kind="stable")
    bounds = np.searchsorted(lattice.labels[order], np.arange(n_labels + 1))
    parts = [order[begin:end] for begin, end in pairwise(bounds)]
    return [LabelRows(part, positions[part], blocks[part]) for part in parts]


def pair_sizes(predecessors: Predecessors) -> dict[str, int]:
    """Lengths of buffers that growing on pairs needs beyond `Problem.sizes`."""
    return {"n_kinds": len(predecessors.first) - 1, "n_places": len(predecessors.labels)}


class PairEvaluator:
    """Adds trees of at most `most_leaves` leaves to potentials of pairs, reusing its buffers.

    `columns` and `predecessors` are those of the data set, with the cells of the training set.
    """

    def __init__(self, columns: Columns, predecessors: Predecessors, n_labels: int, most_leaves: int) -> None:
        self._columns, self._predecessors = columns, predecessors
        sizes = {"n_leaves": most_leaves, "n_positions": len(columns.cells), "n_all_states": n_labels + 1}
        most_codes = int(np.diff(columns.first_cell).max(initial=1))
        self._leaves = allocate(PairLeaves, **sizes, **pair_sizes(predecessors), n_most_codes=most_codes)
        self._blocks = np.empty(len(columns.cells), dtype=np.int64)

    def add(self, tree: Tree, of_label: LabelRows, potentials: LatticePotentials) -> None:
        """Add a tree's values to the potentials of the pairs of its label."""
        while not route_pairs(tree, self._columns, self._predecessors, of_label.positions, self._leaves):
            self._leaves = with_longer_list(self._leaves)
        self._blocks[of_label.positions] = of_label.blocks
        potentials.add_pair_leaves(tree, self._leaves, self._predecessors, self._blocks)


# --- predictions --------------------------------------------------------------------------------------


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
            "flattened: potentials of all pairs of labels would be as large as without a label_dictionary or a beam; "
            "label with the trees, or train with transitions='separable'."
        )
    space = chain.StateSpace(n_labels, params.order if params.sees_labels else 0)
    start = learnt.start if params.sees_labels else np.zeros((n_labels, 1))
    sizes = slot_sizes(attributes, params.window) + params.codes_missing
    return FlatForest(learnt.forest, sizes, space.labels_of_state, start)
