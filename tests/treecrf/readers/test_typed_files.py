"""Feather, JSON lines, and rows that are sequences, against the tables that they hold."""

import gzip
import io
import json
import re
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from frames import cells
from pyarrow import feather, parquet
from typer.testing import CliRunner

from treecrf import load_table
from treecrf.cli import app
from treecrf.io import process
from treecrf.readers import typed_files
from treecrf.readers.reading import read_frame, read_stored

TABLE = pd.DataFrame(
    {"sequence": ["s", "s", "t"], "word": ["the", None, "ü"], "x": [1.5, np.nan, 2.0], "label": ["D", "N", "D"]}
)
EXPECTED = [["s", "the", "1.5", "D"], ["s", None, None, "N"], ["t", "ü", "2", "D"]]
BY_SEQUENCE = {
    "sequence": ["s", "t"],
    "word": [["the", None], ["ü"]],
    "x": [[1.5, None], [2.0]],
    "label": [["D", "N"], ["D"]],
}


def written(file_format, columns):
    """The bytes of a table in a format."""
    stream, table = io.BytesIO(), pa.table(columns)
    if file_format == "parquet":
        parquet.write_table(table, stream)
    elif file_format == "feather":
        feather.write_feather(table, stream)
    else:
        rows = [{name: cell for name, cell in row.items() if cell is not None} for row in table.to_pylist()]
        stream.write("\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode())
    return stream.getvalue()


@pytest.mark.parametrize("file_format", ["parquet", "feather", "jsonl"])
def test_rows_are_observations_or_sequences(read, file_format):
    by_row, told = read(written(file_format, pa.Table.from_pandas(TABLE).to_pydict()), name=f"t.{file_format}")
    assert (by_row.columns.tolist(), cells(by_row), told) == (TABLE.columns.tolist(), EXPECTED, [])
    by_list, _ = read(written(file_format, BY_SEQUENCE), name=f"lists.{file_format}")
    assert (by_list.columns.tolist(), cells(by_list)) == (TABLE.columns.tolist(), EXPECTED)
    unnamed = {name: column for name, column in BY_SEQUENCE.items() if name != "sequence"}
    numbered, _ = read(written(file_format, unnamed), name=f"unnamed.{file_format}")
    assert cells(numbered) == [["0", *EXPECTED[0][1:]], ["0", *EXPECTED[1][1:]], ["1", *EXPECTED[2][1:]]]


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
def test_a_feather_file_larger_than_memory_is_refused_before_it_is_unpacked(read, monkeypatch, compression):
    """The batch of a dictionary counts as well, and memory is not asked for what is only packed."""
    n_rows = 100_000
    text = pa.array(["x" * 1000, "y"] * (n_rows // 2))
    table = pa.table(
        {
            "x": np.zeros(n_rows),
            "d": text.dictionary_encode(),
            "e": pa.array(["z" * 10**6]).dictionary_encode().take(pa.array([0] + [None] * (n_rows - 1), pa.int64())),
        }
    )
    stream = io.BytesIO()
    feather.write_feather(table, stream, compression=compression)
    n_bytes = sum(
        buffer.size for column in table.columns for chunk in column.chunks for buffer in chunk.buffers() if buffer
    )
    n_bytes += sum(
        buffer.size for column in table.columns[1:] for buffer in column.chunks[0].dictionary.buffers() if buffer
    )
    asked = []
    monkeypatch.setattr(typed_files, "check_memory", lambda n_bytes, *_: asked.append(n_bytes))
    read(stream.getvalue(), name="t.feather")
    assert asked[0] == pytest.approx(2 * n_bytes, rel=0.01)
    monkeypatch.undo()
    monkeypatch.setattr(process, "available_memory", lambda: 2**22)
    if compression == "uncompressed":
        return
    monkeypatch.setattr(feather, "read_table", None)
    with pytest.raises(ValueError, match=r"^table .*t\.feather would take .* give a smaller one\.$"):
        read(stream.getvalue(), name="t.feather")


@pytest.mark.parametrize("file_format", ["parquet", "feather"])
def test_a_long_category_of_many_rows_is_refused_before_it_is_repeated(read, monkeypatch, file_format):
    frame = pd.DataFrame({"x": pd.Categorical.from_codes([0] * 100_000, ["z" * 10**6])})
    stream = io.BytesIO()
    getattr(frame, f"to_{file_format}")(stream)
    monkeypatch.setattr(process, "available_memory", lambda: 2**30)
    with pytest.raises(ValueError, match=rf"^table .*t\.{file_format} would take .* give a smaller one\.$"):
        read(stream.getvalue(), name=f"t.{file_format}")


DTYPES = {
    "category": (["x", "y"], "category", ["x", "y"]),
    "numbers as category": ([1.0, 2.5], "category", ["1", "2.5"]),
    "string": (["x", "y"], "string", ["x", "y"]),
    "object": (["x", "y"], object, ["x", "y"]),
    "Int64": ([1, 2], "Int64", ["1", "2"]),
    "Float64": ([1.5, 2], "Float64", ["1.5", "2"]),
    "boolean": ([True, False], "boolean", ["True", "False"]),
    "datetime": (["2024-01-01", "2024-01-02"], "datetime64[ns]", ["2024-01-01", "2024-01-02"]),
    "time zone": (["2024-01-01"], "datetime64[ns, UTC]", ["2024-01-01 00:00:00+00:00"]),
    "timedelta": ([10**9, 2 * 10**9], "timedelta64[ns]", ["0 days 00:00:01", "0 days 00:00:02"]),
    "period": (["2024-01", "2024-02"], "period[M]", ["2024-01", "2024-02"]),
    "decimal": ([Decimal("1.50"), Decimal("2.25")], object, ["1.50", "2.25"]),
    "date": ([date(2024, 1, 1), date(2024, 1, 2)], object, ["2024-01-01", "2024-01-02"]),
    "bytes": ([b"x", b"y"], object, ["x", "y"]),
}
"""Values of each type that pandas writes, and their texts."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("file_format", ["parquet", "feather"])
def test_columns_of_every_type_with_any_values(read, tmp_path, file_format, dtype):
    values, kept_as, texts = DTYPES[dtype]
    column = pd.Series([*values, None], dtype=kept_as)
    n_values, path = len(values), tmp_path / "table"
    several, equal, missing = [*range(n_values), n_values], [0] * 4, [n_values] * 4
    for rows in (several, equal, missing, [0], [n_values], []):
        kept = column.iloc[rows].reset_index(drop=True)
        for cells_of in (kept, kept.cat.remove_unused_categories() if kept_as == "category" else kept):
            getattr(pd.DataFrame({"x": cells_of, "y": 1}), f"to_{file_format}")(path)
            frame, told = read(path.read_bytes(), name=f"t.{file_format}")
            assert (cells(frame[["x"]]), told) == ([[[*texts, None][row]] for row in rows], [])


@pytest.mark.parametrize("lists", [[[1, 2], [1, 2]], [[], [1]], [[1]]])
@pytest.mark.parametrize("file_format", ["parquet", "feather"])
def test_lists_with_any_values(read, tmp_path, file_format, lists):
    path, kind = tmp_path / "table", pa.list_(pa.int64())
    for column in (lists, pd.Series(pd.array(pa.array(lists, kind), dtype=pd.ArrowDtype(kind)))):
        getattr(pd.DataFrame({"x": column}), f"to_{file_format}")(path)
        frame, _ = read(path.read_bytes(), name=f"t.{file_format}")
        assert frame["x"].tolist() == [str(cell) for row in lists for cell in row]


@pytest.mark.parametrize("file_format", ["parquet", "feather"])
def test_an_index_with_names_is_kept(read, tmp_path, file_format):
    path = tmp_path / "table"
    indexed = TABLE.set_index(["sequence", "word"])
    pa_table = pa.Table.from_pandas(indexed)
    parquet.write_table(pa_table, path) if file_format == "parquet" else feather.write_feather(pa_table, str(path))
    frame, _ = read(path.read_bytes(), name=f"t.{file_format}")
    assert (frame.columns.tolist(), cells(frame)) == (TABLE.columns.tolist(), EXPECTED)


def test_formats_are_told_by_their_suffixes_and_marks(read, tmp_path):
    content = written("feather", pa.Table.from_pandas(TABLE).to_pydict())
    for name in ("t.arrow", "t.dat"):
        assert cells(read(content, name=name)[0]) == EXPECTED
    lines = written("jsonl", pa.Table.from_pandas(TABLE).to_pydict())
    assert cells(read(gzip.compress(lines), name="t.ndjson.gz")[0]) == EXPECTED
    frame, _ = read(b"\n" + lines.replace(b"\n", b"\n\n"), name="t.jsonl")
    assert frame.index.tolist() == [2, 4, 6]
    assert cells(read_frame(tmp_path / "t.jsonl")) == EXPECTED


def test_empty_sequences_are_left_out(read):
    frame, told = read(written("parquet", {"x": [[1, 2], [], [3]], "who": ["a", "b", "c"]}), name="t.parquet")
    assert cells(frame) == [["0", "1", "a"], ["0", "2", "a"], ["2", "3", "c"]]
    assert told == ["1 sequence without observations left out."]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.feather", b"ARROW1" + bytes(20), "is not a readable Feather file"),
        ("t.jsonl", '{"x": 1}\n{"x": \n', "line 2: no JSON"),
        ("t.jsonl", '{"x": 1}\n[1]\n', "line 2: [1] is no object; write one object in each line"),
        ("t.jsonl", "\n\n", "has no rows with values; give at least one sequence."),
        ("t.jsonl", "{}\n{}\n", "has no rows with values; give at least one sequence."),
        (
            "t.jsonl",
            '{"x": 1, "x": 2}\n',
            "line 1: no JSON (the key 'x' appears twice); write one object in each line.",
        ),
        ("t.jsonl", '{"x": {"a": 1}}\n', "line 1: column 'x' has"),
        (
            "t.jsonl",
            '{"x": [1]}\n{"x": 2}\n',
            "line 2: column 'x' has 2; give a list in each row of a column, or one value in each.",
        ),
        ("t.jsonl", '{"x": [1], "y": [1, 2]}\n', "line 1: the lists have different lengths (1 in 'x', 2 in 'y')"),
        (
            "t.jsonl",
            '{"x": [[1, 2]]}\n',
            "the lists of column 'x' hold [1, 2]; give each number of an observation a column.",
        ),
        ("t.jsonl", '{"x": [{"a": 1}]}\n', "the lists of column 'x' hold"),
    ],
)
def test_what_cannot_be_read_is_named(read, tmp_path, name, content, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        read(content, name=name)
    assert str(caught.value).startswith(f"table {tmp_path / name}")
    assert "\n" not in str(caught.value)


def test_lists_keep_their_types_and_are_loaded_as_sequences(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(written("parquet", {"x": [[1, 2], [3]], "y": [[0.5, None], [1.0]], "label": [["a", "b"], ["a"]]}))
    stored = read_stored(path, "walk")
    assert stored["walk"].tolist() == [0, 0, 1]
    assert (stored["x"].dtype.kind, stored["y"].tolist()[::2]) == ("i", [0.5, 1.0])
    train, test = load_table(path=path, test_fraction=0.5)
    assert (len(train), len(test), train.label_names) == (1, 1, ("a", "b"))


def test_predictions_of_lists_are_written_by_observation(tmp_path):
    rng = np.random.default_rng(0)
    x = [rng.normal(size=rng.integers(4, 9)).tolist() for _ in range(20)]
    columns = {"x": x, "label": [["a" if value > 0 else "b" for value in values] for values in x]}
    (tmp_path / "t.parquet").write_bytes(written("parquet", columns))
    (tmp_path / "t.jsonl").write_bytes(written("jsonl", columns))
    run = CliRunner().invoke
    model, output = str(tmp_path / "m.npz"), tmp_path / "out.parquet"
    fitted = run(app, ["fit", str(tmp_path / "t.jsonl"), "-o", model, "--method", "linear_crf"])
    assert fitted.exit_code == 0, fitted.output
    assert run(app, ["predict", model, str(tmp_path / "t.parquet"), "-o", str(output)]).exit_code == 0
    labelled = pd.read_parquet(output)
    assert labelled["x"].tolist() == [value for values in x for value in values]
    assert (labelled["predicted"] == labelled["label"]).mean() > 0.9
