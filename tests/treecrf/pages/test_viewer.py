"""The viewer of sequences: what its data say, and that texts of files stay texts."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from treecrf.automl.time_axis import TimeAxis
from treecrf.pages.page import policy_of
from treecrf.pages.viewer import Viewed, importance_bars, packed, render_viewer

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"


def viewed(**changes):
    names = ["O", "B-x", "I-x", EVIL]
    parts = {
        "names": ["first", EVIL],
        "offsets": np.array([0, 4, 6]),
        "inputs": pd.DataFrame(
            {"word": ["a", None, EVIL, "b", "a", ""], "size": [1.5, np.nan, 2.0, 0.123456789, 1, 2]}
        ),
        "label_names": names,
        "probabilities": np.array([[0.004, 0.5, 0.496]] * 5 + [[0.99991, 0.00008, 0.00001]]),
        "predicted": np.array([1, 2, 2, 1, 2, 0]),
        "true": np.array([1, 2, 0, -1, 3, 0]),
    }
    return Viewed(**(parts | changes))


def test_data_are_packed():
    data = packed(viewed(label_names=["O", "B-x", "I-x", "I-y"]))
    assert data["types"] == ["O", "x", "x", "y"]
    assert data["colors"] == [None, 0, 0, 1]
    word, size = data["columns"]
    assert [word["levels"][code] if code >= 0 else None for code in word["codes"]] == ["a", None, EVIL, "b", "a", None]
    assert size["values"] == [1.5, None, 2.0, 0.123457, 1.0, 2.0]
    assert data["view"] == "words"
    assert data["goes_on"] == {"predicted": "011000", "true": "010000"}
    counts = data["chances"]["counts"]
    assert counts == [2, 2, 2, 2, 2, 1]
    assert data["chances"]["values"][:2] == [5000, 4960]
    assert data["chances"]["values"][-1] == 9999
    assert packed(viewed(label_names=["O", "B-x", "I-x", "other"]))["goes_on"]["predicted"] == "000000"


def test_times_are_packed():
    values = np.array([0.0, 0.1234, 2, 3, np.nan, np.nan])
    data = packed(viewed(times=TimeAxis("when", "date", values)))
    assert data["times"] == {"column": "when", "title": "when", "kind": "date", "values": [0, 0.123, 2, 3, None, None]}
    assert packed(viewed())["times"] is None


def test_a_column_of_times_is_no_text_to_read():
    inputs = pd.DataFrame({"when": list("abcdef"), "x": np.arange(6.0)})
    data = viewed(inputs=inputs, times=TimeAxis("when", "date", np.arange(6.0)))
    assert packed(data)["view"] == "numbers"
    assert 'id="as-words"' not in render_viewer("t", data)


def test_a_column_of_times_is_not_drawn_over_itself():
    inputs = pd.DataFrame({"when": np.arange(6.0), "x": np.arange(6.0)})
    page = render_viewer("t", viewed(inputs=inputs, times=TimeAxis("when", "date", np.arange(6.0), is_utc=True)))
    assert '<input type="checkbox" id="column0">when' in page
    assert '<input type="checkbox" id="column1" checked>x' in page
    assert ">when (UTC)</option>" in page


def test_numbers_that_differ_little_stay_apart():
    steps = np.arange(6.0)
    inputs = pd.DataFrame({"time": 1.4e12 + 17 * steps, "east": 13.4049541 + steps / 1e6})
    time, east = packed(viewed(inputs=inputs))["columns"]
    assert time["values"] == inputs["time"].tolist()
    assert len(set(east["values"])) == 6


def test_the_predicted_label_has_its_probability_even_if_it_is_small():
    data = packed(viewed(predicted=np.array([0, 2, 2, 1, 2, 1])))
    assert data["chances"]["counts"] == [3, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("tags", ["IO", "BIO", "IOBES", "BILOU"])
def test_entities_are_those_of_the_statistics(tags):
    """A position goes on where it is in a chunk, but does not begin it (`treecrf.statistics.chunks`)."""
    from treecrf.statistics.chunks import SCHEMES, _found_chunks

    rng = np.random.default_rng(0)
    names = ["O", *(f"{letter}-{kind}" for letter in SCHEMES[tags] for kind in "xy")]
    codes, offsets = rng.integers(0, len(names), 400), np.array([0, 150, 151, 400])
    _, chunks, _ = _found_chunks(np.array(names)[codes], np.array(names)[codes], offsets, None)
    begins = np.isin(np.arange(400), chunks[:, 0])
    data = packed(
        Viewed(list("abc"), offsets, pd.DataFrame({"word": ["w"] * 400}), names, np.eye(len(names))[codes], codes, None)
    )
    goes_on = np.array(list(data["goes_on"]["predicted"])) == "1"
    inside = codes > 0
    np.testing.assert_array_equal(goes_on[inside], ~begins[inside])


def test_an_importance_without_an_interval_has_a_dash():
    one = pd.DataFrame({"attribute": ["x"], "lost": [2.0], "low": [np.nan], "high": [np.nan]})
    assert "–" in importance_bars(one)
    assert "nan" not in importance_bars(one)


def test_of_many_labels_the_commonest_are_in_the_key(monkeypatch):
    monkeypatch.setattr("treecrf.pages.viewer.MOST_KEYS", 2)
    names = ["rare", "B", "C", "never"]
    data = viewed(label_names=names, predicted=np.array([1, 1, 2, 2, 0, 1]), true=np.array([2, 2, 2, -1, 1, 1]))
    key = render_viewer("t", data).split('aria-label="Colours of labels">')[1].split("</ul>")[0]
    assert re.findall("([^<>]+)</li>", key) == ["B", "C", "and 2 more"]


def test_hostile_texts_stay_text():
    importance = pd.DataFrame({"attribute": [EVIL], "lost": [1.0], "low": [0.5], "high": [1.5]})
    confusion = pd.DataFrame([[1, 2], [3, 4]], index=[EVIL, "b"], columns=[EVIL, "b"])
    text = render_viewer(EVIL, viewed(), note=EVIL, confusion=confusion, importance=importance)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert len(scripts) == 1
    assert policy == policy_of(scripts)
    assert "<img" not in text
    assert "alert('x')</script>" not in text
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(data)["sequences"] == ["first", EVIL]
    assert text.count("http") == text.count("http-equiv")


def test_without_labels_there_are_no_errors():
    text = render_viewer("t", viewed(true=None))
    assert 'id="error"' not in text
    assert '"true":null' in text
    assert "2 sequences, 6 positions." in text
