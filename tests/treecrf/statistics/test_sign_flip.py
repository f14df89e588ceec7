"""Sign flips, against enumeration by itertools and Student's t flip by flip."""

import time

import numpy as np
import pytest
from naive_statistics import convolved_p_value, sign_flip_p_value
from numpy.testing import assert_allclose

from treecrf.statistics.paired import compare_flips, draw_flips, flip_p_values, flip_sums


@pytest.mark.parametrize("n_clusters", [1, 5, 11])
def test_all_flips_of_few_clusters(n_clusters):
    rng = np.random.default_rng(n_clusters)
    differences = rng.integers(-3, 4, (6, n_clusters))  # many ties
    found = flip_p_values(differences, draw_flips(n_clusters, 0))
    assert found.tolist() == [sign_flip_p_value(row.tolist()) for row in differences]


def test_five_clusters_cannot_reach_the_level():
    assert flip_p_values(np.array([[9, 8, 7, 9, 5]]), draw_flips(5, 0)).tolist() == [2 / 32]


def test_drawn_flips_are_signs_with_the_identity_first():
    flips = draw_flips(101, 7, 4000)
    assert flips.shape == (4000, 101)
    assert set(np.unique(flips)) == {-1, 1}
    assert (flips[0] == 1).all()
    assert np.abs(flips.mean(axis=0)).max() < 0.08
    assert np.abs(np.corrcoef(flips[:, :20].T) - np.eye(20)).max() < 0.08
    assert (flips == draw_flips(101, 7, 4000)).all()
    assert (flips != draw_flips(101, 8, 4000)).any()


def test_drawn_flips_come_near_all_flips():
    differences = np.random.default_rng(4).integers(-5, 7, (4, 15))
    drawn = flip_p_values(differences, draw_flips(15, 1))
    exact = [sign_flip_p_value(row.tolist()) for row in differences]
    assert_allclose(drawn, exact, atol=0.02)


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


def test_differences_must_be_whole_numbers():
    with pytest.raises(ValueError, match="whole numbers"):
        flip_sums(np.ones((1, 3)), draw_flips(3, 0))
    with pytest.raises(ValueError, match="denominator"):
        flip_sums(np.full((1, 3), 2**52), draw_flips(3, 0))


def test_all_pairs_of_eleven_methods_within_a_second():
    rng = np.random.default_rng(0)
    correct = [rng.binomial(6, 0.8 + 0.01 * m, (10, 908)) for m in range(11)]
    begin = time.process_time()
    compare_flips([f"m{m}" for m in range(11)], correct, 908 * 6, 1)
    assert time.process_time() - begin < 1
