"""Parsers on small invented files that hold the traps of the real ones."""

from itertools import pairwise

import numpy as np
import pytest

from treecrf.datasets import faq, hyphenation, nettalk, pod, protein, sectlabel, smile
from treecrf.datasets._text import DataError, text_lines
from treecrf.sequences import window_codes


def words(data):
    """The letters of each sequence, as text."""
    letters = np.array(data.attributes[0].categories)[data.values[:, 0]]
    bounds = data.observation_offsets
    return ["".join(letters[a:b]) for a, b in pairwise(bounds)]


def labels(data):
    """The label names of each sequence, joined by blanks."""
    names = np.array(data.label_names)[data.labels]
    return [" ".join(names[a:b]) for a, b in pairwise(data.offsets)]


# --- protein ----------------------------------------------------------------------------------------


def test_protein_is_split_at_every_opening(data):
    found = protein.parse((data / "protein.data").read_bytes(), "protein.data")
    assert words(found) == ["ACD", "EF", "GHIK", "YWV"]
    assert labels(found) == ["_ h h", "e e", "_ _ h e", "_ _ h"]
    assert found.label_names == ("_", "e", "h")
    assert "".join(found.attributes[0].categories) == "ACDEFGHIKLMNPQRSTVWY"


def test_protein_with_other_line_ends_is_the_same(data):
    content = (data / "protein.data").read_bytes()
    assert protein.parse(content.replace(b"\n", b"\r\n"), "x") == protein.parse(content + b"\n\n", "x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<>\nA _\nB _\n", "file, line 3: expected a residue and its state, found 'B _'"),
        (b"<>\nA _\nC", "file, line 3: expected a residue and its state, found 'C'"),
        (b"A _\n", "file, line 1: a residue stands before '<>'"),
        (b"<>\nA _\nend\nC _\n", "file, line 4: a residue stands before '<>'"),
        (b"# nothing\n<>\n", "file: holds no residues"),
        (b"\xff\xfe\n", "file, line 1: a residue stands before"),
    ],
)
def test_protein_errors(content, message):
    with pytest.raises(DataError, match="get it again") as caught:
        protein.parse(content, "file")
    assert str(caught.value).startswith(message)


def test_protein_encoded(data):
    content = (data / "protein.sparse").read_bytes()
    # Row 1 by hand: five slots outside (20, 41, 62, 83, 104), A C D at slots 5 to 7, outside again, label "_".
    assert content.splitlines()[:2] == [b"4 3 231", b"1 1 11 20 41 62 83 104 105 127 149 188 209 230 0"]
    found = protein.decode(content, "protein.sparse")
    assert found == protein.parse((data / "protein.data").read_bytes(), "protein.data")
    assert protein.encode(found) == content


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"4 3 231", b"4 3", "file, line 1: the first line must hold three numbers"),
        (b"4 3 231", b"4 3 230", "file, line 1: 230 features are not a number of slots"),
        (b"4 3 231", b"5 3 231", "file: holds 4 sequences or gaps in them, and announces 5"),
        (b" 230 0\n", b" 231 0\n", "file, line 2: a feature or label is out of its range"),
        (b" 230 0\n", b" 230 3\n", "file, line 2: a feature or label is out of its range"),
        (b"1 2 11 ", b"1 3 11 ", "file: holds 4 sequences or gaps"),
        (b"1 2 11 ", b"1 11 ", "file, line 3: expected 15 numbers"),
        (b"105 127 149", b"105 128 149", "file: the windows of a sequence contradict each other"),
        (b"105 127 149", b"125 127 149", "file, line 2: a window has no residue in its middle"),
    ],
)
def test_encoded_errors(data, old, new, message):
    content = (data / "protein.sparse").read_bytes().replace(old, new, 1)
    with pytest.raises(DataError) as caught:
        protein.decode(content, "file")
    assert str(caught.value).startswith(message)


def test_encoder_needs_labels_and_one_full_attribute(data):
    found = protein.parse((data / "protein.data").read_bytes(), "x")
    with pytest.raises(ValueError, match="and labels; give such a set"):
        smile.encode(found.with_labels(None), (5, 5))
    with pytest.raises(ValueError, match="without missing cells"):
        protein.encode(found.with_values(np.full_like(found.values, -1)))


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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"zof\tzaf\t>1\t0\n", "file, line 2: 'zof' has not one phoneme and one stress per letter"),
        (b"zof\tzaf\t>1", "file, line 2: expected word, phonemes, stress and class, found 'zof"),
        (b"zof\tzaf\t>1+\t0", "file, line 2: '>1+' holds symbols that are no stress"),
        (b"Zof\tzaf\t>1<\t0", "file, line 2: expected word"),
    ],
)
def test_nettalk_errors(line, message):
    with pytest.raises(DataError) as caught:
        nettalk.parse(b"gabo\tg@bo\t>1<0\t0\n" + line, "file")
    assert str(caught.value).startswith(message)


def test_nettalk_empty_file():
    with pytest.raises(DataError, match="file: holds no entries"):
        nettalk.parse(b"", "file")


# --- hyphenation ------------------------------------------------------------------------------------


def test_hyphen_encoded(data):
    content = (data / "hyphen.sparse").read_bytes()
    # Row 1 by hand: nothing, nothing, b a b y around the gap behind the first letter.
    assert content.splitlines()[:2] == [b"3 2 162", b"1 1 6 26 53 55 81 109 159 0"]
    found = hyphenation.decode(content, "hyphen.sparse")
    assert words(found) == ["baby", "ox", "winters"]
    assert [row.count(" ") + 1 for row in labels(found)] == [3, 1, 6]  # one position fewer than letters
    assert found.labels.tolist() == [0, 1, 0, 0, 0, 0, 1, 0, 0, 1]
    assert found.attributes[0].categories == tuple("abcdefghijklmnopqrstuvwxyz")
    assert hyphenation.encode(found) == content


def test_window_of_the_last_gap_sees_the_last_letter(data):
    found = hyphenation.decode((data / "hyphen.sparse").read_bytes(), "x")
    assert window_codes(found, (2, 3))[2].tolist() == [1, 0, 1, 24, 26, 26]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"26 53 55", b"26 53 56", "file: the windows of a word contradict each other"),
        (b"26 53 55", b"26 53 80", "file, line 2: a word has a gap inside"),
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


# --- FAQ --------------------------------------------------------------------------------------------


def test_pod_text_has_no_markup_left(data):
    lines = faq.pod_lines((data / "perlfaq.pod").read_bytes(), "perlfaq.pod")
    assert [text for label, text in lines if label == "question"] == [
        "What is $x->toy good for? <nothing>?",
        "Who",
        "made it?",
    ]
    by_label = {label: [text for other, text in lines if other == label and text] for label in faq.LABELS}
    assert by_label["head"] == [
        "NAME",
        "toyfaq - questions about toys (not real)",
        "DESCRIPTION",
        "Some text with code and",
        "the manual.",
        "Section: Wooden Toys",
    ]
    assert by_label["answer"] == [
        "It is nested bold",
        "and long.",
        "*",
        "A point.",
        "2. naïve perlvar/$|",
        "    =verbatim C<stays> as it is",
        "      and goes on",
        "Section: Tin Toys",
        "Between sections.",
        "Nobody.",
    ]
    assert by_label["tail"] == ["AUTHOR AND COPYRIGHT", "Invented 2026.", "Not a question any more"]


def test_pod_paragraphs_without_text_leave_no_blank_lines(data):
    lines = faq.pod_lines((data / "perlfaq.pod").read_bytes(), "perlfaq.pod")
    texts = [text for _, text in lines]
    assert texts[0] == "NAME"
    assert not any(a == b == "" for a, b in pairwise(texts))
    after_question = [lines[i + 1] for i, (label, text) in enumerate(lines) if text.startswith(("What is", "made it"))]
    assert after_question == [("answer", "")] * 2


def test_pod_with_other_line_ends_is_the_same(data):
    content = (data / "perlfaq.pod").read_bytes()
    assert faq.pod_lines(content.replace(b"\n", b"\r\n"), "x") == faq.pod_lines(content, "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B<a I<b>> c", "a b c"),
        ("C<<< a >> b >>> d", "a >> b d"),
        ("L<text|http://address> L<name> L<a/$E<verbar>>", "text name a/$|"),
        ("E<lt>E<gt>E<eacute>E<233>E<0351>E<0xE9>E<sol>", "<>éééé/"),
        ("1 < 2, a->b, HASH<x", "1 < 2, a->b, HASH<x"),
        ("F<never closed", "F<never closed"),
        ("aX<index>Z<>b", "ab"),
    ],
)
def test_formatting_codes(text, expected):
    assert pod.plain(text) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"=head1 NAME\n\ntext\n", "file: holds no question"),
        (b"=head1 NAME\n\n=head2 Why?\n\ntext\n", "file: has no section AUTHOR at its end"),
    ],
)
def test_pod_errors(content, message):
    with pytest.raises(DataError) as caught:
        faq.pod_lines(content, "file")
    assert str(caught.value).startswith(message)


def test_digest(data):
    content = (data / "xfaq.txt").read_bytes()
    lines = faq.digest_lines(content, "xfaq.txt")
    assert "".join(label[0] for label, _ in lines) == "h" * 8 + "aqaqaaaaaaqaa" + "ttt"
    assert [text for label, text in lines if label == "question"] == [
        "Subject:  0) TOPIC: SHAPES",
        "Subject:  1)  How round is a ball, and",
        "Subject:  2)  Are cubes round?",
    ]
    assert lines[-1] == ("tail", "End. \x85ÿ")  # neither splits the line nor is lost
    assert faq.digest_lines(content.replace(b"\n", b"\r\n") + b"\r\n", "x") == lines


def test_digest_errors(data):
    content = (data / "xfaq.txt").read_bytes()
    with pytest.raises(DataError, match="file: holds no question"):
        faq.digest_lines(content[:120], "file")
    with pytest.raises(DataError, match="file: has no line of dashes before its trailer"):
        faq.digest_lines(content[: content.index(b"Are cubes")], "file")


def test_supplied_lines(data):
    lines = faq.labelled_lines((data / "supplied.txt").read_bytes(), "supplied.txt")
    assert lines == [
        ("head", "From: nobody"),
        ("head", ""),
        ("head", ""),
        ("question", "1) Why?"),
        ("answer", "Because.\ttabs stay"),
        ("answer", ""),
        ("tail", "Bye"),
    ]
    with pytest.raises(DataError, match="file, line 2: label 'anwser' is none of head, question, answer, tail"):
        faq.labelled_lines(b"head\tx\nanwser\ty\n", "file")
    with pytest.raises(DataError, match="file: is empty"):
        faq.labelled_lines(b"", "file")


# --- SectLabel --------------------------------------------------------------------------------------


def test_sectlabel(data):
    papers = sectlabel.parse((data / "sectlabel.txt").read_bytes(), "sectlabel.txt")
    assert papers == [
        [
            ("title", "On Toys"),
            ("author", "A. Nobody"),
            ("sectionHeader", "1 Toys"),
            ("bodyText", "Toys are"),
            ("bodyText", "good.\tVery."),
            ("reference", "[1] None."),
        ],
        [("title", "More Toys"), ("bodyText", "With café.")],
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<SectLabel_titel> a +L+ </SectLabel_titel>", "file, line 1: the label 'titel' is not known"),
        (b"<SectLabel_title> a </SectLabel_title>", "file, line 1: a title does not end in '+L+'"),
        (b"<SectLabel_title> a +L+ </SectLabel_title> <SectLabel_no", "file, line 1: text stands outside the labels"),
        (b"\n", "file: holds 0 papers"),
    ],
)
def test_sectlabel_errors(content, message):
    with pytest.raises(DataError) as caught:
        sectlabel.parse(content, "file")
    assert str(caught.value).startswith(message)


def test_text_lines():
    assert text_lines(b"a\r\nb\x0cc\n\nd\xff") == ["a", "b\x0cc", "", "d�"]
    assert text_lines(b"") == []
    assert text_lines(b"\n") == [""]
