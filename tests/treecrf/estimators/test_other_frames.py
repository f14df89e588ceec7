"""Frames of other libraries, arrays with named columns, and pandas' nullable and Arrow types, against plain frames."""

import datetime
import os
import re
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from builders import ROOT

from treecrf import LinearCRF, SequenceSet
from treecrf.estimators.conversion import Given
from treecrf.missing import Imputer

PLAIN = [
    pd.DataFrame({"word": ["a", "b", "a"], "x": [0.5, 1.5, 2.25], "few": [1, 0, 1]}),
    pd.DataFrame({"word": ["c"], "x": [-1.0], "few": [1]}),
]
EXPECTED = Given.read(PLAIN).data
LABELS = [["u", "v", "u"], ["v"]]


def records(frame):
    return np.array(list(frame.itertuples(index=False)), dtype=[("word", "U1"), ("x", float), ("few", int)])


@pytest.mark.parametrize(
    "convert",
    [
        records,
        lambda frame: records(frame).view(np.recarray),
        lambda frame: records(frame).astype([("word", "S1"), ("x", "f8"), ("few", "i1")]),
        pa.Table.from_pandas,
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    ],
    ids=["structured array", "record array", "bytes", "pyarrow", "nullable", "Arrow"],
)
def test_other_tables_are_frames(convert):
    tables = [convert(frame) for frame in PLAIN]
    assert Given.read(tables).data == EXPECTED
    model = LinearCRF(max_iterations=5).fit(tables, LABELS)
    assert [part.tolist() for part in model.predict(PLAIN)] == [part.tolist() for part in model.predict(tables)]


def test_frames_of_polars_are_frames():
    polars = pytest.importorskip("polars")
    tables = [polars.from_pandas(frame) for frame in PLAIN]
    assert Given.read(tables).data == EXPECTED
    assert Given.read(tables, [polars.Series(labels) for labels in LABELS]).data.labels.tolist() == [0, 1, 0, 1]
    filled = Imputer().set_output(transform="polars").fit_transform(tables)
    assert all(isinstance(table, polars.DataFrame) for table in filled)
    assert Given.read(filled).data.numbers.tolist() == EXPECTED.numbers.tolist()
    joined = polars.concat([table.with_columns(s=polars.lit(i)) for i, table in enumerate(tables)])
    assert SequenceSet.from_frame(joined, sequence="s") == EXPECTED
    assert Given.read(joined.partition_by("s", include_key=False)).data == EXPECTED
    with pytest.raises(ValueError, match=r"^one DataFrame does not say where its sequences begin; .* give a list of"):
        Given.read(joined)


def test_a_structured_array_is_one_sequence_of_rows():
    given = Given.read(records(PLAIN[0]), LABELS[0])
    assert (given.form, given.data.lengths.tolist(), given.data.number_names) == ("rows", [3], ("x",))
    model = LinearCRF(max_iterations=5).fit(records(PLAIN[0]), LABELS[0])
    assert model.predict(records(PLAIN[0])).shape == (3,)


STAMPS = [datetime.datetime(2020, 1, 1, 10, 30), datetime.datetime(2021, 1, 1)]


@pytest.mark.parametrize(
    ("cells", "kind", "as_plain"),
    [
        (pd.array([1.5, None, 2.5], "double[pyarrow]"), "number", [1.5, None, 2.5]),
        (
            pd.array([Decimal("1.5"), None, Decimal("2.5")], pd.ArrowDtype(pa.decimal128(5, 2))),
            "number",
            [1.5, None, 2.5],
        ),
        (pd.array([3, None, 5], "int64[pyarrow]"), "category", [3, None, 5]),
        (pd.array(range(30), "uint8[pyarrow]"), "number", list(range(30))),
        (pd.array([True, None], "bool[pyarrow]"), "category", [True, None]),
        (pd.array(["x", None], pd.ArrowDtype(pa.large_string())), "category", ["x", None]),
        (pd.array(["x", None], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))), "category", ["x", None]),
        (pd.array(STAMPS, pd.ArrowDtype(pa.timestamp("us"))), "category", STAMPS),
        (pd.array([STAMPS[0].date()], pd.ArrowDtype(pa.date32())), "category", [STAMPS[0].date()]),
    ],
)
def test_types_of_pandas_are_those_of_their_values(cells, kind, as_plain):
    data = Given.read([pd.DataFrame({"c": cells})]).data
    assert (
        data == Given.read([pd.DataFrame({"c": pd.Series(as_plain, dtype=None if kind == "number" else object)})]).data
    )
    assert len(data.number_names) == (kind == "number")
    assert SequenceSet.from_frame(pd.DataFrame({"s": 0, "c": cells}), sequence="s") == data


# --- types -----------------------------------------------------------------------------------------


PROGRAM = """\
from treecrf import SequenceSet, TreeCRF

model: TreeCRF = TreeCRF(n_iterations=3)
TreeCRF(n_iteration=3)
TreeCRF(window="wide")
model.predict(SequenceSet.load("x.npz")).splitlines()
"""


@pytest.mark.slow
def test_a_misspelt_setting_and_a_wrong_type_are_errors(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "program.py"]
    found = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"MYPYPATH": str(ROOT / "src")}
    )
    errors = re.findall(r"^program\.py:(\d+): error: .*\[(.+)\]$", found.stdout, re.M)
    assert errors == [("4", "call-arg"), ("5", "arg-type"), ("6", "attr-defined")], found.stdout + found.stderr
    assert 'did you mean "n_iterations"?' in found.stdout
