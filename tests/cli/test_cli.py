"""The command line: what each command prints and writes, and one sentence for whatever is wrong."""

import os
import re
import shlex
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
from treecrf.cli import app
from treecrf.datasets.reading import read_table
from treecrf.missing import inject
from treecrf.models.labellers import LABELLERS
from treecrf.rendering.style import METHOD_NAMES
from treecrf.tabular.labeller import TableLabeller

COMMANDS = ("fit", "predict", "evaluate", "explain", "describe", "missing")


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
    assert project["scripts"] == {
        "treecrf": "treecrf.cli:main",
        "treecrf-report": "treecrf.report.command:main",
        "treecrf-workflow": "treecrf.cli.workflow:main",
    }


# --- what commands do -------------------------------------------------------------------------------


def test_predictions_are_those_of_the_labeller(run, model, words, table):
    code, out, _ = run("predict", model, "train.csv", "-o", "out.csv", "--probabilities")
    assert (code, out) == (0, "Wrote out.csv: 600 rows.\n")
    written = pd.read_csv("out.csv", dtype={"noise": str})
    pd.testing.assert_frame_equal(written[list(words.columns)], words)
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    same = TreeCRF(**LABELLERS["treecrf_newton"].preset, n_iterations=5, window=(1, 0)).fit(data)
    np.testing.assert_array_equal(written["predicted"], np.array(same.label_names_)[same.predict(data)])
    np.testing.assert_allclose(written[["P(u)", "P(v)", "P(w)"]], same.predict_proba(data), rtol=1e-12)
    assert (treecrf.load(model).predict(data) == same.predict(data)).all()


@pytest.mark.parametrize("options", [(), ("--held-out", 0.3)])
def test_experts_are_stacked(run, table, options):
    given = ("--method", "stacking", "--experts", "linear_crf, sliding_window", "--iterations", 3, "--window", "1,0")
    code, _, err = run(
        "fit", "train.csv", "-o", "stacked.npz", "--method", "treecrf_newton", *given, "--seed", 4, *options
    )
    assert (code, "training: 4 of 4" in err or "training: 10 of 10" in err) == (0, True)
    model = treecrf.load("stacked.npz")
    share = options[1] if options else None
    settings = (model.experts, model.held_out, model.seed, model.window, model.n_iterations)
    assert settings == (("linear_crf", "sliding_window"), share, 4, (1, 0), 3)
    code, out, _ = run("evaluate", "stacked.npz", "train.csv")
    assert (code, "stacked.npz: " in out) == (0, True)


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
        run(
            "fit",
            "train.csv",
            "-o",
            "poor.npz",
            "--method",
            "treecrf_newton",
            "--iterations",
            5,
            "--window",
            "0,0",
            "--attributes",
            "noise",
        )[0]
        == 0
    )
    code, out, _ = run("evaluate", "poor.npz", model, "train.csv")
    assert code == 0
    assert re.search(
        r"model\.npz is \d+\.\d\d points better than poor\.npz: .* by the papers' test p = <0\.001, by a valid test p = <0\.001",
        out,
    )
    assert "too few sequences" not in out
    assert run("evaluate", model, model, "train.csv")[0] == 2


def test_few_sequences_decide_nothing_between_models(run, model):
    words = pd.read_csv("train.csv")
    words[words["sequence"].isin(words["sequence"].unique()[:5])].to_csv("few.csv", index=False)
    assert (
        run(
            "fit",
            "train.csv",
            "-o",
            "poor.npz",
            "--method",
            "treecrf_newton",
            "--iterations",
            1,
            "--attributes",
            "noise",
        )[0]
        == 0
    )
    assert "There are too few sequences for the valid test" in run("evaluate", "poor.npz", model, "few.csv")[1]


def test_models_of_other_labels_are_not_compared(run, model):
    assert (
        run("fit", "train.csv", "-o", "n.npz", "--method", "treecrf_newton", "--iterations", 1, "--label", "noise")[0]
        == 0
    )
    code, out, err = run("evaluate", model, "n.npz", "train.csv")
    assert (code, out) == (1, "")
    assert err == "treecrf: n.npz reads other sequences or labels from train.csv than model.npz; compare them apart.\n"


def test_held_out_sequences_choose_the_iteration(run, table):
    code, _, err = run(
        "fit",
        "train.csv",
        "-o",
        "m.npz",
        "--method",
        "treecrf_newton",
        "--iterations",
        12,
        "--window",
        "1,0",
        "--held-out",
        "0.25",
    )
    assert code == 0
    chosen = int(re.search(r"Chose (\d+) iterations?: \d+\.\d\d% of the positions of the 15 held-out", err)[1])
    assert treecrf.load("m.npz").n_iterations == chosen <= 12


def test_a_method_without_stages_has_no_iteration_to_choose(run, table):
    code, _, err = run("fit", "train.csv", "-o", "m.npz", "--method", "kernel_crf", "--held-out", "0.25")
    assert code == 2
    assert "the method kernel_crf gives its last iteration alone" in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize(
    "options",
    [
        ("--method", "linear_crf"),
        ("--method", "linear_crf", "--missing", "indicator"),
        ("--missing", "imputation"),
        ("--missing", "imputation_indicator"),
        ("--missing", "surrogate_splitting"),
        ("--method", "memm"),
        ("--method", "neural_network", "--iterations", 60),
        ("--method", "kernel_crf", "--variance", 3, "--iterations", 500),
    ],
)
def test_every_way_with_holes_comes_back(run, words, tmp_path, options):
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    inject(data, 0.2, np.random.default_rng(1)).to_frame().to_csv(tmp_path / "holes.csv", index=False)
    code, _, err = run(
        "fit", "holes.csv", "-o", "m.npz", "--method", "treecrf_newton", "--iterations", 5, "--window", "1,0", *options
    )
    assert (code, "missing cells" in err) == (0, True)
    code, out, err = run("predict", "m.npz", "holes.csv")
    assert (code, err, len(out.splitlines())) == (0, "", 601)
    loaded = TableLabeller.load("m.npz")
    data = loaded.read(read_table("holes.csv"), "holes.csv", labelled=True)
    assert loaded.labeller.score(data) > 0.6
    assert (loaded.holes is None) == (
        not {"linear_crf", "neural_network", "kernel_crf", "imputation", "imputation_indicator"} & set(options)
    )


def test_describe_names_holes_and_numbers(run, write):
    rows = "".join(f"{i // 2},{'uv'[i % 2]},{i / 7},\n" for i in range(60))
    write("numbers.csv", "sequence,label,size,nothing\n" + rows)
    code, out, err = run("describe", "numbers.csv")
    assert code == 0
    assert "Missing cells: 60 of 120 (50.0%)." in out
    assert "Numbers: size; categories: nothing (--kinds says otherwise)." in out
    lines = [line.split() for line in out.splitlines()]
    assert lines[lines.index(["number", "missing", "share", "lowest", "median", "highest"]) + 1] == [
        "size", "0", "0.000", "0", "4.214", "8.429",
    ]  # fmt: skip
    assert "Column 'nothing' is empty everywhere" in err


def test_describe_model_shows_the_tests_that_matter(run, model):
    code, out, _ = run("describe", model)
    assert code == 0
    assert "15 trees" in out
    first = out.split("Most used tests")[1].splitlines()[2]
    assert first.startswith(("letter 1 before", "label 1 before"))


def test_missing_recommends_with_evidence(run, words, tmp_path):
    words.rename(columns={"sequence": "the word"}).to_csv(tmp_path / "train.csv", index=False)
    options = ("--sequence", "the word", "--window", "1,0")
    code, out, _ = run("missing", "train.csv", "--quick", "--rates", "0.3", "--report", "report", *options)
    assert code == 0
    command = shlex.split(re.search(r"^To use it: treecrf (.*)$", out, flags=re.MULTILINE)[1])
    assert run(*command, "--iterations", "2")[0] == 0
    assert command[-6:] == ["--sequence", "the word", "--label", "label", "--window", "1,0"]
    accuracy = (
        pd.read_csv("report/evaluations.csv").query("rate == 0.3").groupby("method")[["n_correct", "n_positions"]].sum()
    )
    for method, percent in (100 * accuracy["n_correct"] / accuracy["n_positions"]).items():
        line = next(line for line in out.splitlines() if line.startswith(f"{METHOD_NAMES[method]} "))
        assert f"{percent:.1f}" in line
    assert (tmp_path / "report/guide.md").read_text().startswith("# Missing values")
    assert (tmp_path / "report/tables/effects.html").is_file()


# --- what can be wrong ------------------------------------------------------------------------------


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
        ("sequence,label,letter,noise\na,,a,0\n", "sequence 0 has no positions; leave it out."),
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
    assert (
        "model.npz was not trained with 2 labels of the file: 'z', 'y' (3 positions); they count as errors with a probability of "
        "0, and the log likelihood is that of the other positions.\n"
    ) in err
    assert "25.00% of 4 positions are right." in out
    assert out.split("By label")[1].count("\nz ") == 2  # by label, and in the confusion
    code, _, err = run("explain", model, "test.csv")
    assert (code, "line 3: row 1, column 'label': the model was not trained with the label 'z'" in err) == (1, True)


def test_unknown_label_does_not_hinder_prediction(run, model, write):
    write("new.csv", "sequence,label,letter,noise\na,z,a,0\na,,q,0\na,,Q,0\na,,q,0\n")
    code, out, err = run("predict", model, "new.csv")
    assert (code, len(out.splitlines())) == (0, 5)
    assert err.startswith(
        "table new.csv, line 3: row 1, column 'letter': the training table did not have 'q', 'Q' (3 cells)"
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
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--experts", "treecrf"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--missing", "default_direction"),
        ("fit", "train.csv", "-o", "m.npz", "--iterations", "0"),
        ("fit", "train.csv", "-o", "m.bin"),
        ("fit", "train.csv", "-o", "m.npz", "--held-out", "0.2"),
        ("fit", "train.csv", "-o", "m.npz", "--experts", "linear_crf"),
        ("fit", "train.csv", "-o", "m.npz", "--method", "memm", "--window", "auto"),
        ("explain", "m.npz", "train.csv", "--position", "1", "--sequence", "2", "--row", "3"),
        ("explain", "m.npz", "train.csv", "--row", "3"),
        ("predict", "m.npz", "train.csv", "-o", "out.xls"),
        ("predict", "m.npz", "train.csv", "--decoder", "nosuch"),
        ("missing", "train.csv", "--rates", "1.5"),
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
    code, _, err = run(
        "fit", "train.csv", "-o", "m.npz", "--method", "treecrf_newton", "--window", f"1,{10**12}", "--iterations", 2
    )
    assert (code, treecrf.load("m.npz").window) == (0, (1, 9))
    assert "No sequence has more than 10 observations: the window is 1,9." in err


def test_windows_that_are_too_large(run, write):
    write("t.csv", "sequence,label,x\n" + "".join(f"a,{'uv'[i % 2]},{i % 3}\n" for i in range(70_000)))
    code, _, err = run("fit", "t.csv", "-o", "m.npz", "--method", "treecrf_newton", "--window", "69000,69000")
    assert (code, "cells, too many; give a smaller --window." in err) == (1, True)


def test_more_threads_than_processors(run, table, monkeypatch):
    monkeypatch.setattr("treecrf.cli._shared.n_processors", lambda: 1)
    assert (
        run("fit", "train.csv", "-o", "m.npz", "--method", "treecrf_newton", "--iterations", 1, "--threads", 10**6)[0]
        == 0
    )
    assert treecrf.load("m.npz").n_threads == 1


def test_memory_that_is_not_enough(run, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("treecrf.datasets.reading.read_table", fail)
    code, out, err = run("describe", "t.csv")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("treecrf: the memory is not enough for this;")


def test_output_that_is_not_utf8(write, tmp_path, run):
    write("t.csv", "sequence,label,x\n" + "a,\u03b1,p\na,u,q\n" * 5)
    start = [sys.executable, "-m", "treecrf"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run([*start, "describe", "t.csv"], capture_output=True, env=environment, check=False)
    assert (shown.returncode, b"Missing cells" in shown.stdout, shown.stderr) == (0, True, b"")
    assert run("fit", "t.csv", "-o", "m.npz", "--method", "treecrf_newton", "--iterations", 1)[0] == 0
    table = subprocess.run([*start, "predict", "m.npz", "t.csv"], capture_output=True, env=environment, check=False)
    assert (table.returncode, table.stdout.decode().splitlines()[1][:6]) == (0, "a,\u03b1,p,")
