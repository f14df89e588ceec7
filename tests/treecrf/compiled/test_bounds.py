"""The kernels of trees with numba's bounds checks: every index that their tests make is inside its array."""

import os
import subprocess
import sys

import pytest
from builders import ROOT, TESTS

pytestmark = pytest.mark.slow


def test_kernels_of_trees_stay_inside_their_arrays(tmp_path):
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}  # forms of their own
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        TESTS / "treecrf/trees",
    ]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert any(tmp_path.rglob("*.nbc")), "nothing was compiled with the checks"
