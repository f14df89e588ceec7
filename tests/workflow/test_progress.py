"""The progress view frees a folder that a killed run left locked, and no other."""

import importlib.util
import io
from pathlib import Path

import pytest
from builders import ROOT
from rich.console import Console

SOURCE = ROOT / "workflow" / "progress.py"


@pytest.fixture
def progress(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    specification = importlib.util.spec_from_file_location("progress", SOURCE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    return module


def lock():
    path = Path(".snakemake/locks/0.input.lock")
    path.write_text("something")
    return path


def test_a_killed_runs_lock_is_removed(progress):
    progress.take_mark(Console(file=io.StringIO())).close()  # as if killed: it never said that it ended
    stale = lock()
    output = io.StringIO()
    progress.take_mark(Console(file=output)).close()
    assert not stale.exists()
    assert "killed" in output.getvalue()


def test_the_lock_of_a_run_at_work_stays(progress):
    held = progress.take_mark(Console(file=io.StringIO()))
    live = lock()
    progress.take_mark(Console(file=io.StringIO())).close()
    assert live.exists()
    held.close()


def test_a_lock_that_is_not_ours_stays(progress):
    progress.drop_mark(progress.take_mark(Console(file=io.StringIO())))
    foreign = lock()
    progress.take_mark(Console(file=io.StringIO())).close()
    assert foreign.exists()
