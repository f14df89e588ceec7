"""The tests of what every labeller promises, for files with a fixture `named` (`fitted`): files, threads, warm starts,
weights, unknown labels, missing cells, streams, forms of sequences.
"""

import copy
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import joblib
import numpy as np
import pytest
from builders import by_sequence, number_set
from labellers import TEST, TRAIN
from sklearn.base import clone

import treecrf
from treecrf import MISSING
from treecrf.io.npz import write_npz
from treecrf.models.base import Labeller
from treecrf.models.custom import CustomLabeller


def _takes_weights(labeller):
    inner = getattr(labeller, "labeller", labeller)
    return inner.takes_weights and getattr(inner, "beam", None) is None


STREAMS = (
    "TreeCRF",
    "MEMM",
    "Sliding",
    "Linear",
    "Induced",
    "Voted",
    "Kernel",
    "CRFSuite",
    "NeuralNetwork",
    "WindowLightGBM",
    "Imputing",
    "Deriving",
)


HANDLE_MISSING = ("TreeCRF", "MEMM", "Sliding", "Stacked", "Imputing", "Deriving", "NeuralCRF", "Ensemble")
"""By default; the labellers within others are trees."""


def fitted(labellers, name):
    """Name of a labeller, what makes it, and one that is fitted."""
    return name, labellers[name], labellers[name]().fit(TRAIN)


def keeps_stages(labeller):
    """Whether it has stages by default; `test_stages_are_kept_where_that_is_wanted` has the others."""
    return labeller.get_params().get("keep_stages", True)


def assert_same(first, second, data=TEST):
    """Two fitted labellers say the same, to the last bit."""
    for ask in ("predict_proba", "log_likelihood", "predict"):
        np.testing.assert_array_equal(getattr(first, ask)(data), getattr(second, ask)(data), err_msg=ask)
    np.testing.assert_array_equal(first.predict(data, "viterbi"), second.predict(data, "viterbi"))
    if keeps_stages(first):
        np.testing.assert_array_equal(first.staged_score(data), second.staged_score(data))


def assert_threads_and_a_warm_start_change_no_bit(make, expected, train, **given):
    """Trained with more threads, or in two parts."""
    if "n_threads" in expected.get_params():
        assert_same(make().set_params(n_threads=3).fit(train, **given), expected)
    if "warm_start" in expected.get_params():
        part = make().set_params(n_iterations=1, warm_start=True).fit(train, **given)
        assert_same(part.set_params(n_iterations=3).fit(train, **given), expected)


def test_predictions_have_their_shapes_and_agree(named):
    _, _, labeller = named
    marginals, labels = labeller.predict_proba(TEST), labeller.predict(TEST)
    if hasattr(labeller, "staged_predict_proba") and keeps_stages(labeller):
        *_, last = labeller.staged_predict_proba(TEST)
        np.testing.assert_array_equal(last, marginals)
    assert (marginals.dtype, marginals.shape) == (np.float64, (TEST.n_positions, 3))
    np.testing.assert_allclose(marginals.sum(axis=1), 1)
    assert (labels.dtype, labels.tolist()) == (np.int16, marginals.argmax(axis=1).tolist())
    assert labeller.log_likelihood(TEST).shape == (len(TEST),)
    assert labeller.score(TEST) == (labels == TEST.labels).mean()
    assert labeller.classes_.tolist() == ["X", "Y", "Z"]


def test_training_again_gives_the_same_bits(named):
    _, make, labeller = named
    assert_same(make().fit(TRAIN), labeller)


def test_a_file_keeps_the_labeller(named, tmp_path):
    name, _, labeller = named
    if name == "CustomLabeller":
        with pytest.raises(ValueError, match=r"is not saved here; save `inner_` as the class does\.$"):
            labeller.save(tmp_path / "model.npz")
        return
    labeller.save(tmp_path / "model.npz")
    again = treecrf.load(tmp_path / "model.npz")
    assert (type(again), repr(again)) == (type(labeller), repr(labeller))
    assert_same(again, labeller)
    (header, arrays), (header_again, arrays_again) = labeller.contents(), again.contents()
    assert header == header_again
    assert arrays.keys() == arrays_again.keys()
    for key, array in arrays.items():
        assert (array.dtype, array.tobytes()) == (arrays_again[key].dtype, arrays_again[key].tobytes()), key


def test_stages_are_kept_where_that_is_wanted(named, tmp_path):
    _, make, labeller = named
    if keeps_stages(labeller):
        return
    with pytest.raises(
        ValueError, match=r"kept its last stage alone; train with keep_stages=True to look at the others\.$"
    ):
        labeller.staged_score(TEST)
    keeping = make().keeping_stages().fit(TRAIN)
    np.testing.assert_array_equal(keeping.predict_proba(TEST), labeller.predict_proba(TEST))
    stages = list(keeping.staged_predict_proba(TEST))
    assert len(stages) > 1
    np.testing.assert_array_equal(stages[-1], labeller.predict_proba(TEST))
    watched, seen = make(), []
    watched.fit_watched(TRAIN, TEST, lambda number, marginals: seen.append(marginals))
    np.testing.assert_array_equal(seen, stages)


def test_a_file_is_no_larger_after_a_longer_training(named):
    """But for a few numbers that describe an iteration; of trees and induced features each iteration may add some."""
    _, make, labeller = named
    names = [name for name in ("max_iterations", "n_epochs") if name in labeller.get_params()]
    if not names:
        return
    longer = make().set_params(**{names[0]: 10 * labeller.get_params()[names[0]]}).fit(TRAIN)
    sizes = [sum(array.nbytes for array in each.contents()[1].values()) for each in (labeller, longer)]
    assert sizes[1] <= sizes[0] + 16 * longer.get_params()[names[0]]


def test_a_pickle_keeps_the_labeller_and_is_about_as_large_as_its_file(named, tmp_path):
    name, _, labeller = named
    pickled = pickle.dumps(labeller)
    assert_same(pickle.loads(pickled), labeller)
    if name not in ("CustomLabeller", "WindowLightGBM", "WindowLightGBM with anchors"):  # whose text a file compresses
        labeller.save(tmp_path / "model.npz")
        assert 0.5 < len(pickled) / (tmp_path / "model.npz").stat().st_size < 2


def test_models_and_sets_that_are_mapped_into_memory_are_used_and_trained(named, tmp_path):
    name, _, labeller = named
    models = [labeller, labeller.flattened()] if name in ("TreeCRF", "CodedCRF", "TreeCRF, separable") else [labeller]
    joblib.dump((models, TRAIN, TEST), tmp_path / "mapped.joblib")
    mapped, train, test = joblib.load(tmp_path / "mapped.joblib", mmap_mode="r")
    for model, expected in zip(mapped, models, strict=True):
        assert_same(model, expected, test)
    assert_same(mapped[0].fit(train), labeller)


def test_predictions_in_threads_at_once_are_those_of_one(named):
    _, _, labeller = named
    asked = [partial(ask, part) for part in (TEST, *TEST[:4]) for ask in (labeller.predict_proba, labeller.predict)] * 4
    alone = [ask() for ask in asked]
    with ThreadPoolExecutor(8) as threads:
        for expected, answer in zip(alone, threads.map(lambda ask: ask(), asked), strict=True):
            np.testing.assert_array_equal(answer, expected)


def test_an_array_of_another_type_is_refused(named, tmp_path):
    name, _, labeller = named
    if name == "CustomLabeller":
        return
    header, arrays = labeller.contents()
    declared = [
        key for key, array in arrays.items() if array.dtype == np.float64 and array.size and "surrogates" not in key
    ]
    for key in declared[:1]:
        write_npz(tmp_path / "model.npz", header, arrays | {key: arrays[key].astype(np.float32)})
        if name != "Ensemble":  # whose combiner is scikit-learn's
            with pytest.raises(ValueError, match=r"another version of treecrf"):
                treecrf.load(tmp_path / "model.npz")


def test_threads_and_a_warm_start_change_no_bit(named):
    _, make, labeller = named
    assert_threads_and_a_warm_start_change_no_bit(make, labeller, TRAIN)


def test_stages_are_shorter_trainings_and_a_warm_start_goes_on_from_their_files(named, tmp_path):
    _, make, labeller = named
    if "warm_start" not in labeller.get_params():
        return
    short = make().set_params(n_iterations=1, warm_start=True).fit(TRAIN)
    np.testing.assert_array_equal(next(labeller.staged_predict_proba(TEST)), short.predict_proba(TEST))
    short.save(tmp_path / "model.npz")
    assert_same(treecrf.load(tmp_path / "model.npz").set_params(n_iterations=3).fit(TRAIN), labeller)


HOLED = TRAIN.with_numbers(np.where(np.random.default_rng(0).random(TRAIN.numbers.shape) < 0.2, np.nan, TRAIN.numbers))
IN_BATCHES = ("NeuralNetwork", "NeuralCRF")  # of so many sequences or positions, whatever they weigh


def test_a_weight_of_2_is_two_copies_also_of_bins_rare_categories_and_moments(named):
    name, made, fitted = named
    if not _takes_weights(fitted):
        return

    def make():
        labeller = made()
        inner = getattr(labeller, "labeller", labeller)
        for setting, value in {"n_bins": 5, "min_count": 12, "min_samples_leaf": 4}.items():
            if setting in inner.get_params():
                inner.set_params(**{setting: value})
        return labeller

    train = HOLED if name == "ImputingLabeller" or name.startswith("WindowLightGBM") else TRAIN
    weights = 1 + (np.arange(len(train)) % 3 == 0)
    weighted = make().fit(train, sample_weight=weights)
    copied = make().fit(train.select(np.repeat(np.arange(len(train)), weights)))
    if not name.startswith(IN_BATCHES) and "of a sample" not in name:
        np.testing.assert_allclose(weighted.predict_proba(train), copied.predict_proba(train), rtol=0, atol=1e-9)
    pairs = [(weighted, copied)]
    if hasattr(weighted, "labeller_"):
        pairs.append((weighted.labeller_, copied.labeller_))
        assert weighted._described_transform() == copied._described_transform()
    for ours, theirs in pairs:
        assert ours.inputs_.described() == theirs.inputs_.described()
        for found, expected in zip(getattr(ours, "scale_", ()), getattr(theirs, "scale_", ()), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_weights_of_0_leave_sequences_out_or_weights_are_refused(named):
    _, make, labeller = named
    weights = (np.arange(len(TRAIN)) % 3 > 0).astype(float)
    if _takes_weights(labeller):
        weighted = make().fit(TRAIN, sample_weight=weights)
        expected = make().fit(TRAIN.select(np.flatnonzero(weights)))
        np.testing.assert_allclose(weighted.predict_proba(TEST), expected.predict_proba(TEST), rtol=1e-6, atol=1e-9)
        assert_same(make().fit(TRAIN, sample_weight=np.ones(TRAIN.n_positions)), labeller)
        assert_threads_and_a_warm_start_change_no_bit(make, weighted, TRAIN, sample_weight=weights)
    else:
        with pytest.raises(
            ValueError, match=r"takes no weights; leave sample_weight out|beam=2 does not go with weights"
        ):
            make().fit(TRAIN, sample_weight=weights)


def test_unknown_labels_are_summed_over_or_refused(named):
    _, make, labeller = named
    train = TRAIN.with_labels(np.where(np.arange(TRAIN.n_positions) % 4 == 0, MISSING, TRAIN.labels))
    if getattr(labeller, "labeller", labeller).takes_unknown_labels:
        if getattr(labeller, "beam", None) is not None:
            with pytest.raises(ValueError, match=r"^beam=2 does not go with unknown labels"):
                make().fit(train)
            return
        model = make().fit(train)
        assert model.predict_proba(TEST).shape == (TEST.n_positions, 3)
        assert_threads_and_a_warm_start_change_no_bit(make, model, train)
    else:
        with pytest.raises(ValueError, match=r"^position 0 has no label, and this method learns from whole sequences"):
            make().fit(train)


def test_missing_cells_are_handled_or_refused(named):
    name, made, labeller = named
    make, values = made, TRAIN.values.copy()
    values[3] = MISSING
    holes = TRAIN.with_values(values, TRAIN.attributes)
    if name.startswith(HANDLE_MISSING):
        assert np.isfinite(make().fit(holes).predict_proba(holes)).all()
        if not name.startswith(("TreeCRF", "MEMM", "Sliding")):
            return
        make, labeller = lambda: made().set_params(missing="error"), made().set_params(missing="error").fit(TRAIN)
    for ask in (make().fit, labeller.predict_proba):
        with pytest.raises(ValueError, match=r"'letter' is missing at observation 3; "):
            ask(holes)


def test_categories_that_training_did_not_name_are_taken_with_a_warning_or_refused(named):
    name, _, labeller = named
    wider = [attribute._replace(categories=(*attribute.categories, "new")) for attribute in TEST.attributes]
    unused, values = TEST.with_values(TEST.values, wider), TEST.values.copy()
    np.testing.assert_array_equal(labeller.predict_proba(unused), labeller.predict_proba(TEST))
    values[3, 0] = len(TEST.attributes[0].categories)
    if name == "CustomLabeller":  # whose own class decides on cells that become missing
        return
    with pytest.warns(UserWarning, match="category 'new' was not in the training set") as told:
        assert np.isfinite(labeller.predict_proba(TEST.with_values(values, wider))).all()
    assert [each.filename for each in told] == [__file__]  # once, where the program asked
    for setting in [each for each in labeller.get_params() if each.endswith("unseen") and not each.startswith("base")]:
        with pytest.raises(ValueError, match="set unseen='missing'"):
            copy.deepcopy(labeller).set_params(**{setting: "error"}).predict(TEST.with_values(values, wider))


def test_settings_are_named_shown_and_changed_also_within(named):
    _, _, labeller = named
    again = clone(labeller)
    assert (repr(again), "<factory>" in str(inspect.signature(type(labeller)))) == (repr(labeller), False)
    within = {name: value for name, value in again.get_params().items() if "__" in name and name.endswith("iterations")}
    again.set_params(**{name: value + 1 for name, value in within.items()})
    assert (
        {name: again.get_params()[name] - 1 for name in within}
        == within
        == dict(within.items() & labeller.get_params().items())
    )
    assert bool(within) == any(isinstance(value, Labeller) for value in labeller.get_params().values())
    for wrong in ("windw", "labeler__window"):
        with pytest.raises(ValueError, match=f"has no setting '{wrong}'; it has "):
            labeller.set_params(**{wrong: 1})


def test_unknown_arguments_are_refused_with_the_nearest_name(named):
    _, _, labeller = named
    questions = (
        labeller.predict,
        labeller.predict_proba,
        labeller.predict_log_proba,
        partial(labeller.predict_n_best, n=2),
        partial(labeller.span_probability, spans=[(0, 0, 0, "X")]),
    )
    for ask, data in product(questions, (TEST, by_sequence(TEST)[0], [])):
        with pytest.raises(
            TypeError, match=r" has no argument 'knwon'; it has .*, known, .*; the nearest is 'known'\.$"
        ):
            ask(X=data, knwon=TEST.labels)


def test_a_stream_is_labelled_as_the_sequence_is(named):
    name, _, labeller = named
    data = TEST.select([int(TEST.lengths.argmax())])
    if not name.startswith(STREAMS) or name.endswith(("with a beam", "with anchors")):
        with pytest.raises(ValueError, match=r"labels no streams"):
            labeller.stream(2)
        return
    stream = labeller.stream(2)
    rows = data.to_frame().drop(columns=["sequence", "label"]).to_dict("records")
    found = [label for label in map(stream.push, rows) if label is not None] + stream.finish()
    assert [label.position for label in found] == list(range(data.n_positions))
    expected = labeller.predict_proba(data, lag=2)
    np.testing.assert_allclose([label.probabilities for label in found], expected, rtol=1e-8, atol=1e-10)


def test_the_monitor_hears_of_stages_in_order(named, capsys):
    _, make, _ = named
    stages = []
    make().fit(TRAIN, monitor=lambda stage, seconds, value: stages.append((stage, set(seconds))), verbose=True)
    assert [stage for stage, _ in stages] == list(range(1, len(stages) + 1)) != []
    assert len(capsys.readouterr().out.splitlines()) == len(stages)


def test_lists_are_labelled_as_the_set_that_they_stand_for(named):
    _, make, labeller = named
    codes, marginals, likelihoods = (
        ask(TEST) for ask in (labeller.predict, labeller.predict_proba, labeller.log_likelihood)
    )
    assert (codes.dtype, codes.shape) == (np.int16, (TEST.n_positions,))
    frames, names = by_sequence(TEST)
    # The labeller was trained by a set.
    assert np.concatenate(labeller.predict(frames)).tolist() == np.array(TEST.label_names)[codes].tolist()

    model = make().fit(*by_sequence(TRAIN))
    assert (model.classes_.tolist(), model.n_features_in_) == (["X", "Y", "Z"], 3)
    assert model.feature_names_in_.tolist() == ["letter", "x1", "x2"]
    found = model.predict(frames)
    assert [len(part) for part in found] == TEST.lengths.tolist()
    assert np.concatenate(found).tolist() == np.array(TEST.label_names)[codes].tolist()
    np.testing.assert_array_equal(np.concatenate(model.predict_proba(frames)), marginals)
    np.testing.assert_array_equal(model.log_likelihood(frames, names), likelihoods)
    assert model.score(frames, names) == model.score(TEST) == (codes == TEST.labels).mean()
    assert model.predict(TEST).tolist() == codes.tolist()
    if keeps_stages(model):
        by_stages = model.staged_score(frames, ("viterbi",), y=names)
        assert by_stages.tolist() == model.staged_score(TEST, ("viterbi",)).tolist()


def test_arguments_of_other_kinds_get_a_sentence(named):
    _, make, labeller = named
    frames, names = by_sequence(TRAIN)
    with pytest.raises(ValueError, match=r"^one DataFrame does not say where its sequences begin; set its index"):
        make().fit(frames[0])
    with pytest.raises(
        ValueError, match=r"^the training set has no labels; give labelled sequences, or their labels as y\.$"
    ):
        make().fit(frames)
    for nothing in (None, "train.csv", 3):
        with pytest.raises(ValueError, match=r"^the sequences are .*; give a list of sequences"):
            make().fit(nothing, names)
    if "window" in labeller.get_params() and not isinstance(labeller, CustomLabeller):
        settings = labeller.get_params() | {"window": 3}
        with pytest.raises(
            ValueError,
            match=r"^window=3: give \(left, right\), two whole numbers from 0 to 10,000, such as \(3, 3\)\.$",
        ):
            type(labeller)(**settings).fit(frames, names)
    model = labeller
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


def assert_workers_agree(models):
    """Worker processes predict what this one predicts."""
    found = joblib.Parallel(2, max_nbytes=1)(joblib.delayed(type(model).predict_proba)(model, TEST) for model in models)
    for model, answer in zip(models, found, strict=True):
        np.testing.assert_array_equal(answer, model.predict_proba(TEST))


def assert_large_numbers_are_refused(make):
    """Numbers that cannot be standardized are refused."""
    numbers = TRAIN.numbers.copy()
    numbers[5, 1] = -1e308
    with pytest.raises(
        ValueError, match=r"^number 'x2' is -1e\+308 at observation 5, too large to be standardized; divide"
    ):
        make().fit(TRAIN.with_numbers(numbers))


def assert_learns_from_numbers_alone(labeller, path):
    """It learns from a set without categories, and its file keeps what it says."""
    train, test = (
        data.with_values(np.empty((data.n_positions, 0)), ())
        for data in (number_set(0, 80, noise=0.5), number_set(1, noise=0.5))
    )
    model = labeller.fit(train)
    chance = np.bincount(test.labels).max() / test.n_positions
    assert model.score(test) > chance + 0.25
    model.save(path)
    again = treecrf.load(path)
    assert again.predict_proba(test).tobytes() == model.predict_proba(test).tobytes()
    with pytest.raises(
        ValueError, match=r"the data have the numbers \['x1'\], the training set had \['x1', 'x2', 'x3'\]"
    ):
        again.predict(test.with_numbers(test.numbers[:, :1], ("x1",)))


def assert_missing_numbers_are_refused(labeller):
    """Training and predicting name the first number that is missing."""
    data = number_set(0)
    holes = data.numbers.copy()
    holes[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"^number 'x2' is missing at observation 4; fill or mark the missing values"):
        labeller.fit(data.with_numbers(holes))
    with pytest.raises(ValueError, match=r"^number 'x2' is missing at observation 4"):
        labeller.fit(data).predict(data.with_numbers(holes))
