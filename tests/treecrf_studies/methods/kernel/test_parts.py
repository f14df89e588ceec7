"""The parts of kernel CRFs: monomials, kernels, factors, covariances."""

import naive_kernels as naive
import numpy as np
import pytest
from builders import number_set, random_set

from treecrf_studies.methods.kernel.forms import Monomials, monomial_weights, n_slot_sets, slot_sets
from treecrf_studies.methods.kernel.objective import Chains, Objective, Primal
from treecrf_studies.methods.kernel.solvers import Curvature
from treecrf_studies.methods.kernel.windows import (
    LEAST_TRACE,
    Kernel,
    Windows,
    dense,
    incomplete_cholesky,
    kernel_matrix,
    mean_square,
)


@pytest.fixture(scope="module")
def windows():
    return Windows.of(random_set(np.random.default_rng(0), 8), (1, 1))


@pytest.mark.parametrize("coef0", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_weighted_monomials_are_the_polynomial_kernel(windows, degree, coef0):
    monomials, columns = Monomials.learn(windows.codes, windows.sizes, degree)
    features = monomials.features(columns, monomial_weights(degree, coef0) / (6 + coef0) ** degree).toarray()
    inputs = dense(windows.inputs())
    expected = naive.kernel_of(inputs, inputs, degree, coef0, 6.0)
    np.testing.assert_allclose(features @ features.T, expected, rtol=1e-12)
    np.testing.assert_allclose(naive.monomial_kernel(inputs, inputs, degree, coef0, 6.0), expected, rtol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_monomials_are_the_sets_of_cells_of_a_window(windows, degree):
    monomials, columns = Monomials.learn(windows.codes, windows.sizes, degree)
    found = [naive.monomials_of(row, degree) for row in dense(windows.inputs())]
    assert len(monomials.keys) == len({members for sets in found for members in sets})
    assert columns.shape == (windows.n_windows, n_slot_sets(6, degree))
    assert len(list(slot_sets(6, degree))) == columns.shape[1]
    number_of = {}
    for sets, row in zip(found, columns, strict=True):
        for members, column in zip(sets, row, strict=True):
            assert number_of.setdefault(members, column) == column


def test_monomials_of_other_windows_are_found(windows):
    half = windows.n_windows // 2
    monomials, columns = Monomials.learn(windows.codes[:half], windows.sizes, 2)
    np.testing.assert_array_equal(monomials.find(windows.codes[:half]), columns)
    inputs = dense(windows.inputs())
    known = {members for row in inputs[:half] for members in naive.monomials_of(row, 2)}
    found = monomials.find(windows.codes[half:])
    expected = [[members in known for members in naive.monomials_of(row, 2)] for row in inputs[half:]]
    np.testing.assert_array_equal(found >= 0, expected)
    assert not np.all(expected)
    unknown = windows.codes[:1].copy()
    unknown[0, 2] = windows.sizes[2]  # a missing cell
    lost = [2 in slots for slots in slot_sets(6, 2)]
    np.testing.assert_array_equal(monomials.find(unknown)[0] < 0, lost)


def test_windows_that_are_the_same_are_taken_once():
    data = random_set(np.random.default_rng(0), 60, n_attributes=1)
    windows = Windows.of(data, (0, 0))
    assert windows.n_windows == 3
    inputs = naive.inputs_of(data, (0, 0))
    np.testing.assert_array_equal(dense(windows.inputs())[windows.window_of], inputs)
    assert mean_square(windows.inputs(), windows.window_of) == 1.0


def test_numbers_come_after_indicators():
    data = number_set(0, 5)
    windows = Windows.of(data, (1, 1))
    expected = naive.inputs_of(data, (1, 1))
    np.testing.assert_array_equal(windows.inputs(), expected)
    assert mean_square(windows.inputs(), windows.window_of) == pytest.approx((expected**2).sum(axis=1).mean())


def kernels():
    return [Kernel("polynomial", 2, 1.0, 6.0), Kernel("polynomial", 3, 0.5, 2.0), Kernel("rbf", 1, 1.0, 3.0)]


@pytest.mark.parametrize("kernel", kernels(), ids=str)
@pytest.mark.parametrize("single", [False, True])
def test_the_matrix_is_that_of_all_pairs(monkeypatch, windows, kernel, single):
    monkeypatch.setattr("treecrf_studies.methods.kernel.windows.ROWS", 7)
    if single:
        monkeypatch.setattr("treecrf_studies.methods.kernel.windows.MOST_DOUBLE", 3)
    inputs = dense(windows.inputs())
    found = kernel_matrix(kernel, windows.inputs())
    distances = ((inputs[:, None] - inputs) ** 2).sum(axis=2)
    expected = (
        np.exp(-distances / kernel.scale)
        if kernel.name == "rbf"
        else naive.kernel_of(inputs, inputs, kernel.degree, kernel.coef0, kernel.scale)
    )
    assert found.dtype == (np.float32 if single else np.float64)
    np.testing.assert_allclose(found, expected, rtol=2e-6 if single else 1e-12)
    np.testing.assert_allclose(kernel.diagonal(windows.inputs()), np.diag(expected), rtol=1e-12)
    coefficients = np.random.default_rng(0).normal(size=(len(inputs), 2))
    rounding = 1e-6 * (np.abs(expected) @ np.abs(coefficients)) if single else 0.0
    found = kernel.weighted(windows.inputs(), windows.inputs(), coefficients)
    assert (np.abs(found - expected @ coefficients) <= np.maximum(rounding, 1e-9 * np.abs(found))).all()
    is_rounded = np.abs(found - expected @ coefficients) > 1e-12 * (np.abs(expected) @ np.abs(coefficients))
    assert is_rounded.any() == single
    assert found.dtype == np.float64


@pytest.mark.parametrize("kernel", kernels(), ids=str)
@pytest.mark.parametrize("pivots", ["greedy", "random", "uniform"])
def test_a_factor_leaves_the_residual_of_its_pivots(windows, kernel, pivots):
    matrix = kernel_matrix(kernel, windows.inputs())
    factor, chosen = incomplete_cholesky(kernel, windows.inputs(), 5, pivots, 0)
    assert factor.shape == (windows.n_windows, 5)
    assert len(set(chosen)) == 5
    np.testing.assert_allclose(matrix - factor @ factor.T, naive.residual(matrix, chosen), atol=1e-10)
    np.testing.assert_array_equal(np.triu(factor[chosen], 1), 0)
    whole, all_chosen = incomplete_cholesky(kernel, windows.inputs(), windows.n_windows, pivots, 0)
    np.testing.assert_array_equal(all_chosen[:5], chosen)
    assert abs(np.trace(matrix - whole @ whole.T)) < LEAST_TRACE


@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_greedy_pivots_are_each_the_largest_residual(windows, kernel):
    matrix = kernel_matrix(kernel, windows.inputs())
    _, chosen = incomplete_cholesky(kernel, windows.inputs(), 10, "greedy", 0)
    for place, pivot in enumerate(chosen):
        left = np.diag(naive.residual(matrix, chosen[:place]))
        assert left[pivot] == pytest.approx(left.max(), rel=1e-9)
        assert (left[:pivot] < left.max() * (1 + 1e-9)).all()
    assert chosen[0] == np.diag(matrix).argmax()


def test_random_pivots_follow_the_residuals():
    inputs = np.diag([1.0, 2.0, 3.0])
    kernel = Kernel("polynomial", 1, 0.0, 1.0)
    first = [incomplete_cholesky(kernel, inputs, 1, "random", seed)[1][0] for seed in range(500)]
    np.testing.assert_allclose(np.bincount(first) / 500, np.array([1, 4, 9]) / 14, atol=0.07)
    even = [incomplete_cholesky(kernel, inputs, 1, "uniform", seed)[1][0] for seed in range(500)]
    np.testing.assert_allclose(np.bincount(even) / 500, 1 / 3, atol=0.07)


def test_uniform_pivots_are_no_combinations_of_others():
    inputs = np.repeat(np.eye(2), 4, axis=0)
    factor, chosen = incomplete_cholesky(Kernel("polynomial", 1, 0.0, 1.0), inputs, 8, "uniform", 0)
    assert len(chosen) == 2
    np.testing.assert_allclose(factor @ factor.T, inputs @ inputs.T, atol=1e-12)


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("lowest", [0.0, -2000.0])
def test_covariances_are_those_of_all_sequences(n_labels, lowest):
    """Also where a label cannot be."""
    rng = np.random.default_rng(1)
    offsets, window_of = np.array([0, 3, 4, 8]), np.array([0, 1, 0, 2, 3, 2, 1, 0], dtype=np.int32)
    scores, direction = rng.normal(0, 2, (2, 4, n_labels))
    scores[0, 1] += lowest
    transitions, pair_direction = rng.normal(0, 2, (2, n_labels, n_labels))
    chains = Chains(window_of, np.zeros(8, dtype=np.int16), offsets, 4, n_labels)
    objective = Objective(Primal(np.eye(4)), chains, 1.0, 1.0)
    hessian = Curvature(objective, objective.start()._replace(scores=scores, transitions=transitions))
    paths = naive.Paths(offsets, n_labels)
    probabilities, _ = paths.probabilities(scores[window_of], transitions)
    np.testing.assert_allclose(hessian.nodes, np.tensordot(probabilities, paths.nodes, 1), atol=1e-12)
    np.testing.assert_allclose(hessian.pairs.sum(axis=0), np.tensordot(probabilities, paths.pairs, 1), atol=1e-12)
    vector = objective.lift(direction, pair_direction)
    expected, expected_pairs = paths.covariance(probabilities, direction[window_of], pair_direction)
    by_window = np.zeros_like(scores)
    np.add.at(by_window, window_of, expected)
    np.testing.assert_allclose(hessian.times(vector) - vector, objective.lift(by_window, expected_pairs), atol=1e-11)
