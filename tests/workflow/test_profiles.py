"""The configurations that come with the project, as Snakemake and make see them."""

import re
import shutil
import subprocess
import sys

import pytest
from builders import ROOT

from treecrf_studies.registry import registry


@pytest.mark.workflow
def test_every_study_is_planned(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "1",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "-n",
        "--quiet",
        "rules",
    ]
    process = subprocess.run(
        [*command, "--configfile", "config/config.yaml"],
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.returncode == 0, process.stdout
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", process.stdout, flags=re.MULTILINE))
    assert {f"tabulate_{study.name}" for study in registry()} <= jobs.keys()
    assert jobs["write_page"] == "1"
    assert int(jobs["train_training"]) > 80  # one method a job
