"""What cross-validation chooses, within which budget, and that nothing depends on a clock."""

import numpy as np
import pandas as pd
import pytest
from builders import larger_set, letter_before
from scipy.optimize import minimize

from treecrf import SequenceSet
from treecrf.automl.candidates import GRIDS, ITERATIONS, METHODS, Candidate, make_candidates
from treecrf.automl.choice import (
    MOST_MEMBERS,
    Limits,
    _is_better,
    _why_average,
    blend,
    choose,
    choose_best,
    choose_weights,
    cross_fit_weights,
    divide_budget,
    mean_log_loss,
    plan,
)
from treecrf.automl.cross_validation import CVResults, FoldResult, make_folds, score_marginals
from treecrf.automl.fitting import FitOptions
from treecrf.automl.scores import Counts, Metric
from treecrf.automl.search import SCREENING, BudgetedSearch, CrossValidated, more_iterations
from treecrf.statistics.metrics import Accuracy


@pytest.fixture(scope="module")
def choice():
    folds = make_folds(letter_before(), 0, 10_000)
    return choose(folds, [(0, 0), (1, 1)], {name: {"iterations": 10} for name in METHODS}, FitOptions(budget=300.0))


def test_the_window_that_is_needed_is_found(choice):
    assert choice.candidates[0].window == (1, 1)
    assert choice.accuracy.points > 95
    assert set(choice.table["method"]) >= set(METHODS)
    assert choice.n_folds == 5
    assert choice.left_out == []
    assert choice.n_positions == 400


def test_what_may_be_no_better_than_guessing_is_called_so(choice):
    shares = np.array([0.5, 0.25, 0.25])
    guessing = 0.5 * np.log(2) + 0.5 * np.log(4)
    certain = choice._replace(accuracy=Accuracy(60.0, 51.0, 69.0), log_loss=guessing - 1e-9)
    assert certain.doubt(50.0, shares) == ""
    interval, probabilities = (
        "the interval goes down to it",
        "the probabilities say no more than the shares of the labels",
    )
    for change, found in (
        ({"accuracy": Accuracy(60.0, 50.0, 70.0)}, interval),
        ({"log_loss": guessing + 1e-9}, probabilities),
        ({"accuracy": Accuracy(60.0, 49.0, 71.0), "log_loss": 2.0}, f"{interval} and {probabilities}"),
    ):
        assert certain._replace(**change).doubt(50.0, shares) == f" What was chosen may be no better: {found}."


def test_every_number_that_decides_is_in_the_table(choice):
    table = choice.table
    assert (table["low"] <= table["score"]).all()
    assert (table["score"] <= table["high"]).all()
    assert table["score"].is_monotonic_decreasing
    assert (table["log_loss"] > 0).all()
    assert table.loc[table["method"] != "average", "weight"].sum() in (0, pytest.approx(1))
    assert sum(choice.weights) == pytest.approx(1)


def test_the_same_again():
    folds = make_folds(letter_before(20), 0, 10_000)
    compared = {"linear_crf": {"iterations": 5}}
    first, second = (choose(folds, [(0, 0), (1, 1)], compared, FitOptions(budget=9.0)) for _ in range(2))
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first[:4] == second[:4]


@pytest.mark.parametrize(
    ("needs", "shares"),
    [([1, 2, 3], [1, 2, 3]), ([9, 1, 9], [3.5, 1, 3.5]), ([9, 9, 8], [8 / 3] * 3), ([0, 20], [0, 8])],
)
def test_what_cheap_methods_leave_is_for_dear_ones(needs, shares):
    assert divide_budget(needs, 8) == pytest.approx(shares)


def test_a_small_budget_leaves_out_and_says_so():
    folds = make_folds(letter_before(20), 0, 10_000)
    found = choose(folds, [(0, 0), (1, 1)], {name: {} for name in METHODS}, FitOptions(budget=0.001))
    assert found.candidates[0].method == "linear_crf"
    assert found.n_folds == 1
    assert any(sentence.startswith("treecrf_newton: its first trial") for sentence in found.left_out)
    assert not any(" 0 s" in sentence for sentence in found.left_out)
    assert any("were left of what its first trials may take" in sentence for sentence in found.left_out)
    assert any(
        sentence.startswith("linear_crf with other settings (windows 1,1 and 0,0)") for sentence in found.left_out
    )
    assert any(sentence.startswith("4 of 5 folds") for sentence in found.left_out)


def test_large_sets_are_screened_in_part(monkeypatch):
    monkeypatch.setattr("treecrf.automl.search.SCREENED_POSITIONS", 60)
    monkeypatch.setattr("treecrf.automl.search.MOST_OTHERS", 0)
    trained = []

    def trying(candidate, split, metric, keeps_marginals=False):
        train, held_out, _ = split
        trained.append((train.n_positions, held_out.n_positions, candidate.iterations))
        right, marginals = np.ones((1, len(held_out))), np.ones((held_out.n_positions, 3), dtype=np.float32)
        counts = Counts(right.astype(int), right.astype(int))
        return FoldResult(np.array([1]), counts, right, [marginals] if keeps_marginals else None)

    monkeypatch.setattr("treecrf.automl.search.fit_fold", trying)
    choose(make_folds(letter_before(), 0, 10_000), [(1, 1)], {"treecrf_newton": {}}, FitOptions(budget=60.0))
    n_finals = 5
    assert {trained.pop()[0] for _ in range(n_finals)} == {160}  # halves, for the learning curve
    assert set(trained[:-n_finals]) == {(60, 80, SCREENING)}
    assert set(trained[-n_finals:]) == {(320, 80, 2 * ITERATIONS)}  # trees of a small file
    assert len(trained) == (len(GRIDS["treecrf_newton"]) + 1) * n_finals


def test_the_rest_of_a_large_file_trains_the_best_candidates_where_the_budget_allows():
    folds = make_folds(letter_before(), 0, 100)
    compared = {name: {"iterations": 5} for name in METHODS[:3]}
    found = choose(folds, [(0, 0), (1, 1)], compared, FitOptions(budget=300.0))
    assert (found.n_folds, found.n_positions) == (1, 100)
    assert found.candidates[0].window == (1, 1)
    assert choose(folds, [(1, 1)], compared, FitOptions(budget=0.001)).n_positions < 100  # a fold of what was drawn


@pytest.mark.parametrize(("derive", "reserved"), [(None, 24.0), ((), 16.0)])
def test_more_of_the_budget_is_kept_for_a_long_training_of_text(monkeypatch, derive, reserved):
    monkeypatch.setattr(BudgetedSearch, "final_cost", lambda search, candidate: 100.0)
    words, n = [f"word{i}" for i in range(150)], 600
    data = SequenceSet(np.arange(n)[:, None] % 150, np.arange(0, n + 1, 20), [("word", words)], np.arange(n) % 2, "uv")
    planned = plan(make_folds(data, 0, 10_000), [(0, 0)], {"linear_crf": {}}, FitOptions(budget=40.0, derive=derive))
    assert planned.search.reserved == reserved


@pytest.mark.parametrize(("most", "iterations"), [(80, 60), (50.5, 50), (10, 20)])
def test_more_data_have_more_iterations_up_to_a_limit(most, iterations):
    assert more_iterations(20, 3.0, most) == iterations


def test_a_linear_crf_has_more_iterations_on_the_whole_file_and_trees_have_those_of_the_folds():
    folds = make_folds(letter_before(), 0, 100)._replace(growth=1000.0)
    search = BudgetedSearch(folds, 1000.0)
    search.reserve(900.0)
    found = {
        method: search.cross_validate(
            [next(make_candidates(method, folds.data, [(1, 1)], "auto", {"iterations": 9}))[0]]
        )
        for method in ("linear_crf", "treecrf_newton")
    }
    [linear], [trees] = found.values()
    assert linear.best.iterations == 9
    assert trees.best.iterations == trees.results.iterations()[trees.stage]


def test_passes_over_sequences_are_as_many_on_the_whole_file():
    folds = make_folds(letter_before(), 0, 100)._replace(growth=1000.0)
    search = BudgetedSearch(folds, 1000.0)
    search.reserve(900.0)
    settings = {"iterations": 9, "solver": "sgd", "features": "labels"}
    [linear] = search.cross_validate([Candidate("linear_crf", (1, 1), settings, "error")])
    assert linear.best.iterations == linear.results.iterations()[linear.stage]


def test_two_methods_pass_where_one_fold_fits():
    folds = make_folds(letter_before(20), 0, 10_000)
    ranked = [next(make_candidates(name, folds.data, [(1, 1)], "auto", {"iterations": 3}))[0] for name in METHODS[:3]]
    search = BudgetedSearch(folds, 1.0, lambda done, words: None)
    search.left = 1.01 * sum(map(search.cost, ranked[:2]))
    assert [finished.candidate.method for finished in search.cross_validate(ranked)] == list(METHODS[:2])
    assert [sentence.split()[0] for sentence in search.left_out] == ["lightgbm", "4"]


FOLDS = make_folds(larger_set(0), 0, 10_000)
HELD_OUT = FOLDS.data.select(np.concatenate(FOLDS.parts))
SEQUENCE = np.repeat(np.arange(len(HELD_OUT)), HELD_OUT.lengths)


def marginals_of(of_truth):
    """What gives the true label these probabilities, and the label after it all the rest."""
    found = np.zeros((HELD_OUT.n_positions, 3), dtype=np.float32)
    rows = np.arange(len(found))
    found[rows, HELD_OUT.labels], found[rows, (HELD_OUT.labels + 1) % 3] = of_truth, 1 - of_truth
    return found


def finished(*probabilities):
    """As if methods had given the true labels these probabilities after their second iteration."""
    splits = np.cumsum([FOLDS.data.lengths[part].sum() for part in FOLDS.parts])[:-1]
    found = []
    for method, of_truth in zip(METHODS, probabilities, strict=False):
        folds = []
        for part, marginals in zip(FOLDS.parts, np.split(marginals_of(of_truth), splits), strict=True):
            right, log_loss = score_marginals(marginals, FOLDS.data.select(part))
            folds.append(FoldResult(np.array([2]), Counts.stacked([right]), log_loss[None], [marginals]))
        candidate = Candidate(method, (1, 1), {"iterations": 9}, "error")
        found.append(CrossValidated(candidate, CVResults(folds), 0, CVResults(folds).marginals(0)))
    return found


def chosen(*probabilities, budget=1000.0):
    return choose_best(finished(*probabilities), BudgetedSearch(FOLDS, budget, lambda done, words: None), 0)


def test_what_errs_elsewhere_is_averaged():
    choice = chosen(np.where(SEQUENCE % 2, 0.9, 0.4), np.where(SEQUENCE % 2, 0.4, 0.9))
    assert {(c.method, c.iterations) for c in choice.candidates} == {("linear_crf", 2), ("treecrf_newton", 2)}
    assert choice.weights == pytest.approx([0.5, 0.5], abs=0.15)
    best = choice.table.iloc[0]
    assert best[["method", "window", "inputs", "iterations", "score"]].tolist() == ["average", "", "", "", 100.0]
    assert (choice.table["gap_high"] < 0).tolist() == [False, True, True]
    assert (choice.accuracy.points, choice.accuracy.high) == (100, 100)
    labeller, treatment = choice.build(FitOptions())
    assert (labeller.weights, treatment) == (choice.weights, "error")


def lucky(seed, n_candidates=6, n_stages=8):
    """As if methods guessed, with other luck after each iteration."""
    rng = np.random.default_rng(seed)
    candidates = []
    for number in range(n_candidates):
        folds = []
        for part in FOLDS.parts:
            held_out = FOLDS.data.select(part)
            marginals = [rng.dirichlet(np.ones(3), held_out.n_positions).astype(np.float32) for _ in range(n_stages)]
            counts, log_loss = zip(*(score_marginals(each, held_out) for each in marginals), strict=True)
            stages = np.arange(1, n_stages + 1)
            folds.append(FoldResult(stages, Counts.stacked(counts), np.array(log_loss), marginals))
        results = CVResults(folds, n_errors=0.0)
        candidate = Candidate("linear_crf", (number, 0), {"iterations": n_stages}, "error")
        stage = results.best_stage()
        candidates.append(CrossValidated(candidate, results, stage, results.marginals(stage)))
    return choose_best(candidates, BudgetedSearch(FOLDS, 1e-9), 0)


def test_the_estimate_is_not_that_of_the_luckiest_guess_and_stage():
    choices = [lucky(seed) for seed in range(12)]
    plain = np.mean([choice.table["score"].max() for choice in choices])
    assert plain > 100 / 3 + 2.5
    assert np.mean([choice.accuracy.points for choice in choices]) == pytest.approx(100 / 3, abs=1)


def test_three_are_averaged():
    choice = chosen(*(np.where(part == SEQUENCE % 3, 0.1, 0.8) for part in range(3)))
    assert len(choice.candidates) == 3
    assert sorted(choice.table["method"]) == sorted([*METHODS[:3], "average"])


@pytest.mark.parametrize("points", [0, 0.1])
def test_of_methods_that_are_as_good_the_fastest_is_taken(points):
    right = np.where(np.arange(HELD_OUT.n_positions) % 4, 0.9, 0.2)
    other = right.copy()
    other[: round(points / 100 * len(right))] = 0.9
    choice = chosen(right, other)
    assert [candidate.method for candidate in choice.candidates] == ["linear_crf"]
    assert choice.weights == [1.0]
    assert choice.reason == ("nearly as good as the best, and faster to predict" if points else "the best of all")


@pytest.mark.parametrize(
    ("metric", "best", "reason"),
    [
        ("accuracy", 40, "it is within a standard error of the best"),
        ("span_f1", 40, "its span F1 is as high as that of the best"),
        ("span_f1", 39, "it is estimated better than each of them alone"),
    ],
)
def test_the_reason_is_what_decided(metric, best, reason):
    counts = Counts(np.array([[best], [30], [40]]), np.full((3, 1), 50))
    assert _why_average(counts, Metric(metric)).endswith(reason)


def test_an_average_that_scores_higher_is_taken_whatever_its_margin():
    is_first = np.diff(SEQUENCE, prepend=-1) > 0  # a few positions, which are no more than chance
    one, two = (np.where(is_first & (rest == SEQUENCE % 4), 0.3, 0.9) for rest in (0, 2))
    choice = chosen(one, two)
    scores = choice.table.set_index("method")["score"]
    assert scores["average"] > scores.drop("average").max()
    assert len(choice.candidates) == 2


@pytest.mark.parametrize(("n_errors", "is_taken"), [(1.0, True), (0.0, False)])
def test_an_average_with_fewer_spans_is_not_taken_for_its_log_loss(n_errors, is_taken):
    right = np.random.default_rng(0).binomial(20, 0.8, (1, 50))
    worse = right.copy()
    worse[0, ::7] -= 1
    worse[0, 1::8] += 1
    assert worse.sum() < right.sum()
    counts = Counts(np.concatenate([right, worse]), np.full((2, 50), 21))
    assert _is_better(counts, np.array([[1.0] * 50, [0.8] * 50]), n_errors) == is_taken


def test_an_average_that_is_worse_by_more_than_chance_is_not_taken():
    sure, wrong = np.full(HELD_OUT.n_positions, 0.6), np.where(np.arange(HELD_OUT.n_positions) % 2, 1.0, 0.35)
    choice = chosen(sure, wrong)
    scores = choice.table.set_index("method")["score"]
    assert scores["average"] < 60
    assert [candidate.method for candidate in choice.candidates] == ["linear_crf"]


def test_an_average_whose_training_is_too_dear_is_not_taken():
    one, two = np.where(SEQUENCE % 2, 0.9, 0.4), np.where(SEQUENCE % 2, 0.4, 0.9)
    assert len(chosen(one, two, budget=0.01).candidates) == 1


def test_folds_that_took_the_whole_budget_leave_room_for_an_average():
    one, two = np.where(SEQUENCE % 2, 0.9, 0.4), np.where(SEQUENCE % 2, 0.4, 0.9)
    search = BudgetedSearch(FOLDS, 40.0, lambda done, words: None)
    search.left = 0.0
    assert len(choose_best(finished(one, two), search, 0).candidates) == 2


def test_a_larger_budget_starts_from_all_candidates_of_a_smaller_one():
    folds = make_folds(letter_before(20), 0, 10_000)
    tables = [
        choose(folds, [(0, 0), (1, 1)], {name: {"iterations": 3} for name in METHODS[:3]}, FitOptions(budget=b)).table
        for b in (40, 200)
    ]
    few, many = ({tuple(row) for row in table[["method", "window", "inputs"]].to_numpy()} for table in tables)
    assert few <= many


def free(n):
    return Limits(np.zeros((1, n)), np.ones(1))


def test_the_log_loss_is_near_the_smallest_of_all_weights():
    rng = np.random.default_rng(0)
    of_truth = rng.beta(2, 1, (4, 500))
    weights = choose_weights(of_truth, free(4))
    assert weights.sum() == pytest.approx(1)

    def loss(free_weights):
        shares = np.exp(free_weights) / np.exp(free_weights).sum()
        return mean_log_loss(shares @ of_truth)

    assert mean_log_loss(weights @ of_truth) == pytest.approx(minimize(loss, np.zeros(4)).fun, rel=0.005)


def test_one_that_is_best_everywhere_is_alone():
    of_truth = np.array([np.full(50, 0.9), np.full(50, 0.5)])
    assert choose_weights(of_truth, free(2)).tolist() == [1, 0]


def test_limits_hold_for_all_members_together(monkeypatch):
    of_truth = np.random.default_rng(0).beta(2, 1, (10, 400))
    assert 3 < (choose_weights(of_truth, free(10)) > 0).sum() <= MOST_MEMBERS
    costs = np.vstack([np.ones(10), np.zeros(10)])
    assert (choose_weights(of_truth, Limits(costs, np.array([3.0, 1.0]))) > 0).sum() == 3
    assert (choose_weights(of_truth, Limits(costs, np.array([0.5, 1.0]))) > 0).sum() == 1
    monkeypatch.setattr("treecrf.automl.choice.MOST_MEMBERS", 2)
    assert (choose_weights(of_truth, free(10)) > 0).sum() == 2


def test_groups_are_judged_by_weights_that_others_chose():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 10)
    of_truth = rng.beta(2, 1, (3, 200))
    weights, part = cross_fit_weights(of_truth, group, free(3), 1)
    assert weights.shape == (5, 3)
    assert all(len(np.unique(part[group == each])) == 1 for each in range(20))
    for number in range(5):
        np.testing.assert_array_equal(weights[number], choose_weights(of_truth[:, part != number], free(3)))
    assert cross_fit_weights(of_truth, np.zeros(200, dtype=int), free(3), 1) is None


def test_blended_marginals_are_weighted_means():
    rng = np.random.default_rng(0)
    marginals = [rng.dirichlet(np.ones(4), 6).astype(np.float32) for _ in range(2)]
    weights, part = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0, 1, 0, 1, 1, 0])
    found = blend(marginals, weights, part)
    for row in range(6):
        expected = np.average([each[row] for each in marginals], axis=0, weights=weights[part[row]])
        np.testing.assert_allclose(found[row], expected, rtol=1e-6)
