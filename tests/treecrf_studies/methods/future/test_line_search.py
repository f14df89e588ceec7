"""Steps between their bounds, for any objective and for concave ones."""

import numpy as np
import pytest

from treecrf_studies.methods.future.training import best_concave_step, best_step


@pytest.mark.parametrize(
    ("objective", "upper", "expected"),
    [
        (lambda step: -((step - 7.3) ** 2), 40.0, 7.3),
        (lambda step: -((step - 7.3) ** 2), 5.0, 5.0),
        (lambda step: -((step + 1.0) ** 2), 40.0, 0.0),
        (lambda step: 3 * np.exp(-((step - 2000) ** 2) / 1e6) + np.exp(-((step - 2) ** 2)), 1e6, 2000.0),
    ],
)
def test_steps_are_found_between_the_bounds(objective, upper, expected):
    found = best_step(objective, upper)
    assert found.step == pytest.approx(expected, rel=2e-3, abs=1e-3)
    assert found.value == objective(found.step) or found.step == 0.0
    assert 0.0 <= found.step <= found.reach <= upper
    assert best_step(objective, found.reach).step == pytest.approx(found.step, rel=2e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("best", "upper", "expected"), [(7.3, 40.0, 7.3), (7.3, 5.0, 5.0), (-1.0, 40.0, 0.0), (0.01, 9.0, 0.01)]
)
def test_steps_of_concave_objectives_are_found_by_their_slope(best, upper, expected):
    step, reach = best_concave_step(lambda step: np.tanh(best - step), upper)
    assert step == pytest.approx(expected, rel=2e-3, abs=1e-3)
    assert 0.0 <= step <= reach <= upper
    assert best_concave_step(lambda step: np.tanh(best - step), reach) == (step, reach)
