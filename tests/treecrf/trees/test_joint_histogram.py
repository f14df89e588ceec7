"""Sums by a sweep over the sequence against those of the histogram."""

import numpy as np
import pytest

from treecrf import Attribute, SequenceSet
from treecrf.compiled.struct import zeros
from treecrf.sequences import MISSING, slot_sizes, window_codes
from treecrf.trees.columns import build_columns
from treecrf.trees.histogram import fill_window_tests
from treecrf.trees.joint_histogram import (
    build_joint_codes,
    n_lanes,
    n_spaced,
    space_all,
    space_some,
    sweep_members,
    sweep_window_tests,
)


def draw(rng, sizes, missing=0.0):
    """40 sequences with attributes of so many categories, and with observations that have no label."""
    lengths, unlabelled = rng.integers(1, 9, 40), rng.integers(0, 3, 40)
    offsets, observation_offsets = (np.append(0, np.cumsum(n)) for n in (lengths, lengths + unlabelled))
    values = np.stack([rng.integers(0, size, observation_offsets[-1]) for size in sizes], axis=1)
    values[rng.random(values.shape) < missing] = MISSING
    attributes = [Attribute(str(i), tuple(map(str, range(size)))) for i, size in enumerate(sizes)]
    return SequenceSet(values, offsets, attributes, observation_offsets=observation_offsets)


@pytest.mark.parametrize("window", [(0, 0), (1, 0), (0, 2), (3, 4), (4, 4), (9, 8)])
@pytest.mark.parametrize("sizes", [[3], [200], [2, 3, 2], [2] * 12, [30, 2, 30]])
def test_a_sweep_finds_the_histogram(sizes, window):
    rng = np.random.default_rng([len(sizes), *window])
    data = draw(rng, sizes)
    columns = build_columns(window_codes(data, window), slot_sizes(data.attributes, window))
    joint_codes = build_joint_codes(data, window)
    spaced = np.zeros(n_spaced(joint_codes), dtype=np.int64)
    table = zeros([joint_codes.first_row[-1] * n_lanes(*window)], np.int64)
    assert table.ctypes.data % 64 == 0
    sums = rng.integers(-(2**40), 2**40, data.n_positions)
    everyone = np.arange(data.n_positions, dtype=np.int32)
    some = np.flatnonzero(rng.random(data.n_positions) < 0.4).astype(np.int32)
    for positions in (everyone, some, everyone[:0], everyone):
        expected = np.zeros(columns.first_cell[-1], dtype=np.int64)
        scanned = fill_window_tests(positions, sums, columns.cells, expected)
        for slot, begin in enumerate(columns.first_cell[:-1]):
            for cell in range(begin, columns.first_cell[slot + 1]):
                assert expected[cell] == sums[positions[columns.cells[positions, slot] == cell]].sum()
        if len(positions) == data.n_positions:
            total = space_all(joint_codes, sums, spaced)
        else:
            total = space_some(joint_codes, positions, sums, spaced)
        assert total == scanned == sums[positions].sum()
        measured = np.full_like(expected, 7)
        sweep_window_tests(joint_codes, total, columns.first_cell, spaced, table, measured)
        np.testing.assert_array_equal(measured, expected)


@pytest.mark.parametrize("with_missing", [False, True])
@pytest.mark.parametrize("sizes", [[3], [200], [2, 3, 2], [2] * 12, [30, 2, 30]])
def test_a_sweep_over_members_finds_the_histogram_where_a_window_is_one_observation(sizes, with_missing):
    rng = np.random.default_rng([len(sizes), with_missing])
    data = draw(rng, sizes, 0.3 * with_missing)
    columns = build_columns(window_codes(data, (0, 0)), slot_sizes(data.attributes, (0, 0)) + with_missing)
    joint_codes = build_joint_codes(data, (0, 0), with_missing)
    sums = rng.integers(-(2**40), 2**40, data.n_positions)
    everyone = np.arange(data.n_positions, dtype=np.int32)
    table = zeros([joint_codes.first_row[-1]], np.int64)
    for positions in (everyone, everyone[rng.random(len(everyone)) < 0.4], everyone[:0]):
        expected, measured = np.zeros((2, columns.first_cell[-1]), dtype=np.int64)
        measured[:] = 7
        total = fill_window_tests(positions, sums, columns.cells, expected)
        assert sweep_members(joint_codes, positions, sums, columns.first_cell, table, measured) == total
        np.testing.assert_array_equal(measured, expected)
