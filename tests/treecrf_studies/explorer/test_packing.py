"""Frames inside a page come out as they went in."""

import json

import numpy as np
import pandas as pd
import pytest

from treecrf_studies.explorer.page import pack


def unpack(text):
    """Rows of frames by name, as script/data.js reads them."""
    columns = json.loads(text)
    values = {
        name: {
            column: [packed["levels"][code] for code in packed["codes"]] if isinstance(packed, dict) else packed
            for column, packed in frame.items()
        }
        for name, frame in columns.items()
    }
    return {name: pd.DataFrame(frame).to_dict("records") for name, frame in values.items()}


def test_frames_come_out_as_they_went_in():
    frame = pd.DataFrame(
        {
            "text": ["a", "b", "a"],
            "number": [1.0, 0.1 + 0.2, np.pi],
            "whole": [1, 2, 3],
            "flag": [True, False, True],
            "list": [[1, 2], [], ["x"]],
            "object": pd.Series([True, 2, "x"], dtype=object),
        }
    )
    (rows,) = unpack(pack({"frame": frame})).values()
    assert [row["text"] for row in rows] == ["a", "b", "a"]
    assert [row["number"] for row in rows] == [1, 0.3, 3.14159]
    assert [row["list"] for row in rows] == [[1, 2], [], ["x"]]
    assert [row["flag"] for row in rows] == [True, False, True]
    assert [row["object"] for row in rows] == [True, 2, "x"]


@pytest.mark.parametrize("missing", [None, np.nan, np.inf, pd.NA])
def test_what_is_missing_is_null(missing):
    assert json.loads(pack({"f": pd.DataFrame({"x": pd.Series([missing, 2.5], dtype=object)})})) == {
        "f": {"x": [None, 2.5]}
    }


def test_texts_cannot_leave_their_script():
    text = pack({"f": pd.DataFrame({"x": ["</script><script>alert(1)</script>", "\u2028"]})})
    assert "<" not in text
    assert unpack(text)["f"][0]["x"] == "</script><script>alert(1)</script>"
