"""The fixed work beside a slow form of it."""

import numpy as np

from treecrf.records._calibration_kernel import fixed_work


def naive_work(codes, gradients, n_labels):
    """Sums by column and code, and the normalized forward sums after the last position."""
    sums = np.array([np.bincount(column, gradients, minlength=256) for column in codes])
    labels = np.arange(n_labels)
    forward = np.ones(n_labels)
    for gradient in gradients:
        forward = np.exp(gradient * (1 + labels[:, None] - labels)) @ forward
        forward /= forward.sum()
    return sums, forward


def test_the_work_is_what_it_says():
    rng = np.random.default_rng(1)
    codes, gradients = rng.integers(0, 256, (3, 50), np.uint8), rng.uniform(-1, 1, 50)
    sums, chain = np.zeros((3, 256)), np.zeros((2, 4))
    first = fixed_work(codes, gradients, sums, chain)
    expected, forward = naive_work(codes, gradients, 4)
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(first, forward[0], rtol=1e-10)
