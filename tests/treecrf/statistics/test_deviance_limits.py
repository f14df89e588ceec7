"""Models of deviance without a maximum, without variation or with little data."""

import numpy as np
import pytest
from method_counts import METHODS, arrays, cells, design, frame, maximum_likelihood
from numpy.testing import assert_allclose

from treecrf.statistics.deviance import analysis_of_deviance, compare_methods

SPREAD = ["clustered_standard_error", "points_low", "points_high"]


@pytest.mark.parametrize("seed", range(60))
def test_identical_methods_are_found_by_their_counts(seed):
    # Residuals that cancel leave up to 1e-7 of the standard error: no threshold tells them from a small one.
    rng = np.random.default_rng(seed)
    n_sequences = int(rng.integers(2, 40))
    positions = np.broadcast_to(rng.integers(1, 60, n_sequences), (3, 2, 1, n_sequences))
    correct = rng.binomial(positions, 0.85 + rng.normal(0, 0.05, (3, 1, 1, 1)).clip(-0.1, 0.1))
    correct[1] = correct[0]
    row = compare_methods(frame(correct, positions), "ada").iloc[0]
    assert [row[name] for name in ("coefficient", "clustered_p_value", *SPREAD)] == [0, 1, 0, 0, 0]


def test_one_position_apart_is_not_identical():
    correct, positions = arrays()
    correct[1] = correct[0]
    correct[1, 0, 0, 0] -= 1
    row = compare_methods(frame(correct, positions), "ada").iloc[0]
    assert 1e-3 < row["clustered_standard_error"] < 0.1


@pytest.mark.parametrize(("right", "sign"), [(100, 1), (0, -1)])
def test_separated_method_leaves_the_others_alone(right, sign):
    table = ([80, 75], [right, right], [70, 72])
    rows = compare_methods(cells(*table), "ada").set_index("method")
    separated, other = rows.loc["bob"], rows.loc["cyd"]
    assert separated["coefficient"] == sign * np.inf
    missing = ["standard_error", "z", "p_value", "p_holm", "clustered_standard_error", "clustered_p_value"]
    missing += ["clustered_p_holm", "points_low", "points_high"]
    assert separated[missing].isna().all()
    assert separated["accuracy_points"] == pytest.approx(right - 77.5)
    k, n = np.array([80, 75, right, right, 70, 72.0]), np.full(6, 100.0)
    _, _, two = maximum_likelihood(design(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])), k[[0, 1, 4, 5]], n[:4])
    _, _, merged = maximum_likelihood(design(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 1] * 3)), k, n)
    log_likelihoods = [
        np.sum(counted * np.log(p) + (100 - counted) * np.log(1 - p))
        for counted, p in ((k[[0, 1, 4, 5]], two), (k, merged))
    ]
    assert separated["likelihood_ratio"] == pytest.approx(2 * (log_likelihoods[0] - log_likelihoods[1]), rel=1e-8)
    assert separated["likelihood_ratio_p_value"] < 1e-9

    alone = compare_methods(cells(table[0], table[2]).replace({"method": {"bob": "cyd"}}), "ada").iloc[0]
    same = ["coefficient", "standard_error", "p_value", "likelihood_ratio", "clustered_standard_error", "points_low"]
    assert_allclose(other[same].astype(float), alone[same].astype(float), rtol=1e-6)
    assert other["p_holm"] == pytest.approx(min(1, 2 * other["p_value"]))


def test_two_methods_always_right():
    row = compare_methods(cells([100, 100], [100, 100]), "ada").iloc[0]
    assert [row[name] for name in ("coefficient", "z", "likelihood_ratio", "accuracy_points")] == [0, 0, 0, 0]
    assert [row[name] for name in ("p_value", "likelihood_ratio_p_value", "clustered_p_value")] == [1, 1, 1]
    assert np.isnan(row["standard_error"])
    assert row[SPREAD].tolist() == [0, 0, 0]

    correct = np.full((2, 1, 1, 2), 10)
    correct[1] = 20
    row = compare_methods(frame(correct, correct, METHODS[:2]), "ada").iloc[0]
    assert row[["coefficient", "p_value", "clustered_p_value"]].isna().all()
    assert (row["likelihood_ratio"], row["likelihood_ratio_p_value"], row["accuracy_points"]) == (0, 1, 0)


def test_separation_within_a_training_set_only():
    # ada is always right on set 1 and bob always wrong on set 0: only the cells of ada on 0 and bob on 1 are mixed.
    row = compare_methods(cells([60, 100], [0, 50]), "ada").iloc[0]
    assert row["coefficient"] == -np.inf
    assert row["accuracy_points"] == pytest.approx((-60 - 50) / 2)
    # One method that is right everywhere on one set is no separation while the other set ties it.
    row = compare_methods(cells([60, 98], [50, 100]), "ada").iloc[0]
    assert np.isfinite(row["coefficient"])
    assert row["standard_error"] < 1


def test_training_set_on_which_all_are_right_tells_nothing():
    full = compare_methods(cells([80, 100], [70, 100]), "ada").iloc[0]
    alone = compare_methods(cells([80], [70]), "ada").iloc[0]
    same = ["coefficient", "standard_error", "p_value", "likelihood_ratio", "clustered_standard_error"]
    assert_allclose(full[same].astype(float), alone[same].astype(float), rtol=1e-8)
    points = ["accuracy_points", "points_low", "points_high"]
    assert_allclose(full[points].astype(float), alone[points].astype(float) / 2, rtol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_sequences_that_are_equal_shares_of_two_training_sets(seed):
    # Every residual is 0 but for rounding.
    shares = np.random.default_rng(seed).integers(1, 5, 9)
    positions = np.array([30, 40])[:, None, None] * shares
    correct = np.array([[24, 33], [19, 21], [15, 15]])[:, :, None, None] * shares
    row = compare_methods(frame(correct, np.broadcast_to(positions, correct.shape)), "ada").iloc[0]
    assert row["coefficient"] < -0.1
    assert np.isnan(row["clustered_standard_error"])


def test_methods_without_a_common_training_set():
    counts = cells([80, 70], [60, 50])
    apart = counts[(counts["method"] == "ada") == (counts["training_set"] == 0)]
    row = compare_methods(apart, "ada").iloc[0]
    assert row[["coefficient", "p_value", "accuracy_points"]].isna().all()
    table = analysis_of_deviance(apart)
    assert table["degrees_of_freedom"].tolist()[1:] == [1, 0]
    assert table["p_value"].isna().tolist() == [True, False, True]


def test_separation_in_the_analysis_of_deviance():
    table = analysis_of_deviance(cells([80, 100], [100, 100]))
    # Right: 180 of 200 on set 0, all on set 1. The full model is exact.
    assert_allclose(
        table["residual_deviance"][1:], [2 * (80 * np.log(80 / 90) + 20 * np.log(2) + 100 * np.log(10 / 9)), 0]
    )
    assert table["residual_degrees_of_freedom"].tolist() == [3, 2, 1]
    assert table["pearson_dispersion"].iloc[-1] == 0
    assert np.isnan(table["f"].iloc[-1])  # nothing varies about the model


def test_no_more_rows_than_coefficients():
    counts = frame(np.array([8, 8, 6, 6]).reshape(2, 1, 1, 2), 10, METHODS[:2])
    crossed = counts[(counts["method"] == "ada") == (counts["sequence"] == 0)]
    row = compare_methods(crossed, "ada").iloc[0]
    assert row["standard_error"] == pytest.approx(np.sqrt(1 / 8 + 1 / 2 + 1 / 6 + 1 / 4))
    assert row[["clustered_standard_error", "clustered_p_value"]].isna().all()
