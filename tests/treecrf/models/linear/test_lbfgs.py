"""L-BFGS against SciPy's, and the bits of a training with other BLAS kernels."""

import hashlib
import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize

from treecrf.models.linear.lbfgs import dot, find_direction, minimize_objective


def ignore(weights, value):
    """No note of an iteration."""


def quadratic(n, condition, seed=0):
    """An objective with gradient whose Hessian has this condition number."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(n, n)))
    hessian = axes @ np.diag(np.geomspace(1, condition, n)) @ axes.T
    target = rng.normal(size=n)
    return lambda x: (0.5 * x @ hessian @ x - target @ x, hessian @ x - target)


def rosenbrock(x):
    return scipy.optimize.rosen(x), scipy.optimize.rosen_der(x)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_the_product_is_the_sum_from_the_first_element_on(n):
    first, second = np.random.default_rng(n).normal(size=(2, n))
    total = 0.0
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        total += a * b
    assert dot(first, second) == total


@pytest.mark.parametrize("n_kept", [0, 1, 3, 4])
def test_the_direction_is_that_of_the_updated_inverse_hessian(n_kept):
    rng, n_memory, n, oldest = np.random.default_rng(n_kept), 4, 5, 2
    steps, gradient = rng.normal(size=(n_memory, n)), rng.normal(size=n)
    root = rng.normal(size=(n, n))
    changes = steps @ (root @ root.T + np.eye(n))
    direction = np.empty(n)
    find_direction(gradient, steps, changes, oldest, n_kept, direction)
    rows = [(oldest + place) % n_memory for place in range(n_kept)]
    inverse = np.eye(n)
    if rows:
        inverse *= steps[rows[-1]] @ changes[rows[-1]] / (changes[rows[-1]] @ changes[rows[-1]])
    for row in rows:  # Nocedal and Wright 2006, equation 7.16
        rho = 1 / (steps[row] @ changes[row])
        factor = np.eye(n) - rho * np.outer(changes[row], steps[row])
        inverse = factor.T @ inverse @ factor + rho * np.outer(steps[row], steps[row])
    np.testing.assert_allclose(direction, -inverse @ gradient, rtol=1e-9)


@pytest.mark.parametrize(
    ("objective", "start"),
    [
        (quadratic(30, 10.0), np.zeros(30)),
        (quadratic(50, 1e5), np.ones(50)),
        (rosenbrock, np.full(8, -1.5)),
        (lambda x: (float(np.sum(x**4)), 4 * x**3), np.full(3, 2.0)),
    ],
)
def test_the_optimum_is_that_of_scipy(objective, start):
    options = {"maxiter": 5000, "maxfun": 100_000, "ftol": 1e-13, "gtol": 0.0}
    expected = scipy.optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    heard = []
    found = minimize_objective(objective, start, 5000, 1e-13, lambda weights, value: heard.append((weights, value)))
    assert objective(found)[0] <= expected.fun + 1e-6 * max(1.0, abs(expected.fun))
    values = [value for _, value in heard]
    assert values == sorted(values, reverse=True)
    assert all(objective(weights)[0] == value for weights, value in heard)
    assert len(heard) <= 1.2 * expected.nit + 30


def test_an_iteration_satisfies_the_strong_wolfe_conditions():
    points = [(np.full(8, -1.5), *rosenbrock(np.full(8, -1.5)))]
    minimize_objective(
        rosenbrock, points[0][0], 40, 0.0, lambda weights, _: points.append((weights, *rosenbrock(weights)))
    )
    assert len(points) == 41
    for (before, value, gradient), (after, lower, slope) in pairwise(points):
        step = after - before
        assert lower <= value + 1e-4 * gradient @ step + 1e-12 * abs(value)
        assert abs(slope @ step) <= 0.9 * abs(gradient @ step) + 1e-12


def test_a_step_out_of_range_is_shortened():
    def steep(x):
        with np.errstate(over="ignore"):
            value = float(np.exp(800 * x[0]) - x[0]) if x[0] < 0.88 else np.inf
            return value, np.array([800 * np.exp(800 * x[0]) - 1.0])

    found = minimize_objective(steep, np.array([-3.0]), 200, 1e-14, ignore)
    assert found[0] == pytest.approx(np.log(1 / 800) / 800, abs=1e-5)


def test_an_early_stop_is_said():
    # The gradient points the wrong way, so that no step decreases the value.
    with pytest.warns(UserWarning, match="stopped after 0 iterations: its line search found no lower value"):
        minimize_objective(lambda x: (float(x @ x), -2 * x), np.ones(2), 5, 1e-9, ignore)


def test_iterations_are_as_many_as_asked_for():
    heard = []
    minimize_objective(quadratic(30, 1e4), np.ones(30), 7, 0.0, lambda weights, value: heard.append(value))
    assert len(heard) == 7


TRAINING = """
import hashlib
from builders import larger_set
from treecrf import LinearCRF
from treecrf.models.linear.induced_crf import InducedCRF
data = larger_set(n_sequences=40, longest=12)
digest = hashlib.sha256()
for features in ("labels", "pairs", "both"):
    digest.update(LinearCRF(5.0, (1, 1), features=features).fit(data).weights_history_.tobytes())
digest.update(InducedCRF(5.0, (1, 1), n_iterations=24).fit(data).stages_[-1].tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_the_processor_changes_no_bit_of_the_weights():
    # The names of processors that OpenBLAS has kernels of: its sums have another order on each.
    digests = set()
    for processor in ("Prescott", "Nehalem", "Haswell"):
        environment = os.environ | {"OPENBLAS_CORETYPE": processor, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, "-c", TRAINING], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout.strip())
    assert len(digests) == 1
    assert len(digests.pop()) == 2 * hashlib.sha256().digest_size
