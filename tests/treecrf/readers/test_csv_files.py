"""CSV files as spreadsheets and other programs write them."""

import bz2
import csv
import gzip
import io
import lzma
import re
import sys

import pytest
from frames import cells

from treecrf import load_table
from treecrf.readers.reading import read_frame
from treecrf.readers.tables import TypedTable
from treecrf.readers.text_files import Dialect

MEASURED = (
    "Messreihe;Zustand;Gewicht (kg);Höhe\r\n"
    "Mai;gut;1.234,50;0,5\r\n"
    'Mai;"mäßig; feucht";-3,25;12\r\n'
    '"Juni ""alt""";gut;;1,75\r\n'
    '"Juni\r\nneu";gut;7;1e-3\r\n'
)
"""As a German spreadsheet saves it: thousands dots, quotes, a line break in a cell, an empty cell."""

READ = [
    ["Mai", "gut", "1234.50", "0.5"],
    ["Mai", "mäßig; feucht", "-3.25", "12"],
    ['Juni "alt"', "gut", None, "1.75"],
    ["Juni\r\nneu", "gut", "7", "1e-3"],
]


def refused(read, given, **dialect):
    with pytest.raises(ValueError, match=r"^table \S+") as caught:
        read(given, Dialect(**dialect))
    assert len(str(caught.value).splitlines()) == 1
    return re.sub(r"table \S+?/table\.csv", "table", str(caught.value))


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("cp1252", "Windows-1252 ('Höhe' in line 1), "),
        ("latin-1", "Windows-1252 ('Höhe' in line 1), "),
        ("utf-16", "UTF-16, "),
        ("utf-16-le", "UTF-16-LE, "),
        ("utf-16-be", "UTF-16-BE, "),
        ("utf-32", "UTF-32, "),
    ],
)
def test_a_spreadsheet_in_every_encoding(read, encoding, said):
    frame, told = read(MEASURED.encode(encoding))
    assert list(frame.columns) == ["Messreihe", "Zustand", "Gewicht (kg)", "Höhe"]
    assert cells(frame) == READ
    assert frame.index.tolist() == [2, 3, 4, 6]
    assert told == [
        f"read with ';' between cells, {said}decimal commas in 'Gewicht (kg)', 'Höhe' (separator, decimal and "
        f"encoding say "
        "otherwise)."
    ]
    assert cells(read(MEASURED.encode(encoding), Dialect("csv", ";", ",", encoding))[0]) == READ
    assert read(MEASURED.encode(encoding), Dialect("csv", ";", ",", encoding))[1] == []


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "~", "§"])
def test_every_separator(read, separator):
    rows = [["id", "tag", "a word"], ["1", "x,y;z|t\tu v~w", 'say "no"'], ["2", "", "naïve"]]
    text = "".join(separator.join('"' + c.replace('"', '""') + '"' if c else "" for c in row) + "\n" for row in rows)
    given = Dialect(separator=separator)
    found = read(text, given if separator in " ~§" else Dialect())[0]
    assert [list(found.columns), *cells(found)] == [*rows[:2], ["2", None, "naïve"]]
    assert read(text, given)[1] == []


def test_tabs_are_usual_in_tsv_alone(read):
    assert read("a\tb\n1\t2\n", name="t.tsv")[1] == []
    assert read("a\tb\n1\t2\n")[1] == ["read with tabs between cells (separator, decimal and encoding say otherwise)."]
    assert read("a,b\n1,2\n", name="t.tsv")[1] == [
        "read with ',' between cells (separator, decimal and encoding say otherwise)."
    ]


@pytest.mark.parametrize("first", ["sep=;\r\n", '"sep=;"\r\n'])
def test_a_spreadsheet_that_announces_its_separator(read, first):
    frame, _ = read(first + "a;b,c;d\r\n1;2;3\r\n")
    assert list(frame.columns) == ["a", "b,c", "d"]
    assert frame.index.tolist() == [3]
    assert "line 4: 2 cells (with ';' between them), but" in refused(read, first + "a;b,c;d\r\n1;2;3\r\n4;5\r\n")


def test_the_separator_that_fits_all_rows(read):
    frame, _ = read("id;length, width;tag\n1;3,5;u\n2;4,25;v\n")
    assert cells(frame) == [["1", "3.5", "u"], ["2", "4.25", "v"]]
    frame, _ = read("id,note;tag\n1,a\n2,b;c;d\n")
    assert cells(frame) == [["1", "a"], ["2", "b;c;d"]]
    said = "table: ',' and ';' could both stand between cells; say which (separator)."
    assert refused(read, "a,b;c\n1,2;3\n") == said
    assert list(read("a,b;c\n1,2;3\n", Dialect(separator=";"))[0].columns) == ["a,b", "c"]


@pytest.mark.parametrize(
    ("column", "read_as", "said"),
    [
        (["1,5", "2,25", "3"], ["1.5", "2.25", "3"], "decimal commas in 'x'"),
        (["1.234,5", "999,25"], ["1234.5", "999.25"], "decimal commas in 'x'"),
        (["1.234.567,8", "-1,0E-3"], ["1234567.8", "-1.0E-3"], "decimal commas in 'x'"),
        (["0,500", "1,500"], ["0.500", "1.500"], "decimal commas in 'x'"),
        (["1,5", "NA", "2,5"], ["1.5", "NA", "2.5"], "decimal commas in 'x'"),
        (["1,234.5", "12"], ["1234.5", "12"], "commas between thousands in 'x'"),
        (["1,234,567", "1,000"], ["1234567", "1000"], "commas between thousands in 'x'"),
        (["1.5", "2.25"], ["1.5", "2.25"], None),
        (["1.500", "2.250"], ["1.500", "2.250"], None),
        (["1,2,3", "4,5"], ["1,2,3", "4,5"], None),
        (["a,b", "1,5", "c", "d", "e"], ["a,b", "1,5", "c", "d", "e"], None),
    ],
)
def test_decimal_marks(read, column, read_as, said):
    frame, told = read("s;x\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(column)))
    assert frame["x"].tolist() == read_as
    middle = "" if said is None else f", {said}"
    assert told == [f"read with ';' between cells{middle} (separator, decimal and encoding say otherwise)."]


def test_one_decimal_mark_for_all_columns(read):
    frame, _ = read("s;x;y\n1;1,5;1.500\n1;2,5;2.000.000\n")
    assert cells(frame) == [["1", "1.5", "1500"], ["1", "2.5", "2000000"]]
    frame, told = read("s;x;y\n1;1,500;0.5\n1;2,500;1\n")
    assert cells(frame) == [["1", "1500", "0.5"], ["1", "2500", "1"]]
    assert "commas between thousands in 'x'" in told[0]


def test_marks_that_contradict_each_other_are_told(read):
    given = "s;pair;y\n1;1,5;0.5\n1;2,5;1\n"
    frame, told = read(given)
    assert cells(frame) == [["1", "1,5", "0.5"], ["1", "2,5", "1"]]
    assert "commas in the numbers of 'pair' as they are, since 'y' has decimal points" in told[0]
    assert cells(read(given, Dialect(decimal=","))[0]) == [["1", "1.5", "0.5"], ["1", "2.5", "1"]]
    assert cells(read(given, Dialect(decimal="."))[0]) == cells(frame)


def test_numbers_that_may_be_either_are_refused_until_said(read):
    given = "s;x\n1;1,500\n1;22,250\n"
    assert refused(read, given) == (
        "table, column 'x': '1,500' may have a decimal comma or one between thousands, and no number of the "
        "table shows which; "
        "say it (decimal)."
    )
    assert read(given, Dialect(decimal=","))[0]["x"].tolist() == ["1.500", "22.250"]
    assert read(given, Dialect(decimal="."))[0]["x"].tolist() == ["1500", "22250"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "a;b\n1;2\n3\n",
            "table, line 3: 1 cell (with ';' between them), but the first line names 2 columns; fix that line.",
        ),
        (
            "x,y\nr1,1,2\nr2,3,4\n",
            "table, line 2: 3 cells, as all rows have, but the first line names 2 columns; name all columns there.",
        ),
        ("a,b\n1,2\n3,4,5\n6,7,8\n", "table, line 3: 3 cells, but the first line names 2 columns; fix that line."),
        (
            's,x,y\ns,",Q\ns,a,Q\n\ns,",Q\n',
            "table, lines 2 to 5: a quote opens a cell in the first of these lines that ends in the last",
        ),
        (
            's,x,y,z\ns,"a,b",",Q\ns,a,b,Q\ns,x,",Q\n',
            "table, lines 2 to 4: a quote opens a cell in the first of these lines",
        ),
        ('s;x;y\nr;"a;Q\nr;b";"Q\nr;a;b"\n', "table, lines 2 to 4: a quote opens a cell in the first of these lines"),
        ('s\t"x"\ty\ns\t"\tQ\ns\t"\tQ\n', "table, lines 2 to 3: a quote opens a cell in the first of these lines"),
        (
            "s,x\na,1\ns,x\na,2\n",
            "table, line 3: the names of the columns stand there again, as where files were joined; take",
        ),
        ('s,x\na,1\n"s",x\na,2\n', "table, line 3: the names of the columns stand there again"),
        ("a;b;a\n1;2;3\n", "table: column 'a' appears twice; rename one."),
        (
            'a;b\n1;2\n3;"4\n5;6\n',
            "table, line 3: the row that begins there is not readable as CSV with ';' between cells (unexpected end",
        ),
        ("", "table is empty or its first line has no column names; give it some."),
        (
            "a,b\n1,é\n".encode() + b"2,\xe9\n",
            "table, line 3: not readable as UTF-8 (invalid continuation byte); save the file as UTF-8, or",
        ),
        (
            b"a,b\n1,\x81\n",
            "table, line 2: not readable as UTF-8 (invalid start byte); save the file as UTF-8, or say which encoding",
        ),
        (b"a,b\n1,\x01\xe9\n", "table, line 2: not readable as UTF-8"),
        ("a,b\n1,é\n".encode("utf-16")[:-1], "table, line 2: not readable as utf-16 (truncated data)"),
    ],
)
def test_what_is_wrong_is_said(read, given, message):
    assert refused(read, given).startswith(message)


@pytest.mark.parametrize("name", ["t.tsv", "t.csv"])
@pytest.mark.parametrize(
    "rows",
    [
        ['a\t"\tP', "a\tx\tQ", 'a\t"\tP', "a\ty\tQ"],
        ['a\t"\tP', "a\tx\tQ"],
        ['a\t"x\tP', 'a\ty"\tQ', 'b\t5"\tQ'],
        ['a\t"\t"', 'a\t""\tQ'],
        ['"\tx\t"', '"\ty\t"'],
        ['a\t"\tP', "", 'a\t"\tP'],
    ],
)
def test_quotes_between_tabs_are_words(read, name, rows):
    for encoding in ("utf-8", "utf-16"):
        frame, told = read("\n".join(["s\tword\tlabel", *rows]).encode(encoding), name=name)
        assert cells(frame) == [row.split("\t") for row in rows if row]
        assert told[0].endswith("quotes are characters of words, since rows would not be lines otherwise.")


@pytest.mark.parametrize("row", ['a\t"x\ny"\tQ', 'a\t""""\tQ', 'a\t"x\ty"\tQ', 'a\t"x"\tQ'])
def test_quotes_between_tabs_are_those_of_csv_where_rows_allow_it(read, row):
    frame, told = read(f"s\tword\tlabel\n{row}\nb\tz\tQ\n", name="t.tsv")
    assert (cells(frame), told) == ([next(csv.reader([row], delimiter="\t", strict=True)), ["b", "z", "Q"]], [])


def test_a_wrong_encoding_is_named(read):
    said = refused(read, "a,b\n1,2\n1,é\n".encode("cp1252"), encoding="utf8")
    assert said == (
        "table, line 3: not readable as UTF-8 (invalid continuation byte); read it with the encoding it has "
        "(encoding), which is "
        "not utf8."
    )
    assert "unicode_escape" in refused(read, rb"a,b\ud800,", encoding="unicode_escape")
    assert cells(read("a,b\nж,я\n".encode("cp1251"), Dialect(encoding="windows-1251"))[0]) == [["ж", "я"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "excel"}, "format='excel': choose one of csv, columns, conllu, parquet, feather, jsonl, arff."),
        ({"separator": ";;"}, "separator=';;': give one character, such as ; or tab."),
        ({"separator": '"'}, "separator='\"': give one character"),
        ({"decimal": "'"}, 'the decimal mark is "\'": give . or a comma.'),
        ({"encoding": "klingon"}, "encoding='klingon' is not known; give one such as utf-8"),
        ({"encoding": "base64"}, "encoding='base64' is not known"),
    ],
)
def test_dialects_that_are_none(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Dialect(**options)


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".XZ")])
def test_compressed_files(read, tmp_path, pack, suffix):
    assert cells(read(pack(MEASURED.encode()), name=f"table.csv{suffix}")[0]) == READ
    assert read(pack(b"a\tb\n1\t2\n"), name=f"table.TSV{suffix}")[1] == []
    with pytest.raises(ValueError, match=r"is compressed and cannot be unpacked \(.*\); copy or pack it again\."):
        read(pack(MEASURED.encode())[:-5], name=f"table.csv{suffix}")


def test_standard_input(monkeypatch):
    class Stream:
        buffer = io.BytesIO(gzip.compress(MEASURED.encode()))

    monkeypatch.setattr(sys, "stdin", Stream)
    for _ in range(2):  # it can be read again
        assert cells(read_frame("-")) == READ


def test_a_column_that_is_not_there_in_a_file_of_one_column(read):
    frame, _ = read("a b c\n1 2 3\n")
    with pytest.raises(ValueError, match=r"its columns are 'a b c'; give the field separator \(separator\)\."):
        TypedTable(frame, "table.csv").check_columns(["a"])


def test_the_same_sets_from_every_dialect(tmp_path):
    rows = "".join(f"{i // 3},{'uv'[i % 2]},{i / 8}\n" for i in range(60))
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_text("sequence,label,x\n" + rows)
    other.write_text(("sequence,label,x\n" + rows).replace(",", ";").replace(".", ","), encoding="utf-16")
    expected = load_table(path=plain)
    assert load_table(path=other, separator=";", decimal=",", encoding="utf-16") == expected
    with pytest.warns(UserWarning, match=r"read with ';' between cells, UTF-16, decimal commas in 'x' \(separator"):
        assert load_table(path=other) == expected
    with pytest.warns(UserWarning, match="UTF-16"):
        assert load_table(path=plain, test=other)[0].number_names == ("x",)
