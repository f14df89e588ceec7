"""Packed sums of weights and gradients beside sums of floating-point numbers."""

import numpy as np
import pytest
from numba import njit

from treecrf.trees.packing import choose_packing, pack, unpack


@njit
def pack_all(gradients, packing):
    total = 0
    for row in range(len(gradients)):
        total += pack(gradients[row], row, packing)
    return total


@pytest.mark.parametrize(
    ("n_positions", "n_labels", "probability"),
    [
        (500, 3, None),
        (6000, 200, None),
        (20000, 24, 1 / 24**2),
        (6000, 200, 1 / 200**2),
        (211_727, 22, 1 / 22**2),
        (211_727, 22, None),
    ],
)
def test_newton_sums_are_right_on_average(n_positions, n_labels, probability):
    """Many small weights are no smaller together for being rounded one by one, equal ones neither."""
    n_rows = n_positions * n_labels
    packing = choose_packing(n_positions, n_rows, 2, newton=True)
    rng = np.random.default_rng(0)
    n_summed = min(n_rows, 400_000)
    sizes = (
        np.full(n_summed, probability) if probability else rng.dirichlet(np.ones(50), n_summed // 50).ravel() / n_labels
    )
    gradients = -sizes
    steps, gradient = unpack(np.array([pack_all(gradients, packing)]), packing)
    noise = 5 * np.sqrt(len(sizes))  # five standard deviations, of a step and of the last bit
    assert float(steps[0] * packing.weight_unit) == pytest.approx(
        (sizes * (1 - sizes)).sum(), abs=noise * packing.weight_unit
    )
    assert float(gradient[0]) == pytest.approx(gradients.sum(), abs=noise / 2**packing.fraction_bits)


def test_rows_that_are_counted_are_counted_exactly():
    packing = choose_packing(1000, 3000, 2)
    gradients = np.random.default_rng(0).uniform(-1, 1, 3000)
    steps, gradient = unpack(np.array([pack_all(gradients, packing)]), packing)
    assert steps[0] == 3000
    assert packing.weight_unit == 1.0
    assert float(gradient[0]) == pytest.approx(gradients.sum(), abs=1e-8)


def test_too_many_rows_are_refused_with_the_setting_that_takes_more():
    with pytest.raises(ValueError, match=r"too many to sum exactly with Newton leaves; .*leaf_values='gradient'"):
        choose_packing(40_000_000, 400_000_000, 2, newton=True)
    assert choose_packing(600_000, 1_800_000, 2, newton=True).fraction_bits >= 14
