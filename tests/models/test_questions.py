"""Every labeller takes sequences in the forms that users have, and says the same of them as of the set."""

import numpy as np
import pandas as pd
import pytest
from builders import number_set

import treecrf
from treecrf import (
    MEMM,
    CodedCRF,
    CRFSuite,
    Ensemble,
    FutureFeatureMEMM,
    FutureFeatureTreeCRF,
    InducedCRF,
    KernelCRF,
    LinearCRF,
    NeuralNetwork,
    SequenceSet,
    SlidingWindow,
    TreeCRF,
    VotedPerceptron,
    WindowLightGBM,
)  # fmt: skip
from treecrf.models.base import Labeller
from treecrf.models.custom import CustomLabeller
from treecrf.models.labellers import CLASS_PATHS
from treecrf.models.loading import load_class

SMALL = (
    TreeCRF(n_iterations=3, max_leaves=4),
    MEMM(n_iterations=3, max_leaves=4),
    SlidingWindow(n_iterations=3, max_leaves=4),
    LinearCRF(max_iterations=5),
    InducedCRF(n_iterations=5),
    VotedPerceptron(n_epochs=2),
    CodedCRF(code_length=3, history=2),
    KernelCRF(tolerance=0.1),
    CRFSuite(max_iterations=5),
    NeuralNetwork(n_epochs=2, batch_size=20),
    WindowLightGBM(n_iterations=3),
    FutureFeatureMEMM(n_iterations=2, max_leaves=4),
    FutureFeatureTreeCRF(n_iterations=2, crf_iterations=2, crf_max_leaves=4),
    Ensemble(experts=("linear_crf", "sliding_window"), n_iterations=2, n_folds=2),
    CustomLabeller(class_name="treecrf:WindowLightGBM", settings={"n_iterations": 3}),
)
TRAIN, TEST = (number_set(seed, 30, 2, longest=8) for seed in (0, 1))


def by_sequence(data):
    frame = data.to_frame()
    parts = [part.drop(columns="sequence") for _, part in frame.groupby("sequence")]
    return [part.drop(columns="label") for part in parts], [part["label"].tolist() for part in parts]


@pytest.mark.parametrize("labeller", SMALL, ids=lambda labeller: type(labeller).__name__)
def test_lists_are_labelled_as_the_set_that_they_stand_for(labeller, tmp_path):
    labeller.fit(TRAIN)
    codes, marginals, likelihoods = (
        ask(TEST) for ask in (labeller.predict, labeller.predict_proba, labeller.log_likelihood)
    )
    assert (codes.dtype, codes.shape) == (np.int16, (TEST.n_positions,))
    frames, names = by_sequence(TEST)
    assert (
        np.concatenate(labeller.predict(frames)).tolist() == np.array(TEST.label_names)[codes].tolist()
    )  # trained by a set

    model = labeller.fit(*by_sequence(TRAIN))
    assert (model.classes_.tolist(), model.n_features_in_) == (["X", "Y", "Z"], 3)
    assert model.feature_names_in_.tolist() == ["letter", "x1", "x2"]
    found = model.predict(frames)
    assert [len(part) for part in found] == TEST.lengths.tolist()
    assert np.concatenate(found).tolist() == np.array(TEST.label_names)[codes].tolist()
    np.testing.assert_array_equal(np.concatenate(model.predict_proba(frames)), marginals)
    np.testing.assert_array_equal(model.log_likelihood(frames, names), likelihoods)
    assert model.score(frames, names) == model.score(TEST) == (codes == TEST.labels).mean()
    assert model.predict(TEST).tolist() == codes.tolist()
    by_stages = model.staged_score(frames, ("viterbi",), y=names)
    assert by_stages.tolist() == model.staged_score(TEST, ("viterbi",)).tolist()
    if not isinstance(labeller, CustomLabeller):
        model.save(tmp_path / "model.npz")
        again = treecrf.load(tmp_path / "model.npz")
        assert np.concatenate(again.predict(frames)).tolist() == np.concatenate(found).tolist()


@pytest.mark.parametrize("class_path", [*CLASS_PATHS.values(), "treecrf.models.custom:CustomLabeller"])
def test_every_class_wraps_what_it_overrides(class_path):
    wrapped = ("fit", "predict", "predict_proba", "log_likelihood")
    for level in load_class(class_path).__mro__:
        if issubclass(level, Labeller) and level is not Labeller:
            plain = [name for name in wrapped if name in vars(level) and not hasattr(vars(level)[name], "__wrapped__")]
            assert plain == [], level


def test_labels_that_were_numbers_stay_numbers(tmp_path):
    frames, names = by_sequence(TRAIN)
    numbers = [[{"X": 10, "Y": 9, "Z": 8}[name] for name in part] for part in names]
    model = LinearCRF(max_iterations=5).fit(frames, numbers)
    model.save(tmp_path / "model.npz")
    for each in (model, treecrf.load(tmp_path / "model.npz")):
        assert each.classes_.tolist() == [8, 9, 10]
        assert set(np.concatenate(each.predict(frames)).tolist()) <= {8, 9, 10}
        assert each.score(frames, numbers) == (np.concatenate(each.predict(frames)) == np.concatenate(numbers)).mean()
    assert LinearCRF(max_iterations=5).fit(TRAIN).classes_.tolist() == ["X", "Y", "Z"]


def test_one_array_is_one_sequence():
    numbers, labels = TRAIN.numbers, np.array(TRAIN.label_names)[TRAIN.labels]
    model = LinearCRF(max_iterations=5).fit(numbers, labels)
    in_a_list = LinearCRF(max_iterations=5).fit([numbers], [labels])
    assert model.predict(numbers).tolist() == in_a_list.predict([numbers])[0].tolist()
    assert model.predict_proba(numbers).shape == (TRAIN.n_positions, 3)
    assert model.score(numbers, labels) == in_a_list.score([numbers], [labels])


def test_measures_are_chosen_by_name_and_new_labels_are_errors():
    frames, names = by_sequence(TRAIN)
    model = LinearCRF(max_iterations=5).fit(frames, names)
    scores = {
        metric: model.score(frames, names, metric=metric) for metric in ("accuracy", "macro_f1", "sequence_accuracy")
    }
    assert scores["sequence_accuracy"] < scores["macro_f1"] < 1
    strange = [["new"] * len(part) for part in names]
    assert model.score(frames, strange) == 0.0
    assert model.score(TRAIN, strange) == 0.0
    with pytest.raises(
        ValueError, match=r"^metric 'auc' is not known; choose one of accuracy, balanced_accuracy, macro_f1, "
    ):
        model.score(frames, names, metric="auc")
    with pytest.raises(ValueError, match=r"^y='viterbi' is a decoder and no labels; name it: decoder='viterbi'\.$"):
        model.score(TRAIN, "viterbi")
    assert model.score(TRAIN, decoder="viterbi") == (model.predict(TRAIN, "viterbi") == TRAIN.labels).mean()


def test_verbose_prints_lines(capsys):
    reports = []
    LinearCRF(max_iterations=5).fit(TRAIN, verbose=2, monitor=lambda *report: reports.append(report))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"LinearCRF, iteration {i}" for i in (1, 2, 4)]
    stage, seconds, log_likelihood = reports[3]
    assert (
        lines[2]
        == f"LinearCRF, iteration {stage}: log likelihood {log_likelihood:.6g}, {sum(seconds.values()):.2f} CPU seconds"
    )
    TreeCRF(3, 4).fit(TRAIN, verbose=True)
    assert len(capsys.readouterr().out.splitlines()) == 3
    TreeCRF(3, 4).fit(TRAIN)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("labeller", SMALL, ids=lambda labeller: type(labeller).__name__)
def test_arguments_of_other_kinds_get_a_sentence(labeller):
    frames, names = by_sequence(TRAIN)
    with pytest.raises(ValueError, match=r"^one DataFrame does not say where its sequences begin; set its index"):
        labeller.fit(frames[0])
    with pytest.raises(
        ValueError, match=r"^the training set has no labels; give labelled sequences, or their labels as y\.$"
    ):
        labeller.fit(frames)
    for nothing in (None, "train.csv", 3):
        with pytest.raises(ValueError, match=r"^the sequences are .*; give a list of sequences"):
            labeller.fit(nothing, names)
    if "window" in labeller.get_params() and not isinstance(labeller, CustomLabeller):
        settings = labeller.get_params() | {"window": 3}
        with pytest.raises(
            ValueError, match=r"^window=3: give \(left, right\), two whole numbers of at least 0, such as \(3, 3\)\.$"
        ):
            type(labeller)(**settings).fit(frames, names)
    model = labeller.fit(TRAIN)
    with pytest.raises(
        ValueError, match=r"^the sequences have 1 column \('x1'\), the training set had 3 \('letter', 'x1', 'x2'\)"
    ):
        model.predict([frame[["x1"]] for frame in frames])
    with pytest.raises(ValueError, match=r"^the set has no labels; give labelled sequences, or their labels as y\.$"):
        model.score(frames)
    with pytest.raises(
        ValueError, match=r"^sequence 0 has \d+ labels and \d+ observations?; give one label for each\.$"
    ):
        model.score(frames, names[::-1])
    with pytest.raises(
        ValueError, match=r"^this needs a SequenceSet, not a list; other forms of sequences are for fit, "
    ):
        next(iter(model.staged_predict(frames)))


def test_what_is_not_fitted_says_so():
    frames, _ = by_sequence(TRAIN)
    for ask in ("predict", "predict_proba", "score", "log_likelihood"):
        for data in (frames, TRAIN):
            with pytest.raises(ValueError, match=r"^this LinearCRF is not fitted; call fit first\.$"):
                getattr(LinearCRF(), ask)(data)
    assert not any(hasattr(LinearCRF(), name) for name in ("classes_", "n_features_in_", "feature_names_in_"))


def test_windows_and_frames_of_other_kinds_get_a_sentence():
    with pytest.raises(
        ValueError, match=r"^window 3: both sides count observations and cannot be negative; give \(left, right\)"
    ):
        treecrf.sequences.window_codes(TRAIN, 3)
    with pytest.raises(
        ValueError, match=r"^from_frame reads one DataFrame, not a list; labellers read lists themselves\.$"
    ):
        SequenceSet.from_frame([pd.DataFrame()], sequence="s")
    with pytest.raises(ValueError, match=r"^this needs a SequenceSet, not a tuple"):
        FutureFeatureMEMM().fit(TRAIN, validation=by_sequence(TEST))
