"""The choice among finalists and averages of what they say."""

import numpy as np
import pytest
from builders import larger_set

from treecrf.automl.candidates import METHODS, Candidate
from treecrf.automl.choice import CrossValidated, choose_best
from treecrf.automl.cross_validation import CVResults, FoldResult, make_folds, score_marginals
from treecrf.statistics.ranking import BEST, WORSE

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
            folds.append(FoldResult(np.array([2]), right[None], log_loss[None], [marginals]))
        candidate = Candidate(method, (1, 1), {"iterations": 9}, "error")
        found.append(CrossValidated(candidate, CVResults(folds), CVResults(folds).marginals()))
    return found


def test_what_errs_elsewhere_is_averaged():
    one, two = np.where(SEQUENCE % 2, 0.9, 0.4), np.where(SEQUENCE % 2, 0.4, 0.9)
    choice = choose_best(finished(one, two), FOLDS, 0, [])
    assert [(c.method, c.iterations) for c in choice.candidates] == [("linear_crf", 2), ("treecrf_newton", 2)]
    best = choice.table.iloc[0]
    assert best[["method", "window", "iterations", "accuracy", "gap", "standing"]].tolist() == [
        "linear_crf + treecrf_newton", "", "", 100.0, "", BEST,
    ]  # fmt: skip
    assert choice.table["standing"].tolist() == [BEST, WORSE, WORSE]
    assert choice.accuracy.points == 100


def test_pairs_of_three_and_all_three_are_candidates():
    one, two, three = (np.where(part == SEQUENCE % 3, 0.1, 0.8) for part in range(3))
    choice = choose_best(finished(one, two, three), FOLDS, 0, [])
    assert len(choice.candidates) == 3
    assert sorted(choice.table["method"].str.count(r"\+")) == [0, 0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("points", [0, 0.1])
def test_a_method_is_taken_before_an_average_that_is_no_better(points):
    right = np.where(np.arange(HELD_OUT.n_positions) % 4, 0.9, 0.2)
    other = right.copy()
    other[: round(points / 100 * len(right))] = 0.9
    choice = choose_best(finished(right, other), FOLDS, 0, [])
    assert [candidate.method for candidate in choice.candidates] == ["linear_crf"]


def test_a_mean_that_is_less_accurate_by_more_than_chance_is_not_taken():
    sure, wrong = np.full(HELD_OUT.n_positions, 0.6), np.where(np.arange(HELD_OUT.n_positions) % 2, 1.0, 0.35)
    choice = choose_best(finished(sure, wrong), FOLDS, 0, [])
    mean = choice.table.set_index("method").loc["linear_crf + treecrf_newton"]
    assert mean["accuracy"] < 60
    assert [candidate.method for candidate in choice.candidates] == ["linear_crf"]
