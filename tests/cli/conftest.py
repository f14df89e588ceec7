"""Tables and models that the tests of commands share."""

import sys

import numpy as np
import pandas as pd
import pytest

from treecrf.cli import main


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
def fit_trees(run):
    """Trains trees in a CRF by `treecrf fit` on a file of the folder; gives stderr."""

    def fit_trees(*options, file="train.csv", to="m.npz"):
        code, _, err = run("fit", file, "-o", to, "--method", "treecrf_newton", *options)
        assert code == 0, err
        return err

    return fit_trees


@pytest.fixture
def model(run, table, fit_trees):
    fit_trees("--iterations", 5, "--window", "1,0", to="model.npz")
    assert (
        run("predict", "model.npz", "train.csv")[0] == 0
    )  # what this compiles is said once, and not where a test listens
    return "model.npz"
