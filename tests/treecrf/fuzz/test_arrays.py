"""Arrays of wrong types, shapes, values and strides: an answer or one sentence, and no index outside of an array."""

import os
import subprocess
import sys

import pytest
from builders import TESTS
from fuzzing import N_INPUTS, SEED

pytestmark = pytest.mark.slow


def test_wrong_arrays_give_a_sentence_or_an_answer(tmp_path):
    """In a process of its own, whose kernels check their indices."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, TESTS / "helpers/fuzz_arrays.py", str(SEED), str(N_INPUTS)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert any(tmp_path.rglob("*.nbc")), "nothing was compiled with the checks"
