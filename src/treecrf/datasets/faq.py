"""FAQ segmentation: every line of a document is head, question, answer or tail.

The labelled files of McCallum, Freitag and Pereira (2000) are not available. Two stand-ins take their labels
from rigid structure, and a loader reads the real files where somebody has them:

- the Perl FAQ, nine POD files. The label comes from the markup (`pod_lines`), which is then removed;
- the X FAQ, five Usenet postings in digest form (`digest_lines`).

A blank line carries the label of the region it stands in: only the line of a question itself is a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from treecrf.datasets import pod
from treecrf.datasets._text import DataError, read_bytes, text_lines
from treecrf.datasets.description import Description
from treecrf.datasets.line_features import DEFAULT_FEATURES, from_documents
from treecrf.sequences import SequenceSet

LABELS = ("head", "question", "answer", "tail")
Lines = list[tuple[str, str]]

PERL_FILES = tuple(f"faq/perlfaq/perlfaq{i}.pod" for i in range(1, 10))
X_FILES = tuple(f"faq/20_newsgroups/comp.windows.x/{i}" for i in (66429, 66430, 66433, 66422, 66424))
SUPPLIED = {"faq_ai_general": "ai-general", "faq_ai_neural": "ai-neural", "faq_aix": "aix"}


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


def labelled_lines(data: bytes, file: str) -> Lines:
    """Lines of a file in the form ``label <tab> line``; an empty line may lack the tab."""
    result: Lines = []
    for number, line in enumerate(text_lines(data), start=1):
        label, _, text = line.partition("\t")
        if label not in LABELS:
            raise DataError(file, number, f"label {label[:30]!r} is none of {', '.join(LABELS)}")
        result.append((label, text))
    if not result:
        raise DataError(file, None, "is empty")
    return result


def perl_documents(raw: Path, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The nine files of the Perl FAQ."""
    return from_documents([pod_lines(read_bytes(raw, name), name) for name in PERL_FILES], LABELS, features)


def x_documents(raw: Path, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The five parts of the X FAQ, in order."""
    return from_documents([digest_lines(read_bytes(raw, name), name) for name in X_FILES], LABELS, features)


def supplied_documents(raw: Path, name: str, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The documents that a user has put into the folder ``faq/NAME``, in the order of their names."""
    folder = raw / "faq" / SUPPLIED[name]
    files = sorted(
        path for path in folder.glob("*") if path.is_file() and path.suffix != ".tmp" and path.name[0] != "."
    )
    if len(files) < 2:
        raise FileNotFoundError(
            f"{name}: the labelled files of McCallum, Freitag and Pereira (2000) are not public and {folder} has "
            f"{len(files)} of them; put at least two there, one per document, with lines 'label<tab>line'."
        )
    return from_documents([labelled_lines(path.read_bytes(), str(path)) for path in files], LABELS, features)


def last_document_tests(documents: SequenceSet) -> tuple[SequenceSet, SequenceSet]:
    """All documents but the last for training, the last for testing."""
    last = len(documents) - 1
    return documents.select(range(last)), documents.select([last])


def _documents(whole: Callable[..., SequenceSet]) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    return lambda raw, **options: last_document_tests(whole(raw, **options))


def _supplied(name: str) -> Callable[..., SequenceSet]:
    return lambda raw, **options: supplied_documents(raw, name, **options)


_STAND_IN = "stands in for the labelled FAQ files of McCallum, Freitag and Pereira (2000), which are not available; "

DESCRIPTIONS = (
    Description(
        "faq_perl", "segments of the Perl FAQ", (0, 0), _documents(perl_documents), PERL_FILES,
        "leave_one_out", _STAND_IN + "labels come from POD markup, which is removed",
        "perlfaq 5.20210520; the terms of Perl", perl_documents,
    ),
    Description(
        "faq_x", "segments of the X FAQ", (0, 0), _documents(x_documents), X_FILES,
        "leave_one_out", _STAND_IN + "labels come from the digest's structure", "comp.windows.x, April 1993", x_documents,
    ),
    *(
        Description(
            name, f"segments of the {group} FAQ, files that a user supplies", (0, 0), _documents(_supplied(name)), (),
            "leave_one_out", None, "McCallum, Freitag and Pereira 2000", _supplied(name),
        )
        for name, group in SUPPLIED.items()
    ),
)  # fmt: skip
