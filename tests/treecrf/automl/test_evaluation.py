"""Evaluation where the file has labels that training did not have."""

import json

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf import LinearCRF, SequenceSet, WindowLightGBM
from treecrf.automl.evaluation import break_down, described, estimate, evaluate, plain
from treecrf.ensembles.labeller import Ensemble
from treecrf.sequences import MISSING

NEW = np.array([0, 7])


@pytest.fixture(scope="module")
def data():
    return number_set(0)


@pytest.fixture(scope="module")
def with_new(data):
    labels = np.array(data.labels)
    labels[NEW] = len(data.label_names)
    return data.with_labels(labels, (*data.label_names, "new"))


@pytest.mark.parametrize(
    "labeller",
    [LinearCRF(max_iterations=5), WindowLightGBM(n_iterations=3), Ensemble(("linear_crf", "treecrf_newton"))],
    ids=lambda labeller: type(labeller).__name__,
)
def test_a_new_label_is_an_error(data, with_new, labeller):
    labeller.fit(data)
    before, found = evaluate(labeller, data, "forward_backward"), evaluate(labeller, with_new, "forward_backward")
    predicted, probabilities = labeller.predict(data), labeller.predict_proba(data)
    expected = predicted == data.labels
    expected[NEW] = False
    np.testing.assert_array_equal(found.correct, expected)
    assert found.accuracy.points == pytest.approx(100 * expected.mean())
    assert found.new_labels == {"new": 2}
    assert before.new_labels == {}

    row = found.by_label.set_index("label").loc["new"]
    assert (row["recall"], row["f1"], row["n_positions"]) == (0, 0, 2)
    assert np.isnan(row["precision"])
    names = [data.label_names[code] for code in predicted[NEW]]
    assert found.confusion.loc["new"].sum() == 2
    assert (found.confusion.loc["new", names] > 0).all()
    assert (found.confusion["new"] == 0).all()

    truth = np.eye(len(data.label_names) + 1)[with_new.labels]
    of_all = np.hstack([probabilities, np.zeros((data.n_positions, 1))])
    assert found.brier == pytest.approx(((of_all - truth) ** 2).sum(axis=1).mean(), rel=1e-9)
    right = (found.reliability["right"] * found.reliability["n_positions"]).sum()
    assert right == pytest.approx((probabilities.argmax(axis=1) == with_new.labels).sum())


def test_the_log_likelihood_is_that_of_the_other_positions(data, with_new):
    labeller = WindowLightGBM(n_iterations=3).fit(data)
    known = np.setdiff1d(np.arange(data.n_positions), NEW)
    expected = np.log(labeller.predict_proba(data)[known, data.labels[known]]).mean()
    assert evaluate(labeller, with_new, "forward_backward").log_likelihood == pytest.approx(expected, rel=1e-9)
    chain = LinearCRF(max_iterations=5).fit(data)
    partly = data.with_labels(np.where(with_new.labels == len(data.label_names), MISSING, data.labels))
    found = evaluate(chain, with_new, "forward_backward").log_likelihood
    assert found == pytest.approx(chain.log_likelihood(partly).sum() / len(known), rel=1e-9)
    of_labels = -np.log(chain.predict_proba(data)[known, data.labels[known]]).mean()
    assert evaluate(chain, with_new, "forward_backward").log_loss == pytest.approx(of_labels, rel=1e-6)


def test_labels_in_another_order_are_the_same(data):
    labeller = LinearCRF(max_iterations=5).fit(data)
    names = data.label_names[::-1]
    turned = data.with_labels(len(names) - 1 - np.array(data.labels), names)
    first, second = (evaluate(labeller, each, "viterbi") for each in (data, turned))
    pd.testing.assert_frame_equal(first.confusion, second.confusion)
    assert first.log_likelihood == second.log_likelihood


def made(lengths, groups=None):
    n = int(np.sum(lengths))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return SequenceSet(np.zeros((n, 1)), offsets, [("a", "x")], np.zeros(n, dtype=int), "uv", groups=groups)


def test_groups_are_rated_by_their_positions():
    data = made([2, 3, 5, 4], [7, 8, 7, 9])
    correct = np.array([1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
    parts = break_down(correct, data, list("abcd"), ["left", "right", "left", "down"])
    table = parts.by_group.set_index("group")
    assert table.index.tolist() == ["left", "right", "down"]
    assert table.loc["left", ["n_sequences", "n_positions"]].tolist() == [2, 7]
    assert table["accuracy"].tolist() == pytest.approx([100 * 3 / 7, 100, 100])
    assert break_down(correct, data, list("abcd")).by_group["group"].tolist() == ["7", "8", "9"]
    assert break_down(correct, made([2, 3, 5, 4]), list("abcd")).by_group is None


def test_classes_of_length_hold_all_sequences():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 60, 200)
    data = made(lengths)
    correct = rng.random(data.n_positions) < 0.7
    table = break_down(correct, data, range(200)).by_length
    assert table["n_sequences"].sum() == 200
    assert table["n_positions"].sum() == data.n_positions
    assert (table["shortest"] <= table["longest"]).all()
    assert (table["shortest"].iloc[1:].to_numpy() > table["longest"].iloc[:-1].to_numpy()).all()
    assert 3 <= len(table) <= 5
    for row in table.itertuples():
        there = np.repeat((lengths >= row.shortest) & (lengths <= row.longest), lengths)
        assert row.accuracy == pytest.approx(100 * correct[there].mean())
    assert len(break_down(correct[: 3 * 5], made([5, 5, 5]), range(3)).by_length) == 1


def test_a_class_of_lengths_has_an_interval_by_group():
    data = made([4] * 6, [0, 0, 1, 1, 2, 2])
    correct = np.repeat([1, 1, 1, 1, 0, 1], 4).astype(bool)
    found = break_down(correct, data, list("abcdef")).by_length.loc[0, ["accuracy", "low", "high"]]
    assert tuple(found) == pytest.approx(estimate(correct, data))


def test_the_worst_sequences_have_most_errors():
    data = made([3, 2, 4])
    correct = np.array([1, 0, 0, 1, 1, 0, 1, 1, 1], dtype=bool)
    worst = break_down(correct, data, ["a", "b", "c"]).worst
    assert worst["sequence"].tolist() == ["a", "c"]
    assert worst["n_errors"].tolist() == [2, 1]
    assert worst["accuracy"].tolist() == pytest.approx([100 / 3, 75])
    assert break_down(np.ones(9, dtype=bool), data, ["a", "b", "c"]).worst.empty


def test_json_has_all_digits_and_no_nan():
    data = number_set(0)
    labeller = LinearCRF(max_iterations=5).fit(data)
    found = evaluate(labeller, data, "forward_backward")
    values = described(found, break_down(found.correct, data, range(len(data))), "sequence")
    read = json.loads(json.dumps(values, allow_nan=False))
    assert read["accuracy"]["points"] == found.accuracy.points
    assert read["confusion"]["counts"] == found.confusion.to_numpy().tolist()
    assert [row["label"] for row in read["by_label"]] == list(data.label_names)
    assert read["calibration"][-1]["probability"] == plain(float(found.reliability["probability"].iloc[-1]))
    assert plain(pd.DataFrame({"a": [np.nan, 1.5]})) == [{"a": None}, {"a": 1.5}]
