"""Tables and models that the tests of commands share."""

import commands
import pytest

from treecrf.cli import main

words, table = commands.words, commands.table
run = commands.runner("treecrf", main)


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
