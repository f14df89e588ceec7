"""Two runs of one number: what is the same, and the tests of the studies where something is not."""

import numpy as np
import pandas as pd
import pytest
from planted_runs import counts, draws, places, trainings

from treecrf.statistics.blocks import compare_crossed, estimate_blocks
from treecrf.studies.draw_tests import Rules, compare_draws
from treecrf.studies.reruns import RerunRules, pair_numbers
from treecrf.studies.study import Kept
from treecrf.studies.training import comparing

TRAININGS = Kept("predictions", "trainings", by=("decoder",), rows={"stage": "choice"})
DRAWS = Kept("predictions", "draws")
COUNTS = Kept("counts", "counts", by=("rate",))

RULES = RerunRules(test_per_train=0.5)

KINDS = {"trainings": (TRAININGS, trainings), "draws": (DRAWS, draws), "counts": (COUNTS, counts)}


def only(kept, one, other, rules=RULES):
    found = list(pair_numbers(kept, one, other, rules))
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_predictions_are_the_same_in_any_order(kind):
    kept, make = KINDS[kind]
    frame = make("a", 0.2)
    for number in pair_numbers(kept, frame, frame.sample(frac=1, random_state=1), RULES):
        assert (number.problem, number.n_changed, number.test) == ("", 0, None)
        assert number.accuracies[0] == number.accuracies[1]
        assert number.n_predictions > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_counted_and_signed(kind):
    kept, make = KINDS[kind]
    for number in pair_numbers(kept, make("a", 0.3), make("a", 0.05, seed=1), RULES):
        tested = number.test()
        assert number.n_changed > 0
        assert tested.points == pytest.approx(number.accuracies[1] - number.accuracies[0])
        assert tested.points > 15
        assert tested.p_value < 0.05
        assert tested.interval[0] < tested.interval_90[0] < tested.points < tested.interval_90[1] < tested.interval[1]


def test_trainings_are_tested_as_two_methods_are():
    one, other = trainings("a", 0.2), trainings("a", 0.16, seed=1)
    tested = only(TRAININGS, one, other).test()
    two = [frame.assign(method=name) for name, frame in (("to", other), ("from", one))]
    choices = [pd.DataFrame({"decoder": ["viterbi"], "cv_accuracy": [1.0]})] * 2
    expected = comparing.compare(choices, two, comparing.Rules(25, 6, 50, 0.5)).iloc[0]
    assert tested.points == expected["mean_points"]
    assert tested.p_value == pytest.approx(expected["valid_p_value"])
    assert tested.interval == (expected["low"], expected["high"])
    assert tested.interval_90 == (expected["low_90"], expected["high_90"])
    assert (tested.by, tested.n_clusters, tested.is_of_method) == ("sequences", 40, True)


def test_few_sequences_are_cut_into_blocks():
    more = {"n_sequences": 4, "length": 500}
    one, other = trainings("a", 0.2, **more), trainings("a", 0.15, seed=1, **more)
    tested = only(TRAININGS, one, other).test()
    right = [
        (frame["label"] == frame["predicted"]).to_numpy().reshape(4, -1)[1:] for frame in (other, one)
    ]  # without the unperturbed one
    expected = estimate_blocks(right, np.arange(5) * 500)
    assert tested.p_value == pytest.approx(expected.estimates.p_value[0])
    assert (tested.by, tested.n_clusters) == ("blocks", expected.n_blocks[0])
    assert tested.interval == tuple(float(end[0]) for end in expected.estimates.interval())


def test_draws_are_tested_as_two_methods_are():
    one, other = draws("a", 0.2), draws("a", 0.16, seed=1)
    tested = only(DRAWS, one, other).test()
    two = pd.concat([other.assign(method="to"), one.assign(method="from")])
    expected = compare_draws(two, Rules(25, 0.5, 0.5)).iloc[0]
    assert tested.p_value == expected["valid_p_value"]
    assert tested.interval_90 == (expected["low_90"], expected["high_90"])
    assert (tested.by, tested.n_clusters, tested.is_of_method) == ("draws", 4, True)


def test_a_single_draw_speaks_of_trained_models():
    one, other = draws("a", 0.2, n_seeds=1), draws("a", 0.16, seed=1, n_seeds=1)
    tested = only(DRAWS, one, other).test()
    two = pd.concat([other.assign(method="to"), one.assign(method="from")])
    expected = compare_draws(two, Rules(25, 0.5, 0.5)).iloc[0]
    assert tested.points == pytest.approx(expected["accuracy_points"])
    assert tested.interval == (expected["points_low"], expected["points_high"])
    assert tested.p_value == pytest.approx(expected["valid_p_value"])
    assert (tested.by, tested.is_of_method) == ("sequences", False)


def test_counts_are_tested_as_two_methods_are():
    one, other = counts("a", 0.2), counts("a", 0.16, seed=1)
    numbers = list(pair_numbers(COUNTS, one, other, RULES))
    assert [number.of for number in numbers] == ["rate 0.1", "rate 0.3"]
    two = pd.concat([other.assign(method="to"), one.assign(method="from")])
    expected = compare_crossed(two).query("method == 'to'")
    for number, row in zip(numbers, expected.to_dict("records"), strict=True):
        tested = number.test()
        assert tested.p_value == row["valid_p_value"]
        assert tested.interval == pytest.approx((row["points_low"], row["points_high"]))
        assert tested.by == "sequences and training sets"


@pytest.mark.parametrize("kind", KINDS)
def test_other_test_sets_are_not_compared(kind):
    kept, make = KINDS[kind]
    one, other = make("a", 0.2), make("a", 0.2, n_sequences=39)
    problems = [number.problem for number in pair_numbers(kept, one, other, RULES)]
    assert set(problems) <= {
        "the test positions or their labels are not the same", "the damaged sets do not have the same sequences",
    }  # fmt: skip
    assert problems


def test_other_labels_are_not_compared():
    one = draws("a", 0.2)
    other = one.assign(label=1 - one["label"])
    assert "labels are not the same" in only(DRAWS, one, other).problem


def test_draws_and_trainings_that_one_run_has_not():
    number = only(DRAWS, draws("a", 0.2, n_seeds=4), draws("a", 0.2, n_seeds=2))
    assert (number.note, number.n_changed, number.test) == ("4 and 2 draws, compared on the 2 of both", 0, None)
    assert "no draw in common" in only(DRAWS, draws("a", 0.2), draws("a", 0.2).assign(seed=9)).problem
    number = only(TRAININGS, trainings("a", 0.2, n_runs=2), trainings("a", 0.2, n_runs=3))
    assert number.note == "3 and 4 trainings"
    assert number.test().p_value > 0.05
    number = next(pair_numbers(COUNTS, counts("a", 0.2), counts("a", 0.2, n_sets=2), RULES))
    assert (number.note, number.n_changed) == ("compared on the 2 damaged sets of both", 0)


def test_methods_that_one_run_has_not():
    both = pd.concat([draws("a", 0.2), draws("b", 0.2)])
    found = {number.method: number.problem for number in pair_numbers(DRAWS, both, draws("a", 0.2), RULES)}
    assert found == {"a": "", "b": "only in the first run"}


def test_a_frame_of_another_version_is_named():
    older = draws("a", 0.2).drop(columns="label")
    with pytest.raises(ValueError, match="the predictions of the second run have no column label"):
        list(pair_numbers(DRAWS, draws("a", 0.2), older, RULES))


def test_trainings_with_other_seeds_are_seldom_told_apart():
    rng, where, n_found, n_times = np.random.default_rng(1), places(), 0, 100
    for _ in range(n_times):
        frames = []
        for _ in range(2):
            errors = np.clip(0.2 + rng.normal(0, 0.03, 5), 0, 1)  # what all sequences share of a training
            right = rng.random((5, len(where))) >= errors[:, None]
            runs = [
                where.assign(run=run, predicted=np.where(of_run, where["label"], 1 - where["label"]))
                for run, of_run in enumerate(right)
            ]
            frames.append(pd.concat(runs).assign(dataset="toy", method="a", stage="choice", decoder="viterbi", split=0))
        n_found += only(TRAININGS, *frames).test().p_value < 0.05
    assert n_found / n_times <= 0.05 + 3 * (0.05 * 0.95 / n_times) ** 0.5
