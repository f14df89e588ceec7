"""Tests between methods, on predictions whose right and wrong positions are known."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import FB, RULES, VITERBI, choice_of, predictions

from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf_studies.training.choices import BETTER, UNPERTURBED
from treecrf_studies.training.summary import Rules, compare


def compared(*frames, rules=RULES):
    """The comparison of the methods of these predictions with forward-backward."""
    every = pd.concat(frames)
    methods = list(dict.fromkeys(every["method"]))
    found = compare([choice_of(name) for name in methods], [every[every["method"] == name] for name in methods], rules)
    return found[found["decoder"] == FB].iloc[0]


def test_methods_are_compared_by_decoder_and_with_their_preferred_ones():
    one = [predictions("one", 0), predictions("one", 3, decoder=VITERBI)]
    two = [predictions("two", 5), predictions("two", 1, decoder=VITERBI)]
    peak = predictions("one", 9, stage="peak")  # not what was chosen
    choices = [choice_of("one", FB), choice_of("two", VITERBI)]
    found = compare(choices, [pd.concat([*one, peak]), pd.concat(two)], RULES).set_index("decoder")
    assert found["value"].to_dict() == pytest.approx({FB: 50.0, VITERBI: -20.0, BETTER: 10.0})
    assert found["papers_value"].to_dict() == pytest.approx({FB: 50.0, VITERBI: -20.0, BETTER: 10.0})


def test_all_perturbed_trainings_count_and_not_the_one_that_was_chosen():
    runs = [predictions("one", wrong, run=run) for run, wrong in enumerate((2, 4))]
    found = compared(predictions("one", 0), *runs, predictions("two", 2))
    assert found["papers_value"] == pytest.approx(20.0)  # the papers' own test sees the unperturbed trainings
    assert found["value"] == pytest.approx(-10.0)
    assert found["about"] == "these trainings"  # two was trained once
    several = [predictions(name, run % 3, run=run) for name in ("one", "two") for run in range(3)]
    assert compared(predictions("one", 0), predictions("two", 2), *several)["about"] == "methods"


def test_noise_of_trainings_is_in_the_p_value():
    """One of three trainings fails on everything: no difference of methods, however clear in one training."""
    runs = [predictions("one", wrong, run=run, n_sequences=12) for run, wrong in enumerate((1, 1, 9))]
    others = [predictions("two", 3, run=run, n_sequences=12) for run in range(3)]
    found = compared(predictions("one", 1, n_sequences=12), predictions("two", 3, n_sequences=12), *runs, *others)
    assert found["papers_p"] < 0.001
    assert found["p_value"] > 0.5


def test_related_sequences_are_one_cluster():
    wrong, groups = np.arange(12) % 3, np.arange(12) // 2
    both = [predictions(name, w, n_sequences=12, groups=groups) for name, w in (("one", 0), ("two", wrong))]
    found = compared(*both)
    assert found["n_clusters"] == 6
    counts = [10 * np.ones((1, 12), int), 10 - wrong[None]]
    by_group = [some.reshape(1, 6, 2).sum(axis=2) for some in counts]
    expected = estimate_trainings(make_pairs(by_group), np.full(6, 20))
    assert found["p_value"] == pytest.approx(expected.p_value[0])


@pytest.mark.parametrize(("n_sequences", "test"), [(5, "blocks"), (6, "sequences")])
def test_blocks_decide_where_sequences_are_few(n_sequences, test):
    wrong = 2 + np.arange(n_sequences) % 2
    found = compared(predictions("one", 0, n_sequences, 200), predictions("two", wrong, n_sequences, 200), rules=RULES)
    assert found["test"] == test
    assert np.isnan(found["n_blocks"]) == (test == "sequences")


def test_p_values_and_intervals_of_a_pair_and_of_its_family_agree():
    rng = np.random.default_rng(0)
    frames = [
        predictions(name, rng.integers(0, 3, 20) + shift, 20, run=run)
        for shift, name in zip((0, 0, 1, 2), "abcd", strict=True)
        for run in (UNPERTURBED, 0, 1, 2)
    ]
    every = pd.concat(frames)
    parts = [every[every["method"] == name] for name in "abcd"]
    found = compare(map(choice_of, "abcd"), parts, RULES).query("decoder == @FB")
    for low, high, level in (("low", "high", 0.05), ("family_low", "family_high", 0.05 / 6)):
        outside = (found[low] > 0) | (found[high] < 0)
        assert outside.tolist() == (found["p_value"] < level).tolist()
        assert 0 < outside.sum() < len(found)


def test_documents_that_test_in_turn_are_sequences_of_their_own():
    parts = [
        predictions(name, wrong, 1, split=split, groups=[split])
        for split in range(6)
        for name, wrong in (("one", 0), ("two", 1))
    ]
    found = compared(*parts)
    assert (found["n_clusters"], found["n_positions"]) == (6, 60)


@pytest.mark.parametrize(("margin", "decision"), [(0.5, "undecided"), (1.0, "equivalent")])
def test_only_a_narrow_interval_makes_methods_equivalent(margin, decision):
    wrong = np.arange(100) % 40 == 0  # 3 positions of 1000
    rules = Rules(25, 6, 50, margin)
    found = compared(predictions("one", 0, 100), predictions("two", wrong, 100), rules=rules)
    assert found["p_value"] > 0.05
    assert found["decision"] == decision
    assert found["low"] < found["low_90"] < 0.3 < found["high_90"] < found["high"]


@pytest.mark.parametrize("stage", ["peak", "last"])
def test_methods_are_compared_at_another_stage_where_they_have_predictions_of_it(stage):
    """Each with its preferred decoder; those without such predictions are left out."""
    parts = {"one": (2, 7), "two": (3, 5)}
    predicted = [
        pd.concat(
            [
                predictions(name, 9),
                *(predictions(name, w, stage=stage, decoder=d) for d, w in zip((FB, VITERBI), wrong, strict=True)),
            ]
        )
        for name, wrong in parts.items()
    ]
    choices, predicted = (
        [choice_of("one", FB), choice_of("two", VITERBI), choice_of("three", FB)],
        [*predicted, predictions("three", 9)],
    )
    found = compare(choices, predicted, RULES, stage).set_index("decoder")
    assert found["value"].to_dict() == pytest.approx({FB: 10.0, VITERBI: -20.0, BETTER: 30.0})
    none = [frame[frame["stage"] == "choice"] for frame in predicted]
    assert compare(choices, none, RULES, stage).empty
