"""McNemar's test and sign flips, against statsmodels, scipy, enumeration, plain loops and examples worked by hand."""

import itertools
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from naive_statistics import convolved_p_value, sign_flip_p_value
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from treecrf.statistics import paired
from treecrf.statistics.paired import (
    compare_flips,
    compare_pairs,
    draw_flips,
    flip_p_values,
    flip_sums,
    score_flip_p_value,
    swap_p_value,
)

METHODS = ("cyd", "ada", "bob", "eve")
"""Not in rising order, so that order of appearance shows."""


def frame(correct, sequences, dataset="toy", decoder="viterbi"):
    """Outcomes from correct, shape (n_methods, n_positions), and the sequence of each position."""
    method, position = np.indices(correct.shape).reshape(2, -1)
    columns = {"method": np.array(METHODS)[method], "sequence": np.asarray(sequences)[position], "position": position}
    return pd.DataFrame({"dataset": dataset, "decoder": decoder, **columns, "correct": correct.ravel()})


def discordant(only_method, only_other, dataset="toy"):
    """Two methods with these discordant positions, 3 right for both, 2 wrong for both; a position is a sequence."""
    method = np.repeat([True, False, True, False], [only_method, only_other, 3, 2])
    other = np.repeat([False, True, True, False], [only_method, only_other, 3, 2])
    return frame(np.array([method, other]), np.arange(len(method)), dataset)


@pytest.fixture
def outcomes():
    """Four methods of unlike accuracy, a small and a large data set of 12 unlike sequences each, two decoders."""
    rng = np.random.default_rng(5)
    frames = []
    for dataset, longest in (("words", 6), ("lines", 40)):
        sequences = np.repeat(np.arange(12), rng.integers(2, longest, 12))
        difficulty = rng.uniform(0.5, 0.95, 12)[sequences]
        for decoder in ("viterbi", "forward_backward"):
            right = rng.random((4, len(sequences))) < difficulty ** np.array([[1.0], [0.5], [1.0], [1.6]])
            frames.append(frame(right, sequences, dataset, decoder))
    return pd.concat(frames, ignore_index=True)


def pairs_of(outcomes):
    """Data set, decoder, method, other, sequences, and whether either is right at each position, by plain look-up."""
    for dataset, decoder in outcomes[["dataset", "decoder"]].drop_duplicates().itertuples(index=False):
        part = outcomes[(outcomes["dataset"] == dataset) & (outcomes["decoder"] == decoder)]
        right = {name: part[part["method"] == name].set_index("position") for name in METHODS}
        for method, other in combinations(METHODS, 2):
            positions = right[method].index
            yield (
                (dataset, decoder, method, other),
                right[method]["sequence"].tolist(),
                right[method]["correct"].tolist(),
                right[other].loc[positions, "correct"].tolist(),
            )


@pytest.mark.parametrize("settings", [{}, {"exact_under": 0}, {"exact_under": 40}])
def test_plain_test_is_that_of_statsmodels(settings):
    exact_under = settings.get("exact_under", 25)
    grid = [(b, c) for b in (0, 1, 4, 11, 12, 13, 24, 25, 60) for c in (0, 2, 12, 13, 25, 61) if b != c]
    result = compare_pairs(pd.concat([discordant(b, c, f"{b} {c}") for b, c in grid]), **settings)
    assert len(result) == len(grid)
    for (b, c), row in zip(grid, result.to_dict("records"), strict=True):
        expected = mcnemar([[3, b], [c, 2]], exact=b + c < exact_under, correction=True)
        assert row["exact"] == (b + c < exact_under)
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)
        if not row["exact"]:
            assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-12)


@pytest.mark.parametrize("exact_under", [25, 0])
@pytest.mark.parametrize("count", [0, 1, 12, 13])
def test_equally_many_discordant_positions(count, exact_under):
    # R: mcnemar.test(matrix(c(3, 13, 13, 2), 2)) has statistic 0 and p-value 1.
    row = compare_pairs(discordant(count, count), exact_under).iloc[0]
    assert (row["p_value"], row["accuracy_points"]) == (1, 0)
    assert row["exact"] == (2 * count < exact_under)
    assert row["exact"] or row["statistic"] == 0


def test_pairs_against_a_loop(outcomes):
    result = compare_pairs(outcomes).to_dict("records")
    for row, (names, sequences, method, other) in zip(result, pairs_of(outcomes), strict=True):
        table, differences = np.zeros((2, 2), dtype=int), dict.fromkeys(sequences, 0)
        for sequence, right, other_right in zip(sequences, method, other, strict=True):
            table[int(not right), int(not other_right)] += 1
            differences[sequence] += int(right) - int(other_right)
        assert (row["dataset"], row["decoder"], row["method"], row["other"]) == names
        counts = [row[name] for name in ("n_both", "only_method", "only_other", "n_neither")]
        assert counts == table.ravel().tolist()
        assert row["n_positions"] == len(sequences)
        assert row["accuracy_points"] == pytest.approx(100 * (np.mean(method) - np.mean(other)), abs=1e-9)
        assert row["p_value"] == pytest.approx(mcnemar(table, exact=row["exact"]).pvalue, rel=1e-9)
        total = sum(differences.values())
        squares = sum(difference**2 for difference in differences.values())
        assert row["clustered_statistic"] == pytest.approx(total**2 / squares, rel=1e-12)
        assert row["clustered_p_value"] == pytest.approx(2 * norm.sf(abs(total) / squares**0.5), rel=1e-9)
    assert {row["exact"] for row in result} == {False, True}


def test_holm_is_over_the_pairs_of_one_dataset_and_decoder(outcomes):
    result = compare_pairs(outcomes)
    groups = result.groupby(["dataset", "decoder"])
    assert [len(group) for _, group in groups] == [6, 6, 6, 6]
    for _, group in groups:
        for name, adjusted in (("p_value", "p_holm"), ("clustered_p_value", "clustered_p_holm")):
            assert_allclose(group[adjusted], multipletests(group[name], method="holm")[1], rtol=1e-12)
            assert (group[adjusted] > group[name]).any()
            assert (group[adjusted] < 1).any()


def test_equal_methods():
    right = np.array([[True, True, False, True]] * 2)
    row = compare_pairs(frame(right, [0, 0, 1, 1])).iloc[0]
    assert (row["exact"], row["n_both"], row["n_neither"]) == (True, 3, 1)
    assert [row[name] for name in ("p_value", "p_holm", "clustered_p_value", "clustered_p_holm")] == [1] * 4
    assert (row["clustered_statistic"], row["accuracy_points"]) == (0, 0)


def test_one_sequence_has_no_clustered_test(outcomes):
    result = compare_pairs(outcomes.assign(sequence=0))
    clustered = ["clustered_statistic", "clustered_p_value", "clustered_p_holm"]
    assert result[clustered].isna().all(axis=None)
    plain = [name for name in result if name not in clustered]
    pd.testing.assert_frame_equal(result[plain], compare_pairs(outcomes)[plain])


def test_missing_columns_and_cells(outcomes):
    for name in outcomes:
        with pytest.raises(ValueError, match=rf"^The outcomes have no column '{name}'; they need dataset, decoder, "):
            compare_pairs(outcomes.drop(columns=name))
        holed = outcomes.astype({name: object})
        holed.loc[7, name] = None
        with pytest.raises(ValueError, match=rf"^Row 7 of the outcomes has no {name}; fill it in or leave the row "):
            compare_pairs(holed)


def test_every_method_needs_one_outcome_for_each_position(outcomes):
    chosen = (outcomes["method"] == "ada") & (outcomes["position"] == 3) & (outcomes["dataset"] == "lines")
    viterbi = chosen & (outcomes["decoder"] == "viterbi")
    advice = "give every method one for each position of the data set"
    for n_outcomes, wrong in ((0, outcomes[~viterbi]), (2, pd.concat([outcomes, outcomes[viterbi]]))):
        sentence = rf"^Method 'ada' has {n_outcomes} outcomes for position 3 of lines, viterbi; {advice}\.$"
        with pytest.raises(ValueError, match=sentence):
            compare_pairs(wrong)


def test_position_in_two_sequences(outcomes):
    row = outcomes.index[(outcomes["method"] == "eve") & (outcomes["position"] == 20)][0]
    outcomes.loc[row, "sequence"] += 1
    sentence = r"^Position 20 of words, viterbi is in more than one sequence; give it the same one for every method\.$"
    with pytest.raises(ValueError, match=sentence):
        compare_pairs(outcomes)


# --- sign flip -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [1, 5, 11])
def test_all_flips_of_few_clusters(n_clusters):
    rng = np.random.default_rng(n_clusters)
    differences = rng.integers(-3, 4, (6, n_clusters))  # many ties
    found = flip_p_values(differences, draw_flips(n_clusters, 0))
    assert found.tolist() == [sign_flip_p_value(row.tolist()) for row in differences]


def test_drawn_flips_are_signs_with_the_identity_first():
    flips = draw_flips(101, 7, 4000)
    assert flips.shape == (4000, 101)
    assert set(np.unique(flips)) == {-1, 1}
    assert (flips[0] == 1).all()
    assert np.abs(flips.mean(axis=0)).max() < 0.08
    assert np.abs(np.corrcoef(flips[:, :20].T) - np.eye(20)).max() < 0.08
    assert (flips == draw_flips(101, 7, 4000)).all()
    assert (flips != draw_flips(101, 8, 4000)).any()


def test_p_value_is_never_0():
    assert flip_p_values(np.full((1, 500), 3), draw_flips(500, 0)).tolist() == [1 / 10_000]


def test_large_sums_are_exact_and_ties_count():
    # Beyond float32's whole numbers: a sum that differs by 1 in 2^25 is no tie, and an equal one is.
    differences = np.array([[2**25, 1, 0], [2**25, 0, 0]])
    flips = draw_flips(3, 0)
    assert (flip_sums(differences, flips) == (differences @ flips.T.astype(int))).all()
    assert flip_p_values(differences, flips).tolist() == [0.5, 1.0]


def test_many_flips_are_multiplied_in_parts(monkeypatch):
    differences, flips = np.random.default_rng(0).integers(-9, 9, (3, 40)), draw_flips(40, 0, 1000)
    monkeypatch.setattr("treecrf.statistics.paired.MAX_FLIPS", 40 * 7)
    assert (flip_sums(differences, flips) == differences @ flips.T.astype(int)).all()


def test_training_error_is_convolved():
    differences = np.random.default_rng(2).integers(-4, 8, (3, 8))
    flips = draw_flips(8, 0)
    errors, degrees = np.array([2.0, 7.5, 0.0]), np.array([3.3, 11.0, np.inf])
    found = flip_p_values(differences, flips, errors, degrees)
    expected = [convolved_p_value(differences[i].tolist(), flips, errors[i], degrees[i]) for i in range(2)]
    assert found[:2] == pytest.approx(expected, rel=1e-10)
    assert found[2] == sign_flip_p_value(differences[2].tolist())


def test_a_small_training_error_does_not_halve_ties():
    """Convolved, the identity would count half: 5 clusters of one sign had p = 1 / 32, which no flips can have."""
    differences, flips = np.array([[5, 3, 4, -1, 2, 6, 1]]), draw_flips(7, 0)
    plain = flip_p_values(differences, flips)
    assert flip_p_values(differences, flips, np.array([1e-9]), np.array([5.0])) == plain
    assert flip_p_values(np.ones((1, 5), int), draw_flips(5, 0), np.array([1e-9]), np.array([5.0])) == 2 / 32


def test_difference_of_0_has_p_1_whatever_the_error():
    differences, flips = np.array([[1, -1, 2, -2], [0, 0, 0, 0]]), draw_flips(4, 0)
    assert flip_p_values(differences, flips, np.array([3.0, 3.0]), np.array([5.0, 5.0])).tolist() == [1.0, 1.0]


def test_frame_of_pairs():
    rng = np.random.default_rng(0)
    correct = [rng.integers(0, 9, (n, 20)) for n in (2, 1, 4)]
    frame = compare_flips(["a", "b", "c"], correct, 300, 5)
    assert frame[["method", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert frame["trainings_vary"].tolist() == [False, True, False]
    assert not frame["exact"].any()
    assert frame["accuracy_points"].iloc[1] == pytest.approx(100 * (correct[0].sum() / 2 - correct[2].sum() / 4) / 300)
    assert (frame["p_holm"] >= frame["p_value"]).all()


@pytest.mark.parametrize("n_clusters", [1, 4, 8])
def test_exchanges_of_ratios_are_those_of_a_loop(n_clusters):
    generator = np.random.default_rng(n_clusters)
    below = generator.integers(2, 9, (2, n_clusters))
    above = generator.integers(0, 9, (2, n_clusters)).clip(max=below)

    def apart(swapped):
        first, second = (
            sum(above[i ^ swap, j] for j, swap in enumerate(swapped))
            / sum(below[i ^ swap, j] for j, swap in enumerate(swapped))
            for i in (0, 1)
        )
        return abs(first - second)

    every = [apart(swapped) for swapped in itertools.product((0, 1), repeat=n_clusters)]
    expected = np.mean(np.array(every) >= every[0] - 1e-9)
    assert swap_p_value(above, below, 0) == pytest.approx(expected)


def test_many_exchanges_are_drawn(monkeypatch):
    generator = np.random.default_rng(0)
    below = np.full((2, 60), 20)
    above = generator.binomial(20, [[0.5], [0.5]], (2, 60))
    better = np.stack([above[0], (above[0] + 3).clip(max=20)])
    assert swap_p_value(better, below, 0) < 0.001
    whole = swap_p_value(above, below, 0)
    assert 0.01 < whole <= 1
    assert swap_p_value(np.stack([above[0], above[0]]), below, 0) == 1
    monkeypatch.setattr(paired, "MAX_FLIPS", 1000)
    assert swap_p_value(above, below, 0) == whole


def test_differences_must_be_whole_numbers():
    with pytest.raises(ValueError, match="whole numbers"):
        flip_sums(np.ones((1, 3)), draw_flips(3, 0))
    with pytest.raises(ValueError, match="denominator"):
        flip_sums(np.full((1, 3), 2**52), draw_flips(3, 0))


# --- score flips -----------------------------------------------------------------------------------


def test_as_by_enumeration():
    scores = np.random.default_rng(0).normal(0.4, 1, (6, 3))
    standard = scores / np.sqrt((scores**2).sum(axis=0))
    largest = [np.abs(np.array(signs) @ standard).max() for signs in itertools.product([1, -1], repeat=6)]
    assert score_flip_p_value(scores, 0) == pytest.approx(np.mean(np.array(largest) >= largest[0] - 1e-12))


def test_nothing_to_flip():
    assert score_flip_p_value(np.zeros((5, 2)), 0) == 1


def test_many_clusters_are_added_up():
    rng = np.random.default_rng(2)
    assert score_flip_p_value(rng.normal(0.3, 1, (2000, 1)), 0) < 0.001
    assert score_flip_p_value(rng.normal(0, 1, (2000, 1)), 0, 500) > 0.01
