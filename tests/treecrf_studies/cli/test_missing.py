"""``treecrf-studies missing``: what it prints and writes."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from treecrf_studies.cli._app import app
from treecrf_studies.rendering.style import METHOD_NAMES


def test_help_teaches(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(app, ["missing", "--help"], prog_name="treecrf-studies")
    assert result.exit_code == 0
    assert "treecrf-studies missing " in result.output.split("Examples")[1]
    assert max(map(len, result.output.splitlines())) <= 80


def test_missing_recommends_with_evidence(run, run_treecrf, words, tmp_path):
    words.rename(columns={"sequence": "the word"}).to_csv(tmp_path / "train.csv", index=False)
    options = ("--window", "1,0")
    code, out, _ = run("missing", "train.csv", "--quick", "--rates", "0.3", "--report", "report", *options)
    assert code == 0
    command = shlex.split(re.search(r"^Next: treecrf (.*)$", out, flags=re.MULTILINE)[1])
    assert run_treecrf(*command, "--iterations", "2")[0] == 0
    assert command[command.index("--held-out") + 1] == "0.25"
    assert command[3].startswith("train_")  # not the model of another fit
    assert command[-6:] == ["--sequence", "the word", "--label", "label", "--window", "1,0"]
    accuracy = (
        pd.read_csv("report/evaluations.csv").query("rate == 0.3").groupby("method")[["n_correct", "n_positions"]].sum()
    )
    for method, percent in (100 * accuracy["n_correct"] / accuracy["n_positions"]).items():
        line = next(line for line in out.splitlines() if line.startswith(f"{METHOD_NAMES[method]} "))
        assert f"{percent:.1f}" in line
    assert "Which method to use when" in (tmp_path / "report/advice.md").read_text()
    assert (tmp_path / "report/tables/effects.csv").is_file()


def test_missing_says_what_kind_of_holes_there_are(run, words, tmp_path):
    rng = np.random.default_rng(0)
    gone = (words["label"] == "u") & (rng.random(len(words)) < 0.5)
    words.assign(letter=words["letter"].mask(gone)).to_csv(tmp_path / "holes.csv", index=False, na_rep="?")
    words.to_csv(tmp_path / "other.csv", index=False)
    options = ("--quick", "--window", "1,0", "--rates", "0.1", "--test", "other.csv", "--na", "?")
    code, out, err = run("missing", "holes.csv", *options)
    assert code == 0, err
    assert "--na '?'" in out
    assert "depend on the label: letter." in out
    assert "Missing more or less often in the other file: letter." in out
    assert re.search(r"as it is +\+10 % +\+ like its own +CPU time", out)


def test_missing_without_holes(run, table):
    frame = pd.read_csv(table)
    frame.to_csv(table, index=False)
    code, out, _ = run("missing", "train.csv", "--quick", "--window", "0,0", "--rates", "0.2")
    assert code == 0
    assert out.startswith("No cell is missing.")
    assert "like its own" not in out


def test_sequences_of_a_group_are_held_out_and_tested_together(run, words, tmp_path):
    gone = np.random.default_rng(0).random(len(words)) < 0.1
    grouped = words.assign(letter=words["letter"].mask(gone), person="p" + (words["sequence"] % 9).astype(str))
    grouped.to_csv(tmp_path / "train.csv", index=False)
    options = ("--quick", "--window", "1,0", "--rates", "0.3", "--groups", "person", "--report", "report")
    code, out, err = run("missing", "train.csv", *options)
    assert code == 0, err
    assert "person" not in re.split(r"^Next:", out, flags=re.MULTILINE)[0]  # no input
    assert "--groups person" in out
    assert "p by group, with Holm's" in out
    assert set(pd.read_csv("report/comparisons.csv")["n_clusters"]) == {3}  # a third of the people


def test_too_few_groups_are_one_sentence(run, words, tmp_path):
    words.assign(person="p" + (words["sequence"] % 2).astype(str)).to_csv(tmp_path / "train.csv", index=False)
    code, _, err = run("missing", "train.csv", "--quick", "--groups", "person")
    assert (code, "there are 2 groups of related sequences, but some train" in err) == (1, True)


def test_shares_that_are_none_are_wrong_usage(run, table):
    assert run("missing", "train.csv", "--rates", "1.5")[0] == 2


def test_inputs_are_not_replaced(run, table):
    before = table.rename("evaluations.csv").read_bytes()
    code, _, err = run("missing", "evaluations.csv", "--report", ".")
    assert (code, "which the output would replace; choose another place." in err) == (1, True)
    assert Path("evaluations.csv").read_bytes() == before
