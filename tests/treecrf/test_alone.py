"""The library's tests pass where the studies are deleted."""

import os
import shutil
import subprocess
import sys

import pytest
from builders import ROOT

PARTS = ("estimators", "inputs", "io", "missing", "readers", "statistics", "test_moved.py", "test_sequences.py")
"""Folders and files of tests that run there."""


@pytest.mark.slow
def test_the_library_is_tested_alone(tmp_path):
    for name in ("src/treecrf", "tests/treecrf", "tests/helpers", "tests/naive", "tests/data"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    # What is installed must not stand in for it.
    (tmp_path / "src/treecrf_studies.py").write_text("raise ModuleNotFoundError('deleted', name=__name__)\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-m", "not slow", "-p", "no:cacheprovider"]
    command += [f"tests/treecrf/{part}" for part in PARTS]
    command += ["--ignore=tests/treecrf/estimators/test_scikit_learn.py"]  # takes as long as the rest
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
