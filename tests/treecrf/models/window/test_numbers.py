"""Numbers in windows, as the network and LightGBM see them."""

import lightgbm
import numpy as np
import scipy
from builders import number_set

from treecrf import NeuralNetwork, SequenceSet, WindowLightGBM
from treecrf.models.window.classifiers import see_windows
from treecrf.models.window.features import Scale, window_numbers
from treecrf.sequences import window_codes


def plain_set(numbers, lengths):
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    n_numbers = np.shape(numbers)[1]
    return SequenceSet(
        np.empty((len(numbers), 0)), offsets, (), None, (), numbers=numbers, number_names=tuple("xyz"[:n_numbers])
    )


def test_windows_have_numbers_and_say_what_is_outside():
    data = plain_set([[1, 10], [2, np.nan], [3, 30]], [2, 1])
    nan = np.nan
    np.testing.assert_array_equal(
        window_numbers(data, (1, 0)), [[nan, nan, 1, 1, 10, 0], [1, 10, 0, 2, nan, 0], [nan, nan, 1, 3, 30, 0]]
    )


def test_numbers_are_standardized_by_those_of_training():
    train = plain_set([[1, 5], [3, 5]], [2])
    scale = Scale.of(train)
    np.testing.assert_array_equal(scale.apply(train).numbers, [[-1, 0], [1, 0]])
    np.testing.assert_array_equal(scale.apply(plain_set([[5, 6]], [1])).numbers, [[3, 1]])


def test_the_network_sees_standard_numbers_after_the_indicators():
    data = number_set(0)
    seen = see_windows(data, (1, 1)).toarray()
    n_cells = 3 * 4
    np.testing.assert_array_equal(seen[:, n_cells:], np.nan_to_num(window_numbers(data, (1, 1))))
    assert set(np.unique(seen[:, :n_cells])) == {0, 1}


def test_units_of_numbers_do_not_matter_to_the_network():
    train, test = number_set(0), number_set(1)
    inches = [data.with_numbers(1024 * data.numbers) for data in (train, test)]  # a power of 2: no rounding
    models = [NeuralNetwork(n_epochs=3, window=(1, 1)).fit(data) for data in (train, inches[0])]
    np.testing.assert_allclose(models[0].predict_proba(test), models[1].predict_proba(inches[1]), rtol=1e-9)


def test_lightgbm_sees_numbers_as_they_are():
    """A threshold on a number that no bin edge of the test's own tells apart: one split is enough."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2000, 1))
    labels = (numbers[:, 0] > 0.123).astype(int)
    data = plain_set(numbers, [2000]).with_labels(labels, ("no", "yes"))
    assert WindowLightGBM(n_iterations=20).fit(data).score(data) > 0.99


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
        np.testing.assert_allclose(model.predict_proba(data), scipy.special.softmax(scores, axis=1), atol=1e-12)
    assert abs(model.predict_proba(data) - WindowLightGBM(5, n_bins=2).fit(data).predict_proba(data)).max() > 0.01
