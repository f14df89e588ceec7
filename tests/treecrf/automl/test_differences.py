"""What is told of a table that differs from the training table."""

import numpy as np
import pandas as pd
import pytest

from treecrf import LinearCRF
from treecrf.automl.labeller import TableLabeller, ranges_of
from treecrf.readers.reading import read_table
from treecrf.readers.tables import TableColumns


@pytest.fixture
def model(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sequence": np.arange(200) // 10, "warm": rng.normal(20, 2, 200), "level": rng.random(200)})
    frame["label"] = np.where(frame["warm"] > 20, "u", "v")
    frame.to_csv(tmp_path / "t.csv", index=False)
    columns = TableColumns("sequence", "label", ("warm", "level"), ("warm", "level"))
    data = read_table(tmp_path / "t.csv").encode(columns)
    model = TableLabeller(LinearCRF(max_iterations=3).fit(data), columns, ranges=ranges_of(data))
    model.save(tmp_path / "m.npz")
    return TableLabeller.load(tmp_path / "m.npz"), frame, tmp_path


def told(model, frame, folder, unknown=0.0):
    frame.to_csv(folder / "new.csv", index=False)
    return list(model.notices(read_table(folder / "new.csv"), unknown))


def test_numbers_in_another_unit_are_named(model):
    model, frame, folder = model
    assert told(model, frame.assign(label=""), folder) == []
    [sentence] = told(model, frame.assign(warm=frame["warm"] * 1.8 + 32), folder)
    assert "new.csv differs from the training table" in sentence
    [_, _, row] = sentence.splitlines()
    assert row.startswith("'warm'")
    assert "200 of 200 cells" in row
    assert "another unit or other conditions?" in row
    assert told(model, frame.assign(warm=frame["warm"] * 1.8 + 32), folder, 1.0) == []


def test_a_shift_within_the_range_is_named(model):
    model, frame, folder = model
    [sentence] = told(model, frame.assign(level=frame["level"].max()), folder)
    assert "'level'" in sentence
    assert "0 of 200 cells" in sentence


def test_ranges_are_quantiles(model):
    model, frame, _ = model
    assert model.ranges["warm"] == pytest.approx(np.quantile(frame["warm"], [0, 0.05, 0.5, 0.95, 1]))
