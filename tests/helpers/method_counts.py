"""Counts of correct positions by method, and their plain maximum likelihood."""

import numpy as np
import pandas as pd

METHODS = ("ada", "bob", "cyd")


def frame(correct, positions, methods=METHODS, dataset="toy", rate=0.05):
    """Counts from arrays of shape (n_methods, n_training_sets, n_test_sets, n_sequences)."""
    method, training_set, test_set, sequence = np.indices(correct.shape).reshape(4, -1)
    columns = {"method": np.array(methods)[method], "training_set": training_set, "test_set": test_set}
    counted = {"n_positions": np.broadcast_to(positions, correct.shape).ravel(), "n_correct": correct.ravel()}
    return pd.DataFrame({"dataset": dataset, "rate": rate, **columns, "sequence": sequence, **counted})


def arrays(seed=3):
    """Correct positions and positions: 3 methods, 2 training sets, 2 test sets, 6 sequences of unlike difficulty."""
    rng = np.random.default_rng(seed)
    positions = np.broadcast_to(rng.integers(20, 60, 6), (3, 2, 2, 6))
    odds = 0.8 + rng.normal(0, 0.7, 6) + np.array([0.0, 0.4, -0.3])[:, None, None, None]
    return rng.binomial(positions, 1 / (1 + np.exp(-odds - np.array([0.0, 0.2])[:, None, None]))), positions


def cells(*table, n=100):
    """Counts of one test set and two sequences that share each cell: rows of `table` are methods, `n` positions."""
    halves = np.array(table)[:, :, None, None] // 2
    rest = np.array(table)[:, :, None, None] - halves
    return frame(np.concatenate([halves, rest], axis=3), n // 2, METHODS[: len(table)])


def design(method, training_set):
    """Indicators of methods 1, 2, ..., and of all training sets."""
    columns = [method == index for index in range(1, method.max() + 1)]
    columns += [training_set == index for index in range(training_set.max() + 1)]
    return np.array(columns, dtype=float).T


def maximum_likelihood(x, k, n):
    """Coefficients, inverse information, fitted probabilities: Newton's method until the score is nothing."""
    beta = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-x @ beta))
        step = np.linalg.solve((x.T * (n * p * (1 - p))) @ x, x.T @ (k - n * p))
        beta += step
        if np.abs(step).max() < 1e-12:
            break
    p = 1 / (1 + np.exp(-x @ beta))
    assert np.abs(x.T @ (k - n * p)).max() < 1e-9
    return beta, np.linalg.inv((x.T * (n * p * (1 - p))) @ x), p
