"""What `fit` and `describe` make of columns: groups, times, sequences, labels of other names, and a model's origin."""

import hashlib
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from treecrf.automl.labeller import Origin, TableLabeller

QUICK = ("--method", "linear_crf", "--window", "0,0", "--iterations", "3")


@pytest.fixture
def sensors(tmp_path):
    """Windows of five people, whose numbers differ by person, with times of the day."""
    rng = np.random.default_rng(0)
    n_sequences, length = 20, 6
    window = np.repeat(np.arange(n_sequences), length)
    label = rng.integers(0, 2, len(window))
    frame = pd.DataFrame(
        {
            "sequence": window,
            "user": [f"p{number % 5}" for number in window],
            "age": 30 + window % 4,
            "time": [f"00:{row % length:02d}" for row in range(len(window))],
            "x": rng.normal(label + 3 * (window % 5), 0.3).round(3),
            "label": np.array(["sit", "walk"])[label],
        }
    )
    frame.to_csv(tmp_path / "sensors.csv", index=False)
    return frame


def test_likely_groups_and_times_are_no_inputs(run, sensors):
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK)
    assert code == 0
    assert "'user' is left out: it has one value in each sequence, and 5 in all" in err
    assert "--groups user" in err
    assert "'age' is left out: it has one value in each sequence" in err
    assert "'time' is left out: its values rise with the rows" in err
    assert TableLabeller.load("m.npz").columns.attributes == ("x",)
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--attributes", "user,x")
    assert code == 0
    assert "left out" not in err
    assert TableLabeller.load("m.npz").columns.attributes == ("user", "x")


def test_groups_are_held_out_together(run, sensors):
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--held-out", "0.4", "--groups", "user")
    assert code == 0
    assert "on 8 held-out sequences" in err
    assert "confidence interval by group" in err
    assert "'user' is left out" not in err
    assert "'age' is left out" not in err
    model = TableLabeller.load("m.npz")
    assert model.columns.groups == "user"
    assert "user" not in model.columns.attributes
    code, out, _ = run("evaluate", "m.npz", "sensors.csv")
    assert code == 0
    assert "95 % confidence interval by group" in out
    assert "The commonest label, " in out
    sensors.drop(columns="user").to_csv("unknown.csv", index=False)
    code, out, _ = run("evaluate", "m.npz", "unknown.csv")
    assert code == 0
    assert "95 % confidence interval by sequence" in out


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("p3", "'p3' follows 'p0' within a sequence; a sequence is of one group"),
        ("", "the group of the row's sequence is not named."),
    ],
)
def test_a_sequence_of_no_group_or_two_is_refused(run, sensors, cell, sentence):
    sensors.loc[2, "user"] = cell
    sensors.to_csv("sensors.csv", index=False)
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--groups", "user")
    assert code == 1
    assert err.splitlines()[-1].startswith(f"treecrf: table sensors.csv, line 4: row 2, column 'user': {sentence}")


def test_inputs_that_say_nothing_are_called_so(run, tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.choice(["open", "shut"], 300, p=[0.7, 0.3])
    frame = pd.DataFrame({"sequence": np.repeat(np.arange(30), 10), "x": rng.integers(0, 3, 300), "label": labels})
    frame.to_csv("noise.csv", index=False)
    code, out, _ = run("fit", "noise.csv", "-o", "m.npz", "--method", "linear_crf", "--window", "auto", "--budget", "2")
    assert code == 0
    assert "That is no better than always answering 'open' (" in out
    assert out.rstrip().endswith("Wrote m.npz.")


def test_columns_of_other_names_are_guessed_where_one_reading_is_plain(run, sensors):
    renamed = sensors.rename(columns={"sequence": "walk", "label": "activity"})
    renamed.to_csv("walks.csv", index=False)
    sentence = "Taking sequences from the column 'walk' (--sequence) and labels from the column 'activity' (--label)."
    code, out, err = run("describe", "walks.csv")
    assert code == 0
    assert sentence in err
    line = "treecrf fit walks.csv -o model.npz --sequence walk --label activity --groups user"
    assert out.splitlines()[-1] == f"To train a model: {line}"
    code, _, err = run("fit", "walks.csv", "-o", "m.npz", *QUICK)
    assert code == 0
    assert sentence in err
    code, _, err = run("fit", "walks.csv", "-o", "m.npz", *QUICK, "--sequence", "stroll")
    assert code == 1
    assert "has no column 'stroll'" in err


def test_columns_that_are_not_there_are_refused_or_stand_in_the_table(run, words, fit_trees):
    words.to_csv("train.csv", index=False)
    fit_trees("--iterations", 8, "--window", "1,0", "--max-leaves", 3)
    words.drop(columns="letter").to_csv("part.csv", index=False)
    code, _, err = run("predict", "m.npz", "part.csv")
    assert code == 1
    assert "part.csv has no column 'letter'" in err
    assert "or label without them (unknown 1)." in err
    code, out, err = run("evaluate", "m.npz", "part.csv", "--unknown", 1)
    assert (code, "accuracy 100" in out) == (0, False)
    assert "'letter'  600 of 600 cells  the column is not there" in err
    words.drop(columns="noise").to_csv("part.csv", index=False)  # no tree asks for it
    code, out, err = run("predict", "m.npz", "part.csv")
    assert (code, out.splitlines()[0]) == (0, "sequence,label,letter,predicted")
    assert "'noise'  600 of 600 cells  the column is not there" in err
    assert run("evaluate", "m.npz", "part.csv")[1].startswith("m.npz: accuracy 100.00 %")


def test_a_model_knows_its_origin(run, sensors):
    assert run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--groups", "user")[0] == 0
    origin = TableLabeller.load("m.npz").origin
    content = Path("sensors.csv").read_bytes()
    assert (origin.file, origin.digest) == ("sensors.csv", hashlib.sha256(content).hexdigest())
    assert (origin.n_sequences, origin.n_positions, origin.n_groups) == (20, 120, 5)
    assert origin.accuracy is None  # nothing was held out
    out = run("describe", "m.npz")[1]
    assert f"on 'sensors.csv' (SHA-256 {origin.digest[:12]}..): 20 sequences in 5 groups, 120 positions." in out
    err = " ".join(run("fit", "sensors.csv", "-o", "m.npz", *QUICK)[2].split())
    assert "m.npz is there already, and will be replaced (" in err
    assert f"Trained on {time.strftime('%Y-', time.gmtime())}" in err
    Path("n.npz").write_text("no model")
    assert "n.npz is there already, is no model that can be read" in run("fit", "sensors.csv", "-o", "n.npz", *QUICK)[2]


@pytest.mark.parametrize(
    "changes", [{"n_groups": -1}, {"date": 3}, {"accuracy": "90"}, {"versions": {"python": 3}}, {"other": 1}]
)
def test_an_origin_that_is_damaged_is_refused(run, sensors, changes):
    assert run("fit", "sensors.csv", "-o", "m.npz", *QUICK)[0] == 0
    described = TableLabeller.load("m.npz").origin.described()
    assert Origin.from_described(described).described() == described
    with pytest.raises(ValueError, match=r"^the origin of the model has "):
        Origin.from_described(described | changes)
