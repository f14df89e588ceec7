"""What is tried of each method."""

import pytest
from builders import larger_set

from treecrf.automl import candidates
from treecrf.automl.candidates import ITERATIONS, Candidate, refine


def candidate(method, iterations=ITERATIONS):
    return Candidate(method, (1, 1), {"learning_rate": 0.2, "max_leaves": 4, "iterations": iterations}, "error")


@pytest.mark.parametrize("method", ["treecrf_newton", "lightgbm"])
def test_trees_of_a_small_file_learn_half_as_fast_and_twice_as_long(method):
    found = refine(candidate(method), larger_set())
    assert found.settings == {"learning_rate": 0.1, "max_leaves": 4, "iterations": 2 * ITERATIONS}
    assert found.build().get_params()["learning_rate"] == 0.1


def test_of_a_large_file_and_a_given_number_of_iterations_they_stay(monkeypatch):
    data = larger_set()
    for same in (candidate("linear_crf"), candidate("treecrf_newton", 7)):
        assert refine(same, data) == same
    monkeypatch.setattr(candidates, "SMALL", data.n_positions)
    assert refine(candidate("lightgbm"), data) == candidate("lightgbm")
