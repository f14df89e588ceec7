"""The time that is announced: from charges that are known beforehand, and the speed of the first trials."""

import numpy as np
import pytest
from builders import letter_before

from treecrf import SequenceSet
from treecrf.automl import search
from treecrf.automl.candidates import METHODS, estimate_seconds
from treecrf.automl.choice import plan
from treecrf.automl.cross_validation import fit_fold, make_folds
from treecrf.automl.fitting import FitOptions
from treecrf.automl.forecast import TEXT, Pace

COMPARED = {name: {"iterations": 5} for name in METHODS[:3]}


def planned(budget, windows=((0, 0), (1, 1))):
    return plan(make_folds(letter_before(20), 0, 10_000), windows, COMPARED, FitOptions(budget=budget))


class Machine:
    """A clock that trainings move on: by a share of what they are expected to take, and once by what they load."""

    def __init__(self, speeds, loading):
        self.now, self.speeds, self.loading = 0.0, speeds, dict.fromkeys(speeds, loading)

    def fit_fold(self, candidate, split, *arguments):
        seconds = estimate_seconds(candidate.build(), split.train, candidate.iterations)
        self.now += self.speeds[candidate.method] * seconds + self.loading.pop(candidate.method, 0.0)
        return fit_fold(candidate, split, *arguments)

    def time(self):
        return self.now


@pytest.fixture
def machine(monkeypatch):
    def make(speeds, loading=0.0):
        made = Machine(dict(zip(METHODS, speeds, strict=False)), loading)
        monkeypatch.setattr(search, "fit_fold", made.fit_fold)
        monkeypatch.setattr("treecrf.automl.forecast.process_time", made.time)
        return made

    return make


@pytest.mark.parametrize("budget", [0.3, 2.0, 1000.0])
def test_charges_are_between_the_least_and_the_most(budget):
    of_file = planned(budget)
    least, most = (sum(end.values()) for end in of_file.expected(0, of_file.screening))
    before = of_file.search.left
    of_file.carry_out()
    assert 0.75 * least <= before - of_file.search.left <= 1.25 * most


def test_the_rest_of_a_large_file_takes_what_is_left():
    folds = make_folds(letter_before(20), 0, 100)
    large = plan(folds, [(0, 0), (1, 1)], COMPARED, FitOptions(budget=2.0))
    assert folds.n_others > 0
    for end in large.expected(0, large.screening):
        assert sum(end.values()) == pytest.approx(large.search.left)


@pytest.mark.parametrize("speeds", [(1, 1, 1), (0.2, 0.2, 0.2), (5, 5, 5), (3, 0.3, 1)])
@pytest.mark.parametrize("budget", [2.0, 1000.0])
def test_what_is_announced_is_true_within_half(machine, speeds, budget):
    clock = machine(speeds, loading=0.5)
    of_file = planned(budget)
    announced = of_file.predict_seconds()
    choice = of_file.carry_out()
    taken = clock.now + choice.seconds * speeds[METHODS.index(choice.candidates[0].method)]
    assert announced / 1.5 < taken < announced * 1.5


def test_the_choice_does_not_depend_on_the_speed(machine):
    machine((7, 0.1, 3), loading=0.5)
    measured, not_measured = planned(2.0), planned(2.0)
    measured.predict_seconds()
    assert measured.carry_out().table.equals(not_measured.carry_out().table)


def test_no_trial_is_made_twice(monkeypatch):
    numbers = []
    for is_measured in (True, False):
        made = []

        def watched(candidate, *arguments, made=made):
            made.append(repr(candidate))
            return fit_fold(candidate, *arguments)

        monkeypatch.setattr(search, "fit_fold", watched)
        of_file = planned(2.0)
        if is_measured:
            of_file.predict_seconds()
            assert made
        of_file.carry_out()
        numbers.append(sorted(made))
    assert numbers[0] == numbers[1]


def test_only_what_the_budget_pays_for_is_measured():
    of_file = planned(1e-3)
    pace = Pace(of_file.search, of_file.rounds, of_file.text, of_file.shares)
    assert set(pace.by_method.values()) == {1.0}
    assert sum(pace.known.values()) <= 1e-3


def test_text_has_a_speed_of_its_own(machine, monkeypatch):
    clock = machine((1,))
    words, n = [f"word{i}" for i in range(150)], 600
    data = SequenceSet(np.arange(n)[:, None] % 150, np.arange(0, n + 1, 20), [("word", words)], np.arange(n) % 2, "uv")
    of_file = plan(make_folds(data, 0, 10_000), [(0, 0)], {"linear_crf": {}}, FitOptions(budget=40.0))

    def measured():
        return Pace(of_file.search, of_file.rounds, of_file.text, of_file.shares).by_method

    def slower(candidate, *arguments):
        began = clock.now
        result = clock.fit_fold(candidate, *arguments)
        clock.now += 2 * (clock.now - began) if candidate.derived == of_file.text[0].derived else 0.0
        return result

    before = measured()
    monkeypatch.setattr(search, "fit_fold", slower)
    assert measured()[TEXT] == pytest.approx(3 * before[TEXT])
    assert measured()["linear_crf"] == pytest.approx(before["linear_crf"])
