"""What is tried of each method, and what it costs."""

import numpy as np
import pytest
from builders import larger_set, letter_before, number_set

from treecrf import SequenceSet
from treecrf.automl import candidates
from treecrf.automl.candidates import (
    GRIDS,
    ITERATIONS,
    METHODS,
    PASSES,
    Candidate,
    affordable,
    candidate_windows,
    describe_settings,
    estimate_seconds,
    make_candidates,
    mean_run,
    methods_to_compare,
    refine,
    text_candidates,
)
from treecrf.automl.cross_validation import Split, fit_fold
from treecrf.automl.fitting import FitOptions


def candidate(method, iterations=ITERATIONS):
    return Candidate(method, (1, 1), {"learning_rate": 0.2, "max_leaves": 4, "iterations": iterations}, "error")


def test_runs_end_with_sequences():
    data = letter_before(2, 3).with_labels([0, 0, 1, 1, 1, 1])
    assert mean_run(data) == 2


@pytest.mark.parametrize("method", METHODS[:3])  # the network sees whole sequences
def test_given_settings_are_kept(method):
    rounds = list(make_candidates(method, letter_before(), [(0, 0), (2, 2)], "imputation", {"iterations": 7}))
    assert [c.window for c in rounds[0]] == [(0, 0), (2, 2)]
    assert all(c.iterations == 7 and c.missing == "imputation" for r in rounds for c in r)
    settings = [c.settings for r in rounds for c in r if c.window == (0, 0)]
    assert len(settings) == len([grid for grid in GRIDS[method] if "n_bins" not in grid])


def test_lightgbm_does_not_diverge_where_labels_are_rare():
    """Ninety labels, most of which are rare; without regularization the loss grows beyond that of guessing."""
    rng = np.random.default_rng(0)
    labels = np.minimum(rng.geometric(0.1, 3000) - 1, 89)
    of_label = rng.integers(0, 2, (90, 4))[labels]
    codes = np.where(rng.random(of_label.shape) < 0.9, of_label, 1 - of_label)
    columns, names = [(name, "xy") for name in "abcd"], [f"l{i}" for i in range(90)]
    data = SequenceSet(codes, np.arange(0, 3001, 10), columns, labels, names)
    first = next(make_candidates("lightgbm", data, [(1, 1)], "auto", {"iterations": 20}))[0]
    split = Split(data.select(range(200)), data.select(range(200, 300)))
    losses = [
        fit_fold(each, split).log_loss[-1].sum() / split.held_out.n_positions
        for each in (first, first._replace(settings=first.settings | {"l2_regularization": 0.0}))
    ]
    assert losses[0] < np.log(90) < losses[1]


def test_many_labels_and_categories():
    n = 400
    data = SequenceSet(
        np.arange(n)[:, None] % 150,
        [0, n // 2, n],
        [("word", [f"w{i}" for i in range(150)])],
        np.arange(n) % 15,
        [f"l{i}" for i in range(15)],
    )
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
    assert "features" not in linear.settings
    many = data.with_labels(np.arange(n) % 40, [f"l{i}" for i in range(40)])
    [linear, *_], *_ = make_candidates("linear_crf", many, [(1, 1)], "auto", {})
    [text] = text_candidates(many, "auto", {}, [("words", "neighbours")])
    assert linear.build().solver == text.build().solver == "lbfgs"  # two sequences
    assert text.iterations == 80
    assert candidate_windows(data) == [(0, 0), (1, 1), (3, 3)]


def test_words_of_twenty_sequences_are_learnt_in_passes_over_them():
    n = 400
    words = [("word", [f"w{i}" for i in range(150)])]
    data = SequenceSet(
        np.arange(n)[:, None] % 150, range(0, n + 1, 20), words, np.arange(n) % 15, [f"l{i}" for i in range(15)]
    )
    blocks = [("words", "neighbours")]
    [text], [weighted] = (text_candidates(data, "auto", {}, blocks, is_weighted) for is_weighted in (False, True))
    [linear, *_], *_ = make_candidates("linear_crf", data, [(1, 1)], "auto", {})
    assert (text.iterations, text.build().solver) == (linear.iterations, linear.build().solver) == (PASSES, "sgd")
    assert (weighted.iterations, weighted.build().solver) == (80, "lbfgs")
    [chosen] = text_candidates(data, "auto", {"iterations": 7}, blocks)
    assert chosen.iterations == 7
    costs = [estimate_seconds(each.build(), data, each.iterations) for each in (text, weighted)]
    assert 3 * costs[0] < costs[1]
    text.build().fit(data)


@pytest.mark.parametrize("method", METHODS)
def test_costs_grow_with_the_data(method):
    small, large = (number_set(0, n_sequences=n) for n in (10, 100))
    [candidate, *others], *_ = make_candidates(method, small, [(1, 1), (9, 9)], "auto", {})
    wide = others[0] if others else candidate
    costs = [
        estimate_seconds(candidate.build(), small, 10),
        estimate_seconds(candidate.build(), large, 10),
        estimate_seconds(wide.build(), large, 10),
        estimate_seconds(wide.build(), large, 60),
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_ends_of_short_sequences_are_tried():
    short, long = (number_set(0, n_sequences=120, longest=longest) for longest in (8, 60))
    _, of_settings, *_ = make_candidates("treecrf_newton", short, [(0, 0), (1, 1)], "auto", {})
    [anchored] = [candidate for candidate in of_settings if "anchors" in candidate.settings]
    assert anchored.build().anchors == (2, 4)
    assert describe_settings(anchored).endswith(", anchors 2,4")
    assert len(of_settings) == len(GRIDS["treecrf_newton"])
    for data, decided in ((long, {}), (short[:50], {}), (short, {"anchors": (0, 1)})):
        _, of_settings, *_ = make_candidates("treecrf_newton", data, [(0, 0), (1, 1)], "auto", decided)
        assert {candidate.settings.get("anchors") for candidate in of_settings} == {decided.get("anchors")}
        assert len(of_settings) == len(GRIDS["treecrf_newton"]) - 1
    for method in ("linear_crf", "lightgbm"):
        assert not [
            c for part in make_candidates(method, short, [(1, 1)], "auto", {}) for c in part if "anchors" in c.settings
        ]


def test_the_network_is_compared_where_the_budget_is_large():
    compared, data = {"linear_crf": {}, "neural_crf": {}}, larger_set()
    assert affordable(compared, data, 1000, 5) == compared
    assert list(affordable(compared, data, 40, 5)) == ["linear_crf"]
    labeller = candidates.build("neural_crf", {"iterations": candidates.EPOCHS})
    enough = 7 * estimate_seconds(labeller, data, candidates.EPOCHS) / candidates.NEURAL_SHARE
    assert affordable(compared, data, 1.01 * enough, 5) == compared
    assert affordable(compared, data, 0.99 * enough, 5) != compared
    assert affordable({"neural_crf": {}}, data, 1, 5) == {"neural_crf": {}}
    first, *others = [
        part for round in make_candidates("neural_crf", data, [(0, 0), (3, 3)], "auto", {}) for part in round
    ]
    assert (first.window, first.missing) == ((1, 1), "error")
    assert [part.build().dropout for part in (first, *others)] == [0.3, 0.5]
    assert first.build().held_out is None
    assert refine(first, data) == first


def test_a_network_without_its_extra_is_left_out_with_a_sentence(monkeypatch):
    monkeypatch.setattr(candidates, "find_spec", lambda name: None if name == "jax" else name)
    compared, left_out = methods_to_compare(FitOptions())
    assert "neural_crf" not in compared
    assert left_out == ["neural_crf, which needs an extra that is not installed (pip install 'treecrf[neural]')."]
