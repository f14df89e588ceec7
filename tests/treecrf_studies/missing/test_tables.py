"""Standing of methods, tables and figures under other trees and mechanisms, on frames worked by hand."""

import numpy as np
import pandas as pd
import pytest
from missing_by_hand import SMALL, model_by_hand, seed_from, settings, tiny_set
from runs import shown

from treecrf.missing import MECHANISMS
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.statistics.ranking import BEST, NOT_SEPARATED, UNTESTED, WORSE
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.missing import jobs as study
from treecrf_studies.missing.advice import tree_answers
from treecrf_studies.missing.figures import accuracy_by_mechanism, accuracy_by_trees
from treecrf_studies.missing.methods import TREES, Trees
from treecrf_studies.missing.ranking import best_of_trees, mean_accuracies, spreads, standings
from treecrf_studies.missing.tables import mechanisms_layout, tree_differences_layout, trees_layout
from treecrf_studies.rendering.panels import save_figure

WEIGHTING, IMPUTATION, INDICATOR = "instance_weighting", "imputation", "indicator"


def evaluations_of(column, cells):
    """Evaluations out of 200 positions; `cells` maps (dataset, rate, value, method) to the numbers correct."""
    rows = [
        (dataset, dataset.startswith("faq"), rate, value, method, place, 0, 200, n_correct)
        for (dataset, rate, value, method), numbers in cells.items()
        for place, n_correct in enumerate(numbers)
    ]
    names = ["dataset", "stand_in", "rate", column, "method", "draw", "test_set", "n_positions", "n_correct"]
    return pd.DataFrame(rows, columns=names)


def comparisons_of(column, rows):
    names = ["dataset", "rate", column, "other", "method", "value", "family_low", "family_high"]
    frame = pd.DataFrame(rows, columns=[*names, "p_holm", "decision"])
    return frame.assign(standard_error=1.0, degrees_of_freedom=9.0)


@pytest.fixture
def mechanisms():
    """Under "mnar" the indicator is clearly the best; in runs nothing is decided; faq_x has one mechanism."""
    evaluations = evaluations_of(
        "mechanism",
        {
            ("protein", 0.2, "runs", WEIGHTING): (120, 124),  # 60, 62
            ("protein", 0.2, "runs", IMPUTATION): (120, 120),
            ("protein", 0.2, "mnar", WEIGHTING): (130, 130),
            ("protein", 0.2, "mnar", IMPUTATION): (110, 110),
            ("protein", 0.2, "mnar", INDICATOR): (140, 144),  # 70, 72
            ("faq_x", 0.3, "test_only", IMPUTATION): (190,),
            ("faq_x", 0.3, "test_only", WEIGHTING): (188,),
        },
    )
    comparisons = comparisons_of(
        "mechanism",
        [
            ("protein", 0.2, "runs", IMPUTATION, WEIGHTING, 1.0, -0.5, 2.5, 0.3, "undecided"),
            ("protein", 0.2, "runs", WEIGHTING, IMPUTATION, -1.0, -2.5, 0.5, 0.3, "undecided"),
            ("protein", 0.2, "mnar", INDICATOR, WEIGHTING, -6.0, -9.0, -3.0, 0.02, "worse"),
            ("protein", 0.2, "mnar", INDICATOR, IMPUTATION, -16.0, -18.0, -14.0, 0.001, "worse"),
            ("protein", 0.2, "mnar", IMPUTATION, INDICATOR, 16.0, 14.0, 18.0, 0.001, "better"),
            ("protein", 0.2, "mnar", WEIGHTING, IMPUTATION, -10.0, -12.0, -8.0, 0.01, "worse"),
            ("faq_x", 0.3, "test_only", WEIGHTING, IMPUTATION, 1.0, np.nan, np.nan, np.nan, "undecided"),
        ],
    )
    return evaluations, comparisons


CASE = ("dataset", "rate", "mechanism")


def test_who_loses_against_another_is_worse_and_who_is_not_tested_apart_is_not_separated(mechanisms):
    evaluations, comparisons = mechanisms
    ranked = standings(mean_accuracies(evaluations, CASE), comparisons, CASE)
    assert ranked[["mechanism", "method", "standing"]].to_numpy().tolist() == [
        ["runs", WEIGHTING, BEST],
        ["runs", IMPUTATION, NOT_SEPARATED],
        ["mnar", WEIGHTING, WORSE],
        ["mnar", IMPUTATION, WORSE],
        ["mnar", INDICATOR, BEST],
        ["test_only", IMPUTATION, BEST],
        ["test_only", WEIGHTING, NOT_SEPARATED],
    ]


def test_without_tests_the_highest_is_the_best_and_nothing_is_said_of_the_others(mechanisms):
    evaluations, comparisons = mechanisms
    ranked = standings(mean_accuracies(evaluations, CASE), comparisons[comparisons["mechanism"] != "mnar"], CASE)
    assert ranked.loc[ranked["mechanism"] == "mnar", "standing"].tolist() == [UNTESTED, UNTESTED, BEST]


def test_the_spread_is_the_test_of_best_against_worst(mechanisms):
    evaluations, comparisons = mechanisms
    found = spreads(mean_accuracies(evaluations, CASE), comparisons, CASE).set_index("mechanism")
    names = ["other", "method", "value", "p_holm"]
    assert found.loc["mnar", names].tolist() == [IMPUTATION, INDICATOR, 16.0, 0.001]
    assert found.loc["runs", names].tolist() == [IMPUTATION, WEIGHTING, 1.0, 0.3]


def test_mechanisms_have_a_row_each_with_the_best_methods_and_the_spread(mechanisms):
    layout = mechanisms_layout(*mechanisms)
    assert shown(layout) == [
        ["protein", "20 %", "by its own value", "65.00", "55.00", "71.00 ▲", "+16.00† [+14.00, +18.00]"],
        ["protein", "20 %", "in runs", "61.00 ▲", "60.00", "–", "+1.00 [−0.50, +2.50]"],
        ["faq_x (stand-in)", "30 %", "in test sets only", "94.00", "95.00 ▲", "–", "+1.00"],
    ]


@pytest.fixture
def trees(monkeypatch):
    """At 40 % the method matters with the papers' trees and not with others."""
    monkeypatch.setitem(TREES, "small", Trees("small trees", {}, {}))
    evaluations = evaluations_of(
        "trees",
        {
            ("protein", rate, kind, method): (n_correct - round(50 * rate), n_correct)
            for rate in (0.4, 0.1)
            for kind, method, n_correct in (
                ("small", WEIGHTING, 150),
                ("small", IMPUTATION, 149),
                ("papers", WEIGHTING, 140),
                ("papers", IMPUTATION, 130),
            )
        },
    )
    comparisons = comparisons_of(
        "trees",
        [
            ("protein", 0.4, "small", IMPUTATION, WEIGHTING, 0.5, -0.5, 1.5, 0.4, "undecided"),
            ("protein", 0.4, "papers", IMPUTATION, WEIGHTING, 5.0, 3.0, 7.0, 0.01, "better"),
            ("protein", 0.4, "papers", WEIGHTING, IMPUTATION, -5.0, -7.0, -3.0, 0.01, "worse"),
        ],
    )
    return evaluations, comparisons


@pytest.fixture
def differences():
    """At 40 %: small trees minus the papers', from the fixture above; the best ones are of one method."""
    rows = [
        ("protein", 0.4, IMPUTATION, IMPUTATION, 9.5, 8.0, 11.0, 0.001, "better"),
        ("protein", 0.4, WEIGHTING, IMPUTATION, 4.5, -0.5, 9.5, 0.2, "undecided"),
        ("protein", 0.4, WEIGHTING, WEIGHTING, 5.0, 4.0, 6.0, 0.004, "better"),
    ]
    names = [
        "dataset",
        "rate",
        "other",
        "method",
        "value",
        "family_low",
        "family_high",
        "p_holm",
        "decision",
    ]
    forth = pd.DataFrame(rows, columns=names).assign(other_trees="papers", trees="small")
    back = forth.rename(columns={"other": "method", "method": "other", "other_trees": "trees", "trees": "other_trees"})
    return pd.concat([forth, back.assign(value=-forth["value"], decision="worse")])


def test_other_trees_are_compared_by_the_same_method_and_by_the_best_of_each(trees, differences):
    layout = tree_differences_layout(trees[0], differences)
    assert shown(layout) == [
        ["protein", "40 %", "small trees", "+5.00† [+4.00, +6.00]", "+9.50† [+8.00, +11.00]", "+5.00† [+4.00, +6.00]"]
    ]


def test_the_best_methods_of_two_kinds_need_not_be_one(trees, differences):
    evaluations, _ = trees
    small_imputation = (evaluations["trees"] == "small") & (evaluations["method"] == IMPUTATION)
    means = mean_accuracies(
        evaluations.assign(n_correct=evaluations["n_correct"] + 9 * small_imputation), ("dataset", "rate", "trees")
    )
    found = best_of_trees(means, differences)
    assert found[["other", "method", "value"]].to_numpy().tolist() == [[WEIGHTING, IMPUTATION, 4.5]]


def test_what_other_trees_change_is_told_in_words(trees, differences):
    evaluations, comparisons = trees
    answers = " ".join(tree_answers(evaluations, comparisons, differences))
    assert answers == (
        "The choice of method has no significant effect with small trees. The best method is significantly better "
        "than the worst in 0 of 1 case (data set and share), and 0.50 points ahead on average. With single categories "
        "and gradient leaves, it is better in 1 of 1, and 5.00 points ahead on average. Instance weighting is never "
        "significantly worse with small trees. No sequence-level test finds it worse than another method in 2 of 2 "
        "cases. With single categories and gradient leaves, no test finds it worse in 2 of 2. With the same method, "
        "small trees are significantly better than single categories and gradient leaves in 2 of 2 cases (data set, "
        "share and method) and worse in 0. With the best method of each, they are better in 1 of 1 case and worse in "
        "0."
    )
    rows = [("protein", 0.4, "small", "incorporated", WEIGHTING, 5.0, 4.0, 6.0, 0.01, "better")]
    against = pd.concat([comparisons, comparisons_of("trees", rows)])
    won = " ".join(tree_answers(evaluations, against, differences))
    assert "Instance weighting is sometimes significantly better and never worse with small trees" in won
    assert "It is significantly better than incorporated in tests in 1 of 1 case and worse in 0." in won
    rows = [("protein", 0.4, "small", IMPUTATION, WEIGHTING, -4.0, -6.0, -2.0, 0.01, "worse")]
    ahead = evaluations.assign(n_correct=evaluations["n_correct"] + 9 * (evaluations["method"] == IMPUTATION))
    lost = " ".join(tree_answers(ahead, pd.concat([comparisons, comparisons_of("trees", rows)])[1:], differences))
    assert (
        "Instance weighting is sometimes significantly worse with small trees. No sequence-level test finds it worse "
        "than another "
        "method in 1 of 2" in lost
    )
    assert tree_answers(evaluations, comparisons, differences[:0]) == []


@pytest.mark.parametrize("layout", [trees_layout, tree_differences_layout, mechanisms_layout])
def test_where_nothing_was_run_there_are_no_rows(layout):
    empty = pd.DataFrame(columns=["dataset", "rate"])
    assert layout(empty, empty).empty
    assert layout(empty, empty).empty


# --- figures ----------------------------------------------------------------------------------------


def test_trees_of_a_data_set_stand_side_by_side_on_one_scale(trees, tmp_path):
    figure = accuracy_by_trees(trees[0])
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes]
    assert titles == ["protein, single categories and gradient leaves", "protein, small trees"]
    papers, small = figure.axes
    assert papers.get_ylim() == small.get_ylim()
    (line, *_), *_ = small.containers
    assert line.get_ydata().tolist() == [73.75, 70.0]
    save_figure(figure, tmp_path / "figure.svg", "svg")


def test_mechanisms_stand_one_under_another_in_the_order_of_the_registry(mechanisms, tmp_path):
    figure = accuracy_by_mechanism(mechanisms[0])
    protein, faq = figure.axes
    assert [label.get_text() for label in protein.get_yticklabels()] == [
        "by its own value",
        "in runs",
        "in test sets only",
    ]
    marks = {container.get_label(): container[0] for container in protein.containers}
    assert marks["indicator"].get_xdata().tolist() == [71.0]
    places = marks["instance weighting"].get_ydata()
    assert marks["instance weighting"].get_xdata().tolist() == [65.0, 61.0]
    assert [round(place) for place in places] == [0, 1]
    assert protein.get_ylim()[0] > protein.get_ylim()[1]  # the first one on top
    assert faq.get_title(loc="left") == "faq_x (stand-in)"
    save_figure(figure, tmp_path / "figure.svg", "svg")


@pytest.mark.parametrize("draw", [accuracy_by_trees, accuracy_by_mechanism])
def test_a_sentence_stands_for_a_figure_of_nothing(draw):
    figure = draw(pd.DataFrame(columns=["dataset"]))
    assert "this run" in figure.texts[0].get_text().lower()


def test_every_mechanism_is_evaluated_and_some_spare_the_training_set():
    train, test = tiny_set(0), tiny_set(1, 7)
    quick = settings(mechanism_training_sets=2, mechanism_rate=0.3, n_training_sets=1, n_test_sets=2, n_iterations=3)
    counts, choices, costs = study.evaluate_mechanisms(
        JobContext(quick, "tiny", "indicator", (1, 1), (train, test), seed=7)
    )
    assert counts["mechanism"].unique().tolist() == list(MECHANISMS)
    n_sets = counts.groupby("mechanism")[["draw", "test_set"]].nunique()
    assert n_sets.drop("test_only").to_numpy().tolist() == [[2, 2]] * (len(MECHANISMS) - 1)
    assert n_sets.loc["test_only"].tolist() == [1, 2]
    assert (counts["rate"] == 0.3).all()
    # The model of "in test sets only" is that of complete data.
    whole = study.evaluate_method(JobContext(quick, "tiny", "indicator", (1, 1), (train, test), seed=7), 0.0)
    same = ["candidate", "iteration", "held_out_accuracy"]
    assert (
        choices[choices["mechanism"] == "test_only"][same].to_numpy().tolist()
        == whole.choices[same].to_numpy().tolist()
    )
    assert (
        not counts[counts["mechanism"] == "test_only"]["n_correct"]
        .reset_index(drop=True)[:7]
        .equals(whole.counts["n_correct"])
    )
    assert set(costs["mechanism"]) == set(MECHANISMS)


def test_counts_under_a_mechanism_are_those_of_models_trained_by_hand():
    train, test = tiny_set(0), tiny_set(1, 7)
    quick = settings(
        mechanisms=["runs"], run_length=3, mechanism_training_sets=1, n_test_sets=1, l2_regularizations=[1.0]
    )
    counts, choices, _ = study.evaluate_mechanisms(
        JobContext(quick, "tiny", "instance_weighting", (1, 1), (train, test), seed=7)
    )
    damaged = [
        MECHANISMS["runs"].make(
            data, 0.2, np.random.default_rng(seed_from(7, "tiny", "holes", "runs", 0.2, side, 0)), 3
        )
        for side, data in (("train", train), ("test", test))
    ]
    model, _ = model_by_hand("instance_weighting", damaged[0], int(choices["iteration"].iloc[0]), 1.0)
    correct = model.predict(damaged[1]) == test.labels
    assert counts["n_correct"].tolist() == [int(part.sum()) for part in np.split(correct, test.offsets[1:-1])]


def test_whole_observations_of_one_attribute_are_no_mechanism_of_their_own():
    data = tiny_set(0)
    one = data.with_values(data.values[:, :1], data.attributes[:1])
    quick = settings(mechanisms=["mcar", "observations"], n_iterations=1, l2_regularizations=[1.0])
    counts = study.evaluate_mechanisms(JobContext(quick, "tiny", "imputation", (0, 0), (one, one), seed=0)).counts
    assert counts["mechanism"].unique().tolist() == ["mcar"]


def test_other_trees_have_their_settings_and_grid(monkeypatch):
    monkeypatch.setitem(TREES, "small", SMALL)
    made = []

    train_trees = TreeCRF.fit

    def fit(self, *given, **named):
        made.append((self.max_leaves, self.learning_rate, self.l2_regularization))
        return train_trees(self, *given, **named)

    monkeypatch.setattr(TreeCRF, "fit", fit)
    train, test = tiny_set(0), tiny_set(1, 7)
    small = {"n_training_sets": 1, "n_test_sets": 1, "n_iterations": 2, "newton_leaves": [3, 2], "newton_rates": [0.5]}
    both = settings(trees=["papers", "small"], rates=[0.0, 0.2], **small)
    counts, choices, _ = study.evaluate_trees(
        JobContext(both, "tiny", "surrogate_splitting", (1, 1), (train, test), seed=7)
    )
    assert set(counts["trees"]) == {"small"}  # the papers' are another job's
    assert set(made) == {(2, 0.5, 3.0), (3, 0.5, 3.0)}
    assert set(choices["candidate"]) <= {f"max_leaves={n}, learning_rate=0.5" for n in (2, 3)}
    # The holes are those of the papers' trees.
    monkeypatch.setitem(TREES, "small", TREES["papers"])
    again = study.evaluate_trees(JobContext(both, "tiny", "imputation", (1, 1), (train, test), seed=7)).counts
    papers = study.evaluate_rates(JobContext(both, "tiny", "imputation", (1, 1), (train, test), seed=7)).counts
    assert again.drop(columns="trees").equals(papers)


def test_other_trees_may_see_fewer_training_sets(monkeypatch):
    monkeypatch.setitem(TREES, "small", TREES["papers"])
    train, test = tiny_set(0), tiny_set(1, 7)
    few = settings(trees=["papers", "small"], rates=[0.0, 0.2], n_training_sets=3, tree_training_sets=2, n_test_sets=1)
    counts = study.evaluate_trees(JobContext(few, "tiny", "imputation", (1, 1), (train, test), seed=7)).counts
    papers = study.evaluate_rates(JobContext(few, "tiny", "imputation", (1, 1), (train, test), seed=7)).counts
    assert counts.drop(columns="trees").equals(papers[papers["draw"] < 2].reset_index(drop=True))


def test_without_other_trees_and_for_a_labeller_of_your_own_there_is_nothing(monkeypatch):
    monkeypatch.setitem(TREES, "small", SMALL)
    data = tiny_set(0)
    own = {"mine": {"class": "no:Module"}}
    for method, given in (
        ("imputation", settings()),
        ("mine", settings(trees=["papers", "small"], labellers=own, methods=["mine"], baseline="mine")),
    ):
        outcome = study.evaluate_trees(JobContext(given, "tiny", method, (0, 0), (data, data), seed=0))
        assert [len(frame) for frame in outcome] == [0, 0, 0]
        assert all("trees" in frame for frame in outcome)
