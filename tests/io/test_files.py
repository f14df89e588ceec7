"""Frames in files, and those read without some of their columns."""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from treecrf.io.files import read_frame, write_frame, write_text


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
