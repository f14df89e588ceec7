"""The command line: what each command prints and writes."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import treecrf
from treecrf import SequenceSet, TreeCRF
from treecrf.automl.labeller import TableLabeller
from treecrf.missing import inject
from treecrf.models.registry import LABELLERS
from treecrf.moved import report_main
from treecrf.readers.reading import read_table

# --- help -------------------------------------------------------------------------------------------


def test_module_starts_without_kernels():
    code = (
        "import sys; from treecrf.cli import app; print([m for m in ('numba', 'pandas', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_python_m_treecrf(table, run):
    command = [sys.executable, "-W", "error::UserWarning", "-m", "treecrf", "describe", str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "60 sequences, 600 labelled positions, 600 rows." in done.stdout
    assert run("describe", "nosuch.csv")[::2] == (1, "treecrf: table nosuch.csv does not exist; correct the path.\n")


@pytest.mark.parametrize(("former", "command"), [("missing", "missing"), ("report", "compare")])
def test_commands_that_moved_say_where_they_are(run, former, command):
    for options in ((), ("train.csv", "--quick", "--rates", "0.3"), ("--help",)):
        told = run(former, *options)
        assert told == (2, "", f"treecrf {former} is now treecrf-studies {command}; run that.\n")


def test_the_former_program_says_where_it_is(capsys):
    with pytest.raises(SystemExit) as caught:
        report_main()
    told = "treecrf-report compare is now treecrf-studies compare; run that.\n"
    assert (caught.value.code, capsys.readouterr().err) == (2, told)


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
    data = model_.read(read_table("train.csv"), labelled=True)
    assert f"accuracy {100 * model_.labeller.score(data):.2f} % on 600 positions" in out
    assert f"{model_.labeller.log_likelihood(data).sum() / 600:.4f} per position" in out
    assert re.search(r"label +precision +recall +f1 +positions", out)


def test_two_models_are_compared(run, model, fit_trees):
    fit_trees("--iterations", 5, "--window", "0,0", "--attributes", "noise", to="poor.npz")
    code, out, _ = run("evaluate", "poor.npz", model, "train.csv")
    assert code == 0
    assert re.search(
        r"model\.npz is \d+\.\d\d points of accuracy better than poor\.npz: .* McNemar's test p < 0\.001, "
        r"sequence-level test p < 0\.001",
        out,
    )
    assert "too few sequences" not in out
    assert run("evaluate", model, model, "train.csv")[0] == 2


def test_few_sequences_decide_nothing_between_models(run, model, fit_trees):
    words = pd.read_csv("train.csv")
    words[words["sequence"].isin(words["sequence"].unique()[:5])].to_csv("few.csv", index=False)
    fit_trees("--iterations", 1, "--attributes", "noise", to="poor.npz")
    assert "too few sequences for the sequence-level test" in run("evaluate", "poor.npz", model, "few.csv")[1]


def test_models_of_other_labels_are_not_compared(run, model, fit_trees):
    fit_trees("--iterations", 1, "--label", "noise", to="n.npz")
    code, out, err = run("evaluate", model, "n.npz", "train.csv")
    assert (code, out) == (1, "")
    assert err.startswith("treecrf: n.npz reads other sequences or labels from train.csv than model.npz;")


def test_held_out_sequences_choose_the_iteration(table, fit_trees):
    err = fit_trees("--iterations", 12, "--window", "1,0", "--held-out", "0.25")
    iterations, *accuracy = re.search(
        r"Chose (\d+) iterations?: accuracy ([\d.]+) % on 15 held-out sequences .*confidence interval by sequence "
        r"([\d.]+) to ([\d.]+) %",
        err,
    ).groups()
    assert treecrf.load("m.npz").n_iterations == int(iterations) <= 12
    points, low, high = map(float, accuracy)
    assert low < points <= high


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
    ],
)
def test_every_way_with_holes_comes_back(run, words, tmp_path, options, fit_trees):
    data = SequenceSet.from_frame(words, sequence="sequence", label="label")
    inject(data, 0.2, np.random.default_rng(1)).to_frame().to_csv(tmp_path / "holes.csv", index=False)
    assert "missing cells" in fit_trees("--iterations", 5, "--window", "1,0", *options, file="holes.csv")
    code, out, err = run("predict", "m.npz", "holes.csv")
    assert (code, err, len(out.splitlines())) == (0, "", 601)
    loaded = TableLabeller.load("m.npz")
    data = loaded.read(read_table("holes.csv"), labelled=True)
    assert loaded.labeller.score(data) > 0.6
    assert (loaded.missing is None) == (
        not {"linear_crf", "neural_network", "imputation", "imputation_indicator"} & set(options)
    )


def test_describe_names_holes_and_numbers(run, write):
    rows = "".join(f"{i // 2},{'uv'[i % 2]},{i / 7},\n" for i in range(60))
    write("numbers.csv", "sequence,label,size,nothing\n" + rows)
    code, out, _ = run("describe", "numbers.csv")
    assert code == 0
    assert "Missing cells: 60 of 120 (50.0 %)." in out
    assert "Inputs: size (number). " in out
    assert "treecrf fit leaves out 'nothing': it is empty." in out
    lines = [line.split() for line in out.splitlines()]
    assert lines[lines.index(["number", "missing", "share", "lowest", "median", "highest"]) + 1] == [
        "size",
        "0",
        "0.000",
        "0",
        "4.214",
        "8.429",
    ]
