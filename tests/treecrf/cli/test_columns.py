"""What `fit` and `describe` make of columns: groups, times, sequences, labels of other names, and a model's origin."""

import hashlib
import re
import shlex
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
    assert "'time' is used for derived inputs alone" in err
    assert TableLabeller.load("m.npz").columns.attributes == ("time", "x")
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--attributes", "user,x")
    assert code == 0
    assert "left out" not in err
    assert TableLabeller.load("m.npz").columns.attributes == ("user", "x")


def test_texts_that_rise_with_the_rows_are_no_inputs(run, sensors):
    sensors.assign(time=[f"step {row % 6}" for row in range(len(sensors))]).to_csv("sensors.csv", index=False)
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK)
    assert code == 0
    assert "'time' is left out: its values rise with the rows" in err


def test_describe_says_what_fit_leaves_out_and_why(run, sensors):
    sensors.assign(code=[f"c{37 * row % 121}" for row in range(len(sensors))]).to_csv("sensors.csv", index=False)
    code, out, _ = run("describe", "sensors.csv")
    assert code == 0
    assert "Inputs: x (number)." in out
    assert "treecrf fit uses 'time' for derived inputs alone" in out
    assert "treecrf fit leaves out 'code': its value identifies the row" in out
    assert "treecrf fit leaves out 'user': it has one value in each sequence, and 5 in all" in out
    assert "Likely time columns: 'time'.\nLikely group columns: 'user', 'age'.\n" in out
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK)
    assert code == 0
    left_out = re.findall(r"^Column '(\w+)' is left out: (.*)$", err, re.MULTILINE)
    assert left_out == re.findall(r"^treecrf fit leaves out '(\w+)': (.*)$", out, re.MULTILINE)
    assert len(left_out) == 3
    assert next(line for line in out.splitlines() if line.startswith("Inputs:")) in err


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        (
            ["sequence", "x"],
            "--label LABEL",
            ["Likely sequence columns: 'sequence'.", "No column is likely to be a label"],
        ),
        (["user", "x", "time"], "--sequence SEQUENCE --label LABEL", ["Likely label columns: 'user'."]),
        (["x"], "--sequence SEQUENCE --label LABEL", ["give the field separator", "to be a time column."]),
        (["sequence", "user", "time", "x"], "--label LABEL --groups user", ["Likely time columns: 'time'."]),
        (["x", "label"], "--sequence SEQUENCE", ["Likely label columns: 'label'.", "A file that is one sequence"]),
        (["x", "state"], "--sequence SEQUENCE --label state", ["Likely label columns: 'state'."]),
    ],
)
def test_a_file_is_described_before_its_columns_are_named(run, sensors, columns, options, said):
    sensors["state"] = sensors["label"]
    sensors[columns].assign(x=sensors["x"].where(sensors["x"] > 0)).to_csv("t.csv", index=False)
    code, out, _ = run("describe", "t.csv")
    assert code == 0
    assert f"To train a model: treecrf fit t.csv -o model.npz {options}\n" in out
    for sentence in said:
        assert sentence in out
    assert re.search(rf"^x +number +\d+ +{(sensors['x'] <= 0).sum()} ", out, re.MULTILINE)


def test_the_line_that_trains_reads_the_file_as_it_was_described(run, sensors):
    holes = sensors.assign(x=sensors["x"].where(sensors["x"] > 0, "-9"))
    holes.to_csv("t.dat", index=False, sep="\t")
    options = ["--attributes", "x", "--kinds", "x=number", "--format", "csv", "--separator", "tab", "--na", "-9,?"]
    code, out, _ = run("describe", "t.dat", *options)
    assert code == 0
    line = out.splitlines()[-1].removeprefix("To train a model: treecrf ")
    assert line == f"fit t.dat -o model.npz {shlex.join(options)}"
    assert run(*shlex.split(line), *QUICK)[0] == 0
    assert TableLabeller.load("model.npz").na == ("-9", "?")


def test_a_file_whose_labels_are_empty_is_described(run, sensors):
    sensors.assign(label="").to_csv("t.csv", index=False)
    code, out, err = run("describe", "t.csv")
    assert code == 0, err
    assert "No column is likely to be a label column." in out
    assert "To train a model: treecrf fit t.csv -o model.npz --label LABEL" in out


def test_a_file_without_rows_is_described(run):
    Path("t.csv").write_text("a,b\n")
    code, out, _ = run("describe", "t.csv")
    assert (code, "t.csv: 0 rows, 2 columns." in out) == (0, True)
    code, _, err = run("describe", "t.csv", "--label", "c")
    assert (code, "has no column 'c'" in err) == (1, True)


WAYS = {
    "day first": lambda times: times.strftime("%d/%m/%Y %H:%M:%S"),
    "month first": lambda times: times.strftime("%m/%d/%Y %H:%M:%S"),
    "time of day": lambda times: times.strftime("%H:%M:%S"),
    "seconds": lambda times: times.astype("datetime64[s]").astype("int64"),
    "milliseconds": lambda times: times.astype("datetime64[ms]").astype("int64"),
}


@pytest.mark.parametrize("way", WAYS)
def test_times_of_other_forms_are_no_inputs_themselves(run, sensors, way):
    order = np.random.default_rng(0).permutation(20)  # sequences stand in no order of time
    for name, day in (("train.csv", "2024-02-13"), ("test.csv", "2025-03-14")):
        times = pd.date_range(f"{day} 14:05", periods=120, freq="73s").to_numpy().reshape(20, 6)[order].ravel()
        sensors.assign(time=WAYS[way](pd.DatetimeIndex(times))).to_csv(name, index=False)
    code, _, err = run("fit", "train.csv", "-o", "m.npz", *QUICK)
    assert code == 0
    assert "Column 'time' is used for derived inputs alone: its time stamps identify the rows.\nInputs: x" in err
    labeller = TableLabeller.load("m.npz").labeller
    assert labeller.transform_.dropped_ == ("time",)
    assert {each.kind for each in labeller.transform_.derivations_} == {"gap", "hour"}
    assert run("predict", "m.npz", "test.csv")[::2] == (0, "")  # no word of other dates
    code, _, err = run("fit", "train.csv", "-o", "m.npz", *QUICK, "--derive", "none")
    assert (code, "Column 'time' is left out: its time stamps identify the rows" in err) == (0, True)
    assert TableLabeller.load("m.npz").columns.numbers == ("x",)


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


def test_what_is_of_one_group_alone_is_no_input(run, sensors):
    """Of new people it would have other values."""
    height = 150 + 7 * (sensors["sequence"] % 5)
    sensors.assign(height=height).to_csv("sensors.csv", index=False)
    options = ("--groups", "user")
    code, _, err = run("fit", "sensors.csv", "-o", "m.npz", *QUICK, *options)
    assert code == 0
    assert "Column 'height' is left out: each of its values is of one group alone" in err
    assert TableLabeller.load("m.npz").columns.attributes == ("age", "time", "x")
    assert "treecrf fit leaves out 'height': each of its values" in run("describe", "sensors.csv", *options)[1]
    assert run("fit", "sensors.csv", "-o", "m.npz", *QUICK, *options, "--attributes", "height,x")[0] == 0


def test_weights_of_which_all_are_0_are_refused(run, sensors):
    sensors.assign(w=0).to_csv("t.csv", index=False)
    assert run("fit", "sensors.csv", "-o", "m.npz", *QUICK, "--attributes", "x")[0] == 0
    for command in (("fit", "t.csv", "-o", "w.npz", *QUICK), ("explain", "m.npz", "t.csv")):
        code, _, err = run(*command, "--weights", "w")
        assert (code, "table t.csv, column 'w': all weights are 0; give some row one above 0." in err) == (1, True)


def test_two_groups_are_too_few_to_hold_one_out(run, sensors):
    sensors.assign(user=np.where(sensors["sequence"] < 9, "here", "there")).to_csv("two.csv", index=False)
    options = ["--method", "linear_crf", "--window", "auto", "--budget", "2", "--groups", "user"]
    code, out, err = run("fit", "two.csv", "-o", "m.npz", *options)
    assert code == 0
    assert "The file has fewer than three groups. They are cut into 20 blocks of consecutive rows" in err
    assert "apply to other parts of these groups, not to other groups." in err
    assert "confidence interval by block" in out


def test_a_model_knows_the_column_of_its_weights(run, sensors):
    sensors.assign(w=1.5).to_csv("t.csv", index=False)
    assert run("fit", "t.csv", "-o", "m.npz", *QUICK, "--weights", "w")[0] == 0
    assert ", weights w." in run("describe", "m.npz")[1]


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
    assert origin.options.items() >= {"method": "linear_crf", "seed": "0", "iterations": "3"}.items()
    out = run("describe", "m.npz")[1]
    assert f"on 'sensors.csv' (SHA-256 {origin.digest[:12]}..): 20 sequences in 5 groups, 120 positions." in out
    err = " ".join(run("fit", "sensors.csv", "-o", "m.npz", *QUICK)[2].split())
    assert "m.npz is there already, and will be replaced (" in err
    assert f"Trained on {time.strftime('%Y-', time.gmtime())}" in err
    Path("n.npz").write_text("no model")
    assert "n.npz is there already, is no model that can be read" in run("fit", "sensors.csv", "-o", "n.npz", *QUICK)[2]


@pytest.mark.parametrize(
    "changes",
    [
        {"n_groups": -1},
        {"date": 3},
        {"accuracy": "90"},
        {"versions": {"python": 3}},
        {"options": {"seed": 0}},
        {"other": 1},
    ],
)
def test_an_origin_that_is_damaged_is_refused(run, sensors, changes):
    assert run("fit", "sensors.csv", "-o", "m.npz", *QUICK)[0] == 0
    described = TableLabeller.load("m.npz").origin.described()
    assert Origin.from_described(described).described() == described
    with pytest.raises(ValueError, match=r"^the origin of the model has "):
        Origin.from_described(described | changes)


def test_a_file_without_inputs_is_described(run):
    Path("bare.csv").write_text("sequence,label\na,x\na,y\nb,x\n")
    code, out, _ = run("describe", "bare.csv")
    assert (code, out.splitlines()[0]) == (0, "bare.csv: 2 sequences, 3 labelled positions, 3 rows.")
    assert re.search(r"^x +2 +0\.667$", out, re.M)
    assert "There is no column to label from; add some" in out
    Path("bare.csv").write_text("sequence,label,person\na,x,p\na,y,p\n")
    assert run("describe", "bare.csv", "--groups", "person")[1].startswith("bare.csv: 1 sequence, 2 labelled")
