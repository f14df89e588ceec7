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
from treecrf.compiled import cache
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


@kernel(int64(int64), separate=True)
def halved(number):
    if number == 12:
        raise ValueError("twelve")
    return number // 2


@kernel(int64(int64))
def next_of(number):
    return 3 * number + 1 if number % 2 else halved(number)
"""

RUN = """{before}
import kernels, resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
print(*(getattr(kernels, name)({number}) for name in {names}))"""


@pytest.fixture
def run(tmp_path):
    """Calls kernels in a new process; gives what it wrote to stdout and to stderr."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(ROOT / "src"), str(tmp_path)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}

    def run(*names, number=10, most=resource.RLIM_INFINITY, before=""):
        command = [sys.executable, "-c", RUN.format(names=names, number=number, most=most, before=before)]
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


def test_a_separate_kernel_is_compiled_when_another_first_calls_it(run, tmp_path):
    def kept():
        return {path.name.split("-")[0] for path in tmp_path.rglob("*.nbc")}

    assert run("next_of", number=7)[0] == ["22"]
    assert kept() == {"kernels.next_of"}
    assert run("next_of")[0] == ["5"]
    assert kept() == {"kernels.next_of", "kernels.halved"}
    assert run("next_of", "halved") == (["5", "5"], [])  # both from the cache, at other addresses
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run("next_of", number=12)
    assert failed.value.stderr.endswith("ValueError: twelve\n")


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
    assert {"compiled/record.py", "io/messages.py", "trees/forest.py"} <= files  # what they import
    assert not {"models/registry.py", "automl/fitting.py"} & files


@pytest.mark.parametrize(
    ("mode", "is_refused"), [(0o755, False), (0o700, False), (0o1777, False), (0o777, True), (0o757, True)]
)
@pytest.mark.parametrize("inner", ["", "below/there", "below/new"])
def test_a_folder_of_kernels_that_others_can_write_is_refused(tmp_path, monkeypatch, mode, is_refused, inner):
    folder = tmp_path / "shared"
    (folder / "below/there").mkdir(parents=True)
    folder.chmod(mode)
    monkeypatch.setattr(cache._config, "CACHE_DIR", str(folder / inner))
    if not is_refused:
        with cache.kernel_cache():
            return
    with pytest.raises(ValueError, match=rf"^the folder {folder} of compiled kernels can be written by others, .*\.$"):
        cache.cache_root()


@pytest.mark.skipif(os.getuid() != 0, reason="another's folder needs root")
def test_a_folder_of_kernels_that_is_anothers_is_refused(tmp_path, monkeypatch):
    (tmp_path / f"kernels-{cache.kernel_digest()}").mkdir()
    os.chown(tmp_path / f"kernels-{cache.kernel_digest()}", 65534, 65534)
    monkeypatch.setattr(cache._config, "CACHE_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="can be written by others"), cache.kernel_cache():
        pass
