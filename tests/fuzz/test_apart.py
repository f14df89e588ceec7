"""Tests that may crash or need other kernels, each file in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzzing import N_INPUTS


@pytest.mark.parametrize("file", ["arrays.py", "models.py"])
def test_files_in_their_own_process(file, tmp_path):
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)} if file == "arrays.py" else {}
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", Path(__file__).with_name(file)]
    limit = 600 + 2 * N_INPUTS
    done = subprocess.run(command, env=os.environ | checked, capture_output=True, text=True, check=False, timeout=limit)
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert not checked or any(tmp_path.rglob("*.nbc")), "nothing was compiled with the checks"
