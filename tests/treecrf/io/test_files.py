"""Files, written whole and read within memory; damage to results, sets, models and kernels is noticed."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import larger_set

from treecrf import SequenceSet, sequences
from treecrf.io import files, process
from treecrf.io.files import (
    atomic,
    forget,
    leftovers,
    note,
    noted,
    read_content,
    read_frame,
    refuse_damaged,
    write_frame,
    write_text,
)


def test_columns_that_are_not_wanted_are_left_out_whether_there_or_not(tmp_path):
    frame = pd.DataFrame({"label": [0, 1], "p_label": [0.5, 0.25], "method": ["a", "b"]})
    write_frame(frame, tmp_path / "frame.parquet")
    found = read_frame(tmp_path / "frame.parquet", ("p_label", "sum_squares"))
    pd.testing.assert_frame_equal(found, frame[["label", "method"]], check_dtype=False)
    pd.testing.assert_frame_equal(read_frame(tmp_path / "frame.parquet"), frame, check_dtype=False)


def test_a_damaged_file_is_named_then_too(tmp_path):
    (tmp_path / "frame.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"frame\.parquet is not a readable Parquet file"):
        read_frame(tmp_path / "frame.parquet", ("p_label",))


def test_writers_of_one_path_at_once_leave_one_whole_file(tmp_path):
    """Threads of one process, and so the more processes."""
    path = tmp_path / "text.txt"
    texts = [str(number) * 100_000 for number in range(4)]

    def write(text):
        for _ in range(10):
            write_text(text, path)

    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(write, texts))
    assert path.read_text() in texts
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


def as_parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("on_standard_input", [False, True])
def test_a_table_larger_than_memory_is_refused_while_it_is_read(tmp_path, monkeypatch, pack, on_standard_input):
    data = pack(b"0,a\n" * 250_000)
    (tmp_path / "t.csv").write_bytes(data)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    path = "-" if on_standard_input else tmp_path / "t.csv"
    assert read_content(path).data == b"0,a\n" * 250_000
    read = []
    files._all_of.cache_clear()
    sys.stdin.buffer.seek(0)
    monkeypatch.setattr(files, "_BLOCK", 1000)
    monkeypatch.setattr(process, "available_memory", lambda: read.append(0) or 20_000)
    with pytest.raises(
        ValueError, match=r"^table .*, of its first 11,000 bytes alone, would take .* give a smaller one\.$"
    ):
        read_content(path)
    assert len(read) < 30


def test_an_xz_file_may_have_streams_and_padding_but_no_dictionary_beyond_memory(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    for packed in (
        lzma.compress(b"a\n") + lzma.compress(b"") + lzma.compress(b"b\n") + bytes(8),
        lzma.compress(b"a\nb\n"),
    ):
        path.write_bytes(packed)
        assert read_content(path).data == b"a\nb\n"
    whole = lzma.compress(b"a\n" * 100, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**26}])
    path.write_bytes(whole)
    monkeypatch.setattr(files, "available_memory", lambda: 2**26)
    with pytest.raises(
        ValueError, match=r"^table .* cannot be unpacked \('Memory usage limit exceeded'\); copy or pack it"
    ):
        read_content(path)
    monkeypatch.undo()
    for n_bytes in (len(whole) - 1, 30):
        path.write_bytes(whole[:n_bytes])
        with pytest.raises(ValueError, match=r"cannot be unpacked"):
            read_content(path)


def test_a_parquet_file_of_more_rows_than_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(as_parquet(pd.DataFrame({"x": [0] * 10**6})))
    monkeypatch.setattr(process, "available_memory", lambda: 10**6)
    with pytest.raises(ValueError, match=r"^file .*t\.parquet would take .* give a smaller one\.$"):
        read_frame(tmp_path / "t.parquet")


def test_a_link_stays_and_a_file_keeps_its_permissions(tmp_path):
    target, link = tmp_path / "folder/target.txt", tmp_path / "link.txt"
    target.parent.mkdir()
    link.symlink_to(target)
    write_text("first", link)
    target.chmod(0o640)
    write_text("second", link)
    assert link.is_symlink()
    assert target.read_text() == "second"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in target.parent.iterdir()] == ["target.txt"]
    with pytest.raises(FileNotFoundError, match=r"link\.txt"), atomic(link):
        pass  # nothing is written


def test_a_job_that_tidies_up_leaves_the_temporary_files_of_its_neighbour(tmp_path):
    """Raw files ``NAME.train`` and ``NAME.test`` are fetched at the same time."""
    names = ["protein.train", "protein.test", "protein", "protein.train.csv", "[p]rotein.train"]
    with ExitStack() as written:
        temporary = {name: written.enter_context(atomic(tmp_path / name)) for name in names}
        for path in temporary.values():
            path.touch()
        (tmp_path / "protein.train.7.tmp").touch()  # of a download, which removes its own
        for name, path in temporary.items():
            assert leftovers(tmp_path / name) == [path]


# --- checksums -------------------------------------------------------------------------------------


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
