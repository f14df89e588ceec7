"""Several training files, weights of rows, texts that mean missing, and quotes as characters."""

import numpy as np
import pytest

from treecrf.automl.labeller import TableLabeller


def test_files_are_joined_and_sequences_called_by_file(run, words, tmp_path, fit_trees):
    words[words["sequence"] < 30].to_csv("first.csv", index=False)
    words[words["sequence"] >= 30].assign(sequence=lambda frame: frame["sequence"] - 30)[
        ["noise", "letter", "label", "sequence"]
    ].to_csv("second.csv", index=False)
    words.to_csv("both.csv", index=False)
    options = ("-o", "m.npz", "--method", "treecrf_newton", "--iterations", 3, "--window", "1,0")
    code, _, err = run("fit", "first.csv", "second.csv", *options)
    assert (code, "2 files: their sequences are called by file and name, such as first:0." in err) == (0, True)
    assert "first.csv, second.csv: 60 sequences, 600 positions" in err
    fit_trees("--iterations", 3, "--window", "1,0", file="both.csv", to="other.npz")
    of_files, of_both = (run("predict", name, "both.csv")[1] for name in ("m.npz", "other.npz"))
    assert of_files == of_both
    assert TableLabeller.load("m.npz").origin.file == "first.csv, second.csv"


@pytest.mark.parametrize(
    ("change", "files", "message"),
    [
        ({"more": 1}, ["a.csv", "b.csv"], "give all files the same ones"),
        ({}, ["a.csv", "a.csv"], "a training file is named twice"),
    ],
)
def test_files_that_cannot_be_joined(run, words, change, files, message):
    words.to_csv("a.csv", index=False)
    words.assign(**change).to_csv("b.csv", index=False)
    code, _, err = run("fit", *files, "-o", "m.npz", "--method", "linear_crf")
    assert (code, message in err) == (1, True)


def test_an_error_in_the_second_file_names_it_and_its_line(run, words):
    words.to_csv("a.csv", index=False)
    words.assign(size=np.arange(600) / 7).to_csv("b.csv", index=False)
    text = words.assign(size=np.where(np.arange(600) == 3, -1.0, 1.5))
    for name in ("a.csv", "b.csv"):
        text.assign(size=1.5 if name == "a.csv" else text["size"]).to_csv(name, index=False)
    code, _, err = run("fit", "a.csv", "b.csv", "-o", "m.npz", "--method", "linear_crf", "--weights", "size")
    assert code == 1
    assert "table b.csv, line 5: row 3, column 'size': a weight must be a number of at least 0; fix that cell." in err


def test_rows_without_weight_teach_nothing(run, words, fit_trees):
    """Half of the sequences has wrong labels and the weight 0: the model is that of the other half."""
    wrong = words["sequence"] % 2 == 1
    words.assign(label=words["label"].where(~wrong, "u"), weight=np.where(wrong, 0, 2)).to_csv("w.csv", index=False)
    words.assign(weight=1)[~wrong].to_csv("half.csv", index=False)
    options = ("--method", "linear_crf", "--window", "1,0", "--iterations", 20, "--weights", "weight")
    for file, to in (("w.csv", "w.npz"), ("half.csv", "half.npz")):
        code, _, err = run("fit", file, "-o", to, *options)
        assert code == 0, err
    assert "weight" not in TableLabeller.load("w.npz").columns.attributes
    words.to_csv("train.csv", index=False)
    assert "accuracy 100.00 %" in run("evaluate", "w.npz", "train.csv")[1]
    code, _, err = run("fit", "w.csv", "-o", "m.npz", "--weights", "weight", "--budget", 5)
    assert code == 0, err
    assert "accuracy 100.00 %" in run("evaluate", "m.npz", "train.csv")[1]
    code, _, err = run("fit", "w.csv", "-o", "m.npz", "--weights", "weight", "--method", "stacking")
    assert (code, "takes no weights" in " ".join(err.replace("│", " ").split())) == (2, True)


def test_texts_that_mean_missing(run, words, tmp_path, fit_trees):
    holes = np.arange(600) % 7 == 0
    words.assign(letter=words["letter"].mask(holes, "NA"), noise=words["noise"].mask(holes, "?")).to_csv(
        "train.csv", index=False
    )
    err = fit_trees("--iterations", 2, "--window", "1,0", "--na", "NA,?")
    assert "172 missing cells" in err
    assert "missing cells" not in fit_trees("--iterations", 2, "--window", "1,0")
    attributes = {each.name: each.categories for each in TableLabeller.load("m.npz").labeller.attributes_}
    assert "NA" in attributes["letter"]
    fit_trees("--iterations", 2, "--window", "1,0", "--na", "NA,?")
    attributes = {each.name: each.categories for each in TableLabeller.load("m.npz").labeller.attributes_}
    assert attributes["letter"] == ("a", "b", "c")
    assert TableLabeller.load("m.npz").na == ("NA", "?")
    assert "Cells with 'NA', '?' are missing." in run("describe", "m.npz")[1]
    code, out, err = run("predict", "m.npz", "train.csv")  # the model knows them
    assert "differs" not in err
    assert run("predict", "m.npz", "train.csv", "--na", "NA,?")[1] == out
    assert run("evaluate", "m.npz", "train.csv")[1] == run("evaluate", "m.npz", "train.csv", "--na", "NA,?")[1]
    assert "'NA'" in run("predict", "m.npz", "train.csv", "--na", "-")[2]
    fit_trees("--iterations", 2, "--window", "1,0", to="other.npz")
    code, _, err = run("evaluate", "m.npz", "other.npz", "train.csv")
    assert (code, "were trained with different texts for missing cells; give those" in err) == (1, True)
    assert (code - 1, out.splitlines()[1].split(",")[:4]) == (0, ["0", str(words["label"][0]), "NA", "?"])
    assert run("fit", "train.csv", "-o", "m.npz", "--na", "")[0] == 2


def test_quotes_are_characters_where_they_are_said_to_be(run, tmp_path):
    rows = [f"{i // 4},{word},{'q' if word == chr(34) else 'w'}" for i, word in enumerate(['"', "a", 'b"', '"c'] * 30)]
    (tmp_path / "words.csv").write_text("sequence,word,label\n" + "\n".join(rows) + "\n")
    options = ("-o", "m.npz", "--method", "linear_crf", "--window", "0,0", "--derive", "none")
    assert run("fit", "words.csv", *options)[0] == 1
    code, _, err = run("fit", "words.csv", *options, "--quote", "none")
    assert code == 0, err
    [word] = TableLabeller.load("m.npz").labeller.attributes_
    assert set(word.categories) == {'"', "a", 'b"', '"c'}
    assert "accuracy 100.00 %" in run("evaluate", "m.npz", "words.csv", "--quote", "none")[1]
    assert run("fit", "words.csv", *options, "--quote", "all")[0] == 2
