"""Environments and machines that computed a run."""

import datetime
import json

import pytest
from runs import own_settings

from treecrf.io.files import read_json
from treecrf_studies.records.jobs import FIELDS, read_records
from treecrf_studies.report.provenance import JOBS, environments_frame, machines_frame
from treecrf_studies.report.snapshot import write_snapshot

MACHINE = {"system": "Linux x86_64", "processor": "abacus", "cores": 2, "memory_mib": 500}
ENVIRONMENT = {"commit": "c0", "python": "3.11", "treecrf": "1", "numba": "0.68", "numpy": "2.4", "scipy": "1.17"}


def write(results, jobs, machines, environments):
    """Write records: of jobs (name, machine, environment), machines, environments."""
    for kind, described in (("machines", machines), ("environments", environments)):
        folder = results / "benchmarks" / kind
        folder.mkdir(parents=True)
        for name, content in described.items():
            (folder / f"{name}.json").write_text(json.dumps(content))
    for name, machine, environment in jobs:
        path = results / f"benchmarks/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        own = {"machine": machine, "environment": environment}
        path.write_text(json.dumps(dict.fromkeys(FIELDS) | own))


@pytest.fixture
def mixed(tmp_path):
    """Records of two machines and two environments."""
    jobs = [
        ("training/train/a", "m1", "e1"),
        ("training/train/b", "m1", "e2"),
        ("cost/draw", "m2", "e1"),
        ("check_claims", "m1", "e1"),
    ]
    machines = {"m1": MACHINE, "m2": MACHINE | {"processor": "pascaline"}}
    write(tmp_path, jobs, machines, {"e1": ENVIRONMENT, "e2": ENVIRONMENT | {"scipy": "1.18", "commit": "c1"}})
    return tmp_path


def test_machines_have_their_jobs(mixed):
    frame = machines_frame(mixed, read_records(mixed))
    rows = frame[["processor", JOBS]].to_records(index=False).tolist()
    assert rows == [("abacus", "all studies 1, training 2"), ("pascaline", "cost 1")]
    assert frame["memory, MiB"].tolist() == [500, 500]


def test_environments_show_versions_that_differ(mixed):
    frame = environments_frame(mixed, read_records(mixed))
    assert [*frame] == ["commit", "python", "treecrf", "numba", "numpy", "scipy", JOBS]
    rows = frame[["commit", "scipy", JOBS]].to_records(index=False).tolist()
    assert rows == [("c0", "1.17", "all studies 1, cost 1, training 1"), ("c1", "1.18", "training 1")]


def test_a_snapshot_names_the_commit_that_ran_the_jobs(results, tmp_path):
    """A page may be written with later code than that which computed its numbers."""
    jobs = [("training/train/a", "m1", "e1"), ("training/train/b", "m1", "e1"), ("training/train/c", "m1", "e2")]
    write(results, jobs, {"m1": MACHINE}, {"e1": ENVIRONMENT | {"commit": "c1"}, "e2": ENVIRONMENT | {"commit": "c2"}})
    write_snapshot(own_settings(results=str(results)), tmp_path / "snapshot", datetime.date(2000, 1, 2))
    assert read_json(tmp_path / "snapshot/training/provenance.json")["commit"] == "c1"
