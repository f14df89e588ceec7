"""Files as strangers have them: what their columns are is guessed, and the interval of the estimate holds the truth."""

import json
import re
from pathlib import Path

import pytest
from generated_files import FILES

from treecrf.automl.description import guess_label, guess_sequence, likely_groups
from treecrf.automl.labeller import TableLabeller
from treecrf.readers.reading import read_table


@pytest.mark.parametrize("kind", FILES)
def test_roles_of_columns_are_guessed(kind, tmp_path):
    make, sequence, label, group = FILES[kind]
    make(0).to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv")
    assert guess_sequence(table, label) == sequence
    assert guess_label(table, sequence) == label
    others = [name for name in table if name not in (sequence, label)]
    assert list(likely_groups(table, others, sequence)) == ([group] if group else [])


def test_time_stamps_are_no_categories(run):
    make, *_ = FILES["minutes"]
    make(0).to_csv("t.csv", index=False)
    code, out, _ = run("describe", "t.csv")
    assert code == 0
    assert "Inputs: light (number)." in out
    assert "treecrf fit uses 'date' for derived inputs alone" in out
    assert "Likely time columns: 'date'." in out


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_the_interval_of_the_estimate_holds_the_truth(kind, run):
    make, sequence, label, group = FILES[kind]
    make(0).to_csv("train.csv", index=False)
    make(1).to_csv("test.csv", index=False)
    columns = ["--sequence", sequence, "--label", label, *(["--groups", group] if group else [])]
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--budget", 5, *columns)
    assert code == 0, err
    origin = TableLabeller.load("m.npz").origin
    assert origin.unit == ("group" if group else "sequence")
    assert origin.metric == ("span_f1" if kind == "citations" else "accuracy")
    code, out, err = run("evaluate", "m.npz", "test.csv")
    assert code == 0, err
    pattern = r": span F1 ([\d.]+) % on" if kind == "citations" else r"accuracy ([\d.]+) % on"
    truth = float(re.search(pattern, " ".join(out.split()))[1])
    assert origin.low <= truth <= origin.high


def test_the_card_of_a_model_is_json(run):
    make, sequence, label, group = FILES["people"]
    make(0).to_csv("t.csv", index=False)
    columns = ["--sequence", sequence, "--label", label, "--groups", group]
    assert run("fit", "t.csv", "-o", "m.npz", "--method", "linear_crf", "--iterations", 2, *columns)[0] == 0
    code, out, err = run("describe", "m.npz", "--json", "card.json")
    assert code == 0, err
    assert "Wrote card.json." in out
    card = json.loads(Path("card.json").read_text())
    assert card["origin"]["n_groups"] == 9
    assert card["origin"]["file"] == "t.csv"
    assert (card["class"], card["label"], card["labels"]) == ("LinearCRF", "activity", ["run", "sit", "walk"])
    assert card["settings"]["max_iterations"] == 2
    code, _, err = run("describe", "t.csv", "--json", "card.json")
    assert code == 2
    assert "--json is for models" in err
