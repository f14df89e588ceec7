"""Records of jobs: what they hold, where they lie."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import ROOT

from treecrf_studies.records import environment
from treecrf_studies.records.environment import machine, machine_id
from treecrf_studies.records.jobs import (
    ENVIRONMENTS,
    MACHINES,
    read_described,
    read_records,
    record_place,
    recorded,
    refuse_overwriting,
)

PARAMS = {
    "values": {
        "seed": 0,
        "settings": {"memm": {"order": 1, "variances": [1, 2]}},
        "own_code": [None],
        "window": [1, 1],
    },
    "study": "training",
    "function": "jobs.train",
    "code": "a1",
}

RULES = "".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """What Snakemake gives the script of a job."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(environment.COMMIT, "c0ffee")
    Path("out.csv").write_text("a\n1\n")
    return SimpleNamespace(
        rule="train_training",
        wildcards={"dataset": "hmm"},
        threads=1,
        input=["in.npz"],
        output=["out.csv"],
        params=PARAMS,
        log=["results/logs/training/train/hmm_memm.log"],
    )


def test_a_job_that_ends_well_leaves_a_record(snakemake):
    with recorded(snakemake):
        pass
    (record,) = read_records("results").to_dict("records")
    assert record["name"] == "training/train/hmm_memm"
    assert (record["rule"], record["wildcards"], record["inputs"]) == ("train_training", {"dataset": "hmm"}, ["in.npz"])
    assert record["outputs"] == {"out.csv": 4}
    assert record["began"] <= record["ended"]
    assert record["cpu_seconds"] > 0
    (known,) = read_described("results", ENVIRONMENTS).values()
    assert known == {"commit": "c0ffee", **environment.versions()}
    assert read_described("results", MACHINES) == {machine_id(): machine()}
    assert (record["machine"], [record["environment"]]) == (machine_id(), [*read_described("results", ENVIRONMENTS)])


STOPPED = (
    "Finished jobs would run again with other settings, which replaces their results:\n  {} (1 job)\nRestore the "
    "settings"
)


@pytest.mark.parametrize(
    ("values", "change"),
    [
        ({}, None),
        ({"own_code": ["b2"], "more": 1}, None),  # edited code, and a setting that it has not had
        ({"seed": 1}, "seed: 0 -> 1"),
        ({"window": [1, 2]}, "datasets.hmm.window: [1, 1] -> [1, 2]"),
        ({"settings": {"memm": {"order": 2, "variances": [1, 2]}}}, "training.order: 1 -> 2"),
        ({"settings": {"memm": {"order": 1, "variances": [1]}}}, "training.variances: [1, 2] -> [1]"),
    ],
)
def test_a_finished_job_runs_with_other_settings_only_on_purpose(snakemake, values, change):
    refuse_overwriting([snakemake])  # it has never run
    with recorded(snakemake):
        pass
    snakemake.params = PARAMS | {"values": PARAMS["values"] | values, "code": "b2"}
    if change is None:
        return refuse_overwriting([snakemake])
    with pytest.raises(ValueError, match=re.escape(STOPPED.format(change))):
        refuse_overwriting([snakemake])
    refuse_overwriting([snakemake], [change.split(":")[0]])
    Path("out.csv").unlink()
    return refuse_overwriting([snakemake])  # nothing is there to replace


def test_a_job_that_fails_leaves_none(snakemake):
    with pytest.raises(ValueError), recorded(snakemake):
        raise ValueError
    assert read_records("results").empty


def test_each_record_lies_beside_its_benchmark():
    assert record_place("my/logs/results/logs/cost/draw.log") == (Path("my/logs/results/benchmarks"), "cost/draw.json")
    places = {
        kind: re.findall(rf'{kind}:\s+f"{{{folder}}}/(.*?)\.(?:log|tsv)"', RULES)
        for kind, folder in (("log", "LOGS"), ("benchmark", "BENCHMARKS"))
    }
    assert len(places["benchmark"]) > 5
    assert set(places["benchmark"]) <= set(places["log"])


def test_machines_are_told_apart_by_their_start(monkeypatch):
    assert re.fullmatch("[0-9a-f]{12}", machine_id())
    assert machine()["processor"]


def test_the_commit_is_asked_for_where_the_run_has_not_told_it(monkeypatch):
    monkeypatch.delenv(environment.COMMIT, raising=False)
    monkeypatch.setattr(environment, "commit", lambda: "found")
    assert environment.environment()["commit"] == "found"
