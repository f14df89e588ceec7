"""Fuzzed raw files and tables: every parser gives a right result or one clear sentence, and ends."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from fuzzing import HARMLESS, N_INPUTS, assert_clear, check_set, fuzz, mutate, mutations_of, outcome, quiet
from smile_files import PROTEIN_FILES, PROTEIN_WINDOW, decode_protein, encode

import treecrf.tabular.describing  # noqa: F401  loads compiled kernels, which is no part of an input's time
from treecrf import datasets
from treecrf.cli._shared import read_training_set
from treecrf.datasets import faq, hyphenation, nettalk, pod, protein, sectlabel, smile
from treecrf.datasets._text import LETTERS, from_words
from treecrf.datasets.columns import read_columns, write_columns
from treecrf.datasets.line_features import from_documents
from treecrf.datasets.table import encode_table, label_column, read_table
from treecrf.sequences import SequenceSet

# --- raw files --------------------------------------------------------------------------------------


def head(data, n_lines):
    return b"".join(data.splitlines(keepends=True)[:n_lines])


def head_and_tail(data, n_lines, n_last):
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:n_lines], *lines[-n_last:]])


def first_papers(data):
    """Three papers, each with its first labels."""
    papers = [re.findall(rb"<SectLabel_(\w+)>.*?</SectLabel_\1>", paper) for paper in data.splitlines()[:3]]
    assert all(papers)
    return b"\n".join(paper[: paper.index(b"</SectLabel_bodyText>") + 21] for paper in data.splitlines()[:3]) + b"\n"


def read_nettalk(data):
    entries = nettalk.distinct_words(nettalk.parse(data, "file"))
    labels = [[nettalk.STRESSES.index(symbol) for symbol in entry.stress] for entry in entries]
    return from_words([entry.word for entry in entries], labels, nettalk.STRESSES)


def read_windows(data):
    windows = smile.read_encoded(data, "file", n_codes=21, n_slots=11, n_labels=3)
    assert windows.offsets[-1] == len(windows.codes) == len(windows.labels)


def read_moby(data):
    words = [word for word in hyphenation.parse_moby(data, "file") if sum(map(len, word)) > 1]
    assert all(set("".join(word)) <= set(LETTERS) for word in words)
    return hyphenation.from_syllables(words) if words else None


def read_lines(parse, labels=faq.LABELS):
    return lambda data: from_documents([parse(data, "file")], labels)


def read_papers(data):
    return from_documents(sectlabel.parse(data, "file"), tuple(sectlabel.MERGE))


PARSERS = {
    "protein": (lambda data: protein.parse(data, "file"), "protein.data", protein.FILES[1], lambda d: head(d, 400)),
    "protein_encoded": (read_windows, "protein.sparse", None, None),
    "hyphen_encoded": (lambda data: hyphenation.decode(data, "file"), "hyphen.sparse", None, None),
    "nettalk": (read_nettalk, "nettalk.data", nettalk.FILES[0], lambda d: head(d, 300)),
    "moby": (read_moby, "mhyph.txt", hyphenation.MOBY_FILES[0], lambda d: head(d, 400)),
    "pod": (read_lines(faq.pod_lines), "perlfaq.pod", faq.PERL_FILES[1], lambda d: head_and_tail(d, 120, 30)),
    "digest": (read_lines(faq.digest_lines), "xfaq.txt", faq.X_FILES[0], lambda d: head_and_tail(d, 250, 20)),
    "labelled_lines": (read_lines(faq.labelled_lines), "supplied.txt", None, None),
    "sectlabel": (read_papers, "sectlabel.txt", sectlabel.FILES[0], first_papers),
}
"""How a file is read, the invented one, and a part of the real one."""


def real_part(name, mirror):
    if name == "protein_encoded":
        whole = decode_protein((mirror / PROTEIN_FILES[1]).read_bytes(), "file")
        return encode(whole.select(range(2)), PROTEIN_WINDOW)
    if name == "hyphen_encoded":
        whole = hyphenation.decode((mirror / hyphenation.FILES[1]).read_bytes(), "file")
        return encode(whole.select(range(20)), hyphenation.WINDOW)
    _, _, file, part = PARSERS[name]
    return None if file is None else part((mirror / file).read_bytes())


def check(found):
    return found if found is None else check_set(found)


@pytest.mark.parametrize("name", PARSERS)
def test_raw_files(name, data):
    read, file, _, _ = PARSERS[name]
    fuzz(name, mutations_of([(data / file).read_bytes()]), lambda given: check(read(given)))


@pytest.mark.parametrize("name", PARSERS)
def test_real_raw_files(name, mirror):
    seed = real_part(name, mirror)
    if seed is None:
        pytest.skip("this format has no public file")
    read = PARSERS[name][0]
    check(read(seed))
    fuzz(f"{name} (real)", mutations_of([seed]), lambda given: check(read(given)))


@pytest.mark.parametrize("change", HARMLESS)
@pytest.mark.parametrize("name", PARSERS)
def test_harmless_changes_of_real_raw_files(name, change, mirror, data):
    seed = real_part(name, mirror) or (data / PARSERS[name][1]).read_bytes()
    assert PARSERS[name][0](HARMLESS[change](seed)) == PARSERS[name][0](seed)


@pytest.mark.parametrize(
    "name", ["hmm", "xor", "or", "extra", "distant", "hyphen_tex", "hyphen", "nettalk", "sectlabel", "faq_perl"]
)
def test_options(name, mirror):
    odd = (None, "3", "", -1, 0, 1, 2, 2.5, True, float("nan"), float("inf"), 10**9, 10**30, [], [1], {}, {"title": 1}, b"3", "x" * 5000)  # fmt: skip
    names = ("n_train", "n_test", "n_validation", "length", "seed", "labels", "features", "no_such_option", "x" * 500)

    def make(rng):
        small = {"n_train": 2, "n_test": 2, "length": 3} if name in ("hmm", "xor", "or", "extra", "distant") else {}
        chosen = {names[rng.integers(len(names))]: odd[rng.integers(len(odd))] for _ in range(int(rng.integers(1, 3)))}
        return small | chosen

    def use(options):
        return [check_set(part) for part in datasets.load(name, raw=mirror, **options)]

    slow = name in ("hyphen", "nettalk", "sectlabel", "faq_perl", "hyphen_tex")  # they read whole files each time
    fuzz(f"options of {name}", make, use, n_inputs=max(N_INPUTS // 10, 20) if slow else None)


# --- tables -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table_bytes():
    train, _ = datasets.load("xor", n_train=6, n_test=1, n_validation=1, length=8)
    holes = np.array(train.values)
    holes[::5] = -1
    return (
        train.with_values(holes).to_frame().assign(number=lambda f: np.arange(len(f)) / 7).to_csv(index=False).encode()
    )


def read_any_table(path, bins=None):
    """A table as the command line reads it."""
    with quiet():
        _, data = read_training_set(path, "sequence", "label", None, bins)
    return check_set(data)


def written(path, given):
    path.write_bytes(given)
    return path


def test_csv(tmp_path, data, table_bytes):
    seeds = [(data / "table.csv").read_bytes(), table_bytes]
    fuzz("csv", mutations_of(seeds), lambda given: read_any_table(written(tmp_path / "t.csv", given), bins=3))


def test_tsv(tmp_path, table_bytes):
    seeds = [table_bytes.replace(b",", b"\t")]
    fuzz("tsv", mutations_of(seeds), lambda given: read_any_table(written(tmp_path / "t.tsv", given)))


def test_two_tables(tmp_path, data, table_bytes):
    rest = written(tmp_path / "rest.csv", (data / "table.csv").read_bytes())

    def use(given):
        parts = datasets.load("table", path=written(tmp_path / "t.csv", given), test=rest)
        return [check_set(part) for part in parts]

    fuzz("two tables", mutations_of([rest.read_bytes()]), use)


def test_roles_of_columns(tmp_path, table_bytes):
    path = written(tmp_path / "t.csv", table_bytes)
    names = ("sequence", "label", "x1", "x2", "number", "none such", "", "x" * 9000, "é\n")

    def make(rng):
        def pick():
            return names[rng.integers(len(names))]

        chosen = {"sequence": pick(), "label": pick(), "attributes": [pick() for _ in range(rng.integers(3))]}
        chosen |= {"split": pick(), "test_fraction": (0.0, 0.3, 1.0, -1.0, float("nan"), 1e-9)[rng.integers(6)]}
        usual = {"sequence": "sequence", "label": "label", "split": None, "attributes": None}
        return {key: usual[key] if key in usual and rng.random() < 0.5 else value for key, value in chosen.items()}

    fuzz(
        "columns of a table", make, lambda options: [check_set(p) for p in datasets.load("table", path=path, **options)]
    )


def test_csv_written_in_other_ways_is_the_same(tmp_path, table_bytes):
    plain = read_any_table(written(tmp_path / "t.csv", table_bytes))
    quoted = io.StringIO()
    csv.writer(quoted, quoting=csv.QUOTE_ALL).writerows(csv.reader(io.StringIO(table_bytes.decode())))
    ways = [change(table_bytes) for change in HARMLESS.values()]
    ways += [b"\xef\xbb\xbf" + table_bytes, table_bytes + b"\n\n", quoted.getvalue().encode()]
    for way in ways:
        assert read_any_table(written(tmp_path / "t.csv", way)) == plain


def read_as_columns(path):
    frame = read_columns(path)
    label = label_column(frame, path)
    inputs = [name for name in frame.columns if name not in ("sequence", label)]
    found = check_set(encode_table(frame, path, sequence="sequence", label=label, attributes=inputs))
    again = path.with_suffix(".again.conll")
    write_columns(frame, again)
    if not any("\t" in cell or cell.startswith("#") for row in frame.to_numpy() for cell in row if cell):
        pd.testing.assert_frame_equal(read_columns(again).reset_index(drop=True), frame.reset_index(drop=True))
    return found


COLUMNS = (
    b"# a comment\nthe D B\ncat N I\n\n# 1\na D B\ndog _ I\n\nshe P B\n",
    b"# id = 1\n1\tThe\tDET\tx\n2\tcat\tNOUN\t_\n\n# id = 2\n1\tDogs\tNOUN\t\n2\tbark\tVERB\tz\n",
)


def test_columns_files(tmp_path):
    fuzz("columns", mutations_of(COLUMNS), lambda given: read_any_table(written(tmp_path / "t.conll", given)))


def test_real_columns_files(tmp_path, mirror):
    seed = head((mirror / "conll2000" / "train.txt").read_bytes(), 80)
    fuzz("columns (real)", mutations_of([seed]), lambda given: read_as_columns(written(tmp_path / "t.txt", given)))
    plain = read_as_columns(written(tmp_path / "t.txt", seed))
    for way in [*(change(seed) for change in HARMLESS.values()), b"\xef\xbb\xbf" + seed, b"\n" + seed + b"\n\n"]:
        assert read_as_columns(written(tmp_path / "t.txt", way)) == plain


def test_parquet(tmp_path, table_bytes):
    frame = read_table(written(tmp_path / "t.csv", table_bytes))
    seeds = []
    for compression in (None, "snappy"):
        frame.to_parquet(tmp_path / "seed.parquet", compression=compression)
        seeds.append((tmp_path / "seed.parquet").read_bytes())
    fuzz("parquet", mutations_of(seeds), lambda given: read_any_table(written(tmp_path / "t.parquet", given)))


# --- frames -----------------------------------------------------------------------------------------

CELLS = (
    None, "", " ", "a", "nan", float("nan"), pd.NA, 1, 1.0, 2.5, True, 10**30, 1e300, float("inf"), b"a", b"\xff", "\ud800", "x" * 300,
    (1, 2), [1, 2], {"a": 1}, np.array([1, 2]), pd.Timestamp("2020-01-01"), 1j, "\x00", "é",
)  # fmt: skip
DTYPES = ("object", "float64", "float32", "Int64", "boolean", "string", "category", "datetime64[ns]", "int8", "str")


def odd_frame(rng):
    """Columns of all kinds, with names of all kinds."""
    n_rows, n_columns = int(rng.integers(0, 9)), int(rng.integers(0, 6))
    columns = []
    for _ in range(n_columns):
        some = [CELLS[k] for k in rng.integers(len(CELLS), size=3)]
        cells = np.empty(n_rows, dtype=object)
        for i in range(n_rows):
            cells[i] = some[rng.integers(3)]
        column = pd.Series(cells, dtype=object)
        try:
            with quiet():
                column = column.astype(DTYPES[rng.integers(len(DTYPES))])
        except (ValueError, TypeError, OverflowError, UnicodeError):
            column = pd.Series(rng.integers(0, 3, n_rows))
        columns.append(column)
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(n_rows))
    names = ("sequence", "label", "x", "y", 1, None, 2.5, ("a", "b"), "sequence", "label", "x")
    frame.columns = pd.Index(
        [names[k] for k in rng.integers(len(names), size=n_columns)], dtype=object, tupleize_cols=False
    )
    if rng.random() < 0.7 and n_rows:
        frame = frame.loc[:, ~frame.columns.duplicated()].assign(sequence=np.sort(rng.integers(0, 3, n_rows)))
        frame["label"] = rng.choice(["u", "v"], n_rows)
    return frame


def test_frames():
    def use(frame):
        label = None if "label" not in frame.columns else "label"
        return check_set(SequenceSet.from_frame(frame, sequence="sequence", label=label))

    fuzz("frames", odd_frame, use)


def test_frames_that_are_fine_come_back():
    def make(rng):
        n_rows = int(rng.integers(1, 30))
        alphabet = ["a", "é", "x y", "1", "1.0", "NA", '"', "\u2028", "\U0001f600", None]
        cells = {name: [alphabet[k] for k in rng.integers(len(alphabet), size=n_rows)] for name in ("x", "count")}
        return pd.DataFrame(
            {"sequence": np.sort(rng.integers(0, 5, n_rows)), "label": rng.choice(["u", "v"], n_rows), **cells}, dtype=object
        )  # fmt: skip

    def use(frame):
        found = check_set(SequenceSet.from_frame(frame, sequence="sequence", label="label"))
        assert SequenceSet.from_frame(found.to_frame(), sequence="sequence", label="label") == found
        names = [(*attribute.categories, None) for attribute in found.attributes]
        assert [[n[c] for n, c in zip(names, row, strict=True)] for row in found.values] == frame[
            ["x", "count"]
        ].to_numpy().tolist()
        return found

    fuzz("fine frames", make, use)


# --- what fuzzing found -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("E<99999999999>", "E<99999999999>"),
        ("E<08>", "E<08>"),
        ("E<0x110000>", "E<0x110000>"),
        ("E<0xD800>", "E<0xD800>"),
        ("E<\u0661>", "E<\u0661>"),
        ("E<#" + 5000 * "9" + ">", "E<#" + 5000 * "9" + ">"),
        ("E<65>E<0x42>E<0103>", "ABC"),
    ],
)
def test_numbers_of_no_character_stay(code, text):
    assert pod.plain(code) == text


def test_long_pod_lines_end_soon():
    for line in ("x" * 300_000, "B<" * 100_000, "B<x>" * 80_000, "B<" * 50_000 + ">" * 50_000, "C<<<" * 80_000):
        outcome(lambda line=line: pod.plain(line))


def test_pod_without_a_question_is_refused():
    message = assert_clear(lambda: faq.pod_lines(b"=head1 NAME\n\ntext\n\n=head1 AUTHOR\n\nNobody\n", "file"))
    assert message.startswith("file: holds no question (=head2)")


def test_labels_that_never_end_are_refused_soon():
    message = assert_clear(lambda: sectlabel.parse(b"<SectLabel_title>" * 15_000 + b"\n", "file"))
    assert message.startswith("file, line 1: a title does not end before another label begins")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1 3 231\n" + b"9" * 25 + b" 1 11 1 1 1 1 1 1 1 1 1 1 1 0\n", "file, line 2: expected 15 numbers"),
        (b"9" * 5000 + b" 3 231\n", "file, line 1: the first line must hold three numbers"),
        (b"1 3 21\n1 1 1 0 0\n", "file, line 1: 21 features are not 11 slots of 21 codes"),
        (
            b"1 3 231\n1 2 11 " + b" ".join(b"%d" % (21 * i) for i in range(11)) + b" 0\n",
            "file, line 2: the first sequence",
        ),
        (b"1 9 231\n", "file, line 1: 9 labels are announced, and the data set has 3"),
    ],
)
def test_numbers_of_encoded_files(content, message):
    assert assert_clear(lambda: decode_protein(content, "file")).startswith(message)


def test_a_column_called_count_may_have_many_values(tmp_path):
    rows = "".join(f"{i // 10},{'uv'[i % 2]},w{i}\n" for i in range(600))
    found = read_any_table(written(tmp_path / "t.csv", f"sequence,label,count\n{rows}".encode()))
    assert len(found.attributes[0].categories) == 254


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
    assert message.endswith("c11' and 988 more.")


@pytest.mark.parametrize("role", ["sequence", "label", "x1"])
def test_a_column_has_one_use(tmp_path, table_bytes, role):
    path = written(tmp_path / "t.csv", table_bytes)
    message = assert_clear(lambda: datasets.load("table", path=path, attributes=["x1", role]))
    assert message == f"table {path}: column '{role}' has two uses; name it for one of them."


def test_large_numbers_are_categories():
    frame = pd.DataFrame({"sequence": [1, 1], "label": ["u", "v"], "x": [1e300, 2.0]})
    assert SequenceSet.from_frame(frame, sequence="sequence", label="label").attributes[0].categories == (
        "1e+300",
        "2",
    )


def test_mutations_are_the_same_every_time(table_bytes):
    first, second = ([mutate(table_bytes, np.random.default_rng(i)) for i in range(50)] for _ in range(2))
    assert first == second
    assert len(set(first)) > 45


def test_a_columns_file_without_line_ends_is_refused(tmp_path):
    path = written(tmp_path / "t.txt", b"the D B " * 5000)
    message = assert_clear(lambda: read_as_columns(path))
    assert message.startswith(f"columns file {path}, line 1: 15,000 cells, and 1,000 are the most")


def test_a_mark_of_the_encoding_in_the_first_cell_comes_back(tmp_path):
    path = written(tmp_path / "t.conll", b"\xef\xbb\xbf\xef\xbb\xbfthe D B\ncat N I\n")
    frame = read_columns(path)
    assert frame["1"].tolist() == ["\ufeffthe", "cat"]
    write_columns(frame, path)
    pd.testing.assert_frame_equal(read_columns(path), frame)


@pytest.mark.parametrize("dtype", ["object", "category"])
@pytest.mark.parametrize("cell", ["\ud800", "a\udcff", b"a\xff"])
@pytest.mark.parametrize("role", ["sequence", "label", "x"])
def test_cells_that_are_no_text_are_named(role, cell, dtype):
    frame = pd.DataFrame({"sequence": ["1", "2"], "label": ["u", "v"], "x": ["a", "b"]}, dtype=object)
    frame.loc[1, role] = cell
    if dtype == "category":
        frame[role] = pd.Categorical.from_codes([0, 1], categories=pd.Index(frame[role], dtype=object))
    message = assert_clear(lambda: SequenceSet.from_frame(frame, sequence="sequence", label="label"))
    assert message == f"row 1, column '{role}': {cell!r} is not text in UTF-8; fix that cell."


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
