"""Folds keep sequences whole and relatives together; one long sequence is cut into blocks."""

import numpy as np
import pytest
from builders import random_set

from treecrf import SequenceSet
from treecrf.automl.cross_validation import cut_into_blocks, draw_part, make_folds


def test_relatives_and_copies_are_held_out_together():
    data = random_set(np.random.default_rng(0), n_sequences=20, longest=9)
    data = SequenceSet.concatenate([data, data.select([3, 4])]).with_groups(np.append(np.arange(20) // 2, [10, 11]))
    folds = make_folds(data, 1, 10_000)
    assert sorted(np.concatenate(folds.parts)) == list(range(22))
    assert not folds.are_blocks
    for fold in folds.parts:
        for one, other in ((0, 1), (8, 9), (3, 20), (4, 21)):
            assert (one in fold) == (other in fold)
    train, held_out = folds.split(0)
    assert len(train) + len(held_out) == 22


@pytest.mark.parametrize("lengths", [[40], [30, 11], [3]])
def test_few_sequences_are_cut_into_blocks(lengths):
    rng = np.random.default_rng(0)
    n = sum(lengths)
    data = SequenceSet(
        rng.integers(0, 3, (n + 1, 1)), np.cumsum([0, *lengths]), [("a", "xyz")], rng.integers(0, 2, n), "uv",
        np.cumsum([0, *lengths[:-1], lengths[-1] + 1]),
    )  # fmt: skip
    folds = make_folds(data, 0, 10_000)
    assert folds.are_blocks
    cut = folds.data
    np.testing.assert_array_equal(cut.labels, data.labels)
    np.testing.assert_array_equal(cut.values, data.values)
    assert set(data.offsets) <= set(cut.offsets)
    assert np.diff(cut.observation_offsets)[-1] == cut.lengths[-1] + 1
    assert len(cut) == min(n, 12)
    assert np.ptp(cut.lengths) <= 2
    assert len(np.unique(cut.groups)) == len(cut)


def test_too_short_to_be_cut():
    data = SequenceSet(np.zeros((2, 1), dtype=int), [0, 2], [("a", "x")], [0, 1], "uv")
    with pytest.raises(ValueError, match="2 positions cannot be cut into three parts that choose; give a longer file"):
        cut_into_blocks(data, 12)


def test_a_part_has_whole_groups():
    data = random_set(np.random.default_rng(3), n_sequences=40, longest=9).with_groups(np.arange(40) // 4)
    part = draw_part(data, 0, data.n_positions // 2, 2)
    assert 0 < part.n_positions <= data.n_positions // 2
    assert (np.bincount(part.groups)[np.unique(part.groups)] == 4).all()
    assert draw_part(data, 0, 1, 3).groups.tolist() == sorted(draw_part(data, 0, 1, 3).groups)
    assert len(np.unique(draw_part(data, 0, 1, 3).groups)) == 3
    assert draw_part(data, 0, 10**6, 2) is data
