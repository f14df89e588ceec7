"""``treecrf predict`` with more than labels: best paths, constraints, known labels, lags."""

import numpy as np
import pandas as pd
import pytest

from treecrf import TreeCRF
from treecrf.automl.labeller import TableLabeller
from treecrf.readers.tables import TableColumns
from treecrf.sequences import SequenceSet


def tags():
    """Sentences of random words whose tags follow no rule, so that a chain gives some that are no entities."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 4, 120)
    labels = np.where(words == 3, 0, rng.integers(0, 3, 120))
    return SequenceSet(words[:, None], np.arange(0, 121, 4), [("word", "abcd")], labels, ("O", "B-x", "I-x"))


@pytest.fixture
def tagged(run, tmp_path):
    """A model and a file of its training set; the fixture `run` has gone to their folder."""
    data = tags()
    labeller = TreeCRF(n_iterations=3, max_leaves=3, window=(1, 1)).fit(data)
    TableLabeller(labeller, TableColumns("sequence", "label", ("word",))).save("m.npz")
    data.to_frame().to_csv("t.csv", index=False)
    return labeller, data


def written(run, *options):
    assert run("predict", "m.npz", "t.csv", "-o", "out.csv", *options)[0] == 0
    return pd.read_csv("out.csv", keep_default_na=False, na_values=[""])


def test_n_best(run, tagged):
    labeller, data = tagged
    found = written(run, "--n-best", 3)
    expected = labeller.predict_n_best(data, 3)
    names = ["path_probability", "predicted_2", "path_probability_2", "predicted_3", "path_probability_3", "predicted"]
    assert list(found.columns)[-6:] == names
    for rank, suffix in enumerate(("", "_2", "_3")):
        assert (found[f"predicted{suffix}"] == np.array(labeller.label_names_)[expected.labels[rank]]).all()
        probability = np.exp(expected.log_probabilities[rank]).repeat(4)
        np.testing.assert_allclose(found[f"path_probability{suffix}"], probability, rtol=1e-9)


def test_sequences_with_fewer_paths_have_empty_cells(run, tagged, write):
    write("t.csv", "sequence,word\ns,a\n")
    found = written(run, "--n-best", 4)
    assert set(found.loc[0, ["predicted", "predicted_2", "predicted_3"]]) == {"O", "B-x", "I-x"}
    assert found[["predicted_4", "path_probability_4"]].isna().all(axis=None)


def test_constraints_known_labels_and_probabilities(run, tagged):
    labeller, data = tagged
    frame = data.to_frame()
    known = np.where(np.arange(120) % 10 == 1, 1, -1)
    frame["tag"] = np.where(known == 1, "B-x", "")
    frame.to_csv("t.csv", index=False)
    found = written(run, "--constraints", "bio", "--known", "tag", "--probabilities", "--decoder", "viterbi")
    limits = {"constraints": "bio", "known": known}
    names = np.array(labeller.label_names_)
    assert (found["predicted"] == names[labeller.predict(data, "viterbi", **limits)]).all()
    np.testing.assert_allclose(
        found[["P(O)", "P(B-x)", "P(I-x)"]], labeller.predict_proba(data, **limits), rtol=1e-9, atol=1e-12
    )
    assert (found["predicted"][known == 1] == "B-x").all()
    before = np.where(np.arange(120) % 4, np.roll(found["predicted"], 1), "O")
    assert not ((found["predicted"] == "I-x") & (before == "O")).any()
    free = labeller.predict(data, "viterbi")
    assert (free != labeller.predict(data, "viterbi", **limits)).any()


def test_spans_of_a_loaded_model_are_those_of_the_command(run, tagged):
    """As docs/serving.md does."""
    labeller, data = tagged
    TableLabeller(labeller, TableColumns("sequence", "label", ("word",)), constraints="bio").save("m.npz")
    model, names = TableLabeller.load("m.npz"), labeller.label_names_
    decoded = []
    for _, rows in data.to_frame().groupby("sequence"):
        [probabilities] = model.labeller.predict_proba([rows[["word"]].to_dict("records")])
        decoded += [names[code] for code in model.metric.decode(probabilities, np.array([0, len(rows)]), names)]
    assert written(run)["predicted"].tolist() == decoded
    assert decoded != [names[code] for code in model.labeller.predict(data)]


def test_known_labels_and_best_paths_of_a_model_of_spans_are_possible(run, tagged):
    labeller, data = tagged
    TableLabeller(labeller, TableColumns("sequence", "label", ("word",)), constraints="bio").save("m.npz")
    frame = data.to_frame()
    frame["tag"] = np.where(np.arange(120) % 4 == 1, "B-x", "")
    frame.to_csv("t.csv", index=False)
    names = np.array(labeller.label_names_)
    best = labeller.predict_n_best(data, 2, constraints="bio").labels
    found = written(run, "--n-best", 2)
    assert (names[best] == found[["predicted", "predicted_2"]].to_numpy().T).all()
    found = written(run, "--known", "tag")["predicted"].to_numpy().reshape(-1, 4)
    assert (found[:, 1] == "B-x").all()
    assert not ((found[:, 0] == "I-x") | ((found[:, 2] == "O") & (found[:, 3] == "I-x"))).any()
    free = written(run, "--n-best", 2, "--decoder", "viterbi")
    assert (free["predicted"] == names[labeller.predict_n_best(data, 2).labels[0]]).all()


def test_lag(run, tagged):
    labeller, data = tagged
    found = written(run, "--lag", 1)
    assert (found["predicted"] == np.array(labeller.label_names_)[labeller.predict(data, lag=1)]).all()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "sequence,word,tag\ns,a,O\ns,b,I-x\n",
            ("--known", "tag", "--constraints", "bio"),
            "table t.csv, line 3: row 1, column 'sequence': no labelling of its sequence is left here, all are "
            "forbidden; correct the "
            "labels that are known, or leave the constraints out (decoder, where they are the model's).",
        ),
        (
            "sequence,word,tag\ns,a,\ns,b,X\n",
            ("--known", "tag"),
            "table t.csv, line 3: row 1, column 'tag': the model was not trained with the label 'X' (it knows O, "
            "B-x, I-x); correct it, "
            "or empty the cell.",
        ),
        (
            "sequence,word\ns,a\n",
            ("--known", "tag"),
            "table t.csv has no column 'tag'; its columns are 'sequence', 'word'; name the column with known labels "
            "by --known.",
        ),
        (
            "sequence,word\ns,a\n",
            ("--constraints", "iob"),
            "the scheme 'iob' is not known; choose one of bio, bioes, bilou, bmes.",
        ),
        (
            "sequence,word\ns,a\n",
            ("--lag", 0),
            "lag=0: give a whole number of observations, at least the 1 that the labeller sees after a position.",
        ),
        (
            "sequence,word\ns,a\n",
            ("--lag", 2, "--n-best", 2),
            "lag: whole paths are known at the end alone; leave lag out, or choose decoder='forward_backward'.",
        ),
        (
            "sequence,word,predicted_2\ns,a,b\n",
            ("--n-best", 2),
            "table t.csv has a column 'predicted_2' already, which predictions would be called; rename it.",
        ),
    ],
)
def test_wrong_input(run, tagged, write, text, options, message):
    write("t.csv", text)
    code, out, err = run("predict", "m.npz", "t.csv", *options)
    assert (code, out, err.splitlines()[-1]) == (1, "", f"treecrf: {message}")


def test_wrong_usage(run, tagged):
    assert run("predict", "m.npz", "t.csv", "--n-best", 0)[0] == run("predict", "m.npz", "t.csv", "--lag", -1)[0] == 2
