"""Files that have little to choose by: `treecrf fit` gives a model that `evaluate` takes, or one sentence."""

import re

import numpy as np
import pandas as pd
import pytest

import treecrf

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
