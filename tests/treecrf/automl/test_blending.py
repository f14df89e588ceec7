"""Weights of an average: against a convex optimum, within limits, and chosen by other groups than they are judged by."""

import numpy as np
import pytest
from scipy.optimize import minimize

from treecrf.automl.blending import MOST_MEMBERS, Limits, blend, choose_weights, cross_fit_weights, mean_log_loss


def free(n):
    return Limits(np.zeros((1, n)), np.ones(1))


def test_the_log_loss_is_near_the_smallest_of_all_weights():
    rng = np.random.default_rng(0)
    of_truth = rng.beta(2, 1, (4, 500))
    weights = choose_weights(of_truth, free(4))
    assert weights.sum() == pytest.approx(1)

    def loss(free_weights):
        shares = np.exp(free_weights) / np.exp(free_weights).sum()
        return mean_log_loss(shares @ of_truth)

    assert mean_log_loss(weights @ of_truth) == pytest.approx(minimize(loss, np.zeros(4)).fun, rel=0.005)


def test_one_that_is_best_everywhere_is_alone():
    of_truth = np.array([np.full(50, 0.9), np.full(50, 0.5)])
    assert choose_weights(of_truth, free(2)).tolist() == [1, 0]


def test_limits_hold_for_all_members_together(monkeypatch):
    of_truth = np.random.default_rng(0).beta(2, 1, (10, 400))
    assert 3 < (choose_weights(of_truth, free(10)) > 0).sum() <= MOST_MEMBERS
    costs = np.vstack([np.ones(10), np.zeros(10)])
    assert (choose_weights(of_truth, Limits(costs, np.array([3.0, 1.0]))) > 0).sum() == 3
    assert (choose_weights(of_truth, Limits(costs, np.array([0.5, 1.0]))) > 0).sum() == 1
    monkeypatch.setattr("treecrf.automl.blending.MOST_MEMBERS", 2)
    assert (choose_weights(of_truth, free(10)) > 0).sum() == 2


def test_groups_are_judged_by_weights_that_others_chose():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 10)
    of_truth = rng.beta(2, 1, (3, 200))
    weights, part = cross_fit_weights(of_truth, group, free(3), 1)
    assert weights.shape == (5, 3)
    assert all(len(np.unique(part[group == each])) == 1 for each in range(20))
    for number in range(5):
        np.testing.assert_array_equal(weights[number], choose_weights(of_truth[:, part != number], free(3)))
    assert cross_fit_weights(of_truth, np.zeros(200, dtype=int), free(3), 1) is None


def test_blended_marginals_are_weighted_means():
    rng = np.random.default_rng(0)
    marginals = [rng.dirichlet(np.ones(4), 6).astype(np.float32) for _ in range(2)]
    weights, part = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0, 1, 0, 1, 1, 0])
    found = blend(marginals, weights, part)
    for row in range(6):
        expected = np.average([each[row] for each in marginals], axis=0, weights=weights[part[row]])
        np.testing.assert_allclose(found[row], expected, rtol=1e-6)
