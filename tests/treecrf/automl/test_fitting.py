"""An average of methods, each with its own treatment of missing cells, as a model of tables."""

import numpy as np
import pytest
from builders import holed_numbers, number_set

from treecrf.automl import fitting
from treecrf.automl.candidates import estimate_memory, estimate_seconds
from treecrf.automl.contributions import explain_position
from treecrf.automl.explanation import gain_importance, trees_of, used_tests, without_trees
from treecrf.automl.labeller import TableLabeller
from treecrf.readers.tables import TableColumns
from treecrf.sequences import MISSING
from treecrf.statistics.selection import hold_out

TREATMENTS = {"linear_crf": "imputation_indicator", "treecrf_newton": "instance_weighting", "lightgbm": "error"}
WINDOWS = {"linear_crf": (2, 0), "treecrf_newton": (0, 0), "lightgbm": (1, 1)}


def built():
    return [fitting.build(method, {"iterations": 3, "window": WINDOWS[method]}) for method in TREATMENTS]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Written and read."""
    path = tmp_path_factory.mktemp("average") / "model.npz"
    labeller = fitting.average(built(), list(TREATMENTS.values())).fit(holed_numbers(0))
    TableLabeller(labeller, TableColumns("sequence", "label", ("x0", "x1", "x2"), ("x0", "x1", "x2"))).save(path)
    return TableLabeller.load(path)


def test_the_mean_of_methods_that_handle_holes_by_themselves(model):
    train, test = holed_numbers(0), holed_numbers(1)
    expected = []
    for labeller, treatment in zip(built(), TREATMENTS.values(), strict=True):
        transform = fitting.prepare_missing(labeller, treatment, train)
        ready = [data if transform is None else transform.transform(data) for data in (train, test)]
        expected.append(labeller.fit(ready[0]).predict_proba(ready[1]))
    np.testing.assert_array_equal(model.labeller.predict_proba(test), np.mean(expected, axis=0))


def test_what_is_expected_is_that_of_its_methods():
    train = number_set(0, n_sequences=12)
    average = fitting.average(built(), ["error"] * 3)
    apart = [fitting.with_missing(labeller, "error") for labeller in built()]
    seconds = [estimate_seconds(labeller, train, 3) for labeller in apart]
    assert estimate_seconds(average, train, average.n_trainings) == pytest.approx(sum(seconds), rel=1e-12)
    linear, *trees = apart
    assert estimate_memory(average, train, 3) == max(estimate_memory(each, train, 3) for each in (linear, *trees))


def test_gains_are_the_mean_over_those_with_trees(model):
    data = holed_numbers(1)
    _, trees, boosted = model.labeller.experts_
    gains = gain_importance(model.labeller, data)
    assert gains["gain"].sum() == pytest.approx(1)
    keys = ["attribute", "distance"]
    apart = [gain_importance(each, data).set_index(keys)["gain"] for each in (trees, boosted)]
    expected = apart[0].add(apart[1], fill_value=0.0) / 2
    np.testing.assert_allclose(gains.set_index(keys)["gain"].loc[expected.index], expected, rtol=1e-12)
    assert without_trees(model.labeller, data) == ["LinearCRF"]
    assert trees_of(model.labeller) is trees
    assert trees_of(model.labeller.experts_[0]) is None
    assert used_tests(model)["n_splits"].sum() == len(trees.forest_.columns)


def test_a_position_is_explained_by_the_widest_window(model):
    data = holed_numbers(1)
    sequence = int(data.lengths.argmax())
    found = explain_position(model, data, sequence, 8, 0)
    near = found.contributions["distance"].dropna()
    assert (near.min(), near.max()) == (-4, 3)  # two more on either side
    assert found.contributions["contribution"].sum() == pytest.approx(found.log_odds - found.typical_log_odds)


def test_held_out_sequences_choose_the_first_best_iteration():
    train = number_set(0, n_sequences=40)
    labels = train.labels.copy()
    labels[::5] = MISSING
    train = train.with_labels(labels, train.label_names)
    labeller = fitting.build("treecrf_newton", {"iterations": 12, "window": (1, 1)})
    chosen = fitting.fit(labeller, train, 0.5, 3, lambda title: None)
    fitted, validating = hold_out(train.groups, 0.5, 3)
    again = fitting.build("treecrf_newton", {"iterations": 12, "window": (1, 1)}).fit(train.select(fitted))
    scores = again.staged_score(train.select(validating))[:, 0]
    assert labeller.n_iterations == chosen.iteration == scores.argmax() + 1
    assert (chosen.accuracy.points, chosen.n_sequences) == (pytest.approx(100 * scores.max()), 20)
    assert chosen.accuracy.low < chosen.accuracy.points < chosen.accuracy.high
