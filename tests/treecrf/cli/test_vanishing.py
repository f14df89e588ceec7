"""Input files that are removed after they were checked and before they are read."""

from pathlib import Path

import pytest

from treecrf.automl import labeller
from treecrf.io import files

GONE = "{}: no such file or directory; check that it is still there.\n"


@pytest.fixture
def vanish(monkeypatch):
    """Makes a file vanish as soon as it has been checked."""

    def vanish(name):
        def check(path, *texts):
            checked(path, *texts)
            if Path(path).name == name:
                Path(path).unlink()

        checked = files.check_file
        for module in (files, labeller):
            monkeypatch.setattr(module, "check_file", check)

    return vanish


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "train.csv", "-o", "new.npz"),
        ("describe", "train.csv"),
        ("predict", "model.npz", "train.csv"),
        ("evaluate", "model.npz", "train.csv"),
        ("explain", "model.npz", "train.csv"),
    ],
    ids=lambda command: command[0],
)
def test_a_table_that_vanishes(run, model, vanish, command):
    vanish("train.csv")
    assert run(*command) == (1, "", "treecrf: " + GONE.format("train.csv"))
    assert not Path("new.npz").exists()


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain"])
def test_a_model_that_vanishes(run, model, vanish, command):
    vanish("model.npz")
    assert run(command, "model.npz", "train.csv") == (1, "", "treecrf: " + GONE.format("model.npz"))
