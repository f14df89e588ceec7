"""Frames in files, and those read without some of their columns."""

import bz2
import gzip
import io
import lzma
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace

import pandas as pd
import pytest

from treecrf.io import files, process
from treecrf.io.files import atomic, leftovers, read_content, read_frame, write_frame, write_text


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
