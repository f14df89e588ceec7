"""`NeuralNetwork` and `WindowLightGBM` against scikit-learn and LightGBM on windows that the tests cut themselves."""

import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import scipy.special
from builders import hidden_labels, larger_set, number_set
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neural_network import MLPClassifier

from treecrf import Attribute, SequenceSet
from treecrf.models.window.classifiers import NeuralNetwork, WindowLightGBM, log_softmax, see_windows
from treecrf.models.window.features import Scale, window_numbers
from treecrf.sequences import window_codes

OUTSIDE = 100
"""Code of a place outside the sequence, in the windows cut here."""

LETTERS = "abcde"
WINDOW = (2, 1)


def noisy_set(seed, n_labels=3, n_occurring=None, n_sequences=40):
    """Labels that depend on two neighbouring letters; some sequences end in observations that no label belongs to."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 25, n_sequences)
    observed = lengths + rng.integers(0, 3, n_sequences)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(part)]) for part in (lengths, observed))
    letters = rng.integers(0, len(LETTERS), observation_offsets[-1])
    flags = rng.integers(0, 2, len(letters))
    places = np.concatenate([np.arange(n) + first for n, first in zip(lengths, observation_offsets, strict=False)])
    labels = (letters[places] + letters[places - 1] + (rng.random(len(places)) < 0.2)) % (n_occurring or n_labels)
    attributes = (Attribute("letter", tuple(LETTERS)), Attribute("flag", ("no", "yes")))
    values = np.stack([letters, flags], axis=1)
    return SequenceSet(values, offsets, attributes, labels, tuple("XYZ"[:n_labels]), observation_offsets)


def cut_windows(data, window=WINDOW):
    """Every position's window, place by place, float64, shape (n_positions, n_slots)."""
    rows = []
    for sequence, length in enumerate(data.lengths):
        begin, end = data.observation_offsets[sequence : sequence + 2]
        for position in range(begin, begin + length):
            row = []
            for place in range(position - window[0], position + window[1] + 1):
                row.extend(data.values[place] if begin <= place < end else [OUTSIDE] * len(data.attributes))
            rows.append(row)
    return np.array(rows, dtype=float)


def dense_one_hot(windows, attributes):
    """A column for each category of each slot and one for a place outside, float64, shape (n_positions, n_cells)."""
    columns = []
    for slot, codes in enumerate(windows.T):
        n_categories = len(attributes[slot % len(attributes)].categories)
        columns += [codes == code for code in (*range(n_categories), OUTSIDE)]
    return np.stack(columns, axis=1).astype(float)


def scikit_learns(data, other, n_epochs, seed=0, **settings):
    """What scikit-learn's network of the same settings as `network` says of `other` after every epoch."""
    peer = MLPClassifier(
        7,
        activation="logistic",
        learning_rate_init=0.02,
        batch_size=30,
        **settings,
        random_state=np.random.RandomState(np.random.PCG64(seed)),
    )
    inputs, asked = (dense_one_hot(cut_windows(part), data.attributes) for part in (data, other))
    for _ in range(n_epochs):
        peer.partial_fit(inputs, data.labels, classes=range(len(data.label_names)))
        yield peer.predict_proba(asked)


def lightgbms(data, n_iterations, start=None, **settings):
    """LightGBM's own model of the same settings as `boosting`, from its own start unless one is given."""
    windows = cut_windows(data)
    settings |= {"objective": "multiclass", "num_class": len(data.label_names), "verbosity": -1}
    settings |= {"num_leaves": 6, "min_data_in_leaf": 5}
    examples = lightgbm.Dataset(
        windows,
        data.labels,
        init_score=None if start is None else np.repeat(start, len(windows)),
        categorical_feature=list(range(windows.shape[1])),
    )
    return lightgbm.train(settings, examples, n_iterations)


def network(n_epochs=6, **settings):
    return NeuralNetwork(
        **{
            "n_hidden": 7,
            "n_epochs": n_epochs,
            "learning_rate": 0.02,
            "batch_size": 30,
            "window": WINDOW,
            "keep_stages": True,
        }
        | settings
    )


def boosting(n_iterations=6, **settings):
    return WindowLightGBM(
        **{"n_iterations": n_iterations, "max_leaves": 6, "min_samples_leaf": 5, "window": WINDOW} | settings
    )


@pytest.mark.parametrize(("n_labels", "n_occurring"), [(2, 2), (3, 3), (3, 2)])
@pytest.mark.parametrize("seed", [0, 2**60])
def test_network_equals_scikit_learns(n_labels, n_occurring, seed):
    data, other = (noisy_set(i, n_labels, n_occurring) for i in (0, 1))
    model = network(l2_regularization=0.1, random_state=seed).fit(data)
    expected = list(scikit_learns(data, other, 6, seed, alpha=0.1))
    stages = list(model.staged_predict_proba(other))
    assert_allclose(stages, expected, atol=1e-9)
    assert_array_equal(model.predict_proba(other), stages[-1])
    assert expected[-1].std(axis=0).max() > 0.01  # it has learnt something


@pytest.mark.parametrize(("n_labels", "n_occurring"), [(2, 2), (3, 3), (3, 2)])
def test_boosting_equals_lightgbms(n_labels, n_occurring):
    data, other = (noisy_set(i, n_labels, n_occurring) for i in (2, 3))
    model = boosting(learning_rate=0.3, l2_regularization=2.0).fit(data)
    peer = lightgbms(data, 6, learning_rate=0.3, lambda_l2=2.0)
    expected = [peer.predict(cut_windows(other), num_iteration=stage) for stage in range(1, 7)]
    stages = list(model.staged_predict_proba(other))
    assert_allclose(stages, expected, atol=1e-12)
    assert_array_equal(model.predict_proba(other), stages[-1])
    assert expected[-1].std(axis=0).max() > 0.01


def test_a_seed_adds_noise_to_the_start_of_boosting():
    data = noisy_set(4)
    plain, other = boosting().fit(data), noisy_set(5)
    frequencies = np.bincount(data.labels) / data.n_positions
    assert_allclose(plain.start_, np.log(frequencies), atol=1e-15)
    noise = np.random.default_rng(3).normal(0.0, 0.5, 3)
    noisy = boosting(random_state=3, start_noise=0.5).fit(data)
    assert_allclose(noisy.start_, np.log(frequencies) + noise, atol=1e-15)
    silent = boosting(random_state=3, start_noise=0.0).fit(data)
    assert_array_equal(silent.potentials(other), plain.potentials(other))
    # LightGBM, told the same start, grows the same trees; what it predicts leaves the start out.
    scores = lightgbms(data, 6, noisy.start_).predict(cut_windows(other), raw_score=True)
    expected = scipy.special.softmax(scores + noisy.start_, axis=1)
    assert_allclose(noisy.predict_proba(other), expected, atol=1e-12)


def test_log_softmax_is_scipys_and_finite():
    scores = np.random.default_rng(0).normal(size=(50, 4)) * np.logspace(-3, 5, 50)[:, None]
    assert (scipy.special.softmax(scores, axis=1) == 0).any()
    assert_allclose(log_softmax(scores), scipy.special.log_softmax(scores, axis=1), rtol=1e-12, atol=1e-12)
    assert np.isfinite(log_softmax(scores)).all()


def test_the_libraries_are_imported_when_they_are_needed():
    code = (
        "import sys, treecrf.models.window.classifiers; "
        "sys.exit(' '.join({'sklearn', 'lightgbm'} & set(sys.modules)) or None)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


# --- window weights --------------------------------------------------------------------------------


LABELLERS = [
    WindowLightGBM(5, min_samples_leaf=1),
    NeuralNetwork(n_hidden=4, n_epochs=3, window=(0, 0), batch_size=10**6),
]


def alone(data, positions):
    """Some positions, each a sequence."""
    return SequenceSet(
        data.values[positions], np.arange(len(positions) + 1), data.attributes, data.labels[positions], data.label_names
    )


@pytest.mark.parametrize("labeller", LABELLERS)
def test_unknown_labels_are_left_out(labeller):
    data = hidden_labels(larger_set())
    kept = alone(data, np.flatnonzero(data.labels >= 0))
    found = labeller.fit(data).predict_proba(data)
    assert_allclose(found, labeller.fit(kept).predict_proba(data), atol=1e-12)


# --- numbers ---------------------------------------------------------------------------------------


def plain_set(numbers, lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    n_numbers = np.shape(numbers)[1]
    return SequenceSet(
        np.empty((len(numbers), 0)), offsets, (), None, (), numbers=numbers, number_names=tuple("xyz"[:n_numbers])
    )


def test_windows_have_numbers_and_say_what_is_outside():
    data = plain_set([[1, 10], [2, np.nan], [3, 30]], [2, 1])
    nan = np.nan
    assert_array_equal(
        window_numbers(data, (1, 0)), [[nan, nan, 1, 1, 10, 0], [1, 10, 0, 2, nan, 0], [nan, nan, 1, 3, 30, 0]]
    )


def test_numbers_are_standardized_by_those_of_training():
    train = plain_set([[1, 5], [3, 5]], [2])
    scale = Scale.of(train)
    assert_array_equal(scale.apply(train).numbers, [[-1, 0], [1, 0]])
    assert_array_equal(scale.apply(plain_set([[5, 6]], [1])).numbers, [[3, 1]])


def test_the_network_sees_standard_numbers_after_the_indicators():
    data = number_set(0)
    seen = see_windows(data, (1, 1)).toarray()
    n_cells = 3 * 4
    assert_array_equal(seen[:, n_cells:], np.nan_to_num(window_numbers(data, (1, 1))))
    assert set(np.unique(seen[:, :n_cells])) == {0, 1}


def test_bins_of_numbers_are_lightgbms_and_leave_categories_alone():
    data = number_set(2, n_sequences=40)
    codes, numbers = window_codes(data, (1, 1)), window_numbers(data, (1, 1))
    labels = [np.bincount(data.labels, minlength=len(data.label_names)) / data.n_positions]
    settings = {"objective": "multiclass", "num_class": len(data.label_names), "min_data_in_leaf": 5, "verbosity": -1}
    for n_bins in (4, 63):
        model = WindowLightGBM(n_iterations=5, window=(1, 1), min_samples_leaf=5, n_bins=n_bins).fit(data)
        bins = [255] * codes.shape[1] + [n_bins] * numbers.shape[1]
        examples = lightgbm.Dataset(
            np.hstack([codes, numbers]),
            data.labels,
            init_score=np.tile(np.log(labels), (data.n_positions, 1)),
            categorical_feature=list(range(codes.shape[1])),
            params={"max_bin_by_feature": bins},
        )
        peer = lightgbm.train(settings | {"max_bin_by_feature": bins}, examples, 5)
        scores = peer.predict(np.hstack([codes, numbers]), raw_score=True) + np.log(labels)
        assert_allclose(model.predict_proba(data), scipy.special.softmax(scores, axis=1), atol=1e-12)
    assert abs(model.predict_proba(data) - WindowLightGBM(5, n_bins=2).fit(data).predict_proba(data)).max() > 0.01
