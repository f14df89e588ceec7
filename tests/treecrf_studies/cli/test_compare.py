"""``treecrf-studies compare``."""

import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from interrupting import at_moments, interrupted
from planted_runs import plant_manifest, plant_run

from treecrf_studies.cli import main
from treecrf_studies.report import comparing


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["treecrf-studies", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_compare_says_what_differs_and_where_the_page_is(tmp_path, monkeypatch, capsys):
    one, other = (plant_run(tmp_path / name) for name in ("one", "other"))
    for run in (one, other):
        plant_manifest(run)
    assert call(monkeypatch, "compare", one, other, "--output", tmp_path / "there") == 0
    said = capsys.readouterr().out
    assert "Numbers that differ: 0 of " in said
    assert str(tmp_path / "there" / "index.html") in said
    assert (tmp_path / "there/index.html").is_file()


def test_the_folder_of_a_run_does_as_well_as_its_results(tmp_path, monkeypatch, capsys):
    folders = [tmp_path / "runs/toy-1", tmp_path / "runs/toy-2"]
    for folder in folders:
        plant_manifest(plant_run(folder / "results"))
    assert call(monkeypatch, "compare", *folders, "--output", tmp_path / "there") == 0
    assert "Numbers that differ: 0 of " in capsys.readouterr().out


def test_a_wrong_run_is_one_sentence(tmp_path, monkeypatch, capsys):
    assert call(monkeypatch, "compare", tmp_path / "nowhere", tmp_path) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"treecrf-studies: {tmp_path / 'nowhere'} has no manifest.json")
    assert said.count("\n") == 1


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_the_commands(monkeypatch, capsys, option):
    assert call(monkeypatch, option) == 0
    assert "compare" in capsys.readouterr().out


def test_version_is_that_of_the_package(monkeypatch, capsys):
    assert call(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"treecrf-studies {version('treecrf')}\n"


@pytest.mark.parametrize(("number", "moment"), at_moments(0.05, 0.1, 0.3, 0.6, 1.0))
def test_signals_end_with_one_sentence_and_no_partial_file(tmp_path, number, moment):
    """While it is loading, reading or writing; it may have been faster."""
    one, other = (plant_run(tmp_path / name) for name in ("one", "other"))
    for run in (one, other):
        plant_manifest(run)
    code, err = interrupted("treecrf_studies.cli", ["compare", one, other, "-o", tmp_path / "there"], number, moment)
    if moment > 0.3 and code == 0:
        return
    assert (code, err) == (128 + number, "treecrf-studies: interrupted; no partial output was written.\n")
    assert {path.name for path in tmp_path.glob("there/*")} <= {
        "settings.csv",
        "numbers.csv",
        "verdicts.csv",
        "markdown",
        "_static",
        "_downloads",
        "_images",
        "claims",
        "search.html",
        "searchindex.js",
        "index.html",
    }


GONE = "{}: no such file or directory; check that it is still there.\n"


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
    monkeypatch.setattr(sys, "argv", ["treecrf-studies", "compare", run_a, run_a])
    with pytest.raises(SystemExit) as caught:
        main()
    assert (caught.value.code, capsys.readouterr().err) == (1, "treecrf-studies: " + GONE.format(file))
    assert not Path("comparison").exists()
