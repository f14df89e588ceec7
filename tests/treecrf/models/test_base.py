"""Every labeller takes sequences in the forms that users have, and says the same of them as of the set."""

import numpy as np
import pandas as pd
import pytest
from builders import by_sequence, number_set
from numpy.testing import assert_array_equal
from rows import assert_forms_are_read_in_one_place

import treecrf
from treecrf import MEMM, LinearCRF, SequenceSet, TreeCRF
from treecrf.models.registry import CLASS_PATHS

TRAIN, TEST = (number_set(seed, 30, 2, longest=8) for seed in (0, 1))


@pytest.mark.parametrize("class_path", [*CLASS_PATHS.values(), "treecrf.models.custom:CustomLabeller"])
def test_forms_and_limits_are_read_in_one_place(class_path):
    assert_forms_are_read_in_one_place(class_path)


def test_limits_and_paths_of_lists_are_those_of_the_set():
    frames, names = by_sequence(TEST)
    model = LinearCRF(max_iterations=5).fit(*by_sequence(TRAIN))
    is_known = np.arange(TEST.n_positions) % 3 == 0
    allowed = np.random.default_rng(0).random((TEST.n_positions, 3)) < 0.8
    allowed[np.arange(TEST.n_positions), TEST.labels] = True
    parts = np.split(np.arange(TEST.n_positions), TEST.offsets[1:-1])
    of_set = {"known": np.where(is_known, TEST.labels, -1), "allowed": allowed}
    labels = np.concatenate(names)
    of_lists = {
        "known": [[labels[place] if is_known[place] else None for place in part] for part in parts],
        "allowed": [allowed[part] for part in parts],
    }
    classes = np.array(TEST.label_names)
    assert np.concatenate(model.predict(frames, **of_lists)).tolist() == classes[model.predict(TEST, **of_set)].tolist()
    marginals = model.predict_proba(TEST, **of_set)
    assert_array_equal(np.concatenate(model.predict_proba(frames, **of_lists)), marginals)
    best = model.predict_n_best(TEST, 4, **of_set)
    found = model.predict_n_best(frames, 4, **of_lists)
    assert [len(of_one) for of_one in found] == best.n_paths.tolist()
    for number, (part, of_one) in enumerate(zip(parts, found, strict=True)):
        for rank, (path, log_probability) in enumerate(of_one):
            assert path.tolist() == classes[best.labels[rank, part]].tolist()
            assert log_probability == best.log_probabilities[rank, number]
    spans = [(1, 0, 0, "X"), (2, 0, 0, "Z")]
    assert (
        model.span_probability(frames, spans, **of_lists).tolist()
        == model.span_probability(TEST, spans, **of_set).tolist()
    )


def test_limits_of_one_sequence_are_those_of_its_rows():
    rows = np.random.default_rng(0).normal(size=(9, 2))
    model = TreeCRF(n_iterations=2, max_leaves=2).fit(rows, [7, 8, 9] * 3)
    assert model.predict(rows, known=[None, 8] + [None] * 7)[1] == 8
    assert set(model.predict(rows, allowed=np.array([[False, False, True]] * 9)).tolist()) == {9}
    assert model.predict_n_best(rows, 1)[0][0].labels.tolist() == model.predict(rows, "viterbi").tolist()
    assert 0 < model.span_probability(rows, [(0, 1, 2, 7)])[0] < 1


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"known": [["X", None]]}, r"^known: there are 2 sequences, and labels of 1; give one list of labels for each"),
        (
            {"known": [["X"], ["Z", None]]},
            r"^known: sequence 0 has 1 label and 2 observations; give one label for each\.$",
        ),
        ({"known": [["X", -1], ["Z", -1]]}, r"^known: labels are numbers and text; give them one type\.$"),
        (
            {"known": [["X", "Q"], ["Z", None]]},
            r"^known: 'Q' is none of the labels, which are 'X', 'Y', 'Z'; give None where",
        ),
        ({"known": 3}, r"^known: the labels are 3; give"),
        ({"allowed": np.ones((4, 3), dtype=bool)}, r"^allowed: there are 2 sequences, and masks of 4; give one mask,"),
        (
            {"allowed": [np.ones((2, 3), bool), np.ones((3, 3), bool)]},
            r"^allowed: the mask of sequence 1 has the shape \(3, 3\);",
        ),
        (
            {"allowed": [[[True], [True, False]], [[True] * 3] * 2]},
            r"^allowed: the rows of a mask have different lengths;",
        ),
        ({"allowed": [np.ones((2, 4), bool)] * 2}, r"^allowed must be bool of shape \(4, 3\)"),
        ({"allowed": "X"}, r"^allowed is .*; give one mask, positions by labels, for each sequence\.$"),
    ],
)
def test_limits_of_other_kinds_get_a_sentence(limits, message):
    frames = [part.iloc[:2] for part in by_sequence(TEST[TEST.lengths > 1][:2])[0]]
    model = LinearCRF(max_iterations=2).fit(*by_sequence(TRAIN))
    with pytest.raises(ValueError, match=message):
        model.predict(frames, **limits)


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
    for other in ("auc", "neg_log_loss"):  # the second is a name of scikit-learn, of a measure of probabilities
        known = "choose one of accuracy, balanced_accuracy, macro_f1, "
        with pytest.raises(ValueError, match=rf"^metric '{other}' is not known; {known}"):
            model.score(frames, names, metric=other)
    with pytest.raises(ValueError, match=r"^y='viterbi' is a decoder and no labels; name it: decoder='viterbi'\.$"):
        model.score(TRAIN, "viterbi")
    assert model.score(TRAIN, decoder="viterbi") == (model.predict(TRAIN, "viterbi") == TRAIN.labels).mean()


def test_a_labeller_is_shown_by_the_settings_that_somebody_chose():
    assert (
        repr(TreeCRF(20, window=(1, 1), l2_regularization=5.0))
        == "TreeCRF(n_iterations=20, l2_regularization=5.0, window=(1, 1))"
    )
    assert repr(MEMM()) == "MEMM()"
    assert repr(LinearCRF(variance=float("nan"))) == "LinearCRF(variance=nan)"


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


def test_files_and_lines_of_progress_that_cannot_be_get_a_sentence(tmp_path):
    with pytest.raises(
        ValueError, match=r"^verbose='yes': give True, False, or after how many iterations to print a line\.$"
    ):
        LinearCRF().fit(TRAIN, verbose="yes")
    with pytest.raises(
        FileNotFoundError, match=r"the folder of the file does not exist; make it first: '.*model\.npz'$"
    ):
        LinearCRF(max_iterations=1).fit(TRAIN).save(tmp_path / "there is none" / "model.npz")


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


@pytest.mark.parametrize(
    "labeller", [LinearCRF(max_iterations=10), TreeCRF(3, 4)], ids=lambda labeller: type(labeller).__name__
)
def test_unknown_labels_and_weights_are_those_of_the_set(labeller):
    frames, names = by_sequence(TRAIN)
    unknown = np.random.default_rng(0).random(TRAIN.n_positions) < 0.3
    as_set = labeller.fit(TRAIN.with_labels(np.where(unknown, -1, TRAIN.labels))).predict_proba(TEST)
    holes = iter(unknown)
    some = [[None if next(holes) else name for name in part] for part in names]
    model = labeller.fit(frames, some)
    assert_array_equal(model.predict_proba(TEST), as_set)
    right = np.concatenate([part == np.array(of) for part, of in zip(model.predict(frames), names, strict=True)])
    assert model.score(frames, some) == right[~unknown].mean()

    weights = np.random.default_rng(1).random(TRAIN.n_positions)
    as_set = labeller.fit(TRAIN, sample_weight=weights).predict_proba(TEST)
    by_position = np.split(weights, TRAIN.offsets[1:-1])
    assert_array_equal(labeller.fit(frames, names, sample_weight=by_position).predict_proba(TEST), as_set)
    as_set = labeller.fit(TRAIN, sample_weight=weights[: len(TRAIN)]).predict_proba(TEST)
    by_sequence_ = weights[: len(TRAIN)].tolist()
    assert_array_equal(labeller.fit(frames, names, sample_weight=by_sequence_).predict_proba(TEST), as_set)


def test_weights_of_other_kinds_get_a_sentence():
    frames, names = by_sequence(TRAIN)
    for weights, sentence in (
        ("balanced", r"^sample_weight is 'balanced'; give one number for each sequence, or a list of them\.$"),
        ([[1.0]] * 30, r"^sample_weight has lists of the lengths 1, 1, .* and 18 more, the sequences have "),
        ([1.0, 2.0], r"^sample_weight has shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LinearCRF().fit(frames, names, sample_weight=weights)
