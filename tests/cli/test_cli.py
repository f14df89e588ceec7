"""The command line: what each command prints and writes, and one sentence for whatever is wrong."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from typer.testing import CliRunner

import treecrf
from treecrf import SequenceSet, TreeCRF
from treecrf.cli import app, main
from treecrf.datasets.columns import read_columns, write_columns
from treecrf.datasets.table import read_table
from treecrf.missing import inject
from treecrf.tabular.columns import RARE, TableColumns
from treecrf.tabular.labeller import TableLabeller

COMMANDS = ("fit", "predict", "evaluate", "describe", "missing")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs a command in a folder of its own; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["treecrf", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capsys.readouterr()
        return caught.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


@pytest.fixture(scope="session")
def words():
    """Labels that the letter before decides: a window of one before tells all."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, 600)
    before = np.where(np.arange(600) % 10, np.roll(values, 1), 0)
    frame = pd.DataFrame({"sequence": np.repeat(np.arange(60), 10), "label": np.array(["u", "v", "w"])[before]})
    return frame.assign(letter=np.array(["a", "b", "c"])[values], noise=rng.integers(0, 2, 600).astype(str))


@pytest.fixture
def table(words, tmp_path):
    words.to_csv(tmp_path / "train.csv", index=False)
    return tmp_path / "train.csv"


@pytest.fixture
def model(run, table):
    assert run("fit", "train.csv", "-o", "model.npz", "--iterations", 5, "--window", "1,0")[0] == 0
    return "model.npz"


# --- help -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(app, [command, "--help"], prog_name="treecrf")
    assert result.exit_code == 0
    assert f"treecrf {command} " in result.output.split("Examples")[1]
    assert max(map(len, result.output.splitlines())) <= 80


def test_module_starts_without_kernels():
    code = (
        "import sys; from treecrf.cli import app; print([m for m in ('numba', 'pandas', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_python_m_treecrf(table):
    command = [sys.executable, "-W", "error::UserWarning", "-m", "treecrf", "describe", str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "60 sequences, 600 labelled positions, 600 rows." in done.stdout
    wrong = subprocess.run([*command[:-1], "nosuch.csv"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr) == (1, "treecrf: table nosuch.csv does not exist; correct the path.\n")


def test_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"treecrf": "treecrf.cli:main"}


# --- what commands do -------------------------------------------------------------------------------


def test_predictions_are_those_of_the_labeller(run, model, words, table):
    code, out, _ = run("predict", model, "train.csv", "-o", "out.csv", "--probabilities")
    assert (code, out) == (0, "Wrote out.csv: 600 rows.\n")
    written = pd.read_csv("out.csv", dtype={"noise": str})
    pd.testing.assert_frame_equal(written[list(words.columns)], words)
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    same = TreeCRF(n_iterations=5, window=(1, 0)).fit(data)
    np.testing.assert_array_equal(written["predicted"], np.array(same.label_names_)[same.predict(data)])
    np.testing.assert_allclose(written[["P(u)", "P(v)", "P(w)"]], same.predict_proba(data), rtol=1e-12)
    assert (treecrf.load(model).predict(data) == same.predict(data)).all()


def test_predict_needs_no_labels_and_keeps_the_order(run, model, words, tmp_path):
    words.drop(columns="label")[["noise", "letter", "sequence"]].to_parquet(tmp_path / "new.parquet")
    assert run("predict", model, "new.parquet", "-o", "new_out.parquet", "--decoder", "viterbi")[0] == 0
    out = pd.read_parquet("new_out.parquet")
    assert list(out.columns) == ["noise", "letter", "sequence", "predicted"]
    assert (out["letter"] == words["letter"]).all()
    assert (out["predicted"] == words["label"]).all()


def test_evaluate(run, model):
    code, out, err = run("evaluate", model, "train.csv")
    assert (code, err) == (0, "")
    model_ = TableLabeller.load(model)
    data = model_.read(read_table("train.csv"), "train.csv", labelled=True)
    assert f"{model_.labeller.score(data):.2%} of 600 positions are right." in out
    assert f"{model_.labeller.log_likelihood(data).sum() / 600:.4f} per position" in out
    assert re.search(r"label +precision +recall +f1 +positions", out)


def test_two_models_are_compared(run, model):
    assert (
        run("fit", "train.csv", "-o", "poor.npz", "--iterations", 5, "--window", "0,0", "--attributes", "noise")[0] == 0
    )
    code, out, _ = run("evaluate", "poor.npz", model, "train.csv")
    assert code == 0
    assert re.search(
        r"model\.npz is \d+\.\d\d points better than poor\.npz: .* p = <0\.001, by sequence p = <0\.001", out
    )
    assert run("evaluate", model, model, "train.csv")[0] == 2


def test_models_of_other_labels_are_not_compared(run, model):
    assert run("fit", "train.csv", "-o", "n.npz", "--iterations", 1, "--label", "noise")[0] == 0
    code, out, err = run("evaluate", model, "n.npz", "train.csv")
    assert (code, out) == (1, "")
    assert err == "treecrf: n.npz reads other sequences or labels from train.csv than model.npz; compare them apart.\n"


def test_held_out_sequences_choose_the_iteration(run, table):
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--iterations", 12, "--window", "1,0", "--held-out", "0.25")
    assert code == 0
    chosen = int(re.search(r"(\d+) iterations chosen: \d+\.\d\d% of the positions of 15 held-out", err)[1])
    assert treecrf.load("m.npz").n_iterations == chosen <= 12


@pytest.mark.parametrize(
    "options",
    [
        ("--method", "linear_crf"),
        ("--method", "linear_crf", "--missing", "indicator"),
        ("--missing", "imputation"),
        ("--missing", "surrogate_splitting"),
        ("--method", "memm"),
        ("--method", "neural_network", "--iterations", 60),
    ],
)
def test_every_way_with_holes_comes_back(run, words, tmp_path, options):
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    inject(data, 0.2, np.random.default_rng(1)).to_frame().to_csv(tmp_path / "holes.csv", index=False)
    code, _, err = run("fit", "holes.csv", "-o", "m.npz", "--iterations", 5, "--window", "1,0", *options)
    assert (code, "missing cells" in err) == (0, True)
    code, out, err = run("predict", "m.npz", "holes.csv")
    assert (code, err, len(out.splitlines())) == (0, "", 601)
    loaded = TableLabeller.load("m.npz")
    data = loaded.read(read_table("holes.csv"), "holes.csv", labelled=True)
    assert loaded.labeller.score(data) > 0.6
    assert (loaded.holes is None) == (not {"linear_crf", "neural_network", "imputation"} & set(options))


def test_describe_names_holes_and_numbers(run, write):
    rows = "".join(f"{i // 2},{'uv'[i % 2]},{i / 7},\n" for i in range(60))
    write("numbers.csv", "sequence,label,size,nothing\n" + rows)
    code, out, err = run("describe", "numbers.csv")
    assert code == 0
    assert "Missing cells: 60 of 120 (50.0%)." in out
    assert "Column 'size' holds 60 different numbers" in err
    assert "Column 'nothing' is empty everywhere" in err


def test_describe_model_shows_the_tests_that_matter(run, model):
    code, out, _ = run("describe", model)
    assert code == 0
    assert "15 trees" in out
    first = out.split("Most used tests")[1].splitlines()[2]
    assert first.startswith(("letter 1 before", "label 1 before"))


def test_missing_recommends_with_evidence(run, words, tmp_path):
    words.to_csv(tmp_path / "train.csv", index=False)
    code, out, _ = run("missing", "train.csv", "--quick", "--rates", "0.3", "--window", "1,0", "--report", "report")
    assert code == 0
    assert re.search(r"treecrf fit train\.csv -o model\.npz --missing \w+", out)
    accuracy = (
        pd.read_csv("report/evaluations.csv").query("rate == 0.3").groupby("method")[["n_correct", "n_positions"]].sum()
    )
    for method, percent in (100 * accuracy["n_correct"] / accuracy["n_positions"]).items():
        line = next(line for line in out.splitlines() if line.startswith(method.replace("_", " ")))
        assert f"{percent:.1f}" in line
    assert (tmp_path / "report/guide.md").read_text().startswith("# Missing values")
    assert (tmp_path / "report/tables/effects.html").is_file()


# --- columns ----------------------------------------------------------------------------------------


def test_columns_file(write, tmp_path):
    frame = read_columns(write("a.conll", "\ufeff# made by hand\na N B\r\nb _ I\n\n\n# c\n# # O\nc V O"))
    assert frame.index.tolist() == [2, 3, 7, 8]
    assert frame.to_numpy().tolist() == [
        ["0", "a", "N", "B"],
        ["0", "b", None, "I"],
        ["1", "#", "#", "O"],
        ["1", "c", "V", "O"],
    ]
    write_columns(frame, tmp_path / "b.txt")
    pd.testing.assert_frame_equal(read_table(tmp_path / "b.txt").reset_index(drop=True), frame.reset_index(drop=True))


def test_columns_file_with_tabs_has_spaces_in_cells(write):
    frame = read_columns(write("a.conllu", "# text = New York\nNew York\t\tB\n"))
    assert frame.to_numpy().tolist() == [["0", "New York", None, "B"]]


def test_no_break_spaces_are_part_of_a_cell(write):
    frame = read_columns(write("a.conll", "10\u00a0000  N B\n\u3000 \t V I \n \t \n\u00a0 N B\n"))
    assert frame.to_numpy().tolist() == [
        ["0", "10\u00a0000", "N", "B"],
        ["0", "\u3000", "V", "I"],
        ["1", "\u00a0", "N", "B"],
    ]


def test_columns_file_in_the_workflow(write):
    path = write("a.conll", "a N B\nb V I\n\nc N B\n\nd V B\n")
    train, test = treecrf.datasets.load("table", path=path)
    assert (len(train), len(test), train.label_names) == (2, 1, ("B", "I"))
    assert [attribute.name for attribute in train.attributes] == ["1", "2"]


def test_columns_file_through_all(run, write):
    write("a.conll", "".join(f"{'ab'[i % 2]} x {'BO'[i % 2]}\n" + "\n" * (i % 4 == 3) for i in range(40)))
    assert run("fit", "a.conll", "-o", "m.npz", "--iterations", 3)[0] == 0
    assert run("evaluate", "m.npz", "a.conll")[1].startswith("m.npz: 100.00% of 40")
    write("new.conll", "a x\nb x\n\na x\n")
    assert run("predict", "m.npz", "new.conll", "-o", "out.conll")[0] == 0
    assert Path("out.conll").read_text() == "a\tx\tB\nb\tx\tO\n\na\tx\tB\n"


# --- columns of numbers, columns of too many values --------------------------------------------------


def test_bins():
    frame = pd.DataFrame({"x": ["0", "1", "2", "3", None, "4", "5", "6", "7"], "y": ["a"] * 9})
    columns = TableColumns.learn(frame, "s", "l", ["x", "y"], n_bins=4)
    assert columns.edges == {"x": (1.75, 3.5, 5.25)}
    binned = columns.apply(frame, "f.csv")["x"].tolist()
    names = ["0: under 1.75", "1: 1.75 to 3.5", "2: 3.5 to 5.25", "3: from 5.25"]
    assert binned == [names[0], names[0], names[1], names[1], None, names[2], names[2], names[3], names[3]]


def test_bins_are_remembered(run, write):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{i % 100}\n" for i in range(400))
    write("n.csv", "sequence,label,size\n" + rows)
    assert run("fit", "n.csv", "-o", "m.npz", "--bins", 4, "--iterations", 5)[0] == 0
    write("new.csv", "sequence,size\na,-3.5\nb,1e6\nc,\n")
    out = run("predict", "m.npz", "new.csv")[1].splitlines()
    assert (out[1], out[2]) == ("a,-3.5,u", "b,1e6,v")
    assert out[3] in ("c,,u", "c,,v")  # no training cell was empty, and yet the model labels one
    write("wrong.csv", "sequence,size\na,3\na,tall\n")
    code, _, err = run("predict", "m.npz", "wrong.csv")
    assert code == 1
    assert err.startswith("treecrf: table wrong.csv, line 3: row 1, column 'size': 'tall' is not a number")


@pytest.mark.parametrize("mark", ["NA", "nan", "inf"])
def test_marks_of_missing_numbers(run, write, mark):
    rows = "".join(f"{i // 4},{'vu'[i % 100 < 50]},{mark if i % 10 == 7 else i % 100}\n" for i in range(400))
    write("n.csv", "sequence,label,size\n" + rows)
    code, _, err = run("fit", "n.csv", "-o", "m.npz", "--bins", 4)
    assert (code, err) == (
        1,
        f"treecrf: table n.csv, line 9: row 7, column 'size': '{mark}' is not a number, and --bins cuts columns of numbers; "
        "empty it if it is missing.\n",
    )
    assert run("describe", "n.csv")[2] == (
        f"Column 'size' holds numbers and '{mark}' (40 cells); empty those cells if they are missing.\n"
    )


def test_values_that_differ_by_white_space(run, write):
    write("t.csv", "sequence,label,x\na,u,p\na,u ,q\na,v, p\n")
    assert run("describe", "t.csv")[2].splitlines() == [
        "Column 'label' has both 'u' and 'u ', which are two values; make them one if the white space means nothing.",
        "Column 'x' has both ' p' and 'p', which are two values; make them one if the white space means nothing.",
    ]


def test_describe_takes_what_fit_takes(run, write):
    write("words.csv", "sequence,label,word\n" + "".join(f"{i // 10},u,w{i}\n" for i in range(40_000)))
    code, out, err = run("describe", "words.csv")
    assert (code, "40,000" in out) == (0, True)
    assert err.startswith("Column 'word' has 40,000 different values; treecrf fit keeps the 253 commonest")


def test_too_many_values():
    frame = pd.DataFrame({"word": [str(i) for i in range(300)] + ["common", "common", None]})
    columns = TableColumns.learn(frame, "s", "l", ["word"])
    assert (len(columns.kept["word"]), columns.kept["word"][0]) == (253, "common")
    changed = columns.apply(frame, "f.csv")["word"]
    assert (changed == RARE).sum() == 300 - 252
    assert changed.iloc[-1] is None or pd.isna(changed.iloc[-1])


# --- the same values in files of all kinds ------------------------------------------------------------


@pytest.fixture
def numbered():
    """Sequences that a number before decides: 300 different ones, two common ones, a few fractions; labels 0.0 and 1.0."""
    rng = np.random.default_rng(2)
    x = np.where(rng.random(900) < 0.6, rng.integers(0, 2, 900), np.arange(900) % 300)
    before = np.where(np.arange(900) % 10, np.roll(x, 1) % 2, 0)
    return pd.DataFrame({"sequence": np.repeat(np.arange(90), 10), "label": before, "x": x})


@pytest.mark.parametrize("options", [(), ("--bins", 5)])
def test_the_same_values_are_the_same_in_every_file(run, numbered, tmp_path, options):
    numbered.to_parquet(tmp_path / "train.parquet")
    assert run("fit", "train.parquet", "-o", "m.npz", "--iterations", 3, "--window", "1,0", *options)[0] == 0
    hole = numbered["x"].astype("Int64").where(numbered.index > 0)
    plain = numbered.assign(x=hole)
    plain.to_csv(tmp_path / "a.csv", index=False)
    plain.to_parquet(tmp_path / "b.parquet")
    plain.astype({"x": float, "label": float}).to_parquet(tmp_path / "c.parquet")
    plain.astype({"x": "category"}).set_index(np.zeros(900, dtype=int)).to_parquet(tmp_path / "d.parquet")
    found = []
    for name in ("a.csv", "b.parquet", "c.parquet", "d.parquet"):
        code, _, err = run("predict", "m.npz", name, "-o", "out.csv")
        assert (code, err) == (0, "")
        found.append(Path("out.csv").read_text())
        assert run("evaluate", "m.npz", name)[::2] == (0, "")
    assert found == found[:1] * 4
    numbered.iloc[:5].to_parquet(tmp_path / "e.parquet")
    assert run("predict", "m.npz", "e.parquet")[::2] == (0, "")


def test_floats_are_the_same_whatever_stands_beside_them(run, tmp_path):
    frame = pd.DataFrame({"sequence": [0, 0, 1, 1] * 10, "label": [0.0, 1.0] * 20, "x": [1.0, 2.5, 1.0, 2.0] * 10})
    frame = frame.sort_values("sequence", kind="stable")  # the index is out of order
    frame.to_parquet(tmp_path / "t.parquet")
    frame[frame["x"] != 2.5].to_parquet(tmp_path / "whole.parquet")
    assert run("fit", "t.parquet", "-o", "m.npz", "--iterations", 3, "--window", "0,0")[0] == 0
    assert run("evaluate", "m.npz", "t.parquet")[::2] == (0, "")
    assert run("predict", "m.npz", "whole.parquet", "-o", "out.parquet")[::2] == (0, "")
    out = pd.read_parquet("out.parquet")
    assert set(out["predicted"]) == {"0", "1"}
    assert out.dtypes.iloc[:3].tolist() == frame.dtypes.tolist()  # as the file has them


def test_errors_count_the_rows_of_parquet(run, tmp_path):
    frame = pd.DataFrame({"sequence": [9, 8, 7, 9], "label": ["u", "v", "u", "v"], "x": ["a", "b", "a", "b"]})
    frame.set_index(np.array([57, 58, 57, 60])).to_parquet(tmp_path / "t.parquet")
    assert run("fit", "t.parquet", "-o", "m.npz")[2].startswith("treecrf: table t.parquet: row 3, column 'sequence'")


@pytest.mark.parametrize("suffix", [".CSV", ".TSV", ".PARQUET"])
def test_suffixes_in_capitals(run, model, words, tmp_path, suffix):
    assert run("predict", model, "train.csv", "-o", f"out{suffix}")[0] == 0
    again = read_table(tmp_path / f"out{suffix}").drop(columns="predicted")
    assert again.to_numpy().tolist() == words.astype(str).to_numpy().tolist()


# --- what can be wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "table t.csv is empty or its first line has no column names; give it some."),
        ("t.csv", "sequence,label,x\n", "table t.csv: the table has no rows; give at least one sequence."),
        ("t.csv", "sequence,x\na,1\n", "table t.csv has no column 'label'; its columns are 'sequence', 'x'."),
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
        ("t.csv", b"sequence,label,x\na,u,\xff\n", "table t.csv, line "),
        ("t.conll", "a N B\nb N\n", "columns file t.conll, line 2: 2 cells, but the first row (line 1) has 3;"),
        ("t.conll", b"a N B\nb \xff O\n", "columns file t.conll, line 2: not readable as UTF-8"),
        ("t.conll", "\n# nothing\n", "columns file t.conll has no rows; give one line per observation."),
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


def test_nan_in_parquet_is_missing(run, tmp_path):
    frame = pd.DataFrame({"sequence": [0, 0, 1, 1], "label": ["u", "v", "u", "v"], "x": [1.0, np.nan, 1.0, 2.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert "Missing cells: 1 of 4 (25.0%)." in run("describe", "t.parquet")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sequence,label,letter,noise\na,u,a,0\na,z,b,1\n",
            "line 3: row 1, column 'label': the model was not trained with",
        ),
        ("sequence,label,noise\na,u,0\n", "has no column 'letter'; its columns are 'sequence', 'label', 'noise'."),
        ("sequence,label,letter,noise\na,,a,0\n", "sequence 0 has no positions; leave it out."),
    ],
)
def test_wrong_files_to_evaluate(run, model, write, text, message):
    write("test.csv", text)
    code, out, err = run("evaluate", model, "test.csv")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


def test_unknown_label_does_not_hinder_prediction(run, model, write):
    write("new.csv", "sequence,label,letter,noise\na,z,a,0\na,,q,0\n")
    code, out, err = run("predict", model, "new.csv")
    assert (code, len(out.splitlines())) == (0, 3)
    assert err.startswith(
        "table new.csv, line 3: row 1, column 'letter': the training table did not have 'q' (1 such cell)"
    )


def test_taken_column(run, model, write):
    write("new.csv", "sequence,predicted,letter,noise\na,z,a,0\n")
    code, _, err = run("predict", model, "new.csv")
    assert (code, "has a column 'predicted' already" in err) == (1, True)


def test_wrong_models(run, model, tmp_path):
    assert run("predict", "train.csv", "train.csv")[::2] == (
        1, "treecrf: train.csv is no model file; the model that treecrf fit wrote comes first.\n",
    )  # fmt: skip
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
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--missing", "default_direction"),
        ("fit", "train.csv", "-o", "m.npz", "--iterations", "0"),
        ("fit", "train.csv", "-o", "m.bin"),
        ("predict", "m.npz", "train.csv", "-o", "out.xls"),
        ("predict", "m.npz", "train.csv", "--decoder", "nosuch"),
        ("missing", "train.csv", "--rates", "1.5"),
        ("nosuch",),
    ],
)
def test_wrong_usage(run, table, arguments):
    assert run(*arguments)[0] == 2


def test_place_that_cannot_be_written(run, table):
    code, _, err = run("fit", "train.csv", "-o", "nosuch/m.npz")
    assert (code, "nosuch for m.npz does not exist; make it first." in err) == (1, True)


def test_inputs_are_not_replaced(run, model, write):
    before = {name: Path(name).read_bytes() for name in (model, "train.csv")}
    write("evaluations.csv", before["train.csv"])
    Path("link.npz").symlink_to("train.csv")
    Path("link.csv").hardlink_to(model)
    for arguments in (
        ("fit", "train.csv", "-o", "link.npz"),
        ("predict", model, "train.csv", "-o", "./train.csv"),
        ("predict", model, "train.csv", "-o", "link.csv"),
        ("missing", "evaluations.csv", "--report", "."),
    ):
        code, _, err = run(*arguments)
        assert (code, "which the output would replace; choose another place." in err) == (1, True)
    assert before == {name: Path(name).read_bytes() for name in before}


def test_windows_end_with_the_sequences(run, table):
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--window", f"1,{10**12}", "--iterations", 2)
    assert (code, treecrf.load("m.npz").window) == (0, (1, 9))
    assert "No sequence has more than 10 observations: the window is 1,9." in err


def test_windows_that_are_too_large(run, write):
    write("t.csv", "sequence,label,x\n" + "".join(f"a,{'uv'[i % 2]},{i % 3}\n" for i in range(70_000)))
    code, _, err = run("fit", "t.csv", "-o", "m.npz", "--window", "69000,69000")
    assert (code, "cells in all, too many; give a smaller --window." in err) == (1, True)


def test_more_threads_than_processors(run, table, monkeypatch):
    monkeypatch.setattr("treecrf.cli._shared.n_processors", lambda: 1)
    assert run("fit", "train.csv", "-o", "m.npz", "--iterations", 1, "--threads", 10**6)[0] == 0
    assert treecrf.load("m.npz").n_threads == 1


def test_memory_that_is_not_enough(run, monkeypatch):
    def fail(_):
        raise MemoryError

    monkeypatch.setattr("treecrf.datasets.table.read_table", fail)
    code, out, err = run("describe", "t.csv")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("treecrf: the memory is not enough for this;")


def test_output_that_is_not_utf8(write, tmp_path, run):
    write("t.csv", "sequence,label,x\n" + "a,\u03b1,p\na,u,q\n" * 5)
    start = [sys.executable, "-m", "treecrf"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run([*start, "describe", "t.csv"], capture_output=True, env=environment, check=False)
    assert (shown.returncode, b"Missing cells" in shown.stdout, shown.stderr) == (0, True, b"")
    assert run("fit", "t.csv", "-o", "m.npz", "--iterations", 1)[0] == 0
    table = subprocess.run([*start, "predict", "m.npz", "t.csv"], capture_output=True, env=environment, check=False)
    assert (table.returncode, table.stdout.decode().splitlines()[1][:6]) == (0, "a,\u03b1,p,")
