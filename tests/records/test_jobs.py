"""Records of jobs: what they hold, where they lie, and how fast machines are by them."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import ROOT

from treecrf.io.files import read_json
from treecrf.records import calibration, environment, jobs
from treecrf.records.calibration import REFERENCE_SECONDS, kernel_seconds
from treecrf.records.jobs import ENVIRONMENTS, MACHINES, factors, read_described, read_records, record_place, recorded
from treecrf.records.machine import machine, machine_id

RULES = "".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """What Snakemake gives the script of a job."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(environment.COMMIT, "c0ffee")
    monkeypatch.setattr(jobs, "kernel_seconds", lambda: 2 * REFERENCE_SECONDS)
    Path("out.csv").write_text("a\n1\n")
    return SimpleNamespace(
        rule="train_training", wildcards={"dataset": "hmm"}, threads=1, input=["in.npz"], output=["out.csv"],
        log=["results/logs/training/train/hmm_memm.log"],
    )  # fmt: skip


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


def test_a_job_that_fails_leaves_none(snakemake):
    with pytest.raises(ValueError), recorded(snakemake):
        raise ValueError
    assert read_records("results").empty


def test_a_job_without_compiled_routines_does_not_load_them_to_measure(snakemake, monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    with recorded(snakemake):
        pass
    assert read_json("results/benchmarks/training/train/hmm_memm.json")["kernel_seconds"] is None


def test_the_factor_of_a_machine_is_the_median_of_its_jobs(snakemake):
    for place, (name, seconds) in enumerate([("a", 1.0), ("a", 2.0), ("a", 6.0), ("b", None)]):
        path = Path(f"results/benchmarks/job_{place}.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        measured = "null" if seconds is None else seconds * REFERENCE_SECONDS
        path.write_text(f'{{"machine": "{name}", "kernel_seconds": {measured}}}')
    assert factors(read_records("results")) == pytest.approx({"a": 2.0})


def test_each_record_lies_beside_its_benchmark():
    assert record_place("my/logs/results/logs/cost/draw.log") == (Path("my/logs/results/benchmarks"), "cost/draw.json")
    places = {
        kind: re.findall(rf'{kind}:\s+f"{{{folder}}}/(.*?)\.(?:log|tsv)"', RULES)
        for kind, folder in (("log", "LOGS"), ("benchmark", "BENCHMARKS"))
    }
    assert len(places["benchmark"]) > 5
    assert set(places["benchmark"]) <= set(places["log"])


def test_the_fixed_work_takes_some_milliseconds():
    seconds = kernel_seconds()
    assert seconds is not None
    assert 1e-4 < seconds < 1


def test_the_fixed_work_is_not_measured_without_a_compiler(monkeypatch):
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert calibration.kernel_seconds() is None


def test_machines_are_told_apart_by_their_start(monkeypatch):
    assert re.fullmatch("[0-9a-f]{12}", machine_id())
    assert machine()["processor"]


def test_the_commit_is_asked_for_where_the_run_has_not_told_it(monkeypatch):
    monkeypatch.delenv(environment.COMMIT, raising=False)
    monkeypatch.setattr(environment, "commit", lambda: "found")
    assert environment.environment()["commit"] == "found"
