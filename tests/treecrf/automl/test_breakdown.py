"""Accuracy by group and by length, worst sequences, and evaluations as JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from builders import number_set

from treecrf import LinearCRF, SequenceSet
from treecrf.automl.breakdown import break_down, described, plain
from treecrf.automl.evaluation import evaluate


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
