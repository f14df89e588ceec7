"""The training study: one method on one data set, against direct trainings and frames worked by hand."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from planted_predictions import assert_confidence

from treecrf import LinearCRF, TreeCRF
from treecrf.missing import Imputer, inject
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.selection import derive_seed, sequence_folds
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import CONFIDENCE
from treecrf_studies.methods.catalogue import IN_JAVA, TRAINING
from treecrf_studies.options import candidate_name
from treecrf_studies.training import jobs as training
from treecrf_studies.training.choices import UNPERTURBED
from treecrf_studies.training.settings import TrainingSettings

SETTINGS = TrainingSettings(
    test_every=1,
    n_iterations=4,
    n_folds=3,
    n_perturbed_runs=2,
    start_noise=0.5,
    max_leaves=4,
    l2_regularizations=[1, 20],
    memm_regularizations=[5],
    original_max_leaves=[2, 4],
    variances=[1, 10],
    network_penalties=[0.01],
    network_epochs=3,
    lightgbm_leaves=[3],
    anchors=[None, (0, 1)],
    anchored_orders=[2],
    neural_kinds=["lstm"],
    neural_widths=[4],
    neural_layers=[1],
    neural_dropouts=[0.1],
    neural_epochs=2,
    stacking_experts=["treecrf", "linear_crf"],
    stacking_iterations=[3, 5],
    stacking_folds=2,
)


def tiny_set(seed, n_sequences=12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 5 * n_sequences)
    values = np.where(rng.random(len(labels)) < 0.8, labels, 1 - labels)[:, None]
    offsets = np.arange(0, len(labels) + 1, 5)
    return SequenceSet(values, offsets, (Attribute("symbol", ("a", "b")),), labels, ("x", "y"))


def compare(method, protocol="split", settings=SETTINGS, train=None, test=None, **options):
    train, test = train or tiny_set(0), test or tiny_set(1, 4)
    return training.compare_method(
        JobContext(settings, "tiny", method, (1, 1), (train, test), protocol=protocol, **options)
    )


@pytest.fixture(scope="module")
def outcome():
    return compare("treecrf")


def predictions(outcome, decoder, run=-1, stage="choice"):
    return outcome.predictions.query("decoder == @decoder and run == @run and stage == @stage")


def test_peaks_are_those_of_the_learning_curves(outcome):
    test = tiny_set(1, 4)
    candidates = outcome.choice[["candidate"]].drop_duplicates()
    curves = outcome.curves.query("run == -1").merge(candidates)
    assert set(outcome.predictions["candidate"]) == set(candidates["candidate"])
    for (candidate, decoder), curve in curves.groupby(["candidate", "decoder"]):
        part = predictions(outcome, decoder, stage="peak").query("candidate == @candidate")
        assert (part["predicted"] == part["label"]).sum() == curve["n_correct"].max()
        first = int(curve.loc[curve["n_correct"].idxmax(), "iteration"])
        model = TreeCRF(first, 4, float(candidate.split("=")[1]), (1, 1)).fit(tiny_set(0))
        assert part["predicted"].tolist() == model.predict(test, decoder).tolist()


def test_labels_after_the_last_iteration_are_kept_of_timed_methods(outcome):
    value = float(outcome.choice["candidate"].iloc[0].split("=")[1])
    for run, more in ((-1, {}), (1, {"random_state": 1, "start_noise": 0.5})):
        model = TreeCRF(4, 4, value, (1, 1), **more).fit(tiny_set(0))
        for decoder in SETTINGS.decoders:
            part = predictions(outcome, decoder, run, stage="last")
            assert part["predicted"].tolist() == model.predict(tiny_set(1, 4), decoder).tolist()
    others = compare("treecrf", settings=SETTINGS.model_copy(update={"timed_methods": ["mallet"]}))
    assert set(others.predictions["stage"]) == {"choice", "peak"}
    assert others.timings.empty


def test_timed_methods_are_trained_again_for_the_time_alone(outcome):
    """Two perturbed trainings and the unperturbed one are three of the five."""
    assert outcome.timings.groupby("run")["iteration"].apply(list).to_dict() == {-3: [1, 2, 3, 4], -2: [1, 2, 3, 4]}
    assert set(outcome.timings["candidate"]) == set(outcome.choice["candidate"])
    assert (outcome.timings.groupby("run")["cpu_seconds"].diff().dropna() > 0).all()
    assert list(outcome.timings.columns) == training.TIMING_NAMES


def test_folds_are_those_of_direct_trainings(outcome):
    train = tiny_set(0)
    folds = sequence_folds(np.arange(12), 3, derive_seed(0, "tiny", "folds"))
    frame = outcome.folds.set_index(["candidate", "fold", "iteration", "decoder"])["n_correct"]
    for value in (1, 20):
        for fold, held_out in enumerate(folds):
            model = TreeCRF(4, 4, value, (1, 1)).fit(train.select(np.setdiff1d(np.arange(12), held_out)))
            scores = model.staged_score(train.select(held_out)) * 5 * len(held_out)
            for iteration, row in enumerate(scores, start=1):
                for decoder, expected in zip(SETTINGS.decoders, row, strict=True):
                    found = frame[f"l2_regularization={value}", fold, iteration, decoder]
                    assert found == pytest.approx(expected)


def test_curves_and_predictions_are_those_of_direct_trainings(outcome):
    train, test = tiny_set(0), tiny_set(1, 4)
    curves = outcome.curves.set_index(["candidate", "run", "iteration", "decoder"]).sort_index()
    for candidate, run, value in (("l2_regularization=1", -1, 1), ("l2_regularization=20", -1, 20)):
        scores = TreeCRF(4, 4, value, (1, 1)).fit(train).staged_score(test)
        for iteration in range(1, 5):
            found = curves.loc[(candidate, run, iteration)]["n_correct"] / test.n_positions
            assert found[SETTINGS.decoders].tolist() == pytest.approx(scores[iteration - 1].tolist())
    for row in outcome.choice.itertuples():
        value = float(row.candidate.split("=")[1])
        model = TreeCRF(row.iteration, 4, value, (1, 1)).fit(train)
        part = predictions(outcome, row.decoder)
        assert part["predicted"].tolist() == model.predict(test, row.decoder).tolist()
        assert part["label"].tolist() == test.labels.tolist()
        assert part["sequence"].tolist() == np.repeat(np.arange(12, 16), 5).tolist()
        assert part["group"].tolist() == np.repeat(test.groups, 5).tolist()
        perturbed = TreeCRF(row.iteration, 4, value, (1, 1), random_state=1, start_noise=0.5).fit(train)
        found = curves.loc[(row.candidate, 1, row.iteration, row.decoder), "n_correct"]
        assert found == round(perturbed.score(test, decoder=row.decoder) * test.n_positions)
        again = predictions(outcome, row.decoder, run=1)["predicted"]
        assert again.tolist() == perturbed.predict(test, row.decoder).tolist()


def test_probabilities_are_those_after_the_chosen_iteration(outcome):
    train, test = tiny_set(0), tiny_set(1, 4)
    for row in outcome.choice.itertuples():
        value = float(row.candidate.split("=")[1])
        for run, more in ((-1, {}), (1, {"random_state": 1, "start_noise": 0.5})):
            marginals = TreeCRF(row.iteration, 4, value, (1, 1), **more).fit(train).predict_proba(test)
            part = predictions(outcome, row.decoder, run)
            assert_confidence(part, marginals)
    assert outcome.predictions.query("stage != 'choice'")[list(CONFIDENCE)].isna().all(axis=None)


def test_chosen_candidates_are_perturbed(outcome):
    assert set(outcome.curves.loc[outcome.curves["run"] >= 0, "candidate"]) == set(outcome.choice["candidate"])
    assert set(outcome.curves["candidate"]) == {"l2_regularization=1", "l2_regularization=20"}


def test_seconds_add_up(outcome):
    last = outcome.curves[outcome.curves["iteration"] == 4].groupby(["candidate", "run"])["cpu_seconds"].first()
    total = outcome.phases.groupby(["candidate", "run"])["cpu_seconds"].sum()
    assert last.to_numpy() == pytest.approx(total.to_numpy())
    assert set(outcome.phases["n_iterations"]) == {4}


def test_documents_that_test_in_turn():
    train, test = tiny_set(0, 4), tiny_set(1, 1)
    outcome = compare("treecrf", "leave_one_out", train=train, test=test)
    documents = SequenceSet.concatenate([train, test])
    assert sorted(outcome.choice["split"].unique()) == [0, 1, 2, 3, 4]
    row = outcome.folds.query("split == 3 and fold == 2 and rank == 0 and iteration == 2 and decoder == 'viterbi'")
    model = TreeCRF(2, 4, 1, (1, 1)).fit(documents.select([0, 1, 4]))
    assert row["n_correct"].item() == round(5 * model.score(documents.select([2]), decoder="viterbi"))
    row = outcome.curves.query("split == 3 and run == -1 and rank == 1 and iteration == 4 and decoder == 'viterbi'")
    model = TreeCRF(4, 4, 20, (1, 1)).fit(documents.select([0, 1, 2, 4]))
    assert row["n_correct"].item() == round(5 * model.score(documents.select([3]), decoder="viterbi"))
    assert outcome.predictions.groupby("decoder")["sequence"].unique().map(sorted).tolist() == 2 * [[0, 1, 2, 3, 4]]


def test_after_convergence_the_last_iteration_is_repeated():
    settings = SETTINGS.model_copy(update={"n_iterations": 60, "variances": [0.01]})
    outcome = compare("linear_crf", settings=settings)
    model = LinearCRF(0.01, (1, 1), features="pairs", max_iterations=60, keep_stages=True).fit(tiny_set(0))
    n_done = len(model.weights_history_)
    assert n_done < 60
    plain = outcome.curves.query("run == -1 and decoder == 'viterbi'").set_index("iteration")["n_correct"]
    assert len(plain) == 60
    assert set(plain[plain.index >= n_done]) == {round(20 * model.score(tiny_set(1, 4), decoder="viterbi"))}
    assert outcome.phases.query("run == -1")["n_iterations"].unique().tolist() == [n_done]


def test_not_every_iteration_needs_to_be_tested(outcome):
    sparse = compare("treecrf", settings=SETTINGS.model_copy(update={"test_every": 2}))
    assert sorted(sparse.curves["iteration"].unique()) == [2, 4]
    keys = ["candidate", "run", "iteration", "decoder"]
    both = sparse.curves.merge(outcome.curves, on=keys, suffixes=("", "_of_all"))
    assert len(both[both["run"] == -1]) == len(sparse.curves[sparse.curves["run"] == -1])
    for name in ("n_correct", "train_log_likelihood"):
        assert both[name].equals(both[f"{name}_of_all"])
    assert set(sparse.choice["iteration"]) <= {2, 4}


def test_the_end_is_tested_where_training_converges_between_tested_iterations():
    settings = SETTINGS.model_copy(update={"n_iterations": 60, "variances": [0.01], "test_every": 20})
    outcome = compare("linear_crf", settings=settings)
    model = LinearCRF(0.01, (1, 1), features="pairs", max_iterations=60, keep_stages=True).fit(tiny_set(0))
    assert len(model.weights_history_) < 20
    correct = round(20 * model.score(tiny_set(1, 4), decoder="viterbi"))
    assert set(outcome.curves.query("run == -1 and decoder == 'viterbi'")["n_correct"]) == {correct}
    part = predictions(outcome, "viterbi")
    assert part["predicted"].tolist() == model.predict(tiny_set(1, 4), "viterbi").tolist()
    assert_confidence(part, model.predict_proba(tiny_set(1, 4)))


def test_a_labeller_that_reports_once_is_taken_to_have_gone_there_evenly():
    assert training.values_after(np.array([1, 2, 4]), [8.0], 4).tolist() == [2.0, 4.0, 8.0]
    assert training.values_after(np.array([1, 2, 2]), [3.0, 5.0], 2).tolist() == [3.0, 5.0, 5.0]


def test_holes_are_filled_for_every_method():
    rng = np.random.default_rng(0)
    train, test = inject(tiny_set(0), 0.2, rng), inject(tiny_set(1, 4), 0.2, rng)
    outcome = compare("treecrf", train=train, test=test)
    fill = Imputer().fit(train)
    scores = TreeCRF(4, 4, 20, (1, 1)).fit(fill.transform(train)).staged_score(fill.transform(test))
    found = outcome.curves.query("rank == 1 and run == -1 and decoder == 'viterbi'")["n_correct"] / 20
    assert found.tolist() == pytest.approx(scores[:, 1].tolist())


@pytest.mark.parametrize("method", [name for name in TRAINING if name not in IN_JAVA])
def test_every_method_runs_and_says_what_it_did(method):
    settings = SETTINGS.model_copy(update={"n_perturbed_slow_runs": 2})
    outcome = compare(method, settings=settings)
    assert {row.split for row in outcome.choice.itertuples()} == {0}
    assert (outcome.curves["n_positions"] == 20).all()
    assert set(outcome.curves["run"]) == {-1, 0, 1}
    assert set(outcome.predictions["run"]) == {-1, 0, 1}
    assert {len(predictions(outcome, decoder, run)) for decoder in SETTINGS.decoders for run in (-1, 0, 1)} == {20}
    has_stages = find_method(method, TRAINING).build(settings, {}, (1, 1)).has_stages
    last = 4 if has_stages else 1  # experts are trained to their end
    assert outcome.curves.loc[outcome.curves["run"] == -1].groupby("candidate")["iteration"].max().eq(last).all()
    if method in ("neural_crf", "neural_softmax", "trees_and_net"):
        return  # their trainings take longest, and repeat by contract
    again = compare(method, settings=settings)
    for name in ("folds", "choice", "predictions"):
        pd.testing.assert_frame_equal(getattr(outcome, name), getattr(again, name))


def test_a_choice_from_elsewhere_is_used_instead_of_cross_validation(outcome):
    choice = outcome.choice.assign(
        candidate="l2_regularization=20", rank=1, iteration=2, method="memm", chosen_by="memm"
    )
    settings = SETTINGS.model_copy(update={"borrowed_choices": {"treecrf": "memm"}})
    others = pd.concat([choice, choice.assign(method="sliding_window", candidate="l2_regularization=1", rank=0)])
    given = compare("treecrf", choice=others, settings=settings)
    assert not len(given.folds)
    assert set(given.choice["method"]) == {"treecrf"}
    assert set(given.choice["chosen_by"]) == {"memm"}
    assert set(given.curves["candidate"]) == {"l2_regularization=20"}
    model = TreeCRF(2, 4, 20, (1, 1)).fit(tiny_set(0))
    part = predictions(given, "viterbi")
    assert part["predicted"].tolist() == model.predict(tiny_set(1, 4), "viterbi").tolist()


def test_a_method_that_cannot_be_run_says_why(monkeypatch):
    monkeypatch.setattr(training, "java_problem", lambda: "there is no Java; install it.")
    outcome = compare("mallet")
    assert outcome.notes.to_dict("records") == [
        {"dataset": "tiny", "method": "mallet", "note": "there is no Java; install it."}
    ]
    assert not len(outcome.curves)
    assert list(outcome.curves.columns) == training.CURVE_NAMES


def test_a_rival_in_java_that_refuses_the_data_says_why(monkeypatch, outcome):
    def refuse(*_):
        raise ValueError("the last label does not occur.")

    monkeypatch.setattr(training, "java_problem", lambda: None)
    monkeypatch.setattr(training.TrainingJob, "run", refuse)
    assert compare("smile").notes["note"].tolist() == ["the last label does not occur."]
    with pytest.raises(ValueError, match="the last label does not occur"):
        compare("treecrf")


def test_grids_and_names():
    for method in TRAINING:
        sizes = [len(getattr(SETTINGS, name)) for name in TRAINING[method].grid.values()]
        assert len(find_method(method, TRAINING).candidates(SETTINGS)) == math.prod(sizes)
    assert candidate_name({"variance": 10.0}) == "variance=10"


def test_a_choice_is_borrowed_from_a_method_with_the_same_grid():
    assert TrainingSettings(borrowed_choices={"mallet": "induced_crf"}).choosers == {"mallet": "induced_crf"}
    for wrong in ({"mallet": "smile"}, {"mallet": "induced_crf", "mallet_linear": "mallet"}):
        with pytest.raises(
            ValueError, match=r"borrow the choice of .* name a method that chooses among the same candidates"
        ):
            TrainingSettings(borrowed_choices=wrong)
    batches = TrainingSettings(methods=["treecrf", "mallet", "linear_crf", "memm"]).batches(3)
    assert batches == [["treecrf"], ["mallet"], ["linear_crf", "memm"]]  # Java takes long


def test_a_job_depends_on_its_own_settings_alone():
    of_methods = {name for entry in TRAINING.values() for name in entry.settings} - {"n_iterations"}
    for method in TRAINING:
        used, found = SETTINGS.used_by(method), find_method(method, TRAINING)
        assert of_methods & set(used) == TRAINING[method].settings - {"n_iterations"}
        assert found.candidates(TrainingSettings(**used)) == found.candidates(SETTINGS)
    tests = {"exact_under", "blocks_under", "block_length", "equivalence_margin"}
    assert tests.isdisjoint(SETTINGS.used_by("treecrf"))


def test_the_network_has_a_window_of_its_own():
    settings = SETTINGS.model_copy(update={"network_windows": {"tiny": (2, 0)}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = training.TrainingJob("tiny", tiny_set(0), tiny_set(1), "split", (1, 1), "neural_network", settings, 0)
    assert model._window == (2, 0)
    other = training.TrainingJob("tiny", tiny_set(0), tiny_set(1), "split", (1, 1), "treecrf", settings, 0)
    assert other._window == (1, 1)


def test_steady_methods_have_no_perturbed_runs():
    settings = SETTINGS.model_copy(update={"steady_methods": ["memm", "lightgbm"]})
    runs = {
        method: set(
            training.TrainingJob("tiny", tiny_set(0), tiny_set(1), "split", (1, 1), method, settings, 0)
            .run()
            .curves["run"]
        )
        for method in ("memm", "linear_crf")
    }
    assert runs == {"memm": {UNPERTURBED}, "linear_crf": {UNPERTURBED, 0, 1}}
    assert settings.used_by("memm")["steady_methods"] == ["memm"]
    assert settings.used_by("linear_crf") == SETTINGS.used_by("linear_crf")
    with pytest.raises(ValueError, match="names the method 'mem', which is none of"):
        TrainingSettings(steady_methods=["mem"])


@pytest.mark.parametrize(("method", "n_runs"), [("mallet", 3), ("stacking", 3), ("smile", 0)])
def test_perturbed_runs_of_slow_methods_are_a_setting_of_their_own(method, n_runs):
    """A method whose start is fixed has none: copies of one training would count as several that agree to the last
    position.
    """
    assert SETTINGS.n_perturbed_slow_runs == 3
    job = training.TrainingJob("tiny", tiny_set(0), tiny_set(1), "split", (1, 1), method, SETTINGS, 0)
    assert job._n_perturbed_runs == n_runs


def test_methods_in_java_may_have_fewer_iterations(outcome):
    shorter = SETTINGS.model_copy(update={"java_iterations": 2})
    made = {
        method: training.TrainingJob("tiny", tiny_set(0), tiny_set(1), "split", (1, 1), method, shorter, 0)
        for method in ("mallet", "treecrf")
    }
    assert {method: made[method]._settings.n_iterations for method in made} == {"mallet": 2, "treecrf": 4}
    later = outcome.choice.assign(iteration=9, candidate="l2_regularization=1", rank=0)
    found = made["treecrf"].run(later)
    assert found.choice["iteration"].tolist() == [4, 4]
    with pytest.raises(ValueError, match="has test_every=3 above java_iterations=2; lower it"):
        TrainingSettings(test_every=3, java_iterations=2)
