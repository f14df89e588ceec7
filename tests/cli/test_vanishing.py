"""Input files that are removed after they were checked and before they are read."""

import sys
from pathlib import Path

import pytest

from treecrf.automl import labeller
from treecrf.cli import report
from treecrf.io import files
from treecrf.report import comparing

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


@pytest.mark.parametrize(
    ("run_a", "file", "reader"),
    [("a.zip", "a.zip", "_unpacked"), ("results", "results/manifest.json", "read_manifest")],
)
def test_a_run_that_vanishes(tmp_path, monkeypatch, capsys, run_a, file, reader):
    monkeypatch.chdir(tmp_path)
    Path(file).parent.mkdir(exist_ok=True)
    Path(file).write_text("{}", encoding="utf-8")
    reads = getattr(comparing, reader)

    def vanish(*given):
        Path(file).unlink()
        return reads(*given)

    monkeypatch.setattr(comparing, reader, vanish)
    monkeypatch.setattr(sys, "argv", ["treecrf-report", "compare", run_a, run_a])
    with pytest.raises(SystemExit) as caught:
        report.run()
    assert (caught.value.code, capsys.readouterr().err) == (1, "treecrf-report: " + GONE.format(file))
    assert not Path("comparison").exists()
