"""What cross-validation chooses, within which budget, and that nothing depends on a clock."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf import SequenceSet
from treecrf.automl.candidates import (
    GRIDS,
    ITERATIONS,
    METHODS,
    candidate_windows,
    estimate_memory,
    estimate_seconds,
    limit_iterations,
    make_candidates,
    mean_run,
)
from treecrf.automl.choice import SCREENING, Search, choose
from treecrf.automl.cross_validation import CVResults, FoldResult, fit_fold, make_folds, one_standard_error_choice
from treecrf.automl.fitting import FitOptions
from treecrf.statistics.ranking import WORSE


def before(n_sequences=40, length=10, seed=0):
    """The letter before decides the label: a window of one is enough, and a chain helps nobody."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, 3, (n_sequences, length))
    labels = np.hstack([np.zeros((n_sequences, 1), dtype=int), letters[:, :-1]])
    offsets = np.arange(n_sequences + 1) * length
    return SequenceSet(letters.reshape(-1, 1), offsets, [("letter", "abc")], labels.ravel(), "uvw")


@pytest.fixture(scope="module")
def choice():
    folds = make_folds(before(), 0, 10_000)
    return choose(folds, [(0, 0), (1, 1)], {name: {"iterations": 10} for name in METHODS}, FitOptions(budget=60.0))


def test_the_window_that_is_needed_is_found(choice):
    assert choice.candidates[0].window == (1, 1)
    assert choice.accuracy.points > 95
    averages = {" + ".join(some) for size in (2, 3) for some in combinations(METHODS, size)}
    assert set(choice.table["method"]) == set(METHODS) | averages
    assert choice.n_folds == 5
    assert choice.left_out == []
    assert choice.n_positions == 400


def test_of_methods_that_are_as_good_the_fastest_is_taken(choice):
    near = choice.table[
        (choice.table["standing"] != WORSE) & (choice.table["accuracy"] >= choice.table["accuracy"].max() - 0.2)
    ]
    assert [c.method for c in choice.candidates] == [min(set(near["method"]) & set(METHODS), key=METHODS.index)]
    assert (choice.table["low"] <= choice.table["accuracy"]).all()


def test_the_same_again():
    folds = make_folds(before(20), 0, 10_000)
    compared = {"linear_crf": {"iterations": 5}}
    first, second = (choose(folds, [(0, 0), (1, 1)], compared, FitOptions(budget=9.0)) for _ in range(2))
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first[:2] == second[:2]


def test_a_small_budget_leaves_out_and_says_so():
    folds = make_folds(before(20), 0, 10_000)
    found = choose(folds, [(0, 0), (1, 1)], {name: {} for name in METHODS}, FitOptions(budget=0.001))
    assert found.candidates[0].method == "linear_crf"
    assert found.n_folds == 1
    assert any(sentence.startswith("treecrf_newton: its first trial") for sentence in found.left_out)
    assert any(
        sentence.startswith("linear_crf with other settings (windows 1,1 and 0,0)") for sentence in found.left_out
    )
    assert any(sentence.startswith("4 of 5 folds") for sentence in found.left_out)


def test_a_trial_judges_stages_by_sequence():
    data = before(12)
    train, held_out = data.select(range(8)), data.select(range(8, 12))
    [candidate] = next(make_candidates("treecrf_newton", data, [(1, 1)], "auto", {"iterations": 4}))
    result = fit_fold(candidate, train, held_out)
    labeller = candidate.build().set_params(missing="instance_weighting").fit(train)
    right = labeller.predict(held_out) == held_out.labels
    assert result.iterations.tolist() == [1, 2, 3, 4]
    np.testing.assert_array_equal(result.correct[-1], right.reshape(4, 10).sum(axis=1))
    of_truth = labeller.predict_proba(held_out)[np.arange(40), held_out.labels]
    np.testing.assert_allclose(result.log_loss[-1], -np.log(of_truth).reshape(4, 10).sum(axis=1), rtol=1e-12)


def test_many_labels_are_judged_at_fewer_stages(monkeypatch):
    data = before(12)
    [candidate] = next(make_candidates("treecrf_newton", data, [(0, 0)], "auto", {"iterations": 15}))
    split = data.select(range(8)), data.select(range(8, 12))
    assert fit_fold(candidate, *split).iterations.tolist() == list(range(1, 16))
    monkeypatch.setattr("treecrf.automl.cross_validation.SCORING", 40 * 3**2)
    assert fit_fold(candidate, *split).iterations.tolist() == [3, 6, 9, 12, 15]


def test_large_sets_are_screened_in_part(monkeypatch):
    monkeypatch.setattr("treecrf.automl.choice.SCREENED_POSITIONS", 60)
    trained = []

    def trying(candidate, train, held_out, keeps_marginals=False):
        trained.append((train.n_positions, held_out.n_positions, candidate.iterations))
        right, marginals = np.ones((1, len(held_out))), np.ones((held_out.n_positions, 3), dtype=np.float32)
        return FoldResult(np.array([1]), right.astype(int), right, [marginals] if keeps_marginals else None)

    monkeypatch.setattr("treecrf.automl.choice.fit_fold", trying)
    choose(make_folds(before(), 0, 10_000), [(1, 1)], {"treecrf_newton": {}}, FitOptions(budget=60.0))
    n_finals = 5
    assert set(trained[:-n_finals]) == {(60, 80, SCREENING)}
    assert set(trained[-n_finals:]) == {(320, 80, 2 * ITERATIONS)}  # trees of a small file
    assert len(trained) == (len(GRIDS["treecrf_newton"]) + 1) * n_finals


def test_folds_of_unlike_lengths_are_joined():
    long = FoldResult(np.array([2, 4, 6]), np.array([[1, 1], [2, 2], [1, 1]]), np.array([[1.0, 1], [2, 2], [3, 3]]))
    short = FoldResult(np.array([2, 4]), np.array([[1], [3]]), np.array([[1.0], [2]]))
    results = CVResults([short, long])
    np.testing.assert_array_equal(results.correct(), [[1, 1, 1], [3, 2, 2], [3, 1, 1]])
    np.testing.assert_array_equal(results.log_loss(), [[1, 1, 1], [2, 2, 2], [2, 3, 3]])
    assert results.best_iteration() == 4


def test_of_candidates_that_chance_tells_apart_the_smallest_log_loss_is_best():
    steady, alike, worse = [8, 8, 8, 8], [10, 6, 10, 6], [7, 7, 7, 7]
    log_loss = np.array([[4.0], [3.0], [1.0]]) * np.ones((3, 4))
    assert (
        one_standard_error_choice(np.array([steady, alike, worse]), log_loss) == 1
    )  # `worse` is one behind everywhere
    assert one_standard_error_choice(np.array([steady, worse]), log_loss[[0, 2]]) == 0
    assert one_standard_error_choice(np.array([steady, steady]), log_loss[:2]) == 0


# --- candidates and what they cost ------------------------------------------------------------------


def test_long_runs_of_numbers_get_a_wide_window():
    data = number_set(0, n_sequences=4, longest=60)
    lasting = data.with_labels(np.arange(data.n_positions) // 24 % 3)
    assert mean_run(lasting) > 14
    narrow = [(0, 0), (1, 1), (3, 3)]
    assert candidate_windows(lasting) == [*narrow, (int(mean_run(lasting)) // 2,) * 2]
    assert candidate_windows(data) == narrow
    assert candidate_windows(before(5, 2)) == [(0, 0), (1, 1)]


def test_runs_end_with_sequences():
    data = before(2, 3).with_labels([0, 0, 1, 1, 1, 1])
    assert mean_run(data) == 2


@pytest.mark.parametrize("method", METHODS)
def test_given_settings_are_kept(method):
    rounds = list(make_candidates(method, before(), [(0, 0), (2, 2)], "imputation", {"iterations": 7}))
    assert [c.window for c in rounds[0]] == [(0, 0), (2, 2)]
    assert all(c.iterations == 7 and c.missing == "imputation" for r in rounds for c in r)
    settings = [c.settings for r in rounds for c in r if c.window == (0, 0)]
    assert len(settings) == len([grid for grid in GRIDS[method] if "n_bins" not in grid])


def test_many_labels_and_categories():
    n = 400
    data = SequenceSet(
        np.arange(n)[:, None] % 150, [0, n // 2, n], [("word", [f"w{i}" for i in range(150)])], np.arange(n) % 15,
        [f"l{i}" for i in range(15)],
    )  # fmt: skip
    [tree, *_], _, others = make_candidates("treecrf_newton", data, [(1, 1)], "auto", {})
    assert tree.settings["transitions"] == "separable"
    assert (tree.settings["missing"], tree.missing, tree.settings["min_count"], others) == (
        "incorporated",
        "incorporated",
        2,
        [],
    )
    tree.build().fit(data)
    [linear, *_], *_ = make_candidates("linear_crf", data, [(1, 1)], "auto", {})
    assert "min_count" not in linear.settings
    assert linear.settings["variance"] == 10
    assert candidate_windows(data) == [(0, 0), (1, 1)]


def test_two_methods_pass_where_one_fold_fits():
    folds = make_folds(before(20), 0, 10_000)
    ranked = [next(make_candidates(method, folds.data, [(1, 1)], "auto", {"iterations": 3}))[0] for method in METHODS]
    search = Search(folds, 1.0, lambda done, words: None)
    search.left = 1.01 * sum(map(search.cost, ranked[:2]))
    assert [finished.candidate.method for finished in search.cross_validate(ranked)] == list(METHODS[:2])
    assert [sentence.split()[0] for sentence in search.left_out] == ["lightgbm", "4"]


def test_linear_crfs_keep_no_more_weights_than_fit(monkeypatch):
    monkeypatch.setattr("treecrf.automl.candidates.HISTORY_BYTES", 20_000)
    [candidate, *_], *_ = make_candidates("linear_crf", before(), [(1, 1)], "auto", {})
    fewer = limit_iterations(candidate, before())
    assert 1 < fewer.iterations < candidate.iterations
    assert estimate_memory(fewer.build(), before(), fewer.iterations) <= 20_000


@pytest.mark.parametrize("method", METHODS)
def test_costs_grow_with_the_data(method):
    small, large = (number_set(0, n_sequences=n) for n in (10, 100))
    [candidate, wide], *_ = make_candidates(method, small, [(1, 1), (9, 9)], "auto", {})
    costs = [estimate_seconds(candidate.build(), small, 10), estimate_seconds(candidate.build(), large, 10),
             estimate_seconds(wide.build(), large, 10), estimate_seconds(wide.build(), large, 60)]  # fmt: skip
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_marginals_are_kept_where_they_are_asked_for():
    data = before(12)
    split = data.select(range(8)), data.select(range(8, 12))
    [candidate] = next(make_candidates("linear_crf", data, [(1, 1)], "auto", {"iterations": 3}))
    assert fit_fold(candidate, *split).marginals is None
    kept = fit_fold(candidate, *split, keeps_marginals=True).marginals
    labeller = candidate.build().fit(split[0])
    assert [each.dtype for each in kept] == [np.float32] * 3
    np.testing.assert_allclose(kept[-1], labeller.predict_proba(split[1]), rtol=1e-6, atol=1e-7)
