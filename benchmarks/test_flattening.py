"""Speed of a flattened TreeCRF's potentials, beside its trees and beside a dot product."""

import time

import numpy as np
import pytest
from numba import float64, int32, int64, njit, void

from treecrf import TreeCRF, chain
from treecrf.compiled.struct import allocate
from treecrf.models.boosted.potentials import columns_of
from treecrf.trees.forest import Routing, route
from treecrf_studies import datasets

SETS = {"protein": (142, 20.0), "hyphen": (100, 20.0), "nettalk": (169, 40.0), "hmm": (100, 20.0)}
"""Iterations and lambda; 100 leaves, the papers' windows."""


@njit(void(int64[::1], int32[::1], float64[:, ::1], float64[:, :, ::1]), nogil=True)
def add_dot_products(first, active, weights, potentials):
    """What a linear CRF does whose active conjunctions are known: add the weights, shape (n_conjunctions, n_states)."""
    n_labels, n_positions, n_states = potentials.shape
    for label in range(n_labels):
        for position in range(n_positions):
            row = label * n_positions + position
            for i in range(first[row], first[row + 1]):
                for state in range(n_states):
                    potentials[label, position, state] += weights[active[i], state]


def active_conjunctions(model, data):
    """Leaves that hold at each label and position, and the weights of all leaves."""
    space = chain.StateSpace(len(model.label_names_), model.order)
    columns, forest = columns_of(data, model.window, False), model.forest_
    routing = allocate(Routing, n_positions=data.n_positions, n_all_states=space.n_states, n_leaves=forest.most_leaves)
    weights = np.zeros((len(forest.values), space.n_states))
    rows, leaves = [], []
    for index in range(forest.n_trees):
        tree, first_leaf = forest.tree(index), int(forest.first_split[index]) + index
        route(tree, columns, space.labels_of_state, routing)
        for leaf, value in enumerate(tree.values):
            weights[first_leaf + leaf, routing.states[leaf, : routing.n_states[leaf]]] = value
        for lane in np.unique(routing.states[: len(tree.values), 0]):
            positions = np.flatnonzero(routing.membership[lane] >= 0)
            rows.append(index % space.n_labels * data.n_positions + positions)
            leaves.append(first_leaf + routing.membership[lane, positions].astype(np.int64))
    row, leaf = np.concatenate(rows), np.concatenate(leaves)
    counts = np.bincount(row, minlength=space.n_labels * data.n_positions)
    first = np.concatenate([[0], np.cumsum(counts)])
    return first, leaf[np.argsort(row, kind="stable")].astype(np.int32), weights


def cpu_seconds(call):
    before = time.thread_time()
    call()
    return time.thread_time() - before


@pytest.mark.parametrize("name", SETS)
def test_potentials_beside_trees_and_dot_product(record, load, size, name):
    n_iterations, l2_regularization = SETS[name]
    train, test = load(name)
    model = TreeCRF(size(n_iterations), 100, l2_regularization, datasets.describe(name).window).fit(train)
    flat = model.flattened()
    first, active, weights = active_conjunctions(model, test)

    def multiply():
        potentials = np.repeat(model.start_[:, None, :], test.n_positions, axis=1)
        add_dot_products(first, active, weights, potentials)
        return potentials

    expected = model.potentials(test)
    for potentials in (multiply(), flat.potentials(test)):
        np.testing.assert_allclose(potentials, expected, rtol=0, atol=1e-9)
    one = test.select(np.array([0]))
    calls = (
        lambda: model.potentials(test),
        lambda: flat.potentials(test),
        multiply,
        model.flattened,
        lambda: model.potentials(one),
        lambda: flat.potentials(one),
    )
    rounds = np.array([[cpu_seconds(call) for call in calls] for _ in range(size(15))])  # in turn, as in test_speed.py
    trees, flattened, dot, flattening, trees_one, flattened_one = np.median(rounds, axis=0)
    microseconds = 1e6 / test.n_positions
    record(
        f"{name}: F by trees / flat / dot product of {len(active) / test.n_positions:.0f} known conjunctions",
        " / ".join(f"{seconds * microseconds:.2f}" for seconds in (trees, flattened, dot)) + " us",
    )
    record(f"{name}: trees / flat", f"{np.median(rounds[:, 0] / rounds[:, 1]):.1f}", "at least 2")
    record(f"{name}: dot product / flat", f"{np.median(rounds[:, 2] / rounds[:, 1]):.1f}", "at least 1")
    record(f"{name}: one sequence of {one.n_positions}, trees / flat", f"{trees_one / flattened_one:.1f}")
    record(f"{name}: to flatten", f"{flattening:.3f} s")
