"""Ranks and noise of methods, on predictions whose right and wrong positions are known."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import RULES, VITERBI, choice_of, predictions

from treecrf.statistics.ranking import BEST, NOT_SEPARATED, WORSE
from treecrf_studies.training.summary import compare, noise, rank


def ranked(**parts):
    choices = [choice_of(name) for name in parts]
    frames = [pd.concat(part) for part in parts.values()]
    return rank(choices, frames, compare(choices, frames, RULES))


def test_methods_that_no_test_tells_apart_are_not_called_worse():
    """Ahead by a tenth of a point is no victory; behind everywhere is a defeat."""
    nearly = np.arange(20) == 0
    found = ranked(
        one=[predictions("one", 1, 20)],
        two=[predictions("two", 1 + nearly, 20)],
        bad=[predictions("bad", 5 + np.arange(20) % 3, 20)],
    ).set_index("method")
    assert found["value"].tolist() == pytest.approx([90.0, 89.5, 40.5])
    assert found["standing"].tolist() == [BEST, NOT_SEPARATED, WORSE]
    gap = found.loc["two", ["gap_points", "gap_low", "gap_high"]].astype(float)
    assert gap["gap_points"] == pytest.approx(-0.5)
    assert gap["gap_low"] < -1 < 0 < gap["gap_high"]
    assert found[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 2], [1, 2], [3, 3]]
    assert set(found["test"]) == {"sequences"}


def test_accuracies_are_means_of_the_perturbed_trainings_with_the_preferred_decoder():
    runs = [predictions("one", wrong, run=run) for run, wrong in enumerate((2, 4))]
    noisy = [predictions("one", 0), *runs, predictions("one", 9, decoder=VITERBI)]
    found = ranked(one=noisy, two=[predictions("two", 1)])
    assert found.set_index("method")["value"].to_dict() == pytest.approx({"one": 70.0, "two": 90.0})


def test_a_single_method_has_no_rank():
    assert ranked(one=[predictions("one", 1)]).empty


def test_noise_is_where_it_was_planted():
    """Sequences differ by 40 points; methods suit them alike, and trainings differ by nothing."""
    hard = np.where(np.arange(10) % 2, 5, 1)
    parts = {
        name: pd.concat([predictions(name, hard + more, 10, run=run) for run in (-1, 0, 1)])
        for name, more in (("one", 0), ("two", 1))
    }
    parts["untried"] = predictions("untried", 9, 10)  # without perturbed trainings
    found = noise([choice_of(name) for name in parts], list(parts.values())).set_index("component")
    assert 100 * found.loc["sequence", "variance"] ** 0.5 == pytest.approx(20 * np.sqrt(10 / 9))
    assert found.loc[["run", "method x sequence", "residual"], "variance"].tolist() == pytest.approx([0, 0, 0])


def test_noise_needs_two_methods_with_perturbed_trainings():
    parts = [predictions("one", 1, run=run) for run in (-1, 0, 1)], [predictions("two", 1)]
    assert noise([choice_of("one"), choice_of("two")], [pd.concat(part) for part in parts]).empty
