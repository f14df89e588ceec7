"""The command line: one sentence for whatever is wrong, and nothing half-written."""

import io
import sys
from pathlib import Path

import pytest

import treecrf


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "table t.csv is empty or its first line has no column names; give it some."),
        ("t.csv", "sequence,label,x\n", "table t.csv: the table has no rows; give at least one sequence."),
        (
            "t.csv",
            "sequence,x\na,1\n",
            "table t.csv has no column 'label'; its columns are 'sequence', 'x'; name yours by --sequence, --label",
        ),
        ("t.csv", "sequence,label,x,x\na,u,1,1\n", "table t.csv: column 'x' appears twice; rename one."),
        (
            "t.csv",
            "sequence,label,x\na,u,1\nb,v,1\na,u,2\n",
            "table t.csv, line 4: row 2, column 'sequence': sequence 'a'",
        ),
        (
            "t.csv",
            "sequence,label,x\na,u,1\na,,2\na,v,1\n",
            "table t.csv, line 3: row 1, column 'label': an empty label",
        ),
        ("t.csv", "sequence,label,x\na,u,1\nb,u,2\n", "table t.csv, column 'label': every label is 'u'"),
        ("t.csv", b"sequence,label,x\na,\xc3\xa4,\xff\n", "table t.csv, line 2: not readable as UTF-8"),
        ("t.conll", "a N B\nb N\n", "table t.conll, line 2: 2 cells, but the first row (line 1) has 3;"),
        ("t.conll", b"a \xc3\xa4 B\nb \xff O\n", "table t.conll, line 2: not readable as UTF-8"),
        ("t.conll", "\n# nothing\n", "table t.conll has no rows; give one line per observation."),
        ("t.parquet", "no", "table t.parquet is not a readable Parquet file"),
    ],
)
def test_wrong_training_files(run, write, name, text, message):
    write(name, text)
    code, out, err = run("fit", name, "-o", "m.npz")
    assert (code, out) == (1, "")
    assert err.startswith(f"treecrf: {message}")
    assert err.count("\n") == 1
    assert not Path("m.npz").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sequence,label,noise\na,u,0\n",
            "has no column 'letter'; its columns are 'sequence', 'label', 'noise'; give it the columns that the model",
        ),
        ("sequence,label,letter,noise\na,,a,0\n", "no labels in a column 'label'"),
    ],
)
def test_wrong_files_to_evaluate(run, model, write, text, message):
    write("test.csv", text)
    code, out, err = run("evaluate", model, "test.csv")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


def test_new_labels_are_errors(run, model, write):
    write("test.csv", "sequence,label,letter,noise\na,u,a,0\na,z,b,1\nb,z,a,0\nb,y,a,1\n")
    code, out, err = run("evaluate", model, "test.csv")
    assert code == 0
    assert "model.npz was not trained with 2 labels of the file: 'z', 'y' (3 positions); they count as errors" in err
    assert "but log loss and log likelihood are of the other positions." in err
    assert "accuracy 25.00 % on 4 positions" in out
    assert out.split("By label")[1].count("\nz ") == 2  # by label, and in the confusion
    code, _, err = run("explain", model, "test.csv")
    assert (code, "Labels that training did not have count as errors: 'z', 'y'." in err) == (0, True)


def test_unknown_label_does_not_hinder_prediction(run, model, write):
    write("new.csv", "sequence,label,letter,noise\na,z,a,0\na,,q,0\na,,Q,0\na,,q,0\n")
    code, out, err = run("predict", model, "new.csv")
    assert (code, len(out.splitlines())) == (0, 5)
    assert "new.csv differs from the training table" in err
    assert err.splitlines()[-1].split() == ["'letter'", "3", "of", "4", "cells", "'q',", "'Q'"]


def test_taken_column(run, model, write):
    write("new.csv", "sequence,predicted,letter,noise\na,z,a,0\n")
    code, _, err = run("predict", model, "new.csv")
    assert (code, "has a column 'predicted' already" in err) == (1, True)


def test_wrong_models(run, model, tmp_path):
    assert run("predict", "train.csv", "train.csv")[::2] == (
        1,
        "treecrf: train.csv is no model file; the model that treecrf fit wrote comes first.\n",
    )
    assert "model nosuch.npz does not exist" in run("predict", "nosuch.npz", "train.csv")[2]
    assert f"model {tmp_path} is a folder; name a file." in run("predict", tmp_path, "train.csv")[2]
    treecrf.load(model).save(tmp_path / "bare.npz")
    assert "does not say which columns it reads" in run("predict", "bare.npz", "train.csv")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "train.csv"),
        ("fit", "train.csv", "-o", "m.npz", "--window", "3"),
        ("fit", "train.csv", "-o", "m.npz", "--window", "\u00b2,0"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "nosuch"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--max-leaves", "5"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--experts", "treecrf"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--missing", "default_direction"),
        ("fit", "train.csv", "-o", "m.npz", "--iterations", "0"),
        ("fit", "train.csv", "-o", "m.bin"),
        ("fit", "train.csv", "-o", "m.npz", "--held-out", "0.2"),
        ("fit", "train.csv", "-o", "m.npz", "--experts", "linear_crf"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "memm", "--window", "auto"),
        ("explain", "m.npz", "train.csv", "--position", "1", "--id", "2", "--row", "3"),
        ("explain", "m.npz", "train.csv", "--row", "3"),
        ("predict", "m.npz", "train.csv", "-o", "out.xls"),
        ("predict", "m.npz", "train.csv", "--decoder", "nosuch"),
        ("nosuch",),
    ],
)
def test_wrong_usage(run, table, arguments):
    assert run(*arguments)[0] == 2


def test_place_that_cannot_be_written(run, table):
    code, _, err = run("fit", "train.csv", "-o", "nosuch/m.npz", "--method", "treecrf_newton")
    assert (code, "nosuch for m.npz does not exist; make it first." in err) == (1, True)


def test_inputs_are_not_replaced(run, model, write):
    before = {name: Path(name).read_bytes() for name in (model, "train.csv")}
    Path("link.npz").symlink_to("train.csv")
    Path("link.csv").hardlink_to(model)
    for arguments in (
        ("fit", "train.csv", "-o", "link.npz"),
        ("predict", model, "train.csv", "-o", "./train.csv"),
        ("predict", model, "train.csv", "-o", "link.csv"),
    ):
        code, _, err = run(*arguments)
        assert (code, "which the output would replace; choose another place." in err) == (1, True)
    assert before == {name: Path(name).read_bytes() for name in before}


def test_windows_end_with_the_sequences(table, fit_trees):
    err = fit_trees("--window", f"1,{10**12}", "--iterations", 2)
    assert treecrf.load("m.npz").window == (1, 9)
    assert "No sequence has more than 10 observations: the window is 1,9." in err


def test_windows_that_are_too_large(run, write):
    write("t.csv", "sequence,label,x\n" + "".join(f"a,{'uv'[i % 2]},{i % 3}\n" for i in range(70_000)))
    code, _, err = run("fit", "t.csv", "-o", "m.npz", "--method", "treecrf_newton", "--window", "69000,69000")
    assert (code, "cells, too many; give a smaller --window." in err) == (1, True)


def test_more_threads_than_processors(run, table, monkeypatch, fit_trees):
    monkeypatch.setattr("treecrf.cli.shared.n_processors", lambda: 1)
    fit_trees("--iterations", 1, "--threads", 10**6)
    assert treecrf.load("m.npz").n_threads == 1


def test_memory_that_is_not_enough(run, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("treecrf.readers.reading.read_table", fail)
    code, out, err = run("describe", "t.csv")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("treecrf: out of memory;")


def test_output_that_is_not_utf8(write, run, fit_trees, monkeypatch):
    write("t.csv", "sequence,label,x\n" + "a,\u03b1,p\na,u,q\n" * 5)
    fit_trees("--iterations", 1, file="t.csv")
    for command, shown in (("describe t.csv", "Missing cells"), ("predict m.npz t.csv", "a,\u03b1,p,")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(*command.split())[0] == 0
        stream.flush()
        assert shown in stream.buffer.getvalue().decode()
