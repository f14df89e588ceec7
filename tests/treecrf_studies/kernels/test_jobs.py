"""The jobs of the study of kernels: what is trained, what chooses, what is measured."""

import warnings

import numpy as np
import pandas as pd
import pytest
from planted_predictions import assert_confidence

from treecrf import LinearCRF, NeuralNetwork, TreeCRF, VotedPerceptron
from treecrf.models.decoding import DECODERS
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, sequence_folds
from treecrf_studies import datasets
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import PREDICTED, marginals_after
from treecrf_studies.framework.selection import Trained, choose, train_as_chosen
from treecrf_studies.kernels.jobs import (
    RUN_NAMES,
    compare_ranks,
    compare_solvers,
    label_test_sets,
    make_candidates,
    make_kernel_crf,
    measure_sizes,
)
from treecrf_studies.kernels.settings import KernelsSettings
from treecrf_studies.methods import KernelCRF
from treecrf_studies.methods.catalogue import KERNELS

SETTINGS = KernelsSettings(
    variances=[0.1, 10.0],
    choosing_tolerance=1e-6,
    rank=12,
    tree_iterations=8,
    test_every=2,
    treecrf_leaves=4,
    n_folds=3,
    solver_steps=300,
    ranks=[8, 10000],
    sizes=[60, 120, 10000],
    solver_degrees=[1, 2],
)
WINDOW = (1, 1)


@pytest.fixture(scope="module")
def splits():
    return {seed: datasets.load_splits("hmm", seed=seed, n_train=24, n_test=10, length=15) for seed in range(2)}


def run(splits, method, **changes):
    choice = changes.pop("choice", None)
    return label_test_sets(
        JobContext(SETTINGS.model_copy(update=changes), "hmm", method, WINDOW, splits=splits, choice=choice)
    )


def whole(sets):
    return SequenceSet.concatenate([sets.train, sets.validation])


def test_cross_validation_chooses_the_variance(splits):
    runs, predictions, choice = run(splits, "degree_2")
    assert list(runs.columns) == RUN_NAMES
    assert list(predictions.columns) == ["dataset", "method", "decoder", "draw", "group", *PREDICTED]
    for seed, sets in splits.items():
        train, n_right = whole(sets), {}
        folds = sequence_folds(train.groups, 3, derive_seed("folds", "hmm", seed))
        for variance in SETTINGS.variances:
            model = KernelCRF(2, variance=variance, window=WINDOW)
            rest = [np.delete(np.arange(len(train)), fold) for fold in folds]
            scores = [
                model.fit(train.select(r)).score(train.select(f)) * train.select(f).n_positions
                for r, f in zip(rest, folds, strict=True)
            ]
            n_right[variance] = round(sum(scores))
        best = max(n_right, key=n_right.get)
        row = runs.set_index("draw").loc[seed]
        assert row["settings"] == f"variance={best:g}"
        assert row["held_out_accuracy"] == pytest.approx(100 * n_right[best] / train.n_positions)
        assert choice.set_index("draw")["variance"].loc[seed] == best
        model = KernelCRF(2, variance=best, window=WINDOW).fit(train)
        assert row["accuracy"] == pytest.approx(100 * model.score(sets.test))
        assert row["viterbi_accuracy"] == pytest.approx(100 * model.score(sets.test, decoder="viterbi"))
        assert_confidence(predictions[predictions["draw"] == seed], model.predict_proba(sets.test))
        of_draw = predictions[predictions["draw"] == seed]
        assert of_draw["predicted"].tolist() == model.predict(sets.test).tolist()


def test_the_primal_takes_the_variance_of_the_dual_and_reaches_its_objective(splits):
    degree_1 = run(splits, "degree_1", tolerance=1e-9)
    dual = run(splits, "dual", choice=degree_1.choice, tolerance=1e-9)
    primal = run(splits, "primal", choice=degree_1.choice)
    assert primal.runs["settings"].tolist() == dual.runs["settings"].tolist() == degree_1.runs["settings"].tolist()
    assert set(dual.runs["form"]) == {"matrix"}
    assert set(degree_1.runs["form"]) == {"monomials"}
    assert primal.runs["held_out_accuracy"].isna().all()
    assert primal.runs["objective"].to_numpy() == pytest.approx(dual.runs["objective"].to_numpy(), rel=1e-4)
    degree_2 = run(splits, "degree_2", tolerance=1e-9)
    both = pd.concat([degree_1.choice, degree_2.choice])  # of methods that share a job
    conjunctions = run(splits, "conjunctions", choice=both)
    assert conjunctions.runs["objective"].to_numpy() == pytest.approx(degree_2.runs["objective"].to_numpy(), rel=1e-4)


def test_the_primal_takes_numbers_of_either_sign(splits):
    sets = splits[0]

    def numbered(data):
        numbers = np.stack([data.values[:, 0] % 5, -(data.values[:, 0] % 7)], axis=1).astype(float)
        return SequenceSet(
            data.values[:, :0],
            data.offsets,
            (),
            data.labels,
            data.label_names,
            numbers=numbers,
            number_names=("a", "b"),
        )

    train = numbered(whole(sets))
    dual = make_kernel_crf("degree_1", WINDOW, SETTINGS, variance=3.0, tolerance=1e-9).fit(train)
    with pytest.raises(ValueError, match="numbers of a degree above 1"):
        make_kernel_crf("conjunctions", WINDOW, SETTINGS, variance=3.0).fit(train)
    primal = make_kernel_crf("primal", WINDOW, SETTINGS, variance=3.0).fit(train)
    assert primal.objective_ == pytest.approx(dual.objective_, rel=1e-4)
    assert primal.predict_proba(train) == pytest.approx(dual.predict_proba(train), abs=0.02)


def test_crfsuite_has_one_variance_for_all_weights(splits):
    with pytest.raises(
        ValueError, match=r"transition_variance=2\.0: CRFsuite has one variance for all weights; give 1"
    ):
        run(splits, "primal", transition_variance=2.0)


def test_nystroem_is_the_model_of_uniform_pivots(splits):
    """With all windows as pivots both are the exact model."""
    train = whole(splits[0])
    exact = make_kernel_crf("degree_2", WINDOW, SETTINGS, variance=3.0, tolerance=1e-10).fit(train)
    for method in ("nystroem", "low_rank"):
        full = make_kernel_crf(method, WINDOW, SETTINGS, variance=3.0, tolerance=1e-10, rank=train.n_positions).fit(
            train
        )
        assert full.objective_ == pytest.approx(exact.objective_, rel=1e-6)
        assert full.predict_proba(splits[0].test) == pytest.approx(exact.predict_proba(splits[0].test), abs=1e-4)
    few = make_kernel_crf("nystroem", WINDOW, SETTINGS, variance=3.0, tolerance=1e-10, rank=6).fit(train)
    assert few.objective_ > exact.objective_ * 1.01


def test_stages_of_trees_are_chosen_over_all_folds(splits):
    runs = run({0: splits[0]}, "separable").runs
    train = whole(splits[0])
    right = np.zeros(4, dtype=int)
    for fold in sequence_folds(train.groups, 3, derive_seed("folds", "hmm", 0)):
        held_out = train.select(fold)
        values = {"transitions": "separable", "leaf_values": "newton", "splits": "subsets", "learning_rate": 0.1}
        model = TreeCRF(8, 8, 3.0, WINDOW, **values).fit(train.select(np.delete(np.arange(len(train)), fold)))
        stages = model.staged_predict(held_out, ("forward_backward",), 2)
        right += [int((stage["forward_backward"] == held_out.labels).sum()) for stage in stages]
    n_iterations = 2 * (int(right.argmax()) + 1)
    assert runs["settings"].tolist() == [f"max_leaves=8, learning_rate=0.1, n_iterations={n_iterations}"]
    assert runs["held_out_accuracy"].tolist() == [pytest.approx(100 * right.max() / train.n_positions)]


def test_a_stage_that_a_labeller_cannot_stop_at_is_predicted_from(splits):
    sets = splits[0]
    choice = choose([LinearCRF(10.0, WINDOW, max_iterations=6)], [(sets.train, sets.validation)])
    trained = train_as_chosen(choice, sets.train)
    assert trained.values == {"stage": choice.stage}
    kept = LinearCRF(10.0, WINDOW, max_iterations=6, keep_stages=True).fit(sets.train)
    expected = list(kept.staged_predict(sets.test))
    found = trained.predict(sets.test, ("viterbi",))["viterbi"]
    assert found.tolist() == expected[choice.stage - 1]["viterbi"].tolist()


def test_a_training_that_converged_before_the_stage_is_predicted_from_its_end(splits):
    sets = splits[0]
    labeller = LinearCRF(10.0, WINDOW, keep_stages=True).fit(sets.train)
    assert list(labeller.staged_predict(sets.test, DECODERS, 5000)) == []
    found = Trained(labeller, 5000, {}, 0.0).predict(sets.test, DECODERS)
    assert {decoder: labels.tolist() for decoder, labels in found.items()} == {
        decoder: labeller.predict(sets.test, decoder).tolist() for decoder in DECODERS
    }


@pytest.mark.parametrize(
    ("labeller", "stage"),
    [
        (LinearCRF(10.0, WINDOW, max_iterations=6, keep_stages=True), 2),
        (KernelCRF(2), 0),
        (TreeCRF(4, 3, 1.0), 0),
        (NeuralNetwork(n_epochs=2, keep_stages=True), 2),
    ],
)
def test_labels_and_marginals_are_those_of_the_two_questions(splits, labeller, stage):
    sets = splits[0]
    trained = Trained(labeller.fit(sets.train), stage, {}, 0.0)
    labels, marginals = trained.answer(sets.test, DECODERS)
    alone = trained.predict(sets.test, DECODERS)
    assert {decoder: found.tolist() for decoder, found in labels.items()} == {
        decoder: found.tolist() for decoder, found in alone.items()
    }
    np.testing.assert_array_equal(marginals, marginals_after(labeller, sets.test, stage))


def test_a_labeller_without_probabilities_has_labels_alone(splits):
    labeller = VotedPerceptron(2).fit(splits[0].train)
    labels, marginals = Trained(labeller, 0, {}, 0.0).answer(splits[0].test)
    assert marginals is None
    assert labels["forward_backward"].tolist() == labeller.predict(splits[0].test).tolist()


def test_all_solvers_reach_one_objective_and_say_how_far_they_are(splits):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = compare_solvers(
            JobContext(SETTINGS.model_copy(update={"tolerance": 1e-8}), "hmm", window=WINDOW, splits=splits)
        )
    ends = frame.groupby(["degree", "solver"], sort=False).tail(1).set_index(["degree", "solver"])
    for degree in (1, 2):
        exact = KernelCRF(degree, window=WINDOW, solver="newton", tolerance=1e-12).fit(whole(splits[0])).objective_
        for solver in ("lbfgs", "lbfgs_matrix", "newton", "subspace", "block_jacobi_halved", "crfsuite"):
            end = ends.loc[(degree, solver)]
            assert end["objective"] == pytest.approx(exact, rel=1e-4), solver
            assert end["excess"] == pytest.approx(end["objective"] / exact - 1, abs=1e-8), solver
            if solver != "crfsuite":
                assert end["gap"] >= end["excess"] - 1e-9, solver
    steps = frame[(frame["degree"] == 2) & (frame["solver"] == "newton")]
    assert steps["iteration"].tolist() == list(range(len(steps)))
    assert steps["cpu_seconds"].is_monotonic_increasing


def test_a_rank_is_no_higher_than_folds_have_positions(splits):
    runs = run({0: splits[0]}, "low_rank", rank=10_000).runs
    assert runs["held_out_accuracy"].notna().all()


def test_a_single_kernel_is_judged_too(splits):
    runs = run({0: splits[0]}, "degree_1", variances=[3.0]).runs
    assert runs["held_out_accuracy"].notna().all()


def test_ranks_below_the_number_of_positions_are_compared_with_the_exact_model(splits):
    frame = compare_ranks(JobContext(SETTINGS, "hmm", window=WINDOW, splits=splits))
    assert frame[["pivots", "rank"]].to_numpy().tolist() == [
        ["exact", whole(splits[0]).n_positions],
        ["random", 8],
        ["greedy", 8],
        ["uniform", 8],
    ]
    assert frame["excess"].iloc[0] == 0
    assert (frame["excess"].iloc[1:] > 0).all()


def test_sizes_are_those_of_the_first_sequences(splits):
    frame = measure_sizes(JobContext(SETTINGS, "hmm", window=WINDOW, splits=splits))
    n_positions = whole(splits[0]).n_positions
    found = frame["n_positions"].unique()
    assert (found[0] >= 60, found[1] >= 120, found[-1] == n_positions) == (True,) * 3
    assert set(frame["form"]) == {"monomials", "matrix", "low_rank"}
    assert (frame[["cpu_seconds", "memory_mb"]] > 0).all(axis=None)
    memory = frame.pivot_table(index="n_positions", columns="form", values="memory_mb")
    assert memory["matrix"].loc[n_positions] > memory["matrix"].loc[found[0]]
    alike = measure_sizes(
        JobContext(SETTINGS.model_copy(update={"sizes": [1, 2]}), "hmm", window=WINDOW, splits=splits)
    )
    assert len(alike) == 3


def test_a_job_looks_at_its_own_settings():
    used = {
        method: set(SETTINGS.used_by(method)) for method in ("degree_1", "primal", "low_rank", "separable", "crfsuite")
    }
    assert {"variances", "coef0", "tolerance", "n_folds"} <= used["degree_1"]
    assert not {"rank", "tree_iterations", "ranks", "solver_steps", "equivalence_margin", "methods"} & used["degree_1"]
    assert "variances" not in used["primal"]
    assert "rank" in used["low_rank"]
    assert {"tree_iterations", "separable_leaves"} <= used["separable"]
    assert not {"full_leaves", "variances"} & used["separable"]
    assert "crfsuite_penalties" in used["crfsuite"]


def test_a_study_that_is_left_out_measures_nothing():
    measured = {"solver_datasets": ["hyphen"], "rank_datasets": ["ocr"], "size_datasets": ["ocr"]}
    settings = KernelsSettings(datasets=[], **measured)
    assert [getattr(settings, name) for name in measured] == [[], [], []]
    assert KernelsSettings(datasets=["hyphen", "ocr"], **measured).size_datasets == ["ocr"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"methods": ["degree_4"]}, "names the method 'degree_4', which is none of primal"),
        ({"test_every": 200}, "has test_every=200 above tree_iterations=100; lower it"),
        (
            {"datasets": ["hyphen"], "rank_datasets": ["ocr"]},
            "names 'ocr' in rank_datasets and not in datasets; add it there",
        ),
    ],
)
def test_settings_that_cannot_be_run_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        KernelsSettings(**values)


def test_the_network_sees_pictures_where_the_numbers_are_some():
    [net] = make_candidates("neural_crf", (2, 2), KernelsSettings(neural_epochs=7))
    assert (net.picture, net.window, net.n_epochs) == (None, (1, 1), 7)
    nets = make_candidates("neural_crf", (2, 2), KernelsSettings(neural_dropouts=[0.3, 0.5], picture=(16, 8)))
    assert [(net.picture, net.window, net.dropout) for net in nets] == [((16, 8), (0, 0), 0.3), ((16, 8), (0, 0), 0.5)]
    assert find_method("neural_crf", KERNELS).chosen(nets[1]) == {"dropout": 0.5}
    assert KernelsSettings(datasets=["ocr", "hyphen"]).of("ocr").picture == (16, 8)
    assert "picture" not in KernelsSettings().used_by("separable")
