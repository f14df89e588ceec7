"""The page that compares two runs, its sentences and its files."""

import json

import pandas as pd
import pytest
from builders import check, linked_files
from planted_runs import plant_manifest, plant_run

from treecrf.io.files import read_frame, write_frame, write_json
from treecrf.report.comparing.costs import compare_costs
from treecrf.report.comparing.flips import find_flips
from treecrf.report.comparing.page import write_comparison
from treecrf.report.comparing.runs import open_run


@pytest.fixture
def runs(tmp_path):
    """Two runs that differ in nothing, with manifests."""
    folders = [plant_run(tmp_path / name) for name in ("one", "other")]
    for folder in folders:
        plant_manifest(folder)
    return folders


def edit_manifest(run, **values):
    path = run / "manifest.json"
    write_json(json.loads(path.read_text()) | values, path)


def plant_claims(run, verdicts, by_rule=()):
    frame = pd.DataFrame(
        [{"id": name, "statement": f"<{name}>", "verdict": verdict, "numbers": "1 point"} for name, verdict in verdicts]
    )
    write_frame(frame, run / "claims.csv")
    write_frame(pd.DataFrame(list(by_rule), columns=["id", "rule", "verdict"]), run / "claims_by_rule.csv")


def test_the_same_run_twice(runs, tmp_path):
    said = write_comparison(*runs, tmp_path / "there")
    assert said == (
        "Same code, same settings, same machine: 8 numbers are the same bits, 0 moved within noise, none beyond it."
    )
    page = (tmp_path / "there/index.html").read_text()
    assert said in page
    assert "could not be compared, and what" not in page
    files = linked_files(check(page), tmp_path / "there")
    assert sorted(path.name for path in files) == ["costs.csv", "numbers.csv"]
    assert {path.name for path in (tmp_path / "there").iterdir()} >= {
        "changes.csv",
        "numbers.csv",
        "verdicts.csv",
        "costs.csv",
    }


def test_what_changed_and_moved_is_said(runs, tmp_path):
    plant_run(runs[1], seed=1, a=0.05)
    plant_manifest(runs[1], code={"kernels": "ffff"}, seed=3)
    edit_manifest(runs[1], machine="another")
    said = write_comparison(*runs, tmp_path / "there")
    assert said == (
        "Other code (kernels), 1 setting changed, other machine: 0 numbers are the same, 7 moved within noise, 1 beyond it."
    )
    page = (tmp_path / "there/index.html").read_text()
    assert (
        "Of the 1 number beyond noise, 1 is better and 0 are worse in the second run; a on toy moved farthest: +1"
        in page
    )
    check(page)
    changes = pd.read_csv(tmp_path / "there/changes.csv")
    assert changes["name"].tolist() == ["seed", "kernels", "machine"]


def test_flipped_verdicts_are_named(runs, tmp_path):
    plant_claims(
        runs[0],
        [("P1", "replicated"), ("P2", "undecided"), ("P3", "partly")],
        [("P2", "halved", "undecided"), ("P2", "doubled", "partly")],
    )
    plant_claims(
        runs[1],
        [("P1", "partly"), ("P2", "undecided"), ("P3", "not_run")],
        [("P2", "halved", "replicated"), ("P2", "doubled", "partly")],
    )
    with open_run(runs[0]) as one, open_run(runs[1]) as other:
        flips, n_judged = find_flips(one, other)
    assert n_judged == 2
    assert flips[["id", "rule", "from", "to"]].to_numpy().tolist() == [
        ["P1", "as judged", "replicated", "partly"],
        ["P2", "halved", "undecided", "replicated"],
        ["P3", "as judged", "partly", "not_run"],
    ]
    write_comparison(*runs, tmp_path / "there")
    page = (tmp_path / "there/index.html").read_text()
    assert (
        "1 verdict flipped, of 2 claims that both runs judge: P1 (replicated to partly). 1 claim is judged by one run alone."
        in page
    )
    assert "&lt;P1&gt;" in page
    check(page)


def test_seconds_stand_side_by_side(runs, tmp_path):
    write_frame(pd.DataFrame({"group": ["a table"]}), runs[0] / "kernels/tables/runs.csv")
    table = read_frame(runs[1] / "kernels/toy/runs.csv")
    write_frame(table.assign(cpu_seconds=6.0), runs[1] / "kernels/toy/runs.csv")
    with open_run(runs[0]) as one, open_run(runs[1]) as other:
        costs = compare_costs(one, other).set_index(["study", "method"]).loc[("kernels", "a")]
    assert (costs["seconds_from"], costs["seconds_to"], costs["ratio"]) == (8, 24, 3)


def test_runs_without_a_manifest_or_with_other_files_are_said_so(runs, tmp_path):
    (runs[0] / "manifest.json").unlink()
    write_frame(read_frame(runs[1] / "kernels/toy/runs.csv"), runs[1] / "kernels/toy/runs.csv")
    (runs[1] / "kernels/toy/b.predictions.parquet").unlink()
    said = write_comparison(*runs, tmp_path / "there")
    assert said == (
        "The first run has no manifest, so what changed is not known: 7 numbers are the same bits, 0 moved within noise, none "
        "beyond it, and 1 could not be compared."
    )
    page = (tmp_path / "there/index.html").read_text()
    assert f"The first run, {runs[0]}, has no manifest" in page
    assert (
        "1 file of the second run changed after its manifest was written, such as kernels/toy/b.predictions.parquet"
        in page
    )
    assert "1 number of kernels: only in the first run (b on toy)." in page


def test_an_older_manifest_says_less(runs, tmp_path):
    manifest = json.loads((runs[0] / "manifest.json").read_text())
    write_json(
        {name: value for name, value in manifest.items() if name not in ("code", "raw_files")},
        runs[0] / "manifest.json",
    )
    said = write_comparison(*runs, tmp_path / "there")
    assert said.startswith("Code not known, same settings, same machine: 8 numbers are the same bits")
    page = (tmp_path / "there/index.html").read_text()
    assert (
        "The manifest of the first run says nothing of code and raw_files: whether they changed is not known." in page
    )
