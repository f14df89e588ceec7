"""The command treecrf-report."""

import sys

import pytest
from planted_runs import plant_run

from treecrf.report.command import main


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["treecrf-report", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_compare_says_what_moved_and_where_the_page_is(tmp_path, monkeypatch, capsys):
    one, other = (plant_run(tmp_path / name) for name in ("one", "other"))
    assert call(monkeypatch, "compare", one, other, "--output", tmp_path / "there") == 0
    said = capsys.readouterr().out
    assert "8 numbers are the same bits, 0 moved within noise, none beyond it." in said
    assert f"The page is {tmp_path / 'there' / 'index.html'}" in said
    assert (tmp_path / "there/index.html").is_file()


def test_a_wrong_run_is_one_sentence(tmp_path, monkeypatch, capsys):
    assert call(monkeypatch, "compare", tmp_path / "nowhere", tmp_path) == 1
    assert capsys.readouterr().err == (
        f"treecrf-report: {tmp_path / 'nowhere'} is not there; name a folder of results, such as results, or an archive of a run.\n"
    )
