"""Weights and gradients in one integer, of rows that weigh 1 and of weighted ones."""

import numpy as np
import pytest
from numba import njit

from treecrf.trees.packing import choose_packing, choose_weighted_packing, pack, unpack, weigh_rows


@njit
def pack_all(gradients, packing):
    total = 0
    for row in range(len(gradients)):
        total += pack(gradients[row], row, packing)
    return total


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize(
    ("n_positions", "n_labels", "probability"),
    [
        (500, 3, None),
        (6000, 200, None),
        (20000, 24, 1 / 24**2),
        (6000, 200, 1 / 200**2),
        (211_727, 22, 1 / 22**2),
        (211_727, 22, None),
        (10_000_000, 2, None),
        (10_000_000, 2, 1e-6),
    ],
)
def test_sums_are_right_on_average(n_positions, n_labels, probability, newton):
    """Many small weights are no smaller together for being rounded one by one, equal ones neither."""
    n_rows = n_positions * n_labels
    packing = choose_packing(n_positions, n_rows, 2, newton)
    rng = np.random.default_rng(0)
    n_summed = min(n_rows, 400_000)
    sizes = (
        np.full(n_summed, probability) if probability else rng.dirichlet(np.ones(50), n_summed // 50).ravel() / n_labels
    )
    gradients = -sizes
    steps, gradient = unpack(np.array([pack_all(gradients, packing)]), packing)
    # Five standard deviations of a step and of the last bit, or half of it each.
    noise = 5 * np.sqrt(n_summed) if packing.by_chance else n_summed / 2
    weights = sizes * (1 - sizes) if newton else np.ones(n_summed)
    assert float(steps[0] * packing.weight_unit) == pytest.approx(weights.sum(), abs=noise * packing.weight_unit)
    assert float(gradient[0]) == pytest.approx(gradients.sum(), abs=noise / 2**packing.fraction_bits)


def test_rows_that_are_counted_are_counted_exactly():
    packing = choose_packing(1000, 3000, 2)
    gradients = np.random.default_rng(0).uniform(-1, 1, 3000)
    steps, gradient = unpack(np.array([pack_all(gradients, packing)]), packing)
    assert steps[0] == 3000
    assert packing.weight_unit == 1.0
    assert float(gradient[0]) == pytest.approx(gradients.sum(), abs=1e-8)


@pytest.mark.parametrize("newton", [False, True])
def test_too_many_rows_are_refused(newton):
    with pytest.raises(ValueError, match=r"^4,000,000,000 rows are too many to sum exactly; train on a sample"):
        choose_packing(400_000_000, 4_000_000_000, 2, newton)
    assert choose_packing(600_000, 1_800_000, 2, newton).fraction_bits >= 14
    assert choose_packing(40_000_000, 120_000_000, 2, newton).fraction_bits >= 4


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_a_weight_multiplies_both_parts(newton, whole):
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 5, 40).astype(float) if whole else rng.uniform(0, 3, 40)
    packing = choose_weighted_packing(weights, 3, 2, newton)
    gradients = rng.uniform(-1, 1, (2, 3, 40))
    rows = np.array([pack(g, i, packing) for i, g in enumerate(gradients.ravel())]).reshape(2, 3, 40)
    rows[1, 2, 7] = 0  # a row that is not there
    before, expected = unpack(rows, packing)
    weigh_rows(rows, 5, 40, weights, packing)
    after, found = unpack(rows, packing)
    factors = np.where(np.arange(40) < 5, 1.0, weights if newton else weights / packing.weight_unit)
    tolerance = 0 if whole else 0.5
    np.testing.assert_allclose(after, before * factors, atol=tolerance, rtol=1e-15)
    scale = np.where(np.arange(40) < 5, 1.0, weights)
    np.testing.assert_allclose(found, expected * scale, atol=2.0**-packing.fraction_bits, rtol=1e-15)
    assert rows[1, 2, 7] == 0


def test_parts_are_rounded_by_chance_where_steps_are_large():
    packing = choose_packing(1, 1, 1, newton=True)._replace(by_chance=True)
    rows = ((np.arange(1, 20001) % 3 << packing.shift) + np.arange(20000) % 7).reshape(1, 1, -1)
    before, _ = unpack(rows, packing)
    weigh_rows(rows, 0, 20000, np.full(20000, 0.3), packing)
    after, _ = unpack(rows, packing)
    assert after.sum() == pytest.approx(0.3 * before.sum(), rel=0.03)
    assert ((after - 0.3 * before) < 1).all()
    assert ((after - 0.3 * before) > -1).all()


@pytest.mark.parametrize("newton", [False, True])
def test_whole_weights_have_the_packing_of_copies(newton):
    weights = np.array([1.0, 0.0, 3.0, 2.0])
    assert choose_weighted_packing(weights, 5, 2, newton) == choose_packing(6, 30, 2, newton)


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 37.7, 1e3])
def test_sums_of_weighted_rows_fit(newton, scale):
    weights = scale * np.random.default_rng(0).uniform(0.5, 1, 1000)
    packing = choose_weighted_packing(weights, 9, 2, newton)
    of_positions = weights.sum() * (2 if newton else 9)  # curvatures of a position sum to no more than its gradients
    most_steps = of_positions / packing.weight_unit + 2 * 1000 * 9
    assert most_steps * 2.0**packing.shift < 2.0**63
    assert 2 * weights.sum() * 2.0**packing.fraction_bits < 2.0 ** (packing.shift - 1)
