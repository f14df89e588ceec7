"""Differences by block, and how long blocks are."""

import numpy as np
import pandas as pd
import pytest
from naive_statistics import autocorrelation_time as slow_time
from scipy.signal import lfilter
from scipy.stats import t as student

from treecrf.statistics.blocks import (
    CROSSED_COLUMNS,
    TIMES,
    autocorrelation_time,
    choose_blocks,
    compare_crossed,
    cut_blocks,
    decompose_crossed,
    estimate_blocks,
    join_blocks,
)
from treecrf.statistics.estimates import adjust_holm
from treecrf.statistics.two_way import estimate_crossed, estimate_trainings, make_pairs

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


# --- crossed ---------------------------------------------------------------------------------------


N_POSITIONS = 60


def counts_of(correct, groups=None, sequences=None, **values):
    """`correct` maps methods to arrays of shape (n_blocks, n_training_sets, n_test_sets)."""
    rows = []
    for method, array in correct.items():
        for (block, training_set, test_set), n_correct in np.ndenumerate(np.asarray(array)):
            sequence = block if sequences is None else sequences[block]
            group = sequence if groups is None else groups[block]
            rows.append((method, training_set, test_set, sequence, group, block, N_POSITIONS, n_correct))
    names = ["method", "training_set", "test_set", "sequence", "group", "block", "n_positions", "n_correct"]
    return pd.DataFrame(rows, columns=names).assign(**{"dataset": "toy", "rate": 0.2} | values)


def draw(seed, shape=(8, 4, 2), mean=0.7):
    return np.random.default_rng(seed).binomial(N_POSITIONS, mean, shape)


def row_of(frame, other, method):
    return frame[(frame["other"] == other) & (frame["method"] == method)].iloc[0]


def test_estimates_are_those_of_the_two_way_variance_with_test_sets_added_up():
    correct = {"a": draw(0), "b": draw(1, mean=0.8)}
    frame = compare_crossed(counts_of(correct))
    assert tuple(frame.columns) == CROSSED_COLUMNS
    row = row_of(frame, "a", "b")
    differences = (correct["b"] - correct["a"]).sum(axis=2)
    expected = estimate_crossed(differences[None], np.full((8, 4), 2 * N_POSITIONS))
    assert row["value"] == pytest.approx(100 * differences.sum() / (8 * 4 * 2 * N_POSITIONS))
    assert row["standard_error"] == pytest.approx(expected.standard_error[0])
    assert row["degrees_of_freedom"] == pytest.approx(3)  # four training sets
    reach = student.ppf(0.975, 3) * row["standard_error"]
    assert row["high"] == pytest.approx(row["value"] + reach)
    assert (row["cluster"], row["n_clusters"], row["n_training_sets"]) == ("group", 8, 4)


def test_satterthwaite_has_more_degrees_of_freedom_where_sequences_vary_most():
    rng = np.random.default_rng(0)
    correct = {
        name: np.tile(rng.integers(20, 50, (30, 1, 1)), (1, 4, 1)) + rng.integers(0, 2, (30, 4, 1)) for name in "ab"
    }
    cautious, other = (compare_crossed(counts_of(correct), satterthwaite=choice).iloc[0] for choice in (False, True))
    assert cautious["degrees_of_freedom"] == pytest.approx(3)
    assert other["degrees_of_freedom"] > 20


def test_each_direction_is_the_other_ones_opposite():
    frame = compare_crossed(counts_of({"a": draw(0), "b": draw(1), "c": draw(2)}))
    assert len(frame) == 6
    forth, back = row_of(frame, "a", "b"), row_of(frame, "b", "a")
    assert forth["value"] == -back["value"]
    assert forth["low"] == pytest.approx(-back["high"])
    assert forth["family_low"] == pytest.approx(-back["family_high"])
    assert forth["p_value"] == pytest.approx(back["p_value"])


def test_related_sequences_are_one_cluster():
    correct = {"a": draw(0), "b": draw(1)}
    related = np.arange(8) // 2
    row = row_of(compare_crossed(counts_of(correct, groups=related)), "a", "b")
    summed = {name: array.reshape(4, 2, 4, 2).sum(axis=1) for name, array in correct.items()}
    whole = counts_of(summed).assign(n_positions=2 * N_POSITIONS)
    assert row["standard_error"] == row_of(compare_crossed(whole), "a", "b")["standard_error"]
    assert row["n_clusters"] == 4


def test_blocks_take_the_place_of_sequences_where_there_are_more_blocks():
    correct = {"a": draw(0, (40, 4, 2)), "b": draw(1, (40, 4, 2))}
    row = row_of(compare_crossed(counts_of(correct, sequences=np.zeros(40, int))), "a", "b")
    assert row["cluster"] == "block"
    assert 5 <= row["n_clusters"] <= 40


def test_a_large_p_value_alone_makes_nothing_equivalent():
    correct = {"a": draw(0, mean=0.5), "b": draw(1, mean=0.5)}
    assert compare_crossed(counts_of(correct), margin=0.01)["decision"].tolist() == ["undecided"] * 2
    assert compare_crossed(counts_of(correct), margin=90)["decision"].tolist() == ["equivalent"] * 2
    ahead = {"a": draw(0, mean=0.5), "b": draw(1, mean=0.9)}
    assert compare_crossed(counts_of(ahead))["decision"].tolist() == ["better", "worse"]


def test_holm_corrects_over_the_pairs_of_a_rate_whichever_is_the_baseline():
    """Corrected for each baseline, one pair would have two p-values."""
    frame = compare_crossed(counts_of({"a": draw(0), "b": draw(1, mean=0.75), "c": draw(2)}))
    pairs = frame[frame["other"] < frame["method"]]
    assert len(pairs) == 3
    assert pairs["p_holm"].tolist() == pytest.approx(adjust_holm(pairs["p_value"].to_numpy()).tolist())
    turned = frame.rename(columns={"other": "method", "method": "other"})
    both = pairs.merge(turned, on=["other", "method"], suffixes=("", "_turned"))
    assert both["p_holm"].tolist() == both["p_holm_turned"].tolist()


def test_one_training_set_leaves_the_sequences_and_one_of_each_leaves_no_test():
    row = compare_crossed(counts_of({"a": draw(0, (8, 1, 1)), "b": draw(1, (8, 1, 1))})).iloc[0]
    assert (row["n_training_sets"], row["degrees_of_freedom"]) == (1, pytest.approx(7))
    assert 0 < row["p_value"] <= 1
    row = compare_crossed(counts_of({"a": draw(0, (1, 5, 1)), "b": draw(1, (1, 5, 1))})).iloc[0]
    assert np.isnan(row["p_value"])
    assert row["decision"] == "undecided"


def test_methods_that_saw_other_positions_are_refused():
    counts = counts_of({"a": draw(0), "b": draw(1)})
    with pytest.raises(ValueError, match=r"toy at rate 0\.2 have other positions"):
        compare_crossed(counts[1:])


def test_a_single_method_has_no_comparison():
    assert compare_crossed(counts_of({"a": draw(0)})).empty
    assert decompose_crossed(counts_of({"a": draw(0)})).empty


def test_correlated_blocks_are_joined_and_sequences_kept_apart():
    rng = np.random.default_rng(0)
    wave = np.repeat(rng.choice([-9, 9], 20), 6)
    starts = join_blocks(wave, np.array([0, 60, 120]))
    assert len(starts) <= 12
    assert 60 in starts
    alternating = np.tile([5, -5], 60)
    assert join_blocks(alternating, np.array([0, 120])).tolist() == list(range(120))
    constant = np.ones(120, dtype=np.int64)
    assert len(join_blocks(constant, np.array([0, 120]))) == 120
