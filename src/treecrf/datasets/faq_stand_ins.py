"""Stand-ins for the labelled FAQ files of the papers: documents as text, whose labels come from rigid structure.

- the Perl FAQ, nine POD files. The label comes from the markup (`pod_lines`), which is then removed;
- the X FAQ, five Usenet postings in digest form (`digest_lines`).

A blank line carries the label of the region it stands in: only the line of a question itself is a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from treecrf.datasets import pod
from treecrf.datasets._text import DataError, read_bytes, text_lines
from treecrf.datasets.description import Description
from treecrf.datasets.faq import LABELS, split_by_last
from treecrf.datasets.line_features import DEFAULT_FEATURES, from_documents
from treecrf.sequences import SequenceSet

Lines = list[tuple[str, str]]

PERL_FILES = tuple(f"faq/perlfaq/perlfaq{i}.pod" for i in range(1, 10))
X_FILES = tuple(f"faq/20_newsgroups/comp.windows.x/{i}" for i in (66429, 66430, 66433, 66422, 66424))


def pod_lines(data: bytes, file: str) -> Lines:
    """Labelled plain lines of a POD file, its markup removed as `treecrf.datasets.pod` says.

    A heading of level 2 is a question; what follows it is answer up to the next question, its blank lines and
    headings of level 1 between questions included. What stands before the first question is head. The section
    whose heading of level 1 begins with ``AUTHOR`` is tail, to the end of the file.
    """
    result: Lines = []
    region = "head"
    for paragraph in pod.paragraphs(data):
        if paragraph.command == "head1" and " ".join(paragraph.lines).upper().startswith("AUTHOR"):
            region = "tail"
        if paragraph.command == "head2" and region != "tail":
            result.extend(("question", line) for line in paragraph.lines)
            region = "answer"
        else:
            result.extend((region, line) for line in paragraph.lines)
    if region == "head" or not any(label == "question" for label, _ in result):
        raise DataError(file, None, "holds no question (=head2)")
    if region == "answer":
        raise DataError(file, None, "has no section AUTHOR at its end")
    return result


_DASHES = re.compile(r"^-{60,}\s*$")
_SUBJECT = re.compile(r"^Subject: +\d+\)")


def digest_lines(data: bytes, file: str) -> Lines:
    """Labelled lines of a posting in digest form.

    ``Subject: N)`` right after a line of at least 60 dashes is a question: that line alone, so that the second
    line of a long question is answer, and a ``TOPIC:`` heading is a question without text behind it. What stands
    before the dashes of the first question is head, the news header included; from the last line of dashes on it
    is tail; the rest, blank lines and the lines of dashes between questions included, is answer.
    """
    lines = text_lines(data, "latin-1")  # any byte is a character there; one posting ends in 0xFF
    dashes = [i for i, line in enumerate(lines) if _DASHES.match(line)]
    questions = [i + 1 for i in dashes if i + 1 < len(lines) and _SUBJECT.match(lines[i + 1])]
    if not questions:
        raise DataError(file, None, "holds no question ('Subject: N)' after a line of dashes)")
    first, last = questions[0] - 1, dashes[-1]
    if last < questions[-1]:
        raise DataError(file, None, "has no line of dashes before its trailer")
    labels = ["head" if i < first else "tail" if i >= last else "answer" for i in range(len(lines))]
    for i in questions:
        labels[i] = "question"
    return list(zip(labels, lines, strict=True))


def perl_documents(raw: Path, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The nine files of the Perl FAQ."""
    return from_documents([pod_lines(read_bytes(raw, name), name) for name in PERL_FILES], LABELS, features)


def x_documents(raw: Path, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The five parts of the X FAQ, in order."""
    return from_documents([digest_lines(read_bytes(raw, name), name) for name in X_FILES], LABELS, features)


_STAND_IN = "stands in for the labelled FAQ files of McCallum, Freitag and Pereira (2000): "

DESCRIPTIONS = (
    Description(
        "faq_perl", "segments of the Perl FAQ", (0, 0), split_by_last(perl_documents), PERL_FILES,
        "leave_one_out", _STAND_IN + "labels come from POD markup, which is removed",
        "perlfaq 5.20210520; the terms of Perl", perl_documents,
    ),
    Description(
        "faq_x", "segments of the X FAQ", (0, 0), split_by_last(x_documents), X_FILES,
        "leave_one_out", _STAND_IN + "labels come from the digest's structure", "comp.windows.x, April 1993", x_documents,
    ),
)  # fmt: skip
