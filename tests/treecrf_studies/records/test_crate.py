"""The RO-Crate of a run: every job with what it read and wrote, every setting, file and version."""

import json
from pathlib import Path

import pytest
from isolated import isolated

from treecrf_studies.records.crate import CRATE, WORKFLOW, RunCrate, crate_members
from treecrf_studies.records.environment import ABSENT

VALIDATOR = Path(__file__).parent / "validate_crate.py"

MANIFEST = {
    "written": "2026-01-02T03:04:05+00:00",
    "commit": "c0ffee",
    "versions": {"treecrf": "1.0", "numba": "0.68.1", "lightgbm": ABSENT},
    "settings": {"seed": 0, "training": {"methods": ["treecrf"], "n_iterations": 9}},
    "raw_files": [{"data set": "protein", "file": "protein.data", "SHA-256": "ab"}],
    "files": [
        {"path": "data/hmm/train.npz", "bytes": 7, "sha256": "cd"},
        {"path": "training/hmm/summary.csv", "bytes": 5, "sha256": "ef"},
    ],
}
MEMBERS = {"results/training/hmm/summary.csv": "a,b\n1", "reports/index.html": "<p>", WORKFLOW: "rule all:"}


def record(rule, wildcards, began, inputs, outputs):
    return {
        "rule": rule,
        "wildcards": wildcards,
        "began": f"2026-01-02T00:00:{began:02}+00:00",
        "ended": f"2026-01-02T00:01:{began:02}+00:00",
        "threads": 1,
        "environment": "e1",
        "machine": "m1",
        "kernel_seconds": None,
        "inputs": inputs,
        "outputs": dict.fromkeys(outputs, 1),
    }


@pytest.fixture
def crate(tmp_path, monkeypatch):
    """The crate of a run of two jobs, in a folder with its files."""
    monkeypatch.chdir(tmp_path)
    data = "results/data/hmm/train.npz"
    written = {
        "prepare_data/hmm": record("prepare_data", {"dataset": "hmm"}, 1, ["data/raw/protein.data"], [data]),
        "training/summarise/hmm": record(
            "summarise_training", {"dataset": "hmm"}, 5, [data], ["results/training/hmm/summary.csv"]
        ),
        "environments/e1": {"commit": "c0ffee", "python": "3.11.7", "numba": "0.68.1", "lightgbm": None},
        "machines/m1": {"processor": "abacus", "cores": 2},
    }
    for name, content in written.items():
        path = tmp_path / f"results/benchmarks/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    for name, content in MEMBERS.items():
        (tmp_path / "crate" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "crate" / name).write_text(content)
    found = RunCrate(Path("results"), MANIFEST, list(MEMBERS), lambda path: path).contents()
    (tmp_path / "crate" / CRATE).write_text(json.dumps(found))
    return {entity["@id"]: entity for entity in found["@graph"]}


def references(value):
    """The names of entities that an entity names."""
    if isinstance(value, list):
        return [name for part in value for name in references(part)]
    if isinstance(value, dict):
        return (
            [value["@id"]] if set(value) == {"@id"} else [name for part in value.values() for name in references(part)]
        )
    return []


def test_every_entity_that_is_named_is_there(crate):
    outside = (
        "https://w3id.org/ro/crate/",
        "http://schema.org/",
        "https://bioschemas.org/profiles/FormalParameter/",
        "https://doi.org/10.1093/bioinformatics/bts480",
        "https://snakemake.readthedocs.io",
    )
    named = {name for entity in crate.values() for name in references(entity)}
    assert {name for name in named - set(crate) if not name.startswith(outside)} == set()


def test_jobs_say_what_they_read_and_wrote(crate):
    job = crate["#job/training/summarise/hmm"]
    assert (job["startTime"], job["endTime"]) == ("2026-01-02T00:00:05+00:00", "2026-01-02T00:01:05+00:00")
    assert job["object"] == [{"@id": "#file/results/data/hmm/train.npz"}]  # the archive has no data
    assert job["result"] == [{"@id": "results/training/hmm/summary.csv"}]
    assert crate["#job/prepare_data/hmm"]["result"] == job["object"]
    assert crate["#job/prepare_data/hmm"]["object"] == [{"@id": "#raw/protein.data"}]
    assert job["environment"] == [{"@id": "#environments/e1"}, {"@id": "#machines/m1"}]
    assert crate["#control/summarise_training"]["object"] == [{"@id": "#job/training/summarise/hmm"}]
    assert [step["@id"] for step in crate[WORKFLOW]["step"]] == ["#step/prepare_data", "#step/summarise_training"]


def test_an_archive_gets_the_workflow_and_the_records_too(crate, tmp_path):
    page = "reports/index.html"
    found = dict(crate_members(Path("results"), MANIFEST, [page], lambda path: path))
    assert {WORKFLOW, "workflow/rules/study.smk", "results/benchmarks/training/summarise/hmm.json", CRATE} <= set(found)
    assert not any("__pycache__" in name for name in found)
    entities = {entity["@id"]: entity for entity in json.loads(found.pop(CRATE))["@graph"]}
    assert sorted(references(entities["./"]["hasPart"])) == sorted([page, *found])
    assert entities["#job/training/summarise/hmm"]["result"] == [{"@id": "#file/results/training/hmm/summary.csv"}]


@pytest.mark.slow
def test_the_crate_is_valid(crate, tmp_path):
    command = ["python", str(VALIDATOR), str(tmp_path / "crate"), str(tmp_path / "cache")]
    found = isolated(["roc-validator==0.13.0", "rocrate==0.16.0"], *command)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr


@pytest.mark.slow
def test_a_wrong_crate_is_refused(crate, tmp_path):
    path = tmp_path / "crate" / CRATE
    metadata = json.loads(path.read_text())
    metadata["@graph"] = [entity for entity in metadata["@graph"] if entity["@type"] != "ControlAction"]
    path.write_text(json.dumps(metadata))
    command = ["python", str(VALIDATOR), str(tmp_path / "crate"), str(tmp_path / "cache")]
    found = isolated(["roc-validator==0.13.0", "rocrate==0.16.0"], *command)
    assert found.returncode == 1
    assert "OrganizeAction" in found.stdout
