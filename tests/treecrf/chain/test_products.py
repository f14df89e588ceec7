"""Recursions by matrix products give what the kernels' loops give."""

import naive
import numpy as np
import pytest

from treecrf import SequenceSet, TreeCRF
from treecrf.chain import lattice as lattices
from treecrf.chain.lattice import Recursions, Weights, backward, build_lattice, forward
from treecrf.compiled.struct import allocate

LENGTHS = (3, 1, 5, 5, 2, 4)
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)])


def whole_lattice(n_labels):
    return build_lattice(OFFSETS, np.ones((1, n_labels)), np.zeros(OFFSETS[-1], dtype=np.int64))


def random_weights(lattice, n_labels, seed=0):
    rng = np.random.default_rng(seed)
    return Weights(rng.random(len(lattice.labels)) + 0.1, rng.random((n_labels, n_labels + 1)) + 0.1, np.empty(0))


def ways(lattice, weights, first, last):
    """Recursions and counts of both, before and after the backward recursion."""
    n_labels, found = len(weights.transitions), []
    for way_forward, way_backward in (
        (forward, backward),
        (lattices.forward_by_products, lattices.backward_by_products),
    ):
        recursions = allocate(Recursions, n_entries=len(lattice.labels), n_positions=OFFSETS[-1])
        for part in recursions:
            part[:] = -1.0
        counts = np.zeros((n_labels, n_labels + 1))
        way_forward(lattice, weights, first, last, recursions)
        after_forward = [part.copy() for part in recursions]
        marginals = (np.empty(0),) if way_backward is backward else ()
        way_backward(lattice, weights, first, last, recursions, *marginals, counts)
        found.append((*after_forward, *recursions, counts))
    return zip(*found, strict=True)


@pytest.mark.parametrize("n_labels", [2, 5, 20])
@pytest.mark.parametrize(("first", "last"), [(0, 6), (1, 4), (5, 6)])
def test_products_are_the_loops(n_labels, first, last):
    """On some sequences alone, what belongs to the others stays as it is."""
    lattice = whole_lattice(n_labels)
    for loops, matrices in ways(lattice, random_weights(lattice, n_labels), first, last):
        np.testing.assert_allclose(matrices, loops, rtol=1e-12)


@pytest.mark.parametrize("least", [1, 99])
def test_marginals_are_those_of_all_label_sequences(least, monkeypatch):
    monkeypatch.setattr(lattices, "MIN_LABELS", least)
    lattice = whole_lattice(3)
    weights = random_weights(lattice, 3)
    potentials = Weights(np.log(weights.unary), np.log(weights.transitions), np.empty(0))
    table = potentials.unary.reshape(-1, 3).T[:, :, None] + potentials.transitions[:, None, :]
    expected = naive.enumerate_chains(table, OFFSETS, 1)
    found = lattices.lattice_marginals(lattice, potentials)
    np.testing.assert_allclose(lattices.by_label(lattice, found.labels, 3), expected.marginals, atol=1e-12)
    np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-12)


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    monkeypatch.setattr(lattices, "MIN_LABELS", 16)
    rng = np.random.default_rng(0)
    names = tuple(f"l{i}" for i in range(40))
    values, labels = rng.integers(0, 40, (320, 1)), rng.integers(0, 40, 320)
    data = SequenceSet(values, np.arange(0, 321, 8), [("symbol", names)], labels, names)
    found = [
        TreeCRF(3, 4, 1.0, transitions="separable", leaf_values="newton", n_threads=n_threads).fit(data)
        for n_threads in (1, 3)
    ]
    np.testing.assert_array_equal(*(model.transitions_ for model in found))
    np.testing.assert_array_equal(*(model.forest_.values for model in found))


def test_few_labels_and_few_of_many_go_through_the_loops(monkeypatch):
    monkeypatch.setattr(lattices, "forward_by_products", None)
    for n_labels, candidates in ((3, np.ones((1, 3))), (80, np.arange(80)[None] < 79)):
        lattice = build_lattice(OFFSETS, candidates, np.zeros(OFFSETS[-1], dtype=np.int64))
        weights = random_weights(lattice, n_labels)
        assert np.isfinite(lattices.lattice_marginals(lattice, weights).log_partition).all()
