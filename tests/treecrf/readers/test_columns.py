"""Columns files and CoNLL-U: what is read, what is written, and the sentence for each thing that can be wrong."""

import gzip
import re

import pandas as pd
import pytest
from frames import TREEBANK, cells

from treecrf import load_table
from treecrf.readers.columns import COLUMNS, write_columns
from treecrf.readers.reading import read_frame
from treecrf.readers.text_files import Dialect


def test_columns_file(write, tmp_path):
    frame = read_frame(write("a.conll", "\ufeff# made by hand\na N B\r\nb _ I\n\n\n# c\n# # O\nc V O"))
    assert frame.index.tolist() == [2, 3, 7, 8]
    assert cells(frame) == [["0", "a", "N", "B"], ["0", "b", None, "I"], ["1", "#", "#", "O"], ["1", "c", "V", "O"]]
    write_columns(frame, tmp_path / "b.txt")
    pd.testing.assert_frame_equal(read_frame(tmp_path / "b.txt").reset_index(drop=True), frame.reset_index(drop=True))


def test_columns_file_with_tabs_has_spaces_in_cells(write):
    frame = read_frame(write("a.conll", "# text = New York\nNew York\t\tB\n"))
    assert cells(frame) == [["0", "New York", None, "B"]]


def test_no_break_spaces_are_part_of_a_cell(write):
    frame = read_frame(write("a.conll", "10\u00a0000  N B\n\u3000 \t V I \n \t \n\u00a0 N B\n"))
    assert cells(frame) == [["0", "10\u00a0000", "N", "B"], ["0", "\u3000", "V", "I"], ["1", "\u00a0", "N", "B"]]


def test_columns_file_in_the_workflow(write):
    path = write("a.conll", "a N B\nb V I\n\nc N B\n\nd V B\n")
    train, test = load_table(path=path)
    assert (len(train), len(test), train.label_names) == (2, 1, ("B", "I"))
    assert [attribute.name for attribute in train.attributes] == ["1", "2"]


CONLL2003 = """-DOCSTART- -X- -X- O

SOCCER NN I-NP O
# # O O
JAPAN NNP I-NP I-LOC

-DOCSTART- -X- -X- O

# NN B-NP O
Ünal NNP I-NP I-PER
"""


@pytest.fixture
def told(read):
    """Reads a text as a columns file; gives the cells and what was told."""

    def told(text, name="t.txt"):
        frame, sentences = read(text, name=name)
        return cells(frame), sentences

    return told


def test_documents_of_conll_2003(told):
    rows, said = told(CONLL2003.replace("PER\n", "PER \t\n"))
    assert rows == [
        ["0", "SOCCER", "NN", "I-NP", "O"],
        ["0", "#", "#", "O", "O"],
        ["0", "JAPAN", "NNP", "I-NP", "I-LOC"],
        ["1", "#", "NN", "B-NP", "O"],
        ["1", "Ünal", "NNP", "I-NP", "I-PER"],
    ]
    assert said == ["2 -DOCSTART- lines left out."]
    assert told(CONLL2003.replace("\n", "\r\n"))[0] == rows
    assert told(CONLL2003.encode("latin-1")) == (
        rows,
        ["read with Windows-1252 ('Ünal' in line 10) (encoding says otherwise).", "2 -DOCSTART- lines left out."],
    )


@pytest.mark.parametrize("suffix", [".iob", ".iob2", ".BIO", ".conll", ".txt.gz"])
def test_iob_files_of_shared_tasks(told, suffix):
    text = "#\tO\nNew York\tB-LOC  \n\t \n@user\tO\n_\tO\n"
    given = gzip.compress(text.encode()) if suffix.endswith(".gz") else text
    rows = [["0", "#", "O"], ["0", "New York", "B-LOC"], ["1", "@user", "O"], ["1", None, "O"]]
    assert told(given, f"t{suffix}") == (rows, [])


def test_comments_have_no_label(told):
    text = "# nyt-1\nthe DT\ncat NN\n\n# nyt-2\n# NN\ndog NN\n"
    rows, said = told(text)
    assert rows == [["0", "the", "DT"], ["0", "cat", "NN"], ["1", "#", "NN"], ["1", "dog", "NN"]]
    assert said == [
        "2 lines left out as comments, which begin with # and have as many cells as rows; the first is line 1."
    ]


def test_rows_between_tabs_may_begin_with_a_hash(told):
    assert told("# text = a\n#nlp\tH\na\tO\n\n#one\tI\n") == (
        [["0", "#nlp", "H"], ["0", "a", "O"], ["1", "#one", "I"]],
        [],
    )
    assert told("#nlp\tH\n\n#one\tI\n")[0] == [["0", "#nlp", "H"], ["1", "#one", "I"]]


@pytest.mark.parametrize(("column", "cell"), [("x", "a\tb"), ("x", "a\nb"), ("last", "u "), ("last", "u\r")])
def test_what_a_columns_file_cannot_hold_is_named(tmp_path, column, cell):
    frame = pd.DataFrame({"x": "a", "id": ["1", "2"], "last": "u"})
    frame.loc[1, column] = cell
    with pytest.raises(ValueError, match=re.escape(f"row 1, column '{column}': a columns file cannot hold {cell!r} ")):
        write_columns(frame, tmp_path / "t.conll", "id")


def test_tabs_at_the_end_of_every_line(told):
    assert told("a\tB\t\nb\tO\t\n")[0] == [["0", "a", "B"], ["0", "b", "O"]]
    assert told("a\tN\tB\nb\tV\t\n")[0] == [["0", "a", "N", "B"], ["0", "b", "V", None]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a;b;c\n1;2;3\n\n4;5;6\n",
            "';' stands equally often in every line; if it separates cells, read the file as CSV",
        ),
        ("sequence\tlabel\tx\n1\tu\t3\n", "its first line names columns; read the file as CSV (format)."),
    ],
)
def test_csv_by_another_name(write, text, message):
    path = write("t.txt", text)
    with pytest.raises(ValueError, match=re.escape(f"table {path}: {message}")):
        read_frame(path)
    assert read_frame(path, Dialect("csv")).shape[1] == 3


def test_cells_of_one_column_may_be_commas(told):
    assert told("Yes\n,\nbut\n")[0] == [["0", "Yes"], ["0", ","], ["0", "but"]]


def test_options_of_csv_are_told_to_mean_nothing(write):
    told = []
    path = write("t.conll", "a B\n")
    read_frame(path, Dialect(separator=";"), tell=told.append)
    assert told == [f"table {path} is no CSV file: separator, decimal and quote are not looked at."]


@pytest.fixture
def read_conllu(read):
    return lambda text, name="t.conllu": read(text, name=name)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_words_are_rows(read_conllu, ends):
    frame, told = read_conllu(TREEBANK.replace("\n", ends))
    assert list(frame.columns) == ["sequence", *COLUMNS]
    assert cells(frame[["sequence", "ID", "FORM", "LEMMA", "UPOS", "XPOS", "MISC"]]) == [
        ["0", "1", "Vamos", "ir", "VERB", "VMIP1P0", None],
        ["0", "2", "nos", "nosotros", "PRON", "PP1CP000", None],
        ["0", "3", "a", "a", "ADP", None, None],
        ["0", "4", "el", "el", "DET", None, "Gloss=the"],
        ["0", "5", "#", "#", "SYM", None, None],
        ["0", "6", "mar", "mar", "NOUN", None, "SpaceAfter=No"],
        ["1", "1", "Nueva York", "Nueva York", "PROPN", None, None],
        ["1", "2", "_", "_", "PUNCT", None, None],
        ["1", "3", "o", None, None, None, None],
    ]
    assert frame.index.tolist() == [5, 6, 8, 9, 10, 11, 15, 16, 18]
    assert told == ["2 multiword ranges and 1 empty node left out; what is labelled are words."]


def test_plain_words_tell_nothing(read_conllu):
    text = "".join(line + "\n" for line in TREEBANK.splitlines() if not re.match(r"\d+[-.]", line))
    assert read_conllu(text)[1] == []
    assert cells(read_conllu(gzip.compress(text.encode()), "t.conllu.gz")[0]) == cells(read_conllu(text)[0])


def test_columns_of_its_own(read_conllu):
    frame, _ = read_conllu("# global.columns = ID FORM UPOS\n1\ta\tX\n\n\n\n1\tb\t_\n")
    assert list(frame.columns) == ["sequence", "ID", "FORM", "UPOS"]
    assert cells(frame) == [["0", "1", "a", "X"], ["1", "1", "b", None]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tword\tX\n", "line 1: 3 cells between tabs, and CoNLL-U has 10; fix that line, or name the file .conll if"),
        (TREEBANK.replace("5\t#", "five\t#"), "line 10: the ID 'five' is none of CoNLL-U, such as 1, 2-3 or 8.1; fix"),
        ("# sent_id = 1\n\n", " has no words; give one line per word."),
        ("# global.columns = ID FORM FORM\n1\ta\tb\n", ": column 'FORM' appears twice; rename one."),
    ],
)
def test_what_is_wrong_is_said(read_conllu, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_conllu(text)
