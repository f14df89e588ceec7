"""Labelled documents on small invented files that hold the traps of the real ones, and the 24 line features."""

from itertools import pairwise

import numpy as np
import pytest

from treecrf_studies.datasets import faq, sectlabel
from treecrf_studies.datasets.faq import DEFAULT_FEATURES, FEATURES, LABELS, NOT_DEFAULT, from_documents
from treecrf_studies.datasets.loading import DataError, text_lines

# --- stand-ins for FAQ files ---------------------------------------------------------------------


def test_pod_text_has_no_markup_left(data):
    lines = faq.pod_lines((data / "perlfaq.pod").read_bytes(), "perlfaq.pod")
    assert [text for label, text in lines if label == "question"] == [
        "What is $x->toy good for? <nothing>?",
        "Who",
        "made it?",
    ]
    by_label = {label: [text for other, text in lines if other == label and text] for label in LABELS}
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
    assert faq.plain_pod(text) == expected


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


def test_text_lines():
    assert text_lines(b"a\r\nb\x0cc\n\nd\xff") == ["a", "b\x0cc", "", "d�"]
    assert text_lines(b"") == []
    assert text_lines(b"\n") == [""]


CASES = {
    "begins-with-number": (["3 toys", "  12)"], ["a 3", ""]),
    "begins-with-ordinal": (["1st toy", "Second,", " 22nd"], ["1 st", "a first", "secondary"]),
    "begins-with-punctuation": (["- a", "  (b)"], ["a -", "_a", "3."]),
    "begins-with-question-word": (["What is it", "  how so", "Does it"], ["whatever", "so what", "isolated"]),
    "begins-with-subject": (["Subject: a", "subject"], ["The subject"]),
    "blank": (["", " \t"], ["a", "."]),
    "contains-alphanum": (["a", "- 3"], ["", " -- "]),
    "contains-bracketed-number": (["see [12]", "(3)", "<4>", "{5}"], ["[a]", "(3.1)", "3"]),
    "contains-http": (["see http://x", "HTTPS://x"], ["http", "ftp://x"]),
    "contains-non-space": (["a", " ."], ["", "  "]),
    "contains-number": (["a3", "3"], ["three", ""]),
    "contains-pipe": (["a|b"], ["ab"]),
    "contains-question-mark": (["a? b"], ["a"]),
    "contains-question-word": (["so what", "Why"], ["whatever", "thiswhy"]),
    "ends-with-question-mark": (["a?", "a?  "], ["a? b", "a"]),
    "first-alpha-is-capitalized": (["A", " 1) Ab"], ["aB", "1) a", "", "12"]),
    "indented": ([" a", "\ta", 12 * " " + "a"], ["a", "  ", ""]),
    "indented-1-to-4": ([" a", "    a"], ["a", "     a", "  "]),
    "indented-5-to-10": (["     a", 10 * " " + "a"], ["    a", 11 * " " + "a"]),
    "more-than-one-third-space": (["a b ", "  ab"], ["ab c de", "", "a bc", "a b cd"]),
    "only-punctuation": (["---", " * * *", "-_-"], ["-a-", "", "  ", "3."]),
    "shorter-than-30": (["", "a" * 29, "a" * 29 + "  "], ["a" * 30]),
}
PREVIOUS_CASES = {"prev-is-blank": (["", "  "], ["a"]), "prev-begins-with-ordinal": (["1st"], ["", "a 1st"])}


def test_every_feature_has_a_case():
    assert {*CASES, *PREVIOUS_CASES} == set(FEATURES)
    assert len(FEATURES) == 24


@pytest.mark.parametrize("name", CASES)
def test_feature(name):
    true, false = CASES[name]
    assert [line for line in true if not FEATURES[name](line, "before")] == []
    assert [line for line in false if FEATURES[name](line, "before")] == []


@pytest.mark.parametrize("name", PREVIOUS_CASES)
def test_feature_of_the_line_before(name):
    true, false = PREVIOUS_CASES[name]
    assert [line for line in true if not FEATURES[name]("a line", line)] == []
    assert [line for line in false if FEATURES[name]("a line", line)] == []


def test_documents_become_sequences():
    documents = [[("q", "Why?"), ("a", ""), ("a", "So.")], [("a", "3")]]
    found = from_documents(documents, ("q", "a"), ["blank", "prev-is-blank", "contains-number"])
    assert found.lengths.tolist() == [3, 1]
    assert found.labels.tolist() == [0, 1, 1, 1]
    assert found.values.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert {attribute.categories for attribute in found.attributes} == {("false", "true")}
    assert from_documents(documents, ("q", "a")).values.shape == (4, 20)
    assert np.array_equal(sorted({*DEFAULT_FEATURES, *NOT_DEFAULT}), sorted(FEATURES))
