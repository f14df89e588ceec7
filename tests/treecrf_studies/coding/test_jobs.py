"""The jobs of the study of many labels: what is trained, what chooses, what is counted."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import assert_confidence

from treecrf import TreeCRF, VotedPerceptron, chain
from treecrf.sequences import SequenceSet
from treecrf_studies import datasets
from treecrf_studies.coding.jobs import (
    RUN_NAMES,
    TIMING_NAMES,
    Draw,
    label_test_sets,
    make_candidates,
    score_chunks,
)
from treecrf_studies.coding.methods import TREES_AND_NETS
from treecrf_studies.coding.settings import CodingSettings
from treecrf_studies.datasets.hidden_markov import known_model
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.metrics import CONFIDENCE, PREDICTED
from treecrf_studies.methods import CodedCRF

SIZES = {"n_train": 30, "n_test": 10, "length": 12}
SETTINGS = CodingSettings(
    methods=["vp_iid"],
    windows=[(0, 0)],
    code_lengths=[16, 20],
    beams=[2, 50],
    gtb_iterations=3,
    gtb_leaves=4,
    beam_iterations=2,
    n_epochs=2,
    tree_iterations=6,
    label_dictionary=None,
    tree_splits=["subsets"],
    separable_rates=[0.1, 0.5],
    crfsuite_penalties=[1.0, 0.01],
)


@pytest.fixture(scope="module")
def splits():
    return {seed: datasets.load_splits("transition", seed=seed, **SIZES) for seed in range(2)}


def run(splits, method, **changes):
    return label_test_sets(JobContext(SETTINGS.model_copy(update=changes), "transition", method, splits=splits))


def whole(sets):
    return SequenceSet.concatenate([sets.train, sets.validation])


def test_one_training_has_all_code_lengths(splits):
    runs, predictions, _ = run(splits, "gtb_cascade_1")
    assert list(runs.columns) == RUN_NAMES
    assert list(predictions.columns) == ["dataset", "method", "window", "draw", "size", "group", *PREDICTED]
    assert runs[["draw", "size"]].to_numpy().tolist() == [[0, 16], [0, 20], [1, 16], [1, 20]]
    seed = Draw("transition", 1, (0, 0), splits[1], None).code_seed
    model = CodedCRF(TreeCRF(3, 4, 5.0), 20, 1, seed).fit(whole(splits[1]))
    assert runs["accuracy"].iloc[3] == pytest.approx(100 * model.score(splits[1].test))
    assert set(predictions["size"]) == {16, 20}
    of_draw = predictions[(predictions["draw"] == 1) & (predictions["size"] == 20)]
    assert of_draw["predicted"].tolist() == model.predict(splits[1].test).tolist()
    assert predictions[list(CONFIDENCE)].isna().all(axis=None)  # distances to words are no probabilities


def test_held_out_sequences_choose_histories_in_the_first_draws(splits):
    runs, *_ = run(splits, "gtb_cascade_1", n_choosing=1)
    assert runs["held_out_accuracy"].notna().tolist() == [True, True, False, False]
    seed = Draw("transition", 0, (0, 0), splits[0], None).code_seed
    model = CodedCRF(TreeCRF(3, 4, 5.0), 20, 1, seed).fit(splits[0].train)
    assert runs["held_out_accuracy"].iloc[1] == pytest.approx(100 * model.score(splits[0].validation))
    assert run(splits, "gtb_secoc").runs["held_out_accuracy"].isna().all()


@pytest.mark.parametrize(("method", "history"), [("gtb_cascade_1", 1), ("gtb_cascade_15", "all")])
def test_fewer_bits_may_choose_histories(splits, method, history):
    runs, *_ = run({0: splits[0]}, method, choosing_length=0.6)
    seed = Draw("transition", 0, (0, 0), splits[0], None).code_seed
    model = CodedCRF(TreeCRF(3, 4, 5.0), 12, history, seed).fit(splits[0].train)
    assert runs["size"].tolist() == [16, 20]
    assert runs["held_out_accuracy"].isna().tolist() == [True, False]
    assert runs["held_out_accuracy"].iloc[1] == pytest.approx(100 * model.score(splits[0].validation))
    assert runs["accuracy"].tolist() == run({0: splits[0]}, method).runs["accuracy"].tolist()


def test_codes_of_trees_may_have_other_lengths(splits):
    lengths = {"gtb_code_lengths": [13, 14]}
    assert run({0: splits[0]}, "gtb_secoc", **lengths).runs["size"].tolist() == [13, 14]
    assert run({0: splits[0]}, "vp_secoc", **lengths).runs["size"].tolist() == [16, 20]
    with pytest.raises(ValueError, match="names 'gtb_cascade_14', but a code of 14 bits has fewer before the last one"):
        CodingSettings(methods=["gtb_cascade_14"], **lengths)


def test_shorter_codes_cost_less_than_longer_ones(splits):
    seconds = run(splits, "vp_secoc").runs.groupby("draw")["cpu_seconds"]
    assert all(of_draw.is_monotonic_increasing and of_draw.min() > 0 for _, of_draw in seconds)


@pytest.mark.parametrize("method", ["vp_secoc", "vp_cascade_1", "vp_beam"])
def test_equal_trainings_are_timed_again(splits, method):
    one, timed = (run({0: splits[0]}, method, n_timed_runs=n) for n in (1, 3))
    assert list(timed.timings.columns) == TIMING_NAMES
    assert timed.timings.groupby("size")["repeat"].apply(list).tolist() == [[0, 1, 2]] * 2
    assert timed.timings["cpu_seconds"].nunique() > 2  # each training has its own time
    assert (timed.timings.groupby("size")["cpu_seconds"].median() == timed.runs.set_index("size")["cpu_seconds"]).all()
    untimed = [name for name in RUN_NAMES if name != "cpu_seconds"]
    pd.testing.assert_frame_equal(one.runs[untimed], timed.runs[untimed])
    pd.testing.assert_frame_equal(one.predictions, timed.predictions)


def test_runs_have_the_iterations_of_codes_and_beams(splits):
    found = {method: run({0: splits[0]}, method).runs["n_iterations"] for method in ("gtb_iid", "gtb_beam", "vp_beam")}
    assert {method: set(values) for method, values in found.items()} == {
        "gtb_iid": {3},
        "gtb_beam": {2},
        "vp_beam": {2},
    }
    assert run({0: splits[0]}, "perceptron").runs["n_iterations"].isna().all()
    defaults = CodingSettings()
    assert defaults.beam_iterations == defaults.gtb_iterations  # what claims about both need


def test_a_beam_is_no_wider_than_there_are_labels(splits):
    trees = run({0: splits[0]}, "gtb_beam", beams=[2]).predictions
    model = TreeCRF(2, 4, 5.0, beam=2).fit(whole(splits[0]))
    assert_confidence(trees, model.predict_proba(splits[0].test))
    runs, predictions, _ = run(splits, "vp_beam")
    assert sorted(set(runs["size"])) == sorted(set(predictions["size"])) == [2, 40]
    exact = run(splits, "perceptron").runs["accuracy"]
    assert runs.loc[runs["size"] == 40, "accuracy"].tolist() == exact.tolist()


def test_held_out_sequences_choose_rate_and_iterations(splits):
    runs, predictions, _ = run({0: splits[0]}, "separable")
    train, validation, test = splits[0]
    found = {}
    for rate in (0.1, 0.5):
        values = {"splits": "subsets", "transitions": "separable", "leaf_values": "newton", "learning_rate": rate}
        model = TreeCRF(6, 8, 3.0, **values).fit(train)
        for stage, labels in enumerate(model.staged_predict(validation, ("forward_backward",), 2), start=1):
            found[rate, 2 * stage] = int((labels["forward_backward"] == validation.labels).sum())
    rate, n_iterations = max(found, key=found.get)
    assert runs["settings"].tolist() == [
        f"splits=subsets, max_leaves=8, learning_rate={rate:g}, n_iterations={n_iterations}"
    ]
    values |= {"learning_rate": rate}
    model = TreeCRF(n_iterations, 8, 3.0, **values).fit(whole(splits[0]))
    assert runs["accuracy"].tolist() == [pytest.approx(100 * model.score(test))]
    assert_confidence(predictions, model.predict_proba(test))


def test_the_known_model_is_better_than_any_labeller_on_average(splits):
    runs, *_ = run(splits, "known_model")
    potentials = known_model("transition", seed=0).potentials(splits[0].test)
    assert np.isfinite(potentials).all()
    assert runs["accuracy"].mean() > run(splits, "perceptron").runs["accuracy"].mean()


def test_the_known_model_is_that_of_the_sets_options():
    options = {"p_o": 0.9, **SIZES}
    splits = {0: datasets.load_splits("transition", seed=0, **options)}
    runs, predictions, _ = label_test_sets(
        JobContext(SETTINGS, "mine", "known_model", splits=splits, source="transition", options=options)
    )
    potentials = known_model("transition", seed=0, p_o=0.9).potentials(splits[0].test)
    marginals = chain.forward_backward(potentials, splits[0].test.offsets, 1).labels
    assert runs["accuracy"].tolist() == [100 * (marginals.argmax(axis=1) == splits[0].test.labels).mean()]
    assert_confidence(predictions, marginals)


def test_a_long_history_is_trained_too(splits):
    runs, *_ = run({0: splits[0]}, "vp_cascade_50", code_lengths=[60], n_epochs=1)
    assert runs["size"].tolist() == [60]
    with pytest.raises(ValueError, match="names 'vp_cascade_50', but a code of 50 bits has fewer before the last one"):
        CodingSettings(methods=["vp_cascade_50"], code_lengths=[50])


def test_windows_of_one_size_are_refused():
    with pytest.raises(ValueError, match="a window of 2 observations"):
        CodingSettings(windows=[(0, 1), (1, 0)])


def test_positions_count_from_one_on(splits):
    runs, predictions, _ = run({0: splits[0]}, "perceptron", first_counted=10)
    assert runs["n_test"].tolist() == [20]
    assert set(predictions["position"] % 12) == {10, 11}
    assert predictions[list(CONFIDENCE)].isna().all(axis=None)  # scores of a perceptron are no probabilities
    model = VotedPerceptron(2).fit(whole(splits[0]))
    right = (model.predict(splits[0].test) == splits[0].test.labels).reshape(10, 12)[:, 10:]
    assert runs["accuracy"].tolist() == [pytest.approx(100 * right.mean())]


def test_wide_windows_are_for_methods_with_all_labels(splits):
    wide = {"wide_windows": [(2, 2)]}
    assert run({0: splits[0]}, "perceptron", **wide).runs["window"].tolist() == [1, 5]
    assert set(run({0: splits[0]}, "vp_beam", **wide).runs["window"]) == {1}


def test_noun_phrases_are_scored_where_labels_have_them():
    names = ("NN-B", "NN-I", "VB-O")
    labels = np.array([0, 1, 2, 0, 2], dtype=np.int16)
    data = SequenceSet(np.zeros((5, 1), dtype=np.int32), np.array([0, 3, 5]), [("word", ("a",))], labels, names)
    score = score_chunks(data, np.array([0, 1, 2, 2, 2], dtype=np.int16))
    assert score == {"precision": 100.0, "recall": 50.0, "f1": pytest.approx(200 / 3)}
    plain = data.with_labels(labels, ("a", "b", "c"))
    assert all(np.isnan(value) for value in score_chunks(plain, labels).values())


def test_a_job_looks_at_its_own_settings():
    used = {
        method: set(SETTINGS.used_by(method)) for method in ("gtb_iid", "vp_cascade_5", "vp_beam", "perceptron", "full")
    }
    assert {"gtb_leaves", "code_lengths"} <= used["gtb_iid"]
    assert not {"n_epochs", "beams", "beam_iterations", "cross_fit", "tree_iterations"} & used["gtb_iid"]
    assert {"n_epochs", "cross_fit", "choosing_length"} <= used["vp_cascade_5"]
    assert not {"choosing_length", "gtb_code_lengths"} & used["vp_beam"]
    assert {"beams", "early_update"} <= used["vp_beam"]
    assert "n_epochs" in used["perceptron"]
    assert {"full_leaves", "label_dictionary", "wide_windows"} <= used["full"]
    assert not {"separable_leaves", "equivalence_margin", "methods"} & used["full"]


@pytest.mark.parametrize("method", ["gtb", "gtb_cascade_0", "gtb_cascade_best", "vp_beam_5", "treecrf"])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(ValueError, match=f"names the method '{method}', which is neither"):
        CodingSettings(methods=[method])


def test_the_network_learns_all_labels_at_once():
    settings = CodingSettings(neural_dropouts=[0.3, 0.5], neural_epochs=7)
    nets = make_candidates("neural_crf", (1, 1), settings)
    assert [(net.dropout, net.n_epochs, net.window) for net in nets] == [(0.3, 7, (1, 1)), (0.5, 7, (1, 1))]
    assert settings.used_by("neural_crf")["neural_epochs"] == 7
    assert "neural_epochs" not in settings.used_by("separable")


def test_trees_and_nets_are_averaged_without_a_choice():
    settings = CodingSettings(neural_epochs=7, separable_rates=[0.1, 0.3])
    (average,) = make_candidates(TREES_AND_NETS, (1, 1), settings)
    trees, *nets = average.make_experts()
    assert (trees.splits, trees.learning_rate, trees.transitions, trees.window) == ("subsets", 0.3, "separable", (3, 3))
    assert [(net.random_state, net.n_epochs, net.window) for net in nets] == [
        (0, 7, (1, 1)),
        (1, 7, (1, 1)),
        (2, 7, (1, 1)),
    ]
    used = settings.used_by(TREES_AND_NETS)
    assert {"neural_epochs", "separable_rates", "tree_iterations", "label_dictionary"} <= set(used)
    assert not {"full_rates", "n_epochs", "crfsuite_penalties", "test_every"} & set(used)
    assert TREES_AND_NETS not in settings.methods
