"""``treecrf-workflow plan`` calls the planner of the folder that it is in."""

import sys
from pathlib import Path

import pytest

from treecrf.cli.workflow import main

PLANNER = "import sys; print(*sys.argv[1:], flush=True); sys.exit(3)\n"


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["treecrf-workflow", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_options_are_handed_on_and_the_exit_code_back(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    Path("workflow").mkdir()
    Path("workflow/plan.py").write_text(PLANNER)
    options = ["--cores", "3", "--configfile", "a.yaml", "--configfile", "b.yaml"]
    assert call(monkeypatch, "plan", "training", "cost", *options) == 3
    assert capfd.readouterr().out.split() == ["training", "cost", *options]


def test_elsewhere_it_says_where_to_go(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call(monkeypatch, "plan") == 1
    assert capsys.readouterr().err == (
        "treecrf-workflow: workflow/plan.py is not here; call this in the folder of treecrf's Snakefile.\n"
    )
