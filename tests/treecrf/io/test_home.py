"""Caches of a user whose home cannot be written."""

import os
from pathlib import Path

import pytest

from treecrf.io.process import place_caches


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
