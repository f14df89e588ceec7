"""CoNLL-U as treebanks have it."""

import gzip
import re

import pytest
from frames import cells

from treecrf.readers.columns import COLUMNS
from treecrf.readers.reading import read_frame

TREEBANK = """# newdoc id = weblog-1
# sent_id = 1
# text = Vámonos al # mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tVMIP1P0\tMood=Imp|Number=Plur\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tPP1CP000\tCase=Acc\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t6\tcase\t6:case\t_
4\tel\tel\tDET\t_\t_\t6\tdet\t6:det\tGloss=the
5\t#\t#\tSYM\t_\t_\t6\tdep\t6:dep\t_
6\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\tSpaceAfter=No
   \t
# sent_id = 2
# text = Nueva York _ o
1\tNueva York\tNueva York\tPROPN\t_\t_\t0\troot\t0:root\t_
2\t_\t_\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_
2.1\tbebe\tbeber\tVERB\t_\t_\t_\t_\t1:conj\tCopyOf=1
3\to\t_\t_\t_\t_\t1\tcc\t1:cc\t_

"""


@pytest.fixture
def read(write):
    """Reads a text as a .conllu file; gives the frame and what was told."""

    def read(text, name="t.conllu"):
        path, told = write(name, text), []
        return read_frame(path, tell=lambda sentence: told.append(sentence.removeprefix(f"table {path}: "))), told

    return read


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_words_are_rows(read, ends):
    frame, told = read(TREEBANK.replace("\n", ends))
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


def test_plain_words_tell_nothing(read):
    text = "".join(line + "\n" for line in TREEBANK.splitlines() if not re.match(r"\d+[-.]", line))
    assert read(text)[1] == []
    assert cells(read(gzip.compress(text.encode()), "t.conllu.gz")[0]) == cells(read(text)[0])


def test_columns_of_its_own(read):
    frame, _ = read("# global.columns = ID FORM UPOS\n1\ta\tX\n\n\n\n1\tb\t_\n")
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
def test_what_is_wrong_is_said(read, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(text)
