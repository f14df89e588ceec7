"""Comparison of two runs: what differs between folders and archives, and what is refused."""

import json
import re
import tempfile
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from planted_runs import plant_manifest, plant_run, settings_of
from runs import check

from treecrf.io.files import read_frame, write_frame, write_json
from treecrf_studies.report.archive import write_archive
from treecrf_studies.report.comparing import (
    compare_numbers,
    compare_settings,
    compare_verdicts,
    differing_cells,
    open_run,
    row_keys,
    write_comparison,
)

RUNS = "kernels/toy/runs.csv"


@pytest.fixture
def runs(tmp_path):
    """Two equal runs with manifests."""
    folders = [plant_run(tmp_path / name) for name in ("one", "other")]
    for folder in folders:
        plant_manifest(folder)
    return folders


def compared(function, runs):
    with open_run(runs[0]) as one, open_run(runs[1]) as other:
        return function(one, other)


def edit_manifest(run, **values):
    path = run / "manifest.json"
    write_json(json.loads(path.read_text()) | values, path)


def texts(**columns):
    return pd.DataFrame(columns, dtype=str)


# --- settings ---------------------------------------------------------------------------------------


def rows(frame):
    return [tuple(row) for row in frame.itertuples(index=False)]


def test_settings_that_differ_are_named(runs):
    training = {"datasets": ["toy"], "methods": ["a"], "n_folds": 3}
    plant_manifest(runs[1], seed=3, training=training)
    assert rows(compared(compare_settings, runs)) == [
        ("settings", "seed", "0", "3"),
        ("settings", "training.methods", '["b"]', "[]"),
        ("settings", "training.n_folds", "5", "3"),
    ]


def test_code_versions_machine_and_raw_files_are_compared(runs):
    raw = {"data set": "toy", "file": "x"}
    edit_manifest(
        runs[0], commit="abc", machine="one", versions={"numpy": "1", "old": "2"}, raw_files=[raw | {"SHA-256": "00"}]
    )
    plant_manifest(runs[1], code={"kernels": "ffff"})
    edit_manifest(runs[1], commit=None, machine="other", versions={"numpy": "2"}, raw_files=[raw | {"SHA-256": "11"}])
    assert rows(compared(compare_settings, runs)) == [
        ("code", "kernels", "4567", "ffff"),
        ("commit", "", "abc", ""),
        ("versions", "numpy", "1", "2"),
        ("versions", "old", "2", ""),
        ("machine", "", "one", "other"),
        ("raw_files", "toy: x", "00", "11"),
    ]


def test_settings_and_code_of_studies_that_were_not_run_are_left_out(runs):
    plant_manifest(runs[1], code={"coding": "ffff"}, coding={"datasets": []}, future={"datasets": []}, seed=3)
    for run in runs:
        files = json.loads((run / "manifest.json").read_text())["files"]
        edit_manifest(run, files=[file for file in files if file["study"] != "missing"])
    settings = json.loads((runs[1] / "manifest.json").read_text())["settings"]
    edit_manifest(runs[1], settings=settings | {"missing": settings["missing"] | {"n_iterations": 7}})
    assert rows(compared(compare_settings, runs)) == [("settings", "seed", "0", "3")]


# --- numbers ----------------------------------------------------------------------------------------


def test_leading_columns_tell_rows_apart():
    one = texts(dataset=["d"] * 3, method=["a", "a", "b"], rate=["0", "0.1", "0"], accuracy=["1", "2", "3"])
    assert row_keys(one) == ["dataset", "method", "rate"]
    assert row_keys(one.tail(2)) == ["dataset", "method"]
    assert row_keys(one.assign(rate="0", accuracy="1")) == ["dataset", "method", "rate", "accuracy"]


def test_cells_that_differ_are_found_in_any_order_of_rows():
    one = texts(
        method=["a", "b"],
        accuracy=["90.0", "80"],
        decision=["better", "worse"],
        cpu_seconds=["1", "2"],
        memory_mb=["3", "4"],
    )
    other = one.assign(
        accuracy=["90", "80.5"], decision=["better", "undecided"], cpu_seconds=["7", "8"], memory_mb=["5", "6"]
    )
    cells, n_compared = differing_cells(one, other.iloc[::-1])
    assert n_compared == 4  # what was measured is not
    assert cells[["row", "column", "first", "second"]].to_numpy().tolist() == [
        ["method b", "accuracy", "80", "80.5"],
        ["method b", "decision", "worse", "undecided"],
    ]
    assert cells["difference"].iloc[0] == 0.5
    assert pd.isna(cells["difference"].iloc[1])


def test_a_row_of_one_frame_only_is_one_difference():
    one = texts(method=["a", "b"], accuracy=["1", "2"], f1=["1", "2"])
    cells, n_compared = differing_cells(one, one.head(1))
    assert rows(cells[["row", "column", "first", "second"]]) == [("method b", "(row)", "present", "")]
    assert n_compared == 2


def test_numbers_of_runs(runs):
    frame = read_frame(runs[1] / RUNS)
    write_frame(frame.assign(accuracy=frame["accuracy"] + (frame["method"] == "b"), cpu_seconds=9), runs[1] / RUNS)
    plant_manifest(runs[1])
    numbers, n_compared = compared(compare_numbers, runs)
    assert set(zip(numbers["study"], numbers["dataset"], numbers["frame"], strict=True)) == {("kernels", "toy", "runs")}
    assert numbers["row"].tolist() == [f"method b, draw {draw}" for draw in range(4)]
    assert numbers["difference"].tolist() == pytest.approx([1] * 4)
    assert n_compared == len(frame) * (len(frame.columns) - 4)  # without the keys, the data set and the time


def test_a_file_of_one_run_only_is_one_difference(runs):
    (runs[1] / RUNS).unlink()
    plant_manifest(runs[1])
    numbers, _ = compared(compare_numbers, runs)
    assert rows(numbers.drop(columns="difference")) == [("kernels", "toy", "runs", "", "(row)", "present", "")]


# --- verdicts ---------------------------------------------------------------------------------------


def plant_claims(run, verdicts, by_rule=()):
    frame = pd.DataFrame(verdicts, columns=["id", "verdict"]).assign(statement=lambda rows: "<" + rows["id"] + ">")
    write_frame(frame, run / "claims.csv")
    write_frame(pd.DataFrame(list(by_rule), columns=["id", "rule", "verdict"]), run / "claims_by_rule.csv")
    plant_manifest(run)


def test_verdicts_that_flip_are_named(runs, tmp_path):
    plant_claims(
        runs[0], [("P1", "replicated"), ("P2", "undecided"), ("P3", "partly")], [("P2", "halved", "undecided")]
    )
    plant_claims(runs[1], [("P1", "not_replicated"), ("P2", "undecided")], [("P2", "halved", "replicated")])
    verdicts, n_claims = compared(compare_verdicts, runs)
    assert n_claims == 2
    assert rows(verdicts) == [
        ("P1", "as judged", "replicated", "not_replicated", "<P1>"),
        ("P2", "halved", "undecided", "replicated", "<P2>"),
    ]
    assert "Verdicts that flip: 1 of 2." in write_comparison(*runs, tmp_path / "there")
    page = (tmp_path / "there/index.html").read_text()
    assert "<td>&lt;P1&gt;</td>" in page
    assert "not replicated" in page


def test_claims_that_neither_run_has_run_are_left_out(runs, tmp_path):
    for run in runs:
        plant_claims(run, [("P1", "not_run"), ("P2", "not_run")])
    assert "erdicts" not in write_comparison(*runs, tmp_path / "there")
    assert "erdicts" not in (tmp_path / "there/index.html").read_text()
    plant_claims(runs[1], [("P1", "not_run"), ("P2", "partly")])
    assert "Verdicts that flip: 1 of 1." in write_comparison(*runs, tmp_path / "there")


def test_the_code_of_claims_is_compared_where_one_was_judged(runs):
    plant_manifest(runs[1], code={"claims": "ffff"})
    assert rows(compared(compare_settings, runs)) == []
    plant_claims(runs[0], [("P1", "partly")])
    assert rows(compared(compare_settings, runs)) == [("code", "claims", "cdef", "ffff")]


# --- page -------------------------------------------------------------------------------------------


def test_equal_runs_differ_in_nothing(runs, tmp_path):
    said = write_comparison(*runs, tmp_path / "there")
    assert said.startswith("Settings, versions and raw files that differ: 0. Numbers that differ: 0 of ")
    assert "rows of one run only" not in said
    page = (tmp_path / "there/index.html").read_text()
    assert said in page
    assert page.count("<p>None.</p>") == 2  # and no claim was run
    check(page)
    files = {path.name for path in (tmp_path / "there").iterdir() if path.is_file()}
    assert files == {"index.html", "search.html", "searchindex.js", "settings.csv", "numbers.csv", "verdicts.csv"}


# --- runs -------------------------------------------------------------------------------------------


@pytest.fixture
def archive(runs):
    (runs[0].parent / "one_reports").mkdir()
    return write_archive(settings_of(runs[0]))


def refused(path):
    with pytest.raises((ValueError, FileNotFoundError)) as error, open_run(path) as run:
        run.frames()
    assert "\n" not in str(error.value)
    return str(error.value)


def rewritten(archive, path, change):
    """The archive with other members: `change` gives the content of each, or None."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return path


def test_an_archive_has_what_the_folder_has(archive, runs, tmp_path):
    said = write_comparison(archive, runs[0], tmp_path / "there")
    assert said == write_comparison(*runs, tmp_path / "there")
    with open_run(archive) as packed:
        place = packed.folder
    assert not place.exists()


def test_a_damaged_archive_is_refused(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    cut, flipped = tmp_path / "cut.zip", tmp_path / "flipped.zip"
    cut.write_bytes(content[:-100])
    content[len(content) // 3] ^= 255
    flipped.write_bytes(content)
    assert refused(cut).startswith(f"{cut} is damaged")
    assert refused(flipped).startswith(f"{flipped} is damaged")


def test_an_archive_that_would_fill_the_disk_is_refused(archive, tmp_path):
    """Members say how large they are in the directory at the end of the file."""
    content, bomb = bytearray(archive.read_bytes()), tmp_path / "bomb.zip"
    for entry in re.finditer(rb"PK\x01\x02", bytes(content)):
        content[entry.start() + 24 : entry.start() + 28] = (2**32 - 16).to_bytes(4, "little")
    bomb.write_bytes(content)
    before = set(Path(tempfile.gettempdir()).glob("treecrf-*"))
    assert refused(bomb).startswith(f"{bomb} says that it holds ")
    assert set(Path(tempfile.gettempdir()).glob("treecrf-*")) <= before


def test_an_archive_of_many_empty_folders_and_foreign_names_is_read_in_no_time(archive, tmp_path):
    other = rewritten(archive, tmp_path / "x.zip", lambda name, content: content)
    with zipfile.ZipFile(other, "a") as members:
        for number in range(60_000):
            members.writestr(zipfile.ZipInfo(f"f{number}/"), b"")
        members.writestr("../../outside.txt", b"x")
        members.writestr("/tmp/outside.txt", b"x")
    began = time.process_time()
    with open_run(other) as run:
        assert RUNS in run.frames()
        assert not [path for path in run.folder.iterdir() if path.name.startswith("f")]
    assert time.process_time() - began < 20


@pytest.mark.parametrize("content", ["", "x\n1,2\n", '"a', "other\n1\n"])
def test_claims_of_somebody_else_that_are_no_claims_are_refused(runs, content):
    (runs[0] / "claims.csv").write_text(content)
    plant_manifest(runs[0])
    with open_run(runs[0]) as run, pytest.raises(ValueError, match=r"^claims\.csv of the run .*; take another run\.$"):
        run.verdicts()


def test_a_zip_without_a_manifest_is_refused(archive, tmp_path):
    other = rewritten(archive, tmp_path / "x.zip", lambda name, content: None if "manifest" in name else content)
    assert refused(other).startswith(f"{other} has no manifest.json")


def test_a_file_that_is_not_the_listed_one_is_refused(archive, runs, tmp_path):
    other = rewritten(archive, tmp_path / "x.zip", lambda name, content: b"x" if name.endswith("runs.csv") else content)
    assert f"{RUNS} is not the file that manifest.json lists" in refused(other)
    (runs[1] / RUNS).write_text("x\n1\n")
    assert refused(runs[1]).startswith(f"{runs[1] / RUNS} is not the file that manifest.json lists")


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    assert refused(tmp_path).startswith(f"{tmp_path} has no manifest.json; name the folder of results")
    assert refused(tmp_path / "nowhere").startswith(f"{tmp_path / 'nowhere'} has no manifest.json")
