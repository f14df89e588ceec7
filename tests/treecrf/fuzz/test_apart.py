"""Tests that may crash or need other kernels, each file in a process of its own."""

from pathlib import Path

from fuzzing import run_apart


def test_changed_models():
    run_apart(Path(__file__).with_name("models.py"))


def test_arrays_with_kernels_that_check_their_indices(tmp_path):
    run_apart(Path(__file__).with_name("arrays.py"), NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))
    assert any(tmp_path.rglob("*.nbc")), "nothing was compiled with the checks"
