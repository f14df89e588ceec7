"""Damage to files is noticed: results by their notes, sets and models by the archive's checksums, kernels by a digest."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from builders import larger_set

from treecrf import SequenceSet, sequences
from treecrf.io.files import forget, note, noted, refuse_damaged

PACKAGE = Path(sequences.__file__).parent


def test_whole_files_and_files_without_a_note_pass(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x\n1\n")
    note([tmp_path / "a.csv"])
    assert noted(tmp_path) == [tmp_path / "a.csv"]
    refuse_damaged([tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "nowhere.csv"])


@pytest.mark.parametrize("content", ["", "x\n", "x\n2\n", "x\n1\n\n"])
def test_a_changed_file_is_named(content, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n")
    note([path])
    path.write_text(content)
    with pytest.raises(ValueError, match=r"a\.csv: damaged or changed .* delete it and run again\.$"):
        refuse_damaged(noted(tmp_path))
    forget([path])
    refuse_damaged([path])


def test_nothing_stays_of_a_note_whose_job_was_killed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n")
    note([path])
    (tmp_path / ".checksums/a.csv.sha256.0123456789ab.tmp").write_text("cut")
    forget([path])
    assert list((tmp_path / ".checksums").iterdir()) == []


def test_of_many_the_number_is_said(tmp_path):
    paths = [tmp_path / f"{i}.csv" for i in range(7)]
    for path in paths:
        path.write_text("x")
    note(paths)
    for path in paths:
        path.write_text("y")
    with pytest.raises(ValueError, match=r"0\.csv, .*4\.csv and 2 more: damaged"):
        refuse_damaged(paths)


def test_notes_are_as_sha256sum_has_them(tmp_path):
    (tmp_path / "a.csv").write_text("x\n")
    note([tmp_path / "a.csv"])
    process = subprocess.run(["sha256sum", "--check", ".checksums/a.csv.sha256"], cwd=tmp_path, capture_output=True)
    assert process.returncode == 0


def test_any_flipped_bit_of_a_set_is_noticed_or_changes_nothing(tmp_path):
    train = larger_set()
    path = tmp_path / "train.npz"
    train.save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    n_refused = 0
    for place in rng.integers(0, len(whole), 200):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(damaged))
        try:
            loaded = SequenceSet.load(path)
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017 (most are refused, the rest are dates and the like)
            n_refused += 1
        else:
            assert loaded.values.tobytes() == train.values.tobytes()
            assert loaded.labels.tobytes() == train.labels.tobytes()
            assert (loaded.attributes, loaded.label_names) == (train.attributes, train.label_names)
    assert n_refused > 150


RUN_KERNEL = """
import sys
from treecrf.compiled.cache import kernel_cache
for _ in sys.stdin:  # a line asks for the kernel as a new process would load it
    sys.modules.pop("routine", None)
    with kernel_cache():
        from routine import doubled
    print(doubled(21), sum(doubled.stats.cache_hits.values()), flush=True)
"""

ROUTINE = """
from numba import int64, njit

@njit(int64(int64), cache=True)
def doubled(number):
    return 2 * number
"""


@pytest.fixture
def kernel(tmp_path):
    """Loads a kernel anew: what it gives, and whether its compiled form was found."""
    (tmp_path / "routine.py").write_text(ROUTINE)
    path = os.pathsep.join([str(PACKAGE.parent), str(tmp_path)])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    command = [sys.executable, "-c", RUN_KERNEL]
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def run():
            process.stdin.write("again\n")
            process.stdin.flush()
            return tuple(map(int, process.stdout.readline().split()))

        yield run
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_kernel_is_compiled_anew(suffix, kernel, tmp_path):
    assert kernel() == (42, 0)
    assert kernel() == (42, 1)
    (file,) = tmp_path.rglob(f"*doubled*.{suffix}")
    whole = file.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for content in (b"", whole[:10], whole[:middle], whole[:-1], flipped):
        file.write_bytes(content)
        assert kernel() == (42, 0)
        assert kernel() == (42, 1)
    file.unlink()
    assert kernel() == (42, 0)
