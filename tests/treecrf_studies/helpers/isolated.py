"""Checkers that pin old versions of packages that runs need in new ones, each in an environment of its own."""

import subprocess
import sys

import pytest


def isolated(packages, *command):
    """Run a command in an environment that has some packages alone; the test is skipped where these cannot be had."""
    chosen = [option for name in packages for option in ("--with", name)]
    uv = [sys.executable, "-m", "uv", "run", "--no-project", "--isolated", "--python", sys.executable, *chosen]
    installed = subprocess.run([*uv, "python", "-c", ""], capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"{packages[0]} cannot be installed here: {installed.stderr.strip().splitlines()[-1]}")
    return subprocess.run([*uv, *command], capture_output=True, text=True, check=False)
