"""What a process has: memory, and caches of a user whose home cannot be written."""

import os
from pathlib import Path

import pytest
from builders import number_set

from treecrf import LinearCRF, NeuralNetwork
from treecrf.io import process
from treecrf.io.process import place_caches


def test_what_fits_is_let_through_and_what_does_not_is_refused(monkeypatch):
    monkeypatch.setattr(process, "available_memory", lambda: 3 * process.GIB)
    process.check_memory(3 * process.GIB, "it", "do less")
    with pytest.raises(ValueError, match=r"^it would take 3\.5 GiB of memory and 3\.0 GiB are available; do less\.$"):
        process.check_memory(7 * process.GIB // 2, "it", "do less")
    monkeypatch.setattr(process, "available_memory", lambda: None)
    process.check_memory(10**20, "it", "do less")


def test_the_system_says_how_much_there_is():
    assert 2**20 < process.available_memory() < 2**50


def test_a_batch_systems_limit_counts(monkeypatch, tmp_path):
    limit, taken = tmp_path / "memory.max", tmp_path / "memory.current"
    monkeypatch.setattr(process, "CGROUPS", (tmp_path, tmp_path / "none"))
    limit.write_text("1000000\n")
    taken.write_text("400000\n")
    assert process.available_memory() == 600_000
    taken.write_text("1100000\n")
    assert process.available_memory() == 0
    limit.write_text("max\n")
    assert process.available_memory() > 10**6


@pytest.mark.parametrize("labeller", [LinearCRF(), NeuralNetwork()])
def test_histories_of_weights_are_refused_before_training(labeller, monkeypatch):
    monkeypatch.setattr(process, "available_memory", lambda: 10**4)
    with pytest.raises(ValueError, match=r"^the weights (after every \w+ )?would take .* a greater min_count\.$"):
        labeller.fit(number_set(0))


# --- home ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("home", "is_moved"), [("home", False), ("file/home", True), ("/proc/nohome", True), ("closed", True)]
)
def test_caches_move_where_home_cannot_be_written(tmp_path, monkeypatch, home, is_moved):
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: "closed" not in Path(path).parts)
    for name in ("XDG_CACHE_HOME", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / home))
    place_caches(tmp_path / "caches")
    assert os.environ.get("XDG_CACHE_HOME") == (str(tmp_path / "caches") if is_moved else None)
    assert os.environ.get("MPLCONFIGDIR") == (str(tmp_path / "caches/matplotlib") if is_moved else None)


def test_a_user_without_a_home(tmp_path, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    place_caches(tmp_path)
    assert os.environ["XDG_CACHE_HOME"] == str(tmp_path)
