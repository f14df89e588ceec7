"""Parsers of labelled documents on small invented files that hold the traps of the real ones."""

from itertools import pairwise

import pytest

from treecrf_studies.datasets import faq, sectlabel
from treecrf_studies.datasets.faq import LABELS
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
