"""``treecrf fit --continue``."""

import numpy as np
import pytest

import treecrf
from treecrf.automl.labeller import TableLabeller


@pytest.mark.parametrize("options", [(), ("--missing", "imputation"), ("--derive", "rolling")])
def test_on_the_same_file_it_is_one_longer_training(run, words, fit_trees, options):
    rng = np.random.default_rng(0)
    table = words.assign(size=rng.normal(size=len(words)).round(3))
    table.loc[rng.random(len(table)) < 0.05, "letter"] = None
    table.to_csv("train.csv", index=False)
    fit_trees("--iterations", 3, "--window", "1,0", *options, to="short.npz")
    fit_trees("--iterations", 7, "--window", "1,0", *options, to="long.npz")
    code, out, err = run("fit", "train.csv", "-o", "more.npz", "--continue", "short.npz", "--iterations", 4)
    assert (code, out) == (0, "Wrote more.npz. Next: treecrf evaluate more.npz TEST_FILE\n")
    assert "4 iterations after the 3 of short.npz, on this file alone." in err
    more, long = (run("predict", name, "train.csv", "--probabilities")[1] for name in ("more.npz", "long.npz"))
    assert more == long
    origin = TableLabeller.load("more.npz").origin
    assert (origin.file, origin.n_sequences) == ("train.csv, train.csv", 120)
    assert origin.options["iterations"] == "7"


def test_rows_count_what_they_weigh(run, words, fit_trees):
    table = words.assign(w=np.random.default_rng(0).integers(0, 3, len(words)))
    table.to_csv("train.csv", index=False)
    weights = ("--weights", "w")
    fit_trees("--iterations", 3, "--window", "1,0", *weights, to="short.npz")
    fit_trees("--iterations", 5, "--window", "1,0", *weights, to="long.npz")
    more = ("--continue", "short.npz", "--iterations", 2)
    assert run("fit", "train.csv", "-o", "more.npz", *more, *weights)[0] == 0
    code, _, err = run("fit", "train.csv", "-o", "same.npz", *more)
    assert (code, "All rows count the same; those of the first training had weights ('w')." in err) == (0, True)
    names = ("long.npz", "more.npz", "same.npz")
    expected, weighed, others = (run("predict", name, "train.csv", "--probabilities")[1] for name in names)
    assert weighed == expected != others


def test_further_sequences_change_the_model(run, words, fit_trees):
    """A rule that the first file contradicts is learnt from the second one."""
    words.to_csv("train.csv", index=False)
    words.assign(label=words["label"].replace({"u": "v", "v": "u"})).to_csv("new.csv", index=False)
    fit_trees("--iterations", 3, "--window", "1,0", to="m.npz")
    assert run("fit", "new.csv", "-o", "m2.npz", "--continue", "m.npz", "--iterations", 30)[0] == 0
    assert treecrf.load("m2.npz").n_iterations == 33
    _, before, _ = run("evaluate", "m.npz", "new.csv")
    _, after, _ = run("evaluate", "m2.npz", "new.csv")
    points = [float(text.split("accuracy ")[1].split(" %")[0]) for text in (before, after)]
    assert points[1] > points[0] + 30


def test_what_cannot_go_on_is_said(run, words, fit_trees):
    words.to_csv("train.csv", index=False)
    words.assign(label="other").to_csv("other.csv", index=False)
    assert run("fit", "train.csv", "-o", "l.npz", "--method", "linear_crf", "--derive", "none")[0] == 0
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--continue", "l.npz")
    assert (code, "l.npz is of the class LinearCRF, whose training cannot go on" in err) == (1, True)
    fit_trees("--iterations", 2, to="t.npz")
    code, _, err = run("fit", "other.csv", "-o", "m.npz", "--continue", "t.npz")
    assert (code, "the model was not trained with the label 'other'" in err) == (1, True)
    options = ("--order", 2, "--seed", 0)
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--continue", "t.npz", *options)
    shown = " ".join(err.replace("│", " ").split())
    assert (code, "--order, --seed: the model has decided that already" in shown) == (2, True)
    assert run("fit", "train.csv", "train.csv", "-o", "m.npz", "--continue", "t.npz")[0] == 2
