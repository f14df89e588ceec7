"""Beams on lattices, against a slow version and chains without a beam."""

import naive_beam
import numpy as np
import pytest

from treecrf.chain import lattice as lattices
from treecrf.chain.beam import beam_of, choose_beam
from treecrf.chain.lattice import Weights, build_lattice, transitions_of_pairs

N_LABELS = 4


def random_chain(rng, with_pairs, n_kinds=3):
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 6, 7))])
    candidates = rng.random((n_kinds, N_LABELS)) < 0.7
    candidates[np.arange(n_kinds), rng.integers(0, N_LABELS, n_kinds)] = True
    lattice = build_lattice(offsets, candidates, rng.integers(0, n_kinds, offsets[-1]))
    pairs = rng.normal(size=lattice.first_pair[-1] if with_pairs else 0)
    return lattice, Weights(rng.normal(size=len(lattice.labels)), rng.normal(size=(N_LABELS, N_LABELS + 1)), pairs)


def scorer(lattice, potentials, begin):
    """The score of the first labels of the sequence that begins there."""

    def score(labels):
        total, before_place, n_before = 0.0, 0, 1
        for t, label in enumerate(labels):
            possible = lattice.labels[slice(*lattice.first[begin + t : begin + t + 2])].tolist()
            place = possible.index(label)
            total += potentials.unary[lattice.first[begin + t] + place]
            if len(potentials.pairs):
                total += potentials.pairs[lattice.first_pair[begin + t] + place * n_before + before_place]
            else:
                total += potentials.transitions[label, labels[t - 1] if t else N_LABELS]
            before_place, n_before = place, len(possible)
        return total

    return score


def labels_at(lattice, position):
    return lattice.labels[slice(*lattice.first[position : position + 2])].tolist()


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("n_best", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_labels_with_most_forward_mass_stay(seed, n_best, with_pairs):
    lattice, potentials = random_chain(np.random.default_rng(seed), with_pairs)
    beam = choose_beam(lattice, potentials, n_best)
    for begin, end in zip(lattice.offsets[:-1], lattice.offsets[1:], strict=True):
        candidates = [labels_at(lattice, position) for position in range(begin, end)]
        expected = naive_beam.beam_labels(candidates, scorer(lattice, potentials, begin), n_best)
        assert [labels_at(beam.lattice, position) for position in range(begin, end)] == expected


def test_two_positions_by_hand():
    # Masses at the first position 3, 2, 1: labels 0 and 1 stay. At the second, label 2 follows label 2 alone, which has
    # left.
    lattice = build_lattice([0, 2], np.ones((1, 3), dtype=bool), [0, 0])
    transitions = np.log([[1.0, 1.0, 1.0, 3.0], [4.0, 1.0, 1.0, 2.0], [1e-3, 1e-3, 1e3, 1.0]])
    beam = choose_beam(lattice, Weights(np.zeros(6), transitions, np.empty(0)), 2)
    assert beam.entries.tolist() == [0, 1, 3, 4]
    found = lattices.lattice_marginals(beam.lattice, beam.potentials)
    # Sequences 00: 3, 01: 12, 10: 2, 11: 2.
    np.testing.assert_allclose(found.labels, [15 / 19, 4 / 19, 5 / 19, 14 / 19])
    np.testing.assert_allclose(np.exp(found.log_partition), 19.0)


def test_of_equal_mass_the_lowest_labels_stay():
    lattice = build_lattice([0, 2], np.ones((1, 4), dtype=bool), [0, 0])
    assert choose_beam(lattice, Weights(np.zeros(8), np.zeros((4, 5)), np.empty(0)), 2).entries.tolist() == [0, 1, 4, 5]


@pytest.mark.parametrize("with_pairs", [False, True])
def test_a_wide_beam_is_the_whole_lattice(with_pairs):
    lattice, potentials = random_chain(np.random.default_rng(0), with_pairs)
    beam = choose_beam(lattice, potentials, N_LABELS)
    for name, part in lattice._asdict().items():
        np.testing.assert_array_equal(getattr(beam.lattice, name), part)
    for name, part in potentials._asdict().items():
        np.testing.assert_array_equal(getattr(beam.potentials, name), part)


def test_potentials_of_the_pairs_within():
    rng = np.random.default_rng(0)
    lattice, potentials = random_chain(rng, with_pairs=True)
    named = potentials._replace(pairs=transitions_of_pairs(lattice, np.arange(20.0).reshape(4, 5)))
    kept = rng.random(len(lattice.labels)) < 0.6
    kept[lattice.first[:-1]] = True
    beam = beam_of(lattice, named, kept)
    expected = transitions_of_pairs(beam.lattice, np.arange(20.0).reshape(4, 5))
    np.testing.assert_array_equal(beam.potentials.pairs, expected)
    pair = 0
    for position in range(len(beam.lattice.first) - 1):
        before = [4] if position in lattice.offsets else labels_at(beam.lattice, position - 1)
        for label in labels_at(beam.lattice, position):
            for other in before:
                assert expected[pair] == 5 * label + other
                pair += 1
    assert pair == len(expected)
