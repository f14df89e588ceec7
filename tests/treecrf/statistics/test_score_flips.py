"""Flips of scores: against enumeration, and how often they are wrong."""

import itertools

import numpy as np
import pytest

from treecrf.statistics.paired import score_flip_p_value


def test_as_by_enumeration():
    scores = np.random.default_rng(0).normal(0.4, 1, (6, 3))
    standard = scores / np.sqrt((scores**2).sum(axis=0))
    largest = [np.abs(np.array(signs) @ standard).max() for signs in itertools.product([1, -1], repeat=6)]
    assert score_flip_p_value(scores, 0) == pytest.approx(np.mean(np.array(largest) >= largest[0] - 1e-12))


def test_nothing_to_flip():
    assert score_flip_p_value(np.zeros((5, 2)), 0) == 1


def test_level_and_power():
    rng = np.random.default_rng(1)
    level = np.mean([score_flip_p_value(rng.standard_t(3, (12, 3)), 0) <= 0.05 for _ in range(200)])
    power = np.mean([score_flip_p_value(rng.normal([1.2, 0, 0], 1, (12, 3)), 0) <= 0.05 for _ in range(50)])
    assert level < 0.09
    assert power > 0.8


def test_many_clusters_are_added_up():
    rng = np.random.default_rng(2)
    assert score_flip_p_value(rng.normal(0.3, 1, (2000, 1)), 0) < 0.001
    assert score_flip_p_value(rng.normal(0, 1, (2000, 1)), 0, 500) > 0.01
