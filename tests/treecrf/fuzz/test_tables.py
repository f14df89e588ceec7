"""Damaged tables and frames of all kinds: a right result or one clear sentence."""

import bz2
import gzip
import lzma
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from builders import binary_set
from frames import cells
from fuzzing import HARMLESS, assert_clear, check_set, damaged, fuzz, head, of_type, quiet
from hypothesis import strategies as st

import treecrf.automl.description  # noqa: F401  loads compiled kernels, which is no part of an input's time
from treecrf import load_table
from treecrf.cli.tables import TableOptions, read_training_set
from treecrf.io.files import Content, read_content
from treecrf.readers.columns import add_to_conllu, write_columns
from treecrf.readers.csv_files import parse_plain, parse_strictly
from treecrf.readers.reading import PLAIN, read_frame, read_table
from treecrf.readers.text_files import Dialect
from treecrf.sequences import SequenceSet


@pytest.fixture(scope="module")
def table_bytes():
    train = binary_set()
    holes = np.array(train.values)
    holes[::5] = -1
    return (
        train.with_values(holes).to_frame().assign(number=lambda f: np.arange(len(f)) / 7).to_csv(index=False).encode()
    )


def read_any_table(path, kinds=MappingProxyType({}), dialect=PLAIN):
    """A table as the command line reads it."""
    with quiet():
        _, data, _ = read_training_set(path, TableOptions("sequence", "label", None, kinds, dialect))
    return check_set(data)


def written(path, given):
    path.write_bytes(given)
    return path


PACKED = {"csv.gz": gzip.compress, "csv.bz2": bz2.compress, "csv.xz": lzma.compress}
COLUMNS = (
    b"# a comment\nthe D B\ncat N I\n\n# 1\na D B\ndog _ I\n\nshe P B\n",
    b"# id = 1\n1\tThe\tDET\tx\n2\tcat\tNOUN\t_\n\n# id = 2\n1\tDogs\tNOUN\t\n2\tbark\tVERB\tz\n",
)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "csv.bz2", "csv.xz", "conll", "parquet", "snappy.parquet"])
def test_tables(tmp_path, data, table_bytes, suffix):
    path, plain = tmp_path / f"t.{suffix}", written(tmp_path / "plain.csv", table_bytes)
    if suffix == "csv":
        seeds = [table_bytes, (data / "table.csv").read_bytes()]
    elif suffix == "tsv":
        seeds = [table_bytes.replace(b",", b"\t")]
    elif suffix == "conll":
        seeds = COLUMNS
    elif suffix in PACKED:
        seeds = [PACKED[suffix](table_bytes)]
        assert read_any_table(written(path, seeds[0])) == read_any_table(plain)
    else:
        read_frame(plain).to_parquet(path, compression="snappy" if "snappy" in suffix else None)
        seeds = [path.read_bytes()]

    def use(given):
        kinds = {"number": "number"} if given.startswith(b"sequence,label,x1,") else {}
        return read_any_table(written(path, given), kinds)

    fuzz(damaged(*seeds), use)


@pytest.fixture(scope="module")
def german():
    """A table as a German spreadsheet saves it."""
    rows = "".join(
        f'{i // 6};{"uv"[i % 2]};{(i * 37) % 90},{i % 10}5;{"größer" if i % 3 else ""};"1.{i:03},5"\r\n'
        for i in range(40)
    )
    return f"sequence;label;x;Größe;thousands\r\n{rows}"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_csv_of_spreadsheets(tmp_path, german, encoding):
    seeds = [german.encode(encoding)]
    given = Dialect("csv", ";", ",", encoding)
    expected = read_any_table(written(tmp_path / "t.csv", seeds[0]), dialect=given)
    assert (expected.number_names, read_any_table(tmp_path / "t.csv")) == (("x", "thousands"), expected)
    for dialect in (Dialect(), given):
        fuzz(damaged(*seeds), lambda data, d=dialect: read_any_table(written(tmp_path / "t.csv", data), dialect=d))


def test_two_ways_of_reading_plain_csv(tmp_path, table_bytes):
    """Where the fast way gives anything, the other one gives the same."""

    def use(given):
        content = Content("table", ".csv", given.replace(b'"', b""))
        try:
            sample = content.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
        fast = parse_plain(content, ",", sample)
        if fast is not None:
            columns, lines = parse_strictly(content, "utf-8-sig", ",", False)
            assert list(fast[1]) == list(lines)
            assert {k: v.to_pylist() for k, v in fast[0].items()} == {k: v.to_pylist() for k, v in columns.items()}
        return fast

    assert use(table_bytes) is not None
    fuzz(damaged(table_bytes), use, 3)


TREEBANK = (
    b"# sent_id = 1\n"
    b"1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\ta\ta\tADP\t_\t_\t3\tcase\t_\t_\n"
    b"2\tel\tel\tDET\t_\t_\t3\tdet\t_\tA=b\n"
    b"3\tmar\tmar\tNOUN\t_\tGender=Masc\t0\troot\t_\t_\n"
    b"3.1\tes\tser\tAUX\t_\t_\t_\t_\t3:x\t_\n"
    b"\n"
    b"1\t_\t_\tSYM\t_\t_\t0\troot\t_\t_\n"
    b"\n"
)


def test_treebanks(tmp_path):
    def use(given):
        path = written(tmp_path / "t.conllu", given)
        with quiet():
            table = read_table(path)
        frame = table.frame
        n_words = len(frame)
        text = add_to_conllu(read_content(path), {"predicted": ["X"] * n_words}, frame.index, None)
        again = read_frame(written(path, text.encode()))
        assert again["MISC"].str.endswith("predicted=X").sum() == n_words == len(again)
        others = [name for name in frame.columns if name != "MISC"]
        assert cells(again[others]) == cells(frame[others])
        return check_set(table.encode(table.decide_columns("sequence", "ID", ["FORM", "LEMMA", "FEATS"])))

    fuzz(damaged(TREEBANK), use)


def test_folders(tmp_path, table_bytes):
    def use(given):
        (tmp_path / "f").mkdir(exist_ok=True)
        written(tmp_path / "f/a.csv", table_bytes)
        written(tmp_path / "f/b.csv", given)
        return read_any_table(tmp_path / "f")

    fuzz(damaged(table_bytes), use)


def test_roles_of_columns(tmp_path, table_bytes):
    path = written(tmp_path / "t.csv", table_bytes)
    name = st.sampled_from(["sequence", "label", "x1", "x2", "number", "none such", "", "x" * 9000, "é\n"])
    roles = st.fixed_dictionaries(
        {"test_fraction": st.sampled_from([0.0, 0.3, 1.0, -1.0, float("nan"), 1e-9])},
        optional={"sequence": name, "label": name, "split": name, "attributes": st.lists(name, max_size=2)},
    )
    usual = {"path": path, "sequence": "sequence", "label": "label"}
    fuzz(roles, lambda options: [check_set(part) for part in load_table(**usual | options)])


def read_as_columns(path):
    table = read_table(path)
    frame, label = table.frame, table.label_column()
    inputs = [name for name in table if name not in ("sequence", label)]
    found = check_set(table.encode(table.decide_columns("sequence", label, inputs)))
    again = path.with_suffix(".again.conll")
    write_columns(frame, again)
    if not any(cell.startswith("#") or cell.endswith(" ") for row in cells(frame) for cell in row if cell):
        pd.testing.assert_frame_equal(read_frame(again).reset_index(drop=True), frame.reset_index(drop=True))
    return found


def test_real_columns_files(tmp_path, mirror):
    seed = head((mirror / "conll2000" / "train.txt").read_bytes(), 80)
    fuzz(damaged(seed), lambda given: read_as_columns(written(tmp_path / "t.txt", given)))
    plain = read_as_columns(written(tmp_path / "t.txt", seed))
    for way in [*(change(seed) for change in HARMLESS.values()), b"\xef\xbb\xbf" + seed, b"\n" + seed + b"\n\n"]:
        assert read_as_columns(written(tmp_path / "t.txt", way)) == plain


TEXTS = ("", " ", "a", "nan", b"a", b"\xff", "\ud800", "x" * 300, "\x00", "é")
NUMBERS = (float("nan"), pd.NA, 1, 1.0, 2.5, True, 10**30, 1e300, float("inf"), 1j)
CELLS = (*TEXTS, *NUMBERS, None, (1, 2), [1, 2], {"a": 1}, np.array([1, 2]), pd.Timestamp("2020-01-01"))
DTYPES = ("object", "float64", "float32", "Int64", "boolean", "string", "category", "datetime64[ns]", "int8", "str")
COLUMN_NAMES = ("sequence", "label", "x", "y", 1, None, 2.5, ("a", "b"))


@st.composite
def odd_frames(draw):
    """Columns of all kinds, with names of all kinds."""
    n_rows = draw(st.integers(0, 8))
    columns, names = [], draw(st.lists(st.sampled_from(COLUMN_NAMES), max_size=5))
    for _ in names:
        cells, some = (
            np.empty(n_rows, dtype=object),
            draw(st.lists(st.sampled_from(range(len(CELLS))), min_size=1, max_size=3)),
        )
        for i in range(n_rows):
            cells[i] = CELLS[draw(st.sampled_from(some))]
        columns.append(of_type(pd.Series(cells, dtype=object), draw(st.sampled_from(DTYPES))))
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(n_rows))
    frame.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    if n_rows and draw(st.integers(0, 2)):
        frame = frame.loc[:, ~frame.columns.duplicated()].assign(
            sequence=np.arange(n_rows) // 3,
            label=draw(st.lists(st.sampled_from("uv"), min_size=n_rows, max_size=n_rows)),
        )
    return frame


def test_frames():
    def use(frame):
        label = None if "label" not in frame.columns else "label"
        return check_set(SequenceSet.from_frame(frame, sequence="sequence", label=label))

    fuzz(odd_frames(), use)


def test_many_columns_and_long_names_end_soon(tmp_path):
    names = ",".join(f"c{i}" for i in range(60_000))
    message = assert_clear(lambda: read_any_table(written(tmp_path / "t.csv", f"{names}\n".encode())))
    assert message.endswith(" has 60,000 columns, and 1,000 are the most; leave out those that are no input.")
    with quiet():
        pd.DataFrame(np.zeros((1, 1001)), columns=[f"c{i}" for i in range(1001)]).to_parquet(tmp_path / "t.parquet")
    message = assert_clear(lambda: read_any_table(tmp_path / "t.parquet"))
    assert message.endswith(" has 1,001 columns, and 1,000 are the most; leave out those that are no input.")
    names = ",".join("c" * 100 + str(i) for i in range(1000))
    message = assert_clear(lambda: read_any_table(written(tmp_path / "t.csv", f"{names}\n".encode())))
    assert message.endswith("c11' and 988 more; name yours by --sequence, --label, --attributes and --groups.")


@pytest.mark.parametrize("role", ["sequence", "label", "x1"])
def test_a_column_has_one_use(tmp_path, table_bytes, role):
    path = written(tmp_path / "t.csv", table_bytes)
    message = assert_clear(lambda: load_table(path=path, attributes=["x1", role]))
    assert message == f"table {path}: column '{role}' has two uses; name it for one of them."


def test_a_columns_file_without_line_ends_is_refused(tmp_path):
    path = written(tmp_path / "t.txt", b"the D B " * 5000)
    message = assert_clear(lambda: read_as_columns(path))
    assert message.startswith(f"table {path}, line 1: 15,000 cells, and 1,000 are the most")


def test_a_mark_of_the_encoding_in_the_first_cell_comes_back(tmp_path):
    path = written(tmp_path / "t.conll", b"\xef\xbb\xbf\xef\xbb\xbfthe D B\ncat N I\n")
    frame = read_frame(path)
    assert frame["1"].tolist() == ["\ufeffthe", "cat"]
    write_columns(frame, path)
    pd.testing.assert_frame_equal(read_frame(path), frame)


@pytest.mark.parametrize("dtype", ["object", "category"])
@pytest.mark.parametrize("cell", ["\ud800", "a\udcff", b"a\xff"])
@pytest.mark.parametrize("role", ["sequence", "label", "x"])
def test_cells_that_are_no_text_are_named(role, cell, dtype):
    frame = pd.DataFrame({"sequence": ["1", "2"], "label": ["u", "v"], "x": ["a", "b"]}, dtype=object)
    frame.loc[1, role] = cell
    if dtype == "category":
        frame[role] = pd.Categorical.from_codes([1, 0], categories=pd.Index(frame[role][::-1], dtype=object))
    message = assert_clear(lambda: SequenceSet.from_frame(frame, sequence="sequence", label="label"))
    assert message == f"row 1, column '{role}': {cell!r} is not text in UTF-8; fix that cell."


def test_a_category_that_no_row_has_and_that_is_no_text_is_named():
    x = pd.Categorical.from_codes([0, 0], categories=pd.Index(["a", b"\xff"], dtype=object))
    frame = pd.DataFrame({"sequence": ["1", "2"], "label": ["u", "v"], "x": x})
    message = assert_clear(lambda: SequenceSet.from_frame(frame, sequence="sequence", label="label"))
    assert (
        message == "column 'x' has a category that no row has and that is not text in UTF-8; remove unused categories."
    )


def test_bytes_in_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"sequence": [1, 1, 2], "label": ["u", "v", "u"], "x": ["a", None, "é"]}, dtype=object)
    frame.to_parquet(path)
    expected = read_any_table(path)
    frame.assign(x=[b"a", None, "é".encode()]).to_parquet(path)
    assert read_any_table(path) == expected
    for kind in ("object", "category"):
        frame.assign(x=pd.Series([b"a", None, b"\xff"], dtype=kind)).to_parquet(path)
        message = assert_clear(lambda: read_any_table(path))
        assert message == f"table {path}: row 2, column 'x': b'\\xff' is not text in UTF-8; fix that cell."


def test_strings_in_parquet_that_are_no_text(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"sequence": [1, 1], "label": ["u", "v"], "x": ["aXYZb", "c"]}).to_parquet(path, compression=None)
    written(path, path.read_bytes().replace(b"aXYZb", b"a\xff\xff\xffb"))
    message = assert_clear(lambda: read_any_table(path))
    assert message.startswith(f"table {path} is not a readable Parquet file (")
