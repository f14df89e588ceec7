"""Records of the jobs of a run, and the plan of the next one."""

import json
import os
import subprocess
import sys

import pytest
from builders import ROOT, RUN_SETTINGS

from treecrf.records.jobs import read_records

pytestmark = pytest.mark.workflow


def plan_of(folder, settings):
    """What the planner says of a run with other settings in a folder in which `run` ran."""
    (folder / "plan.yaml").write_text(json.dumps(RUN_SETTINGS | settings))
    command = [sys.executable, str(ROOT / "workflow/plan.py"), "--cores", "2", "--configfile", "plan.yaml"]
    environment = {
        name: value for name, value in os.environ.items() if name not in ("TREECRF_MIRROR", "SNAKEMAKE_PROFILE")
    }
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_job_left_a_record_beside_its_benchmark(finished):
    folder = finished / "results/benchmarks"
    records = read_records(finished / "results")
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.tsv")} <= set(
        records["name"]
    )
    assert "write_page" in set(records["name"])
    computed = records[records["rule"] == "train_training"]
    assert len(computed) > 0
    assert computed["kernel_seconds"].astype(float).between(1e-4, 1).all()
    assert (records["began"] <= records["ended"]).all()
    (machine,) = set(records["machine"])
    assert (folder / f"machines/{machine}.json").is_file()


def test_a_finished_run_has_nothing_to_do(finished, whole):
    plan = plan_of(finished, whole)
    assert plan.returncode == 0, plan.stderr
    assert "Nothing is to do" in plan.stdout


def test_a_plan_names_the_setting_that_changed(finished, whole):
    plan = plan_of(finished, whole | {"training": whole["training"] | {"variances": [7]}})
    assert plan.returncode == 0, plan.stderr
    assert "settings of training changed: variances [5.0] is now [7.0]: 3 jobs of training" in plan.stdout
    assert "what it reads is computed again: " in plan.stdout
    assert "Nothing is known of" not in plan.stdout
    assert "other settings when they were measured" in plan.stdout


def test_a_wrong_configuration_is_said(finished, whole):
    plan = plan_of(finished, whole | {"training": whole["training"] | {"n_iterations": 0}})
    assert plan.returncode == 1
    assert "configuration: 'training.n_iterations' (0)" in plan.stderr
