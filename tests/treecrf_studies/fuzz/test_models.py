"""Changed models of the studies' labellers, in a process of its own, which may crash."""

from pathlib import Path

from fuzzing import run_apart


def test_changed_models():
    run_apart(Path(__file__).with_name("models.py"))
