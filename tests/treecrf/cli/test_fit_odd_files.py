"""Files that have little to choose by: `treecrf fit` gives a model that `evaluate` takes, or one sentence."""

import re

import numpy as np
import pandas as pd
import pytest

import treecrf
from treecrf.automl.fitting import trained_parts

CHEAP = ("--iterations", 3, "--budget", 2)


def table(n_sequences=6, length=10, n_labels=2):
    """Labels that the number in the row tells."""
    label = np.arange(n_sequences * length) % n_labels
    noise = np.random.default_rng(0).normal(0, 0.1, len(label))
    return pd.DataFrame(
        {"sequence": np.arange(len(label)) // length, "x": label + noise, "label": [f"l{value:02d}" for value in label]}
    )


ODD = {
    "three sequences": table(3),
    "two sequences": table(2),
    "one sequence": table(1, 400),
    "sequences of one row": table(30, 1),
    "many labels": table(10, 60, n_labels=60),
    "a label in one sequence alone": table().assign(label=lambda t: t["label"].where(t["sequence"] > 0, "rare")),
    "a constant number": table().assign(y=1.5),
    "a constant category": table().assign(y="a"),
    "nothing but constants": table().assign(x=1.0),
    "numbers all missing": table().assign(y=np.nan),
    "numbers missing in most": table().assign(y=lambda t: t["x"].where(t["sequence"] == 0)),
    "a category in one row": table().assign(y=lambda t: np.where(t.index == 0, "a", None)),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_model_that_can_be_judged(run, tmp_path, kind):
    ODD[kind].to_csv(tmp_path / "odd.csv", index=False)
    code, out, err = run("fit", "odd.csv", "-o", "m.npz", *CHEAP)
    assert code == 0, err
    assert re.search(r"accuracy on new data: [\d.]+ %", out)
    code, out, err = run("evaluate", "m.npz", "odd.csv")
    assert code == 0, err
    assert re.search(r"accuracy [\d.]+ % on \d+ positions", out)


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (table(n_labels=1), "every label is 'l00'; training needs at least two"),
        (table().assign(x=np.nan), "all input columns are empty"),
        (table(1, 2), "2 positions cannot be cut into three parts that choose"),
    ],
    ids=["one label", "nothing known", "two rows"],
)
def test_a_sentence(run, tmp_path, frame, sentence):
    frame.to_csv(tmp_path / "odd.csv", index=False)
    code, out, err = run("fit", "odd.csv", "-o", "m.npz", *CHEAP)
    assert (code, out) == (1, "")
    assert sentence in " ".join(err.split())
    assert not (tmp_path / "m.npz").exists()


def test_empty_columns_are_left_out(run, tmp_path):
    ODD["numbers all missing"].to_csv(tmp_path / "odd.csv", index=False)
    _, _, err = run("fit", "odd.csv", "-o", "m.npz", *CHEAP)
    assert "Column 'y' is left out: it is empty." in err
    assert treecrf.load("m.npz").feature_names_in_.tolist() == ["x"]


def stamped(day, n_rows=120):
    """Letters that tell the label in three of four rows, and a time stamp in each row."""
    rng = np.random.default_rng(len(day))
    label = np.arange(n_rows) // 5 % 2
    letter = np.where(rng.random(n_rows) < 0.75, label, 1 - label)
    minutes = pd.date_range(day, periods=n_rows, freq="73s").strftime("%Y-%m-%dT%H:%M:%S")
    frame = {"sequence": np.arange(n_rows) // 20, "at": minutes, "letter": np.array(["a", "b"])[letter]}
    return pd.DataFrame(frame | {"label": np.array(["u", "v"])[label]})


@pytest.mark.parametrize("method", ["linear_crf", "treecrf_newton", "memm", "lightgbm", "auto"])
def test_time_stamps_of_rows_are_no_categories(run, tmp_path, method):
    stamped("2024-03-04").to_csv(tmp_path / "train.csv", index=False)
    stamped("2024-03-05").to_csv(tmp_path / "test.csv", index=False)
    options = ("train.csv", "-o", "m.npz", *CHEAP, "--method", method)
    code, _, err = run("fit", *options)
    assert code == 0, err
    assert (
        "Column 'at' is used for derived inputs alone: its time stamps identify the rows.\nInputs: letter (category)."
        in err
    )
    code, _, err = run("predict", "m.npz", "test.csv")
    assert (code, err) == (0, "")
    for part, _ in trained_parts(treecrf.load("m.npz"), without_labels(tmp_path / "test.csv")):
        assert "at" not in {attribute.name for attribute in part.attributes_}
    code, _, err = run("fit", *options, "--derive", "none")
    assert (
        code,
        "Column 'at' is left out: its time stamps identify the rows; treecrf fit --derive times uses them.\n" in err,
    ) == (
        0,
        True,
    )
    without = run("predict", "m.npz", "test.csv")[1]
    frame = pd.read_csv(tmp_path / "train.csv").drop(columns="at")
    frame.to_csv(tmp_path / "train.csv", index=False)
    assert run("fit", *options, "--derive", "none")[0] == 0
    assert run("predict", "m.npz", "test.csv")[1] == without


def without_labels(path):
    return treecrf.SequenceSet.from_frame(pd.read_csv(path).drop(columns="label"), sequence="sequence")


def test_days_that_many_rows_share_are_categories(run, tmp_path, fit_trees):
    stamped("2024-03-04").assign(at=lambda t: t["at"].str[:15] + "0").to_csv(tmp_path / "train.csv", index=False)
    assert "Column 'at'" not in fit_trees(*CHEAP)
