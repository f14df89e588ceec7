"""`NeuralNetwork` and `WindowLightGBM` against scikit-learn and LightGBM on windows that the tests cut themselves."""

import subprocess
import sys

import lightgbm
import numpy as np
import pytest
import scipy.special
from sklearn.neural_network import MLPClassifier

from treecrf import Attribute, SequenceSet
from treecrf.models.window.classifiers import NeuralNetwork, WindowLightGBM, log_softmax

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


BOTH = pytest.mark.parametrize("build", [network, boosting])


@pytest.mark.parametrize(("n_labels", "n_occurring"), [(2, 2), (3, 3), (3, 2)])
@pytest.mark.parametrize("seed", [0, 2**60])
def test_network_equals_scikit_learns(n_labels, n_occurring, seed):
    data, other = (noisy_set(i, n_labels, n_occurring) for i in (0, 1))
    model = network(l2_regularization=0.1, random_state=seed).fit(data)
    expected = list(scikit_learns(data, other, 6, seed, alpha=0.1))
    stages = list(model.staged_predict_proba(other))
    np.testing.assert_allclose(stages, expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict_proba(other), stages[-1])
    assert expected[-1].std(axis=0).max() > 0.01  # it has learnt something


@pytest.mark.parametrize(("n_labels", "n_occurring"), [(2, 2), (3, 3), (3, 2)])
def test_boosting_equals_lightgbms(n_labels, n_occurring):
    data, other = (noisy_set(i, n_labels, n_occurring) for i in (2, 3))
    model = boosting(learning_rate=0.3, l2_regularization=2.0).fit(data)
    peer = lightgbms(data, 6, learning_rate=0.3, lambda_l2=2.0)
    expected = [peer.predict(cut_windows(other), num_iteration=stage) for stage in range(1, 7)]
    stages = list(model.staged_predict_proba(other))
    np.testing.assert_allclose(stages, expected, atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba(other), stages[-1])
    assert expected[-1].std(axis=0).max() > 0.01


def test_a_seed_adds_noise_to_the_start_of_boosting():
    data = noisy_set(4)
    plain, other = boosting().fit(data), noisy_set(5)
    frequencies = np.bincount(data.labels) / data.n_positions
    np.testing.assert_allclose(plain.start_, np.log(frequencies), atol=1e-15)
    noise = np.random.default_rng(3).normal(0.0, 0.5, 3)
    noisy = boosting(random_state=3, start_noise=0.5).fit(data)
    np.testing.assert_allclose(noisy.start_, np.log(frequencies) + noise, atol=1e-15)
    silent = boosting(random_state=3, start_noise=0.0).fit(data)
    np.testing.assert_array_equal(silent.potentials(other), plain.potentials(other))
    # LightGBM, told the same start, grows the same trees; what it predicts leaves the start out.
    scores = lightgbms(data, 6, noisy.start_).predict(cut_windows(other), raw_score=True)
    expected = scipy.special.softmax(scores + noisy.start_, axis=1)
    np.testing.assert_allclose(noisy.predict_proba(other), expected, atol=1e-12)


@BOTH
def test_predictions_are_those_of_independent_positions(build):
    data, other = noisy_set(8), noisy_set(9)
    model = build().fit(data)
    potentials, marginals = model.potentials(other), model.predict_proba(other)
    assert potentials.shape == (3, other.n_positions, 1)
    np.testing.assert_allclose(np.exp(potentials[:, :, 0].T), marginals, atol=1e-12)
    of_truth = np.log(marginals[np.arange(other.n_positions), other.labels])
    expected = [of_truth[begin:end].sum() for begin, end in zip(other.offsets[:-1], other.offsets[1:], strict=True)]
    np.testing.assert_allclose(model.log_likelihood(other), expected, atol=1e-9)
    np.testing.assert_array_equal(model.predict(other, "viterbi"), marginals.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(other), marginals.argmax(axis=1))


def test_boosting_reaches_the_frequencies_behind_each_letter():
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 2, 300)
    labels = (letters + (rng.random(300) < 0.2)) % 2
    data = SequenceSet(letters[:, None], [0, 300], (Attribute("letter", ("a", "b")),), labels, ("X", "Y"))
    marginals = boosting(40, learning_rate=1.0, window=(0, 0)).fit(data).predict_proba(data)
    for letter in (0, 1):
        there = letters == letter
        np.testing.assert_allclose(marginals[there, 1], labels[there].mean(), atol=1e-6)


def test_log_softmax_is_scipys_and_finite():
    scores = np.random.default_rng(0).normal(size=(50, 4)) * np.logspace(-3, 5, 50)[:, None]
    assert (scipy.special.softmax(scores, axis=1) == 0).any()
    np.testing.assert_allclose(log_softmax(scores), scipy.special.log_softmax(scores, axis=1), rtol=1e-12, atol=1e-12)
    assert np.isfinite(log_softmax(scores)).all()


def test_the_libraries_are_imported_when_they_are_needed():
    code = (
        "import sys, treecrf.models.window.classifiers; "
        "sys.exit(' '.join({'sklearn', 'lightgbm'} & set(sys.modules)) or None)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
