"""Differences by block, and how long blocks are."""

import numpy as np
import pytest
from naive_statistics import autocorrelation_time as slow_time
from scipy.signal import lfilter

from treecrf.statistics.blocks import TIMES, autocorrelation_time, choose_blocks, cut_blocks, estimate_blocks
from treecrf.statistics.two_way import estimate_trainings, make_pairs

OFFSETS = np.array([0, 700, 1650, 1650, 1660])


def persistent(rng, n_positions, correlation):
    noise = rng.normal(size=(2, n_positions))
    return lfilter([np.sqrt(1 - correlation**2)], [1.0, -correlation], noise)


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_autocorrelation_time_is_its_definition(correlation):
    rng = np.random.default_rng(3)
    first, second = persistent(rng, 1660, correlation) > 0
    values = first.astype(int) - second
    assert autocorrelation_time(values, OFFSETS) == pytest.approx(slow_time(values.tolist(), OFFSETS.tolist()))


def test_autocorrelation_time_of_a_known_process():
    values = np.rint(1000 * persistent(np.random.default_rng(0), 400_000, 0.9)[0]).astype(int)
    assert autocorrelation_time(values, np.array([0, 100_000, 400_000])) == pytest.approx(19, rel=0.1)


def test_shift_of_a_whole_sequence_counts_as_correlation():
    # Means of their own would leave nothing but independent noise, and blocks that are too short.
    rng = np.random.default_rng(0)
    values = rng.integers(-1, 2, 2000) + np.repeat([-1, 1], 1000)
    assert autocorrelation_time(values, np.array([0, 1000, 2000])) > 100


def test_no_difference_has_no_correlation():
    assert autocorrelation_time(np.zeros(20, int), np.array([0, 20])) == 1.0


def test_blocks_stay_inside_sequences_and_are_nearly_equal():
    starts = cut_blocks(OFFSETS, 100)
    assert {0, 700, 1650} <= {*starts.tolist()}
    lengths = np.diff(np.append(starts, 1660))
    assert len(lengths) == 7 + 9 + 1
    assert lengths[:-1].min() >= 100
    assert lengths[:-1].max() <= 106
    assert lengths[-1] == 10


def outcomes(rng, n_positions, correlation=0.8):
    return [noise[None] > -1 for noise in persistent(rng, n_positions, correlation)]


def test_estimates_are_those_of_its_blocks():
    right = outcomes(np.random.default_rng(1), 1660, 0.95)
    found = estimate_blocks(right, OFFSETS)
    time, length, starts = choose_blocks(*np.array(right, dtype=int), OFFSETS)
    assert found.block_length.tolist() == [length]
    assert length == max(50, np.ceil(TIMES * time)) > 50
    assert found.n_blocks.tolist() == [len(starts)]
    counts = [np.add.reduceat(some, starts, axis=1, dtype=int) for some in right]
    expected = estimate_trainings(make_pairs(counts), np.diff(starts, append=1660))
    assert found.estimates.p_value == expected.p_value
    assert found.estimates.points == pytest.approx(100 * (right[0].mean() - right[1].mean()))


def test_least_length_is_a_setting():
    right = outcomes(np.random.default_rng(1), 1660, 0.0)
    assert estimate_blocks(right, OFFSETS).block_length.tolist() == [50]
    assert estimate_blocks(right, OFFSETS, 200).block_length.tolist() == [200]


def test_pairs_are_those_of_all_methods():
    one, other = outcomes(np.random.default_rng(2), 1660)
    found = estimate_blocks([one, one, other], OFFSETS)
    assert found.estimates.points[0] == 0.0
    assert found.estimates.p_value[0] == 1.0
    assert found.estimates.p_value[1] == found.estimates.p_value[2] < 1.0
