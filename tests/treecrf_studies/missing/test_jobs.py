"""The study of missing values: holes from names, hold-out, counts that models trained by hand give too."""

import hashlib

import numpy as np
import pytest
from missing_by_hand import SMALL, holes_by_hand, model_by_hand, seed_from, settings, split_by_hand, tiny_set

from treecrf.missing import MECHANISMS
from treecrf.models.boosted import treecrf
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.missing import jobs as study
from treecrf_studies.missing.methods import TREES

METHODS = (
    "instance_weighting",
    "surrogate_splitting",
    "imputation",
    "indicator",
    "imputation_indicator",
    "default_direction",
    "incorporated",
)
TREE_METHODS = ("instance_weighting", "surrogate_splitting", "default_direction", "incorporated")


@pytest.fixture(scope="module")
def outcomes():
    """What each method finds at the rates 0 and 0.2."""
    train, test = tiny_set(0), tiny_set(1, 7)
    return {
        (method, rate): study.evaluate_method(
            JobContext(settings(), "tiny", method, (1, 1), (train, test), seed=7), rate
        )
        for method in METHODS
        for rate in (0.0, 0.2)
    }


# --- holes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "text"), [(0.05, "0.05"), (0.1, "0.1"), (0.4, "0.4"), (0.30000000000000004, "0.3")])
@pytest.mark.parametrize(("side", "index", "seed"), [("train", 0, 0), ("test", 4, 0), ("train", 3, 11)])
def test_holes_are_pinned(rate, text, side, index, seed):
    data = tiny_set(0)
    expected = holes_by_hand(data, rate, seed, "tiny", "holes", text, side, index)
    assert study.damage(data, "tiny", rate, side, index, seed) == expected
    assert expected.has_missing


def test_holes_are_pinned_in_figures():
    digest = hashlib.sha256(b"0\0tiny\0holes\x000.2\0train\x001").digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    data = tiny_set(0)
    damaged = study.damage(data, "tiny", 0.2, "train", 1)
    np.testing.assert_array_equal(damaged.values == -1, rng.random((90, 2)) < 0.2)


def test_other_names_make_other_holes():
    data = tiny_set(0)
    names = {"dataset": "tiny", "rate": 0.2, "side": "train", "index": 0, "seed": 0}
    once = study.damage(data, **names)
    assert study.damage(data, **names) == once
    # The holes depend on the names, not on what is in the cells.
    other = data.with_values((data.values + 1) % [3, 2])
    np.testing.assert_array_equal(study.damage(other, **names).values == -1, once.values == -1)
    for name, value in (("dataset", "tinier"), ("rate", 0.21), ("side", "test"), ("index", 1), ("seed", 1)):
        assert study.damage(data, **names | {name: value}) != once, name
    assert study.damage(data, **names | {"rate": 0.0}) == data


@pytest.mark.parametrize("mechanism", [name for name in MECHANISMS if name != "mcar"])
def test_holes_of_other_mechanisms_are_pinned(mechanism, monkeypatch):
    data = tiny_set(0)
    rng = np.random.default_rng(seed_from(11, "tiny", "holes", mechanism, "0.2", "train", 3))
    expected = MECHANISMS[mechanism].make(data, 0.2, rng)
    assert study.damage(data, "tiny", 0.2, "train", 3, 11, mechanism) == expected
    assert expected != study.damage(data, "tiny", 0.2, "train", 3, 11)
    monkeypatch.setitem(MECHANISMS, "aaa", MECHANISMS["mcar"])  # one more changes no other's holes
    assert study.damage(data, "tiny", 0.2, "train", 3, 11, mechanism) == expected


# --- one job ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.0, 0.2])
@pytest.mark.parametrize("method", METHODS)
def test_frames_have_the_promised_rows(outcomes, method, rate):
    counts, choices, costs = outcomes[method, rate]
    n_training_sets, n_test_sets = (2, 3) if rate else (1, 1)
    expected = [(i, j, k) for i in range(n_training_sets) for j in range(n_test_sets) for k in range(7)]
    assert list(counts[["draw", "test_set", "sequence"]].itertuples(index=False, name=None)) == expected
    assert (counts["n_positions"] == counts["sequence"] + 2).all()
    assert counts["n_correct"].between(0, counts["n_positions"]).all()

    assert choices["draw"].tolist() == list(range(n_training_sets))
    assert choices["candidate"].isin(["l2_regularization=5", "l2_regularization=1"]).all()
    assert choices["iteration"].isin(range(1, 7)).all()
    assert choices["iteration"].dtype.kind == "i"

    phases = ["choice", "windows", "gradient", "trees", "update", "prediction"]
    assert costs["phase"].tolist() == phases * n_training_sets
    assert costs["draw"].tolist() == [i for i in range(n_training_sets) for _ in phases]
    assert (costs["cpu_seconds"] >= 0).all()
    chosen = choices.set_index("draw")["iteration"]
    assert (costs["n_iterations"] == costs["draw"].map(chosen)).all()
    for frame in (counts, choices, costs):
        assert set(frame[["dataset", "rate", "method"]].itertuples(index=False, name=None)) == {("tiny", rate, method)}


@pytest.mark.parametrize("rate", [0.0, 0.2])
@pytest.mark.parametrize("method", METHODS)
def test_counts_are_those_of_models_trained_by_hand(outcomes, method, rate):
    train, test = tiny_set(0), tiny_set(1, 7)
    counts, choices, _ = outcomes[method, rate]
    for _, choice in choices.iterrows():
        training_set = choice["draw"]
        damaged = holes_by_hand(train, rate, 7, "tiny", "holes", f"{rate:g}", "train", training_set)

        # The choice: best on the third that is held out, then fewest iterations, then the smaller lambda.
        fitted, held_out = (damaged.select(part) for part in split_by_hand(len(train), 7))
        candidates = []
        for penalty in (5.0, 1.0):
            for n_iterations in range(1, 7):
                model, prepare = model_by_hand(method, fitted, n_iterations, penalty)
                candidates.append((-model.score(prepare(held_out)), n_iterations, penalty))
        assert len({score for score, *_ in candidates}) > 1
        chosen_lambda = float(choice["candidate"].removeprefix("l2_regularization="))
        assert (-choice["held_out_accuracy"], choice["iteration"], chosen_lambda) == min(candidates)

        # The counts: trained on all of the training set.
        model, prepare = model_by_hand(method, damaged, int(choice["iteration"]), chosen_lambda)
        of_set = counts[counts["draw"] == training_set]
        for test_set in of_set["test_set"].unique():
            damaged_test = holes_by_hand(test, rate, 7, "tiny", "holes", f"{rate:g}", "test", test_set)
            correct = model.predict(prepare(damaged_test)) == test.labels
            expected = [int(part.sum()) for part in np.split(correct, test.offsets[1:-1])]
            assert of_set.loc[of_set["test_set"] == test_set, "n_correct"].tolist() == expected


def test_nothing_missing_leaves_no_difference(outcomes):
    plain = outcomes["imputation", 0.0]
    for method in TREE_METHODS:
        counts, choices, _ = outcomes[method, 0.0]
        assert counts["n_correct"].tolist() == plain.counts["n_correct"].tolist()
        assert choices.drop(columns="method").equals(plain.choices.drop(columns="method"))
    damaged = {tuple(outcomes[method, 0.2].counts["n_correct"]) for method in METHODS}
    assert len(damaged) == len(METHODS)


def test_hold_out_is_the_same_for_every_method_rate_and_training_set(monkeypatch):
    seen = []
    choose = study.choose

    def spy(labellers, folds, *arguments, **options):
        seen.extend((fitted.lengths.tolist(), held_out.lengths.tolist()) for fitted, held_out in folds)
        return choose(labellers, folds, *arguments, **options)

    monkeypatch.setattr(study, "choose", spy)
    data = tiny_set(0)
    quick = settings(n_iterations=1, l2_regularizations=[1.0])
    for method in METHODS:
        for rate in (0.0, 0.3):
            study.evaluate_method(JobContext(quick, "tiny", method, (0, 0), (data, data), seed=0), rate)
    assert len(seen) == len(METHODS) * 3
    fitted, held_out = split_by_hand(12, 0)
    assert (len(fitted), len(held_out)) == (8, 4)
    assert all(parts == ((fitted + 2).tolist(), (held_out + 2).tolist()) for parts in seen)
    study.evaluate_method(JobContext(quick, "other", "imputation", (0, 0), (data, data), seed=0), 0.0)
    study.evaluate_method(JobContext(quick, "tiny", "imputation", (0, 0), (data, data), seed=1), 0.0)
    assert seen[-1] != seen[0] != seen[-2]
    study.evaluate_method(JobContext(settings(held_out=0.01), "tiny", "imputation", (0, 0), (data, data), seed=0), 0.0)
    assert len(seen[-1][1]) == 1
    study.evaluate_method(JobContext(settings(held_out=0.99), "tiny", "imputation", (0, 0), (data, data), seed=0), 0.0)
    assert len(seen[-1][0]) == 1


def test_ties_choose_fewest_iterations_and_the_smallest_lambda():
    # The attribute is the label, so every candidate labels all sequences right.
    labels = np.random.default_rng(0).integers(0, 2, 60)
    attributes = (Attribute("symbol", ("a", "b")),)
    data = SequenceSet(labels[:, None], np.arange(0, 61, 5), attributes, labels, ("x", "y"))
    tied = settings(l2_regularizations=[20.0, 1.0, 5.0], n_iterations=4)
    for method in METHODS:
        choice = study.evaluate_method(
            JobContext(tied, "tiny", method, (0, 0), (data, data), seed=0), 0.0
        ).choices.iloc[0]
        assert (choice["held_out_accuracy"], choice["iteration"], choice["candidate"]) == (
            1.0,
            1,
            "l2_regularization=1",
        )


def test_settings_reach_the_models(monkeypatch):
    made = []

    class Spy(TreeCRF):
        def fit(self, train):
            made.append((self.get_params(), train.attributes))
            return super().fit(train)

    monkeypatch.setattr(treecrf, "TreeCRF", Spy)
    data = tiny_set(0)
    chosen = settings(
        order=2,
        scale_gain=True,
        n_surrogates=2,
        either_polarity=False,
        all_missing="both",
        unseen_missing="both",
        mark="flag",
        unseen="error",
        l2_regularizations=[3.0],
        max_leaves=5,
        n_iterations=2,
        decoder="viterbi",
        n_training_sets=1,
    )
    every = chosen.model_copy(update={"n_surrogates": None})
    study.evaluate_method(JobContext(every, "tiny", "surrogate_splitting", (0, 1), (data, data), seed=0), 0.3)
    assert {params["n_surrogates"] for params, _ in made} == {3}  # two attributes in two cells, but the split's own
    for method in METHODS:
        made.clear()
        outcome = study.evaluate_method(JobContext(chosen, "tiny", method, (0, 1), (data, data), seed=0), 0.3)
        for params, attributes in made:
            common = {"order": 2, "window": (0, 1), "max_leaves": 5, "l2_regularization": 3.0, "unseen": "error"}
            common |= {"scale_gain": True, "n_surrogates": 2, "either_polarity": False}
            common |= {"all_missing": "both", "unseen_missing": "both"}
            assert params.items() >= common.items()
            assert params["missing"] == (method if method in TREE_METHODS else "error")
            names = ["symbol", "mark"] + ["symbol missing", "mark missing"] * (method.endswith("indicator"))
            assert [attribute.name for attribute in attributes] == names
        assert [params["n_iterations"] for params, _ in made] == [2, outcome.choices["iteration"].iloc[0]]


def test_decoder_decides_what_is_counted():
    train, test = tiny_set(0), tiny_set(1, 30)
    found = {}
    for decoder in ("forward_backward", "viterbi"):
        one = settings(decoder=decoder, l2_regularizations=[1.0], n_iterations=3)
        counts, choices, _ = study.evaluate_method(
            JobContext(one, "tiny", "imputation", (1, 1), (train, test), seed=0), 0.0
        )
        model, prepare = model_by_hand("imputation", train, int(choices["iteration"].iloc[0]), 1.0)
        assert counts["n_correct"].sum() == (model.predict(prepare(test), decoder) == test.labels).sum()
        fitted, held_out = (train.select(part) for part in split_by_hand(len(train), 0))
        model, prepare = model_by_hand("imputation", fitted, 3, 1.0)
        scores = model.staged_score(prepare(held_out), (decoder,))[:, 0]
        assert choices["held_out_accuracy"].tolist() == [scores.max()]
        found[decoder] = counts["n_correct"].sum()
    assert len(set(found.values())) == 2


def test_one_training_sequence_is_refused():
    data = tiny_set(0)
    one = data.select([3])
    with pytest.raises(
        ValueError, match=r"^the training set has no two unrelated sequences, so none can be held out; give at least"
    ):
        study.evaluate_method(JobContext(settings(), "tiny", "imputation", (0, 0), (one, data), seed=0), 0.1)
    two = data.select([3, 4])
    counts, *_ = study.evaluate_method(JobContext(settings(), "tiny", "imputation", (0, 0), (two, data), seed=0), 0.0)
    assert len(counts) == len(data)


def test_every_method_is_warmed_on_damaged_data(monkeypatch):
    ran = []
    evaluate = study.evaluate_method

    def spy(job, rate, trees):
        damaged = study.damage(job.train, job.dataset, rate, "train", 0)
        ran.append((job.method, trees, rate > 0, damaged.has_missing))
        return evaluate(job, rate, trees)

    monkeypatch.setattr(study, "evaluate_method", spy)
    monkeypatch.setitem(TREES, "small", SMALL)
    study.warm_kernels()
    assert sorted(ran) == sorted((method, trees, True, True) for method in METHODS for trees in TREES)


def test_every_nth_iteration_is_a_candidate():
    train, test = tiny_set(0), tiny_set(1, 7)
    every, third = (
        study.evaluate_method(
            JobContext(settings(test_every=n), "tiny", "imputation", (1, 1), (train, test), seed=7), 0.2
        ).choices
        for n in (1, 3)
    )
    assert set(third["iteration"]) <= {3, 6}
    assert (third["held_out_accuracy"] <= every["held_out_accuracy"]).all()
    with pytest.raises(ValueError, match="has test_every=7 above n_iterations=6; lower it"):
        settings(test_every=7)


# --- few sequences ----------------------------------------------------------------------------------------


def one_document(n_lines):
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2, (n_lines, 2))
    attributes = (Attribute("a", ("no", "yes")), Attribute("b", ("no", "yes")))
    return SequenceSet(values, [0, n_lines], attributes, values[:, 0], ("x", "y"))


def test_one_document_is_counted_by_blocks_and_their_sum_is_the_document():
    test, correct = one_document(230), np.random.default_rng(6).random(230) < 0.8
    counts = study.count_correct(correct, test, settings())
    assert counts["n_positions"].tolist() == [57, 58, 57, 58]
    assert counts["block"].tolist() == [0, 1, 2, 3]
    assert (counts["sequence"] == 0).all()
    assert counts["n_correct"].sum() == correct.sum()
    assert counts["n_correct"].iloc[1] == correct[57:115].sum()
    whole = study.count_correct(correct, test, settings(blocks_under=1))
    assert whole[["n_positions", "n_correct"]].to_numpy().tolist() == [[230, correct.sum()]]
    assert len(study.count_correct(correct, test, settings(block_length=100))) == 2


def test_many_sequences_are_counted_whole_and_few_short_ones_too():
    for n_sequences in (12, 7):
        test = tiny_set(1, n_sequences)
        counts = study.count_correct(np.ones(test.n_positions, bool), test, settings())
        assert counts["n_positions"].tolist() == test.lengths.tolist()
        assert counts["group"].tolist() == test.groups.tolist()


# --- the network ------------------------------------------------------------------------------------------


def test_the_network_sees_the_missing_cells_of_all_methods(monkeypatch):
    """It is given what `damage` gives any method, and it chooses its dropout by hold-out."""
    pytest.importorskip("jax")
    train, test = tiny_set(0), tiny_set(1, 7)
    given = []
    damage = study.damage
    monkeypatch.setattr(
        study, "damage", lambda *names, **options: given.append(names[2:5]) or damage(*names, **options)
    )
    own = settings(neural_dropouts=[0.0, 0.5], neural_epochs=2, methods=["instance_weighting", "neural_crf"])
    found = {}
    for method in own.methods:
        given.clear()
        job = JobContext(own, "tiny", method, (1, 1), (train, test), seed=7)
        found[method], others = study.evaluate_method(job, 0.2), list(given)
        assert others == [(0.2, "test", k) for k in range(3)] + [(0.2, "train", i) for i in range(2)]
    network, trees = found["neural_crf"], found["instance_weighting"]
    names = ["draw", "test_set", "sequence", "n_positions"]
    assert network.counts[names].equals(trees.counts[names])
    assert network.choices["candidate"].isin(["dropout=0", "dropout=0.5"]).all()
    assert set(network.choices["iteration"]) == {1}
    model = NeuralCRF(dropout=float(network.choices["candidate"][0].partition("=")[2]), n_epochs=2, unseen="missing")
    model.fit(study.damage(train, "tiny", 0.2, "train", 0, 7))
    damaged = study.damage(test, "tiny", 0.2, "test", 1, 7)
    correct = np.add.reduceat(model.predict(damaged) == test.labels, test.offsets[:-1], dtype=np.int64)
    rows = network.counts.query("draw == 0 and test_set == 1")
    assert rows["n_correct"].tolist() == correct.tolist()


def test_the_network_has_no_other_trees_and_changes_no_job_of_another_method():
    job = JobContext(settings(trees=["papers", "newton"]), "tiny", "neural_crf", (1, 1), (tiny_set(0), tiny_set(1, 7)))
    assert study.evaluate_trees(job).counts.empty
    first, second = settings(), settings(neural_epochs=3)
    assert first.used_by("imputation") == second.used_by("imputation")
    assert first.used_by("neural_crf") != second.used_by("neural_crf")
