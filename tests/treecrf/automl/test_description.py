"""What kind of holes there are: planted ones are found, others are not."""

import numpy as np
import pandas as pd
import pytest
from builders import lasting_set, number_set

from treecrf.automl.description import describe_missing, missing_sentences
from treecrf.automl.roles import is_identifier
from treecrf.io.columns import Column
from treecrf.missing import inject
from treecrf.missing.mechanisms import by_label, in_runs
from treecrf.sequences import MISSING


@pytest.fixture(scope="module")
def whole():
    return number_set(0, n_sequences=60, longest=20)


@pytest.mark.parametrize(("make", "by_label_", "runs"), [(inject, 0, 0), (by_label, 1, None), (in_runs, 0, 1)])
def test_planted_kinds_are_found(whole, make, by_label_, runs):
    frame = describe_missing(make(whole, 0.3, np.random.default_rng(1)), 0)
    assert (frame["p_label"] < 0.05).all() == bool(by_label_)
    assert (frame["p_label"] < 0.05).any() == bool(by_label_)
    if runs is not None:
        assert (frame["p_run"] < 0.05).all() == bool(runs)
        assert (frame["p_run"] < 0.05).any() == bool(runs)


def test_numbers_by_hand():
    data = lasting_set(2, 4).select([0, 1])
    values = data.values.copy()
    values[[0, 1, 3, 6], 0] = MISSING  # runs of 2, 1 and 1
    row = describe_missing(data.with_values(values), 0).iloc[0]
    assert (row["share"], row["run"]) == (0.5, pytest.approx(4 / 3))
    assert row["run_by_chance"] == pytest.approx(8 / (2 * (1 + 3 * 0.5)))
    holes = values[:, 0] == MISSING
    rates = {
        name: holes[data.labels == code].mean()
        for code, name in enumerate(data.label_names)
        if (data.labels == code).any()
    }
    assert row["share_at_most"] == rates[row["label_most"]] == max(rates.values())
    assert row["share_at_least"] == rates[row["label_least"]] == min(rates.values())


def test_holes_that_avoid_each_other_are_no_runs():
    frame = pd.DataFrame({"column": ["x", "z"], "p_run": [0.01, 0.01], "run": [1.0, 2.0], "run_by_chance": [1.1, 1.1]})
    assert list(missing_sentences(frame)) == ["Missing values come in runs: z."]


@pytest.mark.parametrize(
    ("cells", "identifies"),
    [
        ([str(i) for i in range(60)], True),
        ([str(3 * i) for i in range(60)], False),
        ([f"{i % 12 + 1}/{i % 28 + 1}/2024 10:{i:02}" for i in range(60)], True),
        ([f"04/02/2024 10:{i:02}" for i in [*range(58), 5, 5]], True),  # two in the same minute
        ([f"04/02/2024 10:{i:02}" for i in range(55)] + [None] * 5, True),
        ([f"04/02/2024 10:{i // 5:02}" for i in range(60)], False),
        ([f"code {i}" for i in range(49)], False),
        ([*(f"word{i}" for i in range(59)), "word"], False),
        ([f"2024-02-04T10:{i:02}" for i in range(60)], False),  # what inputs are derived from
    ],
)
def test_codes_that_identify_rows(cells, identifies):
    assert is_identifier(Column(pd.Series(cells, dtype="str"), "x")) == identifies
