"""The study of missing values: values that are missing not at random, and other trees than the papers'."""

import numpy as np
from missing_by_hand import SMALL, model_by_hand, seed_from, settings, tiny_set

from treecrf.missing import MECHANISMS
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.studies.framework.job_context import JobContext
from treecrf.studies.missing import jobs as study
from treecrf.studies.missing.methods import TREES


def test_every_mechanism_is_evaluated_and_some_spare_the_training_set():
    train, test = tiny_set(0), tiny_set(1, 7)
    quick = settings(mechanism_training_sets=2, mechanism_rate=0.3, n_training_sets=1, n_test_sets=2, n_iterations=3)
    counts, choices, costs = study.evaluate_mechanisms(
        JobContext(quick, "tiny", "indicator", (1, 1), (train, test), seed=7)
    )
    assert counts["mechanism"].unique().tolist() == list(MECHANISMS)
    n_sets = counts.groupby("mechanism")[["training_set", "test_set"]].nunique()
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

    class Spy(TreeCRF):
        def fit(self, train):
            made.append((self.max_leaves, self.learning_rate, self.l2_regularization))
            return super().fit(train)

    monkeypatch.setattr(study, "TreeCRF", Spy)
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
    assert counts.drop(columns="trees").equals(papers[papers["training_set"] < 2].reset_index(drop=True))


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
