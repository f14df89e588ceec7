"""Compiled kernels: what is compiled, kept and announced."""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from builders import ROOT

import treecrf
from treecrf.compiled.cache import kernel_files
from treecrf.compiled.kernel import KEPT, NOT_KEPT

KERNELS = """
from numba import int64

from treecrf.compiled.kernel import kernel


@kernel(int64(int64))
def doubled(number):
    return 2 * number


@kernel(int64(int64))
def quadrupled(number):
    return doubled(doubled(number))
"""

RUN = "{before}\nimport kernels, resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); print(*(getattr(kernels, name)(10) for name in {names}))"


@pytest.fixture
def run(tmp_path):
    """Calls kernels in a new process; gives what it wrote to stdout and to stderr."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(ROOT / "src"), str(tmp_path)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}

    def run(*names, most=resource.RLIM_INFINITY, before=""):
        command = [sys.executable, "-c", RUN.format(names=names, most=most, before=before)]
        process = subprocess.run(command, env=environment, cwd=tmp_path, text=True, capture_output=True, check=True)
        return process.stdout.split(), process.stderr.splitlines()

    return run


def test_a_called_kernel_is_compiled_as_a_part_of_its_caller_and_compilation_is_announced_once(run, tmp_path):
    assert run("quadrupled")[0] == ["40"]
    assert [path.name.split("-")[0] for path in tmp_path.rglob("*.nbc")] == ["kernels.quadrupled"]
    results, (line,) = run("doubled", "quadrupled")
    assert results == ["20", "40"]
    assert line.startswith("Compiling ")
    assert run("quadrupled", "doubled") == (["40", "20"], [])


def test_kernels_without_a_folder_and_on_a_full_disk(run):
    """They are compiled all the same."""
    nowhere = "from numba.core.caching import FunctionCache; FunctionCache._impl_class._locator_classes = []"
    results, messages = run("quadrupled", "doubled", before=nowhere)
    assert (results, messages) == (["40", "20"], [NOT_KEPT])
    results, messages = run("quadrupled", most=100)
    assert (results, messages[0], len(messages)) == (["40"], KEPT, 2)
    assert messages[1].endswith("a compiled routine is not kept (File too large).")
    assert run("quadrupled") == (["40"], [KEPT])


def test_compiled_kernels_are_good_until_a_file_that_decides_them_changes():
    package = Path(treecrf.__file__).parent
    files = {file.relative_to(package).as_posix() for file in kernel_files(package)}
    defining = {file for file in package.rglob("*.py") if re.search(r"^@kernel\(", file.read_text(), re.MULTILINE)}
    assert {file.relative_to(package).as_posix() for file in defining} <= files
    assert {"compiled/rules.py", "sequences.py", "trees/tree.py"} <= files  # what they import
    assert not {"models/base.py", "models/linear/linear_crf.py"} & files
