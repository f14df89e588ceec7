"""Lagged marginals against enumeration of chains that are cut, and the smoother against them."""

import itertools

import naive_decoding
import numpy as np
import pytest
from random_chains import SMALL, random_chains, random_lattice, random_potentials

from treecrf import chain
from treecrf.chain import trellis as trellises
from treecrf.chain.smoothing import LagSmoother, lagged_marginals


def expected(potentials, offsets, order, lag, masks):
    found = np.empty((offsets[-1], len(potentials)))
    for begin, end in itertools.pairwise(offsets):
        for position in range(begin, end):
            cut = np.array([0, min(position + lag + 1, end) - begin])
            part = slice(begin, begin + cut[1])
            allowed = None if masks[0] is None else masks[0][part]
            marginals, _ = naive_decoding.marginals(potentials[:, part], cut, order, allowed, masks[1])
            found[position] = marginals[position - begin]
    return found


def smoothed(trellis, lag):
    """What the smoother gives if the positions of a trellis come one by one."""
    n_labels, order, found = trellis.unary.shape[1], trellis.order, []
    for begin, end in itertools.pairwise(trellis.offsets):
        smoother = LagSmoother(n_labels, order, lag)
        for position in range(begin, end):
            settled = smoother.push(trellises.steps_at(trellis, position))
            assert (settled is None) == (position - begin < lag)
            if settled is not None:
                found.append(settled)
        found += smoother.finish()
    return np.array(found)


@pytest.mark.parametrize("with_masks", [False, True])
@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_agrees_with_enumeration(n_labels, order, with_masks):
    potentials, offsets = random_chains([1, n_labels, order], n_labels, order, [1, 4, 2])
    masks = (None, None)
    if with_masks:
        masks = (np.ones((7, n_labels), dtype=bool), np.ones((n_labels + 1, n_labels), dtype=bool))
        masks[0][3, 0] = masks[1][0, 0] = masks[0][6, -1] = n_labels == 1
    trellis = trellises.constrain(trellises.trellis_of_potentials(potentials, offsets, order), *masks)
    for lag in (0, 1, 2, 9):
        wanted = expected(potentials, offsets, order, lag, masks)
        np.testing.assert_allclose(lagged_marginals(trellis, lag), wanted, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(smoothed(trellis, lag), wanted, rtol=1e-10, atol=1e-12)


def test_pairs_of_a_lattice():
    rng = np.random.default_rng(0)
    lattice, _ = random_lattice(rng)
    trellis = trellises.trellis_of_lattice(lattice, random_potentials(rng, lattice, True))
    np.testing.assert_allclose(smoothed(trellis, 1), lagged_marginals(trellis, 1), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_long_chains(order):
    potentials, offsets = random_chains(2, 3, order, [300, 40], scale=20.0)
    trellis = trellises.trellis_of_potentials(potentials, offsets, order)
    whole = chain.forward_backward(potentials, offsets, order).labels
    np.testing.assert_allclose(lagged_marginals(trellis, 300), whole, rtol=1e-9, atol=1e-12)
    found = smoothed(trellis, 5)
    np.testing.assert_allclose(found, lagged_marginals(trellis, 5), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[294:300], whole[294:300], rtol=1e-9, atol=1e-12)


def test_no_path():
    smoother = LagSmoother(2, 1, 0)
    with pytest.raises(
        ValueError, match=r"^no labelling of the stream is left, all are forbidden; allow more labels\.$"
    ):
        smoother.push(np.full((2, 1), -np.inf))
    trellis = trellises.trellis_of_scores(np.full((2, 2), -np.inf), np.array([0, 2]))
    with pytest.raises(ValueError, match=r"^sequence 0: no labelling is left"):
        lagged_marginals(trellis, 1)
