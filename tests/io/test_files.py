"""Frames in files, and those read without some of their columns."""

import pandas as pd
import pytest

from treecrf.io.files import read_frame, write_frame


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
