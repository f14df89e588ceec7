"""Parsers on small invented files with the traps of the real ones, and the error for each wrong thing."""

from itertools import pairwise

import numpy as np
import pytest
from builders import words_of
from smile_files import encode

from treecrf.sequences import window_codes
from treecrf_studies.datasets import conll2000, faq, hyphenation, nettalk, ocr, prosody, protein, sectlabel
from treecrf_studies.datasets.loading import DataError


def labels(data):
    """The label names of each sequence, joined by blanks."""
    names = np.array(data.label_names)[data.labels]
    return [" ".join(names[a:b]) for a, b in pairwise(data.offsets)]


# --- protein ----------------------------------------------------------------------------------------


def test_protein_is_split_at_every_opening(data):
    found = protein.parse((data / "protein.data").read_bytes(), "protein.data")
    assert words_of(found) == ["ACD", "EF", "GHIK", "YWV"]
    assert labels(found) == ["_ h h", "e e", "_ _ h e", "_ _ h"]
    assert found.label_names == ("_", "e", "h")
    assert "".join(found.attributes[0].categories) == "ACDEFGHIKLMNPQRSTVWY"


def test_protein_with_other_line_ends_is_the_same(data):
    content = (data / "protein.data").read_bytes()
    assert protein.parse(content.replace(b"\n", b"\r\n"), "x") == protein.parse(content + b"\n\n", "x")


# --- NETtalk ----------------------------------------------------------------------------------------


def test_nettalk(data):
    entries = nettalk.parse((data / "nettalk.data").read_bytes(), "nettalk.data")
    assert [entry.word for entry in entries] == ["gabo", "tweeg", "gabo", "i", "zof", "mupet"]  # no gunpowder
    assert entries[1] == ("tweeg", "tw-ig", ">>>1<")  # its class is "0 "
    distinct = nettalk.distinct_words(entries)
    assert [(entry.word, entry.stress) for entry in distinct][:2] == [("gabo", ">1<0"), ("tweeg", ">>>1<")]
    assert len(distinct) == 5


def test_nettalk_without_header_or_with_other_line_ends_is_the_same(data):
    content = (data / "nettalk.data").read_bytes()
    entries = nettalk.parse(content, "x")
    assert nettalk.parse(content.replace(b"\n", b"\r\n"), "x") == entries
    assert nettalk.parse(content[content.index(b"gabo") :].rstrip(), "x") == entries


# --- hyphenation ------------------------------------------------------------------------------------


def test_hyphen_encoded(data):
    content = (data / "hyphen.sparse").read_bytes()
    # Row 1 by hand: nothing, nothing, b a b y around the gap behind the first letter.
    assert content.splitlines()[:2] == [b"3 2 162", b"1 1 6 26 53 55 81 109 159 0"]
    found = hyphenation.decode(content, "hyphen.sparse")
    assert words_of(found) == ["baby", "ox", "winters"]
    assert [row.count(" ") + 1 for row in labels(found)] == [3, 1, 6]  # one position fewer than letters
    assert found.labels.tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 1]
    assert found.attributes[0].categories == tuple("abcdefghijklmnopqrstuvwxyz")
    assert encode(found, hyphenation.WINDOW) == content


def test_window_of_the_last_gap_sees_the_last_letter(data):
    found = hyphenation.decode((data / "hyphen.sparse").read_bytes(), "x")
    assert window_codes(found, (2, 3))[2].tolist() == [1, 0, 1, 24, 26, 26]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"26 53 55", b"26 53 56", "file: the windows of a word contradict each other"),
        (b"26 53 55", b"26 53 80", "file, line 2: a word has a gap inside"),
        (b"3 2 162", b"3 2", "file, line 1: the first line must hold three numbers"),
        (b"3 2 162", b"9" * 5000 + b" 2 162", "file, line 1: the first line must hold three numbers"),
        (b"3 2 162", b"3 2 161", "file, line 1: 161 features are not 6 slots of 27 codes"),
        (b"3 2 162", b"3 9 162", "file, line 1: 9 labels are announced, and the data set has 2"),
        (b"3 2 162", b"4 2 162", "file: holds 3 sequences or gaps in them, and announces 4"),
        (b" 159 0\n", b" 162 0\n", "file, line 2: a feature or label is out of its range"),
        (b" 159 0\n", b" 159 2\n", "file, line 2: a feature or label is out of its range"),
        (b"1 1 6 ", b"1 1 5 ", "file, line 2: a feature or label is out of its range"),
        (b"1 1 6 ", b"1 2 6 ", "file, line 2: the first sequence begins with its position 2, not 1"),
        (b"1 2 6 ", b"1 3 6 ", "file: holds 3 sequences or gaps"),
        (b"1 2 6 ", b"1 6 ", "file, line 3: expected 10 numbers"),
        (b"1 2 6 ", b"9999999999 2 6 ", "file, line 3: expected 10 numbers"),
    ],
)
def test_hyphen_errors(data, old, new, message):
    content = (data / "hyphen.sparse").read_bytes().replace(old, new, 1)
    with pytest.raises(DataError) as caught:
        hyphenation.decode(content, "file")
    assert str(caught.value).startswith(message)


def test_hyphen_cut_off(data):
    lines = (data / "hyphen.sparse").read_bytes().splitlines(keepends=True)
    with pytest.raises(DataError, match="file: holds 2 sequences or gaps in them, and announces 3"):
        hyphenation.decode(b"".join(lines[:5]), "file")


def test_moby(data):
    content = (data / "mhyph.txt").read_bytes()
    assert b"\xa5" in content
    expected = [["bab", "ble"], ["through"], ["x"], ["win", "ter", "time"]]
    assert hyphenation.parse_moby(content, "mhyph.txt") == expected
    assert hyphenation.parse_moby(content.replace(b"\r\n", b"\n").rstrip(b"\n"), "mhyph.txt") == expected
    found = hyphenation.from_syllables([expected[0], expected[3]])
    assert labels(found)[0].split() == ["no_hyphen"] * 2 + ["hyphen"] + ["no_hyphen"] * 2
    assert np.flatnonzero(found.labels[5:]).tolist() == [2, 5]


def test_moby_in_another_encoding_is_refused(data):
    converted = (data / "mhyph.txt").read_bytes().decode("mac_roman").encode("utf-8")
    bare = b"\n".join(line for line in converted.splitlines() if b"\xe2" in line)
    with pytest.raises(DataError, match=r"file: none of its \d+ lines is a hyphenated word"):
        hyphenation.parse_moby(bare, "file")


CASES = [
    (conll2000.parse, b"a DT B-NP\nb NN\n", "file, line 2: expected word, part of speech and chunk tag, found 'b NN'"),
    (conll2000.parse, b"a DT  B-NP\n", "file, line 1: expected word, part of speech and chunk tag, found 'a DT  B-NP'"),
    (conll2000.parse, b"a DT B-NP x\n", "file, line 1: expected word"),
    (conll2000.parse, b"a DT B-\n", "file, line 1: 'B-' is no chunk tag"),
    (conll2000.parse, b"a DT E-NP\n", "file, line 1: 'E-NP' is no chunk tag"),
    (conll2000.parse, b"\n\n", "file: holds no sentences"),
    (
        ocr.parse,
        b"1 qid:1 3:1\n2 qid:1 3:2\n",
        "file, line 2: expected a label, a word and pixels, found '2 qid:1 3:2'",
    ),
    (ocr.parse, b"1 3:1\n", "file, line 1: expected a label"),
    (ocr.parse, b"0 qid:1 3:1\n", "file, line 1: expected a label"),
    (ocr.parse, b"27 qid:1 3:1\n", "file, line 1: the label 27 is none of 1 to 26"),
    (ocr.parse, b"1 qid:1 4:1 3:1\n", "file, line 1: its pixels are not rising numbers from 1 to 128"),
    (ocr.parse, b"1 qid:1 3:1 3:1\n", "file, line 1: its pixels are not rising numbers"),
    (ocr.parse, b"1 qid:1 3:1 129:1\n", "file, line 1: its pixels are not rising numbers"),
    (ocr.parse, b"1 qid:2 3:1\n", "file, line 1: word 2 stands where word 1 should begin"),
    (ocr.parse, b"1 qid:1\n1 qid:2\n1 qid:1\n", "file, line 3: word 1 stands where word 3 should begin"),
    (ocr.parse, b"1 qid:1\n1 qid:3\n", "file, line 2: word 3 stands where word 2 should begin"),
    (ocr.parse, b"", "file: holds no letters"),
    (prosody.parse, b"a\t0\t0\t0.1\t0.1\n", "file, line 1: expected a word and its prominence, found 'a"),
    (prosody.parse, b"<file>\t1_2.txt\na\t0\t0\t0.1\n", "file, line 2: expected a word and its prominence"),
    (prosody.parse, b"<file>\t1_2.txt\na\t3\t0\t0.1\t0.1\n", "file, line 2: expected a word and its prominence"),
    (prosody.parse, b"<file>\t1_2.txt\n\t0\t0\t0.1\t0.1\n", "file, line 2: expected a word and its prominence"),
    (
        prosody.parse,
        b"<file>\t1_2.txt\n.\tNA\tNA\tNA\tNA\n<file>\t1_3.txt\n",
        "file, line 2: a sentence ends without a word",
    ),
    (prosody.parse, b"<file>\n", "file, line 1: expected a word and its prominence"),
    (prosody.parse, b"<file>\t1_2.txt\n", "file: a sentence ends without a word that has a prominence"),
    (prosody.parse, b"", "file: holds no sentences"),
    (protein.parse, b"<>\nA _\nB _\n", "file, line 3: expected a residue and its state, found 'B _'"),
    (protein.parse, b"<>\nA _\nC", "file, line 3: expected a residue and its state, found 'C'"),
    (protein.parse, b"A _\n", "file, line 1: a residue stands before '<>'"),
    (protein.parse, b"<>\nA _\nend\nC _\n", "file, line 4: a residue stands before '<>'"),
    (protein.parse, b"# nothing\n<>\n", "file: holds no residues"),
    (faq.pod_lines, b"=head1 NAME\n\ntext\n", "file: holds no question"),
    (faq.pod_lines, b"=head1 NAME\n\ntext\n\n=head1 AUTHOR\n\nNobody\n", "file: holds no question (=head2)"),
    (faq.pod_lines, b"=head1 NAME\n\n=head2 Why?\n\ntext\n", "file: has no section AUTHOR at its end"),
    (sectlabel.parse, b"<SectLabel_titel> a +L+ </SectLabel_titel>", "file, line 1: the label 'titel' is not known"),
    (sectlabel.parse, b"<SectLabel_title> a </SectLabel_title>", "file, line 1: a title does not end in '+L+'"),
    (
        sectlabel.parse,
        b"<SectLabel_title> a +L+ </SectLabel_title> <SectLabel_no",
        "file, line 1: text stands outside the labels",
    ),
    (sectlabel.parse, b"\n", "file: holds 0 papers"),
    (
        nettalk.parse,
        b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1\t0\n",
        "file, line 2: 'zof' does not have one phoneme and one stress per letter",
    ),
    (
        nettalk.parse,
        b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1",
        "file, line 2: expected word, phonemes, stress and class, found 'zof",
    ),
    (nettalk.parse, b"gabo\tg@bo\t>1<0\t0\nzof\tzaf\t>1+\t0", "file, line 2: '>1+' holds symbols that are no stress"),
    (nettalk.parse, b"gabo\tg@bo\t>1<0\t0\nZof\tzaf\t>1<\t0", "file, line 2: expected word"),
    (nettalk.parse, b"", "file: holds no entries"),
]


@pytest.mark.parametrize(("parse", "content", "message"), CASES)
def test_errors(parse, content, message):
    with pytest.raises(DataError, match="get it again") as caught:
        parse(content, "file")
    assert str(caught.value).startswith(message)
