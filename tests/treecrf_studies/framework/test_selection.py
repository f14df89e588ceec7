"""The choice among candidates and stages: what wins among equals, folds together, and where trying ends."""

import numpy as np
import pandas as pd
import pytest

from treecrf import LinearCRF
from treecrf.models.custom import CustomLabeller
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.framework.selection import (
    FEWEST_ITERATIONS,
    FIRST_CANDIDATE,
    choose,
    choose_by_scores,
    correct_by_stage,
    first_best,
)

ATTRIBUTES, LABELS = (Attribute("symbol", ("a", "b", "c")),), ("x", "y", "z")
SYMBOLS = np.random.default_rng(0).integers(0, 3, 60)


def plain(labels=SYMBOLS):
    return SequenceSet(SYMBOLS[:, None], np.arange(0, 61, 5), ATTRIBUTES, labels, LABELS)


class Told(LinearCRF):
    """Right on as many of the first positions as its curve says, stage by stage; `max_iterations` is its number."""

    curves = ()

    def fit(self, train):
        return self

    def align_labels(self, data, unknown=False):
        return np.zeros(data.n_positions, dtype=np.int16)

    def staged_predict(self, data, decoders, every=1):
        curve = self.curves[self.max_iterations - 1]
        for n_right in curve[every - 1 :: every]:
            yield dict.fromkeys(decoders, (np.arange(data.n_positions) >= n_right).astype(np.int16))


@pytest.fixture
def tell(monkeypatch):
    def candidates(*curves):
        monkeypatch.setattr(Told, "curves", curves)
        return [Told(max_iterations=number) for number in range(1, len(curves) + 1)]

    return candidates


@pytest.mark.parametrize(
    ("curves", "ties", "expected"),
    [
        ([[5, 9, 9], [9, 8, 7]], FIRST_CANDIDATE, (0, 2)),
        ([[5, 9, 9], [9, 8, 7]], FEWEST_ITERATIONS, (1, 1)),
        ([[5, 9], [3, 9]], FEWEST_ITERATIONS, (0, 2)),
        ([[5, 9], [10, 9]], FIRST_CANDIDATE, (1, 1)),
    ],
)
def test_ties_are_for_the_study_to_decide(tell, curves, ties, expected):
    labellers = tell(*curves)
    choice = choose(labellers, [(plain(), plain())], ties=ties)
    assert (labellers.index(choice.labeller), choice.stage) == expected
    assert choice.accuracy == max(map(max, curves)) / 60


def test_folds_count_together_and_a_training_that_stopped_early_stays_where_it_is(tell):
    labellers = tell([4, 9, 2], [8])
    choice = choose(labellers, [(plain(), plain())] * 2)
    assert (choice.labeller, choice.stage, choice.accuracy) == (labellers[0], 2, 18 / 120)


def test_every_nth_stage_and_counted_positions_alone(tell):
    labellers = tell([9, 4, 8, 6])
    choice = choose(labellers, [(plain(), plain())], every=2, counted=lambda data: np.arange(data.n_positions) >= 5)
    assert (choice.stage, choice.accuracy) == (4, 1 / 55)


def test_candidates_stay_untrained():
    labellers = [LinearCRF(variance, max_iterations=3) for variance in (1.0, 10.0)]
    chosen = choose(labellers, [(plain(), plain())])
    assert chosen.labeller in labellers
    assert not any(hasattr(labeller, "label_names_") or labeller.keep_stages for labeller in labellers)


def test_a_single_labeller_of_ones_own_without_stages_is_no_choice():
    own = CustomLabeller("sklearn.naive_bayes:BernoulliNB")
    assert choose([own], []).labeller is own


def test_stages_are_counted_as_their_labels_say():
    noisy = plain(np.where(np.arange(60) % 7 == 0, 0, SYMBOLS))
    labeller = LinearCRF(max_iterations=4, keep_stages=True).fit(noisy)
    stages = [
        int((stage["viterbi"] == noisy.labels).sum()) for stage in labeller.staged_predict(noisy, ("viterbi",), 2)
    ]
    assert correct_by_stage(labeller, noisy, "viterbi", 2).tolist() == stages


@pytest.mark.parametrize(("ties", "candidate", "iteration"), [(FEWEST_ITERATIONS, "b", 1), (FIRST_CANDIDATE, "a", 2)])
def test_scores_of_folds_are_their_mean(ties, candidate, iteration):
    right = {("a", 1): (1, 9), ("a", 2): (5, 10), ("b", 1): (10, 0), ("b", 2): (0, 0)}  # of 10 and of 20
    rows = [
        (0, fold, name, "ab".index(name), step, "viterbi", n_correct, (10, 20)[fold])
        for (name, step), counts in right.items()
        for fold, n_correct in enumerate(counts)
    ]
    names = ["split", "fold", "candidate", "rank", "iteration", "decoder", "n_correct", "n_positions"]
    [row] = choose_by_scores(pd.DataFrame(rows, columns=names), ties).to_dict("records")
    assert (row["candidate"], row["iteration"], row["cv_accuracy"]) == (candidate, iteration, 0.5)


def test_nothing_is_tried_after_one_that_is_always_right():
    tried = iter([1.0, 7.0, 100.0, 100.0, 3.0])
    assert first_best(tried, float) == 100.0
    assert next(tried) == 100.0
    assert first_best([("a", 5.0), ("b", 5.0), ("c", 2.0)], lambda one: one[1]) == ("a", 5.0)
