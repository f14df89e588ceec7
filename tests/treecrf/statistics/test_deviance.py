"""Binomial models of correct positions, against maximum likelihood worked out here in plain numpy.

The models are R's glm(cbind(k, n - k) ~ 0 + training_set + method, family = binomial).
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from method_counts import METHODS, arrays, cells, design, frame, maximum_likelihood
from numpy.testing import assert_allclose
from scipy.stats import chi2, norm
from statsmodels.genmod.generalized_linear_model import GLM

from treecrf.statistics.deviance import analysis_of_deviance, compare_all, compare_methods

DATA = Path(__file__).parents[2] / "data"


def deviance(k, n, p):
    """2 sum of k log(k / np) + (n - k) log((n - k) / (n - np)), for 0 < k < n."""
    return 2 * np.sum(k * np.log(k / (n * p)) + (n - k) * np.log((n - k) / (n * (1 - p))))


def rows_of(correct, positions):
    """Method, training set, sequence, correct and positions with test sets added up, one row for each."""
    k, n = correct.sum(axis=2), positions.sum(axis=2)
    return *np.indices(k.shape).reshape(3, -1), k.ravel().astype(float), n.ravel().astype(float)


def test_plain_fit_is_maximum_likelihood(counts):
    method, training_set, _, k, n = rows_of(*arrays())
    beta, covariance, _ = maximum_likelihood(design(method, training_set), k, n)
    result = compare_methods(counts, "ada")
    assert result["method"].tolist() == ["bob", "cyd"]
    assert_allclose(result["coefficient"], beta[:2], rtol=0, atol=1e-10)
    assert_allclose(result["standard_error"], np.sqrt(np.diag(covariance))[:2], rtol=1e-9)
    z = beta[:2] / np.sqrt(np.diag(covariance))[:2]
    assert_allclose(result["z"], z, rtol=1e-8)
    assert_allclose(result["p_value"], 2 * norm.sf(np.abs(z)), rtol=1e-7)


def test_likelihood_ratio_is_a_difference_of_deviances(counts):
    method, training_set, _, k, n = rows_of(*arrays())
    _, _, p = maximum_likelihood(design(method, training_set), k, n)
    for name, merged in (("bob", np.array([0, 0, 1])), ("cyd", np.array([0, 1, 0]))):
        _, _, constrained = maximum_likelihood(design(merged[method], training_set), k, n)
        expected = deviance(k, n, constrained) - deviance(k, n, p)
        row = compare_methods(counts, "ada").set_index("method").loc[name]
        assert expected > 1
        assert row["likelihood_ratio"] == pytest.approx(expected, rel=1e-8)
        assert row["likelihood_ratio_p_value"] == pytest.approx(chi2.sf(expected, 1), rel=1e-7)


def sandwich(correct, positions):
    """Coefficients, clustered covariance with the correction for small samples."""
    method, training_set, sequence, k, n = rows_of(correct, positions)
    x = design(method, training_set)
    beta, inverse, p = maximum_likelihood(x, k, n)
    scores = x * (k - n * p)[:, None]
    sums = np.array([scores[sequence == index].sum(axis=0) for index in np.unique(sequence)])
    n_clusters, (n_rows, n_coefficients) = len(sums), x.shape
    correction = n_clusters / (n_clusters - 1) * (n_rows - 1) / (n_rows - n_coefficients)
    return beta, correction * inverse @ sums.T @ sums @ inverse


def test_clustered_errors_are_the_sandwich(counts):
    beta, covariance = sandwich(*arrays())
    result = compare_methods(counts, "ada")
    errors = np.sqrt(np.diag(covariance))[:2]
    assert_allclose(result["clustered_standard_error"], errors, rtol=1e-8)
    assert_allclose(result["clustered_p_value"], 2 * norm.sf(np.abs(beta[:2]) / errors), rtol=1e-7)
    assert (np.abs(result["clustered_standard_error"] / result["standard_error"] - 1) > 0.01).all()


def accuracy_difference(beta, index):
    """Points of accuracy of method `index` minus method 0, from coefficients of 2 methods and 2 training sets."""
    logit = np.array([0, *beta[:2]])[:, None] + beta[2:]
    return 100 * (1 / (1 + np.exp(-logit))).mean(axis=1)[[index, 0]] @ [1, -1]


@pytest.mark.parametrize("index", [1, 2])
@pytest.mark.parametrize("n_sequences", [6, 1])
def test_interval_of_points_against_numeric_derivatives(index, n_sequences):
    correct, positions = (array[..., :n_sequences] for array in arrays())
    method, training_set, _, k, n = rows_of(correct, positions)
    beta, covariance, _ = maximum_likelihood(design(method, training_set), k, n)
    if n_sequences > 1:
        _, covariance = sandwich(correct, positions)
    shifts = 1e-5 * np.eye(4)
    gradient = [
        (accuracy_difference(beta + shift, index) - accuracy_difference(beta - shift, index)) / 2e-5 for shift in shifts
    ]
    half_width = 1.959963984540054 * np.sqrt(gradient @ covariance @ gradient)
    row = compare_methods(frame(correct, positions), "ada").iloc[index - 1]
    assert row["accuracy_points"] == pytest.approx(accuracy_difference(beta, index), abs=1e-8)
    assert row["points_low"] == pytest.approx(row["accuracy_points"] - half_width, rel=1e-6)
    assert row["points_high"] == pytest.approx(row["accuracy_points"] + half_width, rel=1e-6)


def test_holm_is_over_the_methods_of_one_dataset_and_rate(counts):
    correct, positions = arrays(4)
    both = pd.concat([counts, frame(correct, positions, rate=0.1), frame(correct, positions, dataset="other")])
    result = compare_methods(both, "ada")
    assert len(result) == 6
    for _, group in result.groupby(["dataset", "rate"]):
        for name, adjusted in (("p_value", "p_holm"), ("clustered_p_value", "clustered_p_holm")):
            smaller, larger = sorted(group[name])
            first = min(1, 2 * smaller)
            assert_allclose(sorted(group[adjusted]), [first, max(first, larger)])
    alone = compare_methods(counts, "ada")
    same = result[(result["dataset"] == "toy") & (result["rate"] == 0.05)]
    pd.testing.assert_frame_equal(same.reset_index(drop=True), alone)


def test_every_method_in_turn(counts):
    result = compare_all(counts)
    expected = pd.concat([compare_methods(counts, name) for name in METHODS], ignore_index=True)
    pd.testing.assert_frame_equal(result, expected)
    pairs = result.set_index(["baseline", "method"])
    for baseline, method in pairs.index:
        forth, back = pairs.loc[(baseline, method)], pairs.loc[(method, baseline)]
        assert forth["coefficient"] == pytest.approx(-back["coefficient"], abs=1e-9)
        same = ["standard_error", "likelihood_ratio", "clustered_standard_error"]
        assert_allclose(forth[same].astype(float), back[same].astype(float), rtol=1e-7)
        assert forth["points_low"] == pytest.approx(-back["points_high"], abs=1e-7)


def test_analysis_of_deviance_by_hand(counts):
    correct, positions = arrays()
    k, n = correct.sum(axis=3).ravel().astype(float), positions.sum(axis=3).ravel().astype(float)
    method, training_set, _ = np.indices((3, 2, 2)).reshape(3, -1)
    share = np.array([k[training_set == index].sum() / n[training_set == index].sum() for index in (0, 1)])
    _, _, p = maximum_likelihood(design(method, training_set), k, n)
    models = [k.sum() / n.sum(), share[training_set], p]
    residual = np.array([deviance(k, n, fitted) for fitted in models])
    pearson = np.array([((k - n * fitted) ** 2 / (n * fitted * (1 - fitted))).sum() for fitted in models])
    table = analysis_of_deviance(counts)
    assert table["term"].tolist() == ["constant", "training_set", "method"]
    assert_allclose(table["residual_deviance"], residual, rtol=1e-9)
    assert_allclose(table["deviance"], [np.nan, *-np.diff(residual)], rtol=1e-8)
    assert table["residual_degrees_of_freedom"].tolist() == [11, 10, 8]
    assert table["degrees_of_freedom"].tolist()[1:] == [1, 2]
    assert table["degrees_of_freedom"].isna().tolist() == [True, False, False]
    expected = [np.nan, chi2.sf(residual[0] - residual[1], 1), chi2.sf(residual[1] - residual[2], 2)]
    assert_allclose(table["p_value"], expected, rtol=1e-7)
    assert_allclose(table["dispersion"], residual / [11, 10, 8], rtol=1e-9)
    assert_allclose(table["pearson_dispersion"], pearson / [11, 10, 8], rtol=1e-8)


def test_analysis_of_deviance_by_r():
    of_r = pd.read_csv(DATA / "deviance_by_r.csv", comment="#", index_col=0)
    counts = pd.read_csv(DATA / "deviance_counts.csv").assign(dataset="toy", rate=0.05, sequence=0)
    tested = ["degrees_of_freedom", "deviance", "residual_degrees_of_freedom", "residual_deviance", "p_value"]
    tested += ["f", "f_p_value", "pearson_dispersion"]
    of_r["dispersion"] = of_r["dispersion"].where(of_r.index == "method")  # R's is that of the last model
    table = analysis_of_deviance(counts)
    table["pearson_dispersion"] = table["pearson_dispersion"].where(table["term"] == "method")
    assert_allclose(table[tested].to_numpy(dtype=float), of_r, rtol=1e-8)


def test_fit_that_does_not_converge(counts, monkeypatch):
    fit = GLM.fit
    monkeypatch.setattr(GLM, "fit", lambda self, **settings: fit(self, maxiter=1, **settings))
    with pytest.raises(RuntimeError, match="did not converge"):
        compare_methods(counts, "ada")


@pytest.mark.parametrize("analyse", [lambda counts: compare_methods(counts, "ada"), compare_all, analysis_of_deviance])
def test_unusable_counts(counts, analyse):
    for name in counts:
        with pytest.raises(ValueError, match=rf"^The counts have no column '{name}'; they need dataset, rate, "):
            analyse(counts.drop(columns=name))
    with pytest.raises(ValueError, match="more than one row with the same dataset, rate, method"):
        analyse(pd.concat([counts, counts.iloc[:1]]))
    between, nothing = "n_correct is not between 0 and n_positions", "^Row 0 of the counts has no n_correct; fill it in"
    for wrong, sentence in ((-1, between), (1000, between), (np.nan, nothing)):
        with pytest.raises(ValueError, match=sentence):
            analyse(counts.assign(n_correct=[wrong, *counts["n_correct"][1:]]))


# --- deviance limits -------------------------------------------------------------------------------


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
