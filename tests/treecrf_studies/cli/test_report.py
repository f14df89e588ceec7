"""``treecrf-studies report``: the figure for a paper, and the pages of a run."""

import sys

import pandas as pd
import pytest
import yaml

from treecrf_studies.cli import main

METHODS = ("treecrf", "linear_crf", "mallet")


@pytest.fixture
def config(tmp_path):
    """Settings of a run of two data sets with tests between three methods."""
    pairs = [("treecrf", "linear_crf", 2.0), ("mallet", "treecrf", 1.0), ("linear_crf", "mallet", -3.0)]
    rows = [(name, *pair, pair[2] - 0.5, pair[2] + 0.5) for name in ("hmm", "nettalk") for pair in pairs]
    names = ["dataset", "method", "other", "value", "family_low", "family_high"]
    frame = pd.DataFrame(rows, columns=names).assign(decoder="better", decision="undecided", low=0.0, high=1.0)
    for name, of_set in frame.groupby("dataset"):
        folder = tmp_path / "results/training" / name
        folder.mkdir(parents=True)
        of_set.to_csv(folder / "comparisons.csv", index=False)
    nothing = {study: {"datasets": []} for study in ("missing", "future")}
    datasets = {"hmm": {}, "nettalk": {}}
    settings = {
        "profile": "own",
        "results": f"{tmp_path}/results",
        "reports": f"{tmp_path}/reports",
        "datasets": datasets,
    }
    training = {"datasets": list(datasets), "methods": list(METHODS)}
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(settings | nothing | {"training": training}))
    return path


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["treecrf-studies", "report", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.mark.parametrize(("width", "points"), [("3.3in", 237.6), ("84mm", 238.1), ("8.4cm", 238.1)])
def test_a_figure_has_its_width_and_its_methods(config, tmp_path, monkeypatch, width, points):
    file = tmp_path / "paper/figure.svg"
    arguments = ("-c", config, "--figure", file, "--width", width, "--methods", "mallet, TreeCRF")
    assert call(monkeypatch, *arguments) == 0
    drawn = file.read_text()
    assert float(drawn.partition('width="')[2].partition("pt")[0]) == pytest.approx(points, abs=0.1)
    assert drawn.count("<!-- TreeCRF -->") == 2  # a panel for each data set
    assert drawn.count("<!-- −1.00 -->") == 2
    assert "<!-- linear CRF -->" not in drawn
    assert "<!-- accuracy minus MALLET (points) -->" in drawn


def test_without_methods_all_are_there_in_each_kind_of_file(config, tmp_path, monkeypatch):
    for kind, start in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        assert call(monkeypatch, "-c", config, "--figure", tmp_path / f"a.{kind}") == 0
        assert (tmp_path / f"a.{kind}").read_bytes().startswith(start)
    drawn = (tmp_path / "a.svg").read_text()
    assert all(f"<!-- {name} -->" in drawn for name in ("linear CRF", "MALLET"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--figure", "a.jpg"), "a figure ends in .pdf, .svg or .png"),
        (
            ("--figure", "a.pdf", "--methods", "nobody"),
            "has no method 'nobody'; choose among treecrf, mallet, linear_crf",
        ),
        (("--figure", "a.pdf", "--width", "3.3"), None),
        (("--figure", "a.pdf", "--width", "wide"), "--width 'wide' is no width of 1 to 40 inches"),
        (("--figure", "a.pdf", "--width", "3mm"), "--width '3mm' is no width of 1 to 40 inches"),
    ],
)
def test_what_is_wrong_is_one_sentence(config, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert call(monkeypatch, "-c", config, *arguments) == int(message is not None)
    said = capsys.readouterr().err
    assert message is None or (message in said and said.count("\n") == 1)


def test_a_run_without_comparisons_has_no_figure(config, tmp_path, monkeypatch, capsys):
    for path in (tmp_path / "results").rglob("comparisons.csv"):
        path.unlink()
    assert call(monkeypatch, "-c", config, "--figure", tmp_path / "a.pdf") == 1
    assert "has no comparisons of the study of training; run it with two methods." in capsys.readouterr().err


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder with data, the protocol and a workflow that tells its options and fails with exit code 7."""
    monkeypatch.chdir(tmp_path)
    for name in ("config", "workflow"):
        (tmp_path / name).mkdir()
    (tmp_path / "config/config.yaml").write_text("profile: protocol\n")
    (tmp_path / "workflow/progress.py").write_text("import sys; print(*sys.argv[1:]); sys.exit(7)\n")
    (tmp_path / "words.csv").write_text("sequence,letter,label\na,x,0\na,y,1\n")
    return tmp_path


def test_a_file_is_run_in_a_folder_of_its_own_and_the_exit_code_is_that_of_the_workflow(repository, monkeypatch, capfd):
    assert call(monkeypatch, "words.csv", "--methods", "linear_crf", "--threads", "1") == 7
    assert "--cores 1 --configfile runs/words-1/config.yaml" in capfd.readouterr().out
    settings = yaml.safe_load((repository / "runs/words-1/config.yaml").read_text())
    assert settings["training"]["methods"] == ["linear_crf"]
    assert settings["datasets"]["words"]["window"] == [3, 3]


def test_a_folder_of_runs_may_be_outside_the_working_folder(repository, monkeypatch, capfd):
    (repository / "here").mkdir()
    (repository / "data x.csv").write_text("sequence,letter,label\na,x,0\na,y,1\n")
    for name in ("config", "workflow"):
        (repository / name).rename(repository / "here" / name)
    monkeypatch.chdir(repository / "here")
    assert call(monkeypatch, "../data x.csv", "--runs", "../there/runs", "--methods", "linear_crf") == 7
    folder = repository / "there/runs/data_x-1"
    assert f"--configfile {folder / 'config.yaml'}" in capfd.readouterr().out
    settings = yaml.safe_load((folder / "config.yaml").read_text())
    assert (settings["results"], settings["datasets"]["data_x"]["path"]) == (f"{folder}/results", "../data x.csv")


def test_a_figure_is_written_after_the_run(repository, monkeypatch, capsys):
    """The workflow writes what a run would."""
    (repository / "workflow/progress.py").write_text(
        "from pathlib import Path\n"
        "folder = Path('runs/words-1/results/training/words')\n"
        "folder.mkdir(parents=True)\n"
        "head = 'dataset,method,other,decoder,decision,value,low,high,family_low,family_high'\n"
        "row = 'words,treecrf,linear_crf,better,undecided,1,0,2,0,2'\n"
        "(folder / 'comparisons.csv').write_text(head + chr(10) + row + chr(10))\n"
    )
    monkeypatch.setattr("treecrf_studies.report.runs.write_runs", lambda runs: runs / "index.html")
    arguments = ("--methods", "treecrf,linear_crf", "--figure", "out.svg", "--width", "3.3in")
    assert call(monkeypatch, "words.csv", *arguments) == 0
    drawn = (repository / "out.svg").read_text()
    assert float(drawn.partition('width="')[2].partition("pt")[0]) == pytest.approx(237.6, abs=0.1)
    assert "<!-- accuracy minus TreeCRF (points) -->" in drawn
    assert "Wrote out.svg\nAll runs: runs/index.html\n" in capsys.readouterr().out


def test_a_run_has_the_columns_that_a_training_would_take(repository, monkeypatch, capsys):
    rows = "".join(
        f"{i // 9},p{i // 9 % 3},s{i // 18 % 2},2024-01-{1 + i // 24:02d}T{i % 24:02d}:00,{i % 7 / 2},{i % 2}\n"
        for i in range(108)
    )
    (repository / "walks.csv").write_text("walk,person,shoe,time,speed,activity\n" + rows)
    assert call(monkeypatch, "walks.csv", "--methods", "linear_crf") == 7
    said = capsys.readouterr().err
    assert "'person' is left out" in said
    assert "Column 'time' is left out: its time stamps identify the rows" in said
    settings = yaml.safe_load((repository / "runs/walks-1/config.yaml").read_text())["datasets"]["walks"]
    assert (settings["sequence"], settings["label"], settings["attributes"]) == ("walk", "activity", ["speed"])
    assert "groups" not in settings
    assert call(monkeypatch, "walks.csv", "--methods", "linear_crf", "--groups", "person", "--attributes", "speed") == 7
    settings = yaml.safe_load((repository / "runs/walks-2/config.yaml").read_text())["datasets"]["walks"]
    assert settings["groups"] == "person"


@pytest.mark.parametrize(
    ("arguments", "removed", "message", "code"),
    [
        (("nowhere.csv",), "", "nowhere.csv does not exist", 1),
        (("words.csv",), "workflow/progress.py", "run this command in the folder of the repository", 1),
        (("words.csv", "--methods", "nobody"), "", "nobody", 1),
        (("words.csv", "--config", "config/config.yaml"), "", "leave --config out", 2),
        (("words.csv", "--figure", "a.jpg"), "", "a figure ends in .pdf, .svg or .png", 1),
        (("words.csv", "--figure", "a.pdf", "--methods", "linear_crf"), "", "name two or more", 2),
    ],
)
def test_a_run_that_cannot_start_is_refused(repository, monkeypatch, capsys, arguments, removed, message, code):
    if removed:
        (repository / removed).unlink()
    assert call(monkeypatch, *arguments) == code
    assert message in " ".join(capsys.readouterr().err.split())
    assert not (repository / "runs").exists()
