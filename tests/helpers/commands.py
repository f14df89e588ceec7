"""Fixtures of the tests of commands."""

import sys

import numpy as np
import pandas as pd
import pytest


def runner(program, main):
    """A fixture that runs a program in a folder of its own; gives exit code, stdout and stderr."""

    @pytest.fixture
    def run(monkeypatch, capsys, tmp_path):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "80")

        def run(*arguments):
            monkeypatch.setattr(sys, "argv", [program, *map(str, arguments)])
            with pytest.raises(SystemExit) as caught:
                main()
            captured = capsys.readouterr()
            return caught.value.code or 0, captured.out, captured.err

        return run

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
