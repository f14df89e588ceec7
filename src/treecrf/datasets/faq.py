"""FAQ segmentation: every line of a document is head, question, answer or tail.

The labelled files of McCallum, Freitag and Pereira (2000) are not to be had. Two stand-ins take their labels
from rigid structure, and a loader reads the real files where somebody has them:

- the Perl FAQ, nine POD files. The label comes from the markup (`pod_lines`), which is then removed;
- the X FAQ, five Usenet postings in digest form (`digest_lines`).

A blank line carries the label of the region it stands in: only the line of a question itself is a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from treecrf.datasets._text import DataError, read_bytes
from treecrf.datasets.line_features import DEFAULT_FEATURES, from_documents
from treecrf.sequences import SequenceSet

LABELS = ("head", "question", "answer", "tail")
Lines = list[tuple[str, str]]

PERL_FILES = tuple(f"faq/perlfaq/perlfaq{i}.pod" for i in range(1, 10))
X_FILES = tuple(f"faq/20_newsgroups/comp.windows.x/{i}" for i in (66429, 66430, 66433, 66422, 66424))
SUPPLIED = {"faq_ai_general": "ai-general", "faq_ai_neural": "ai-neural", "faq_aix": "aix"}

_CODE = re.compile(r"[A-Z]<([^<>]*)>")
_WIDE_CODE = re.compile(r"[A-Z]<<+\s(.*?)\s>>+")
_COMMAND = re.compile(r"=(\w+)\s*(.*)")


def _without_codes(text: str) -> str:
    """Text without POD's formatting codes: the words inside stay, the address of a link goes."""
    text = _WIDE_CODE.sub(r"\1", text)
    before = None
    while before != text:
        before = text
        text = _CODE.sub(lambda match: match.group(1).split("|")[0], text)
    return text


def pod_lines(data: bytes, file: str) -> Lines:
    """Labelled plain lines of a POD file.

    A heading of level 2 is a question, what follows it an answer, up to the next question; headings of level 1
    between questions count as answer. What stands before the first question is head, the section
    ``AUTHOR AND COPYRIGHT`` is tail. Commands without text (``=over``, ``=back``, ..) leave no line; of
    others the text stays. Text in verbatim blocks stays as it is.
    """
    result: Lines = []
    region = "head"
    for line in data.decode("utf-8", "replace").splitlines():
        command = _COMMAND.match(line)
        if command is None:
            result.append((region, line if line[:1].isspace() else _without_codes(line)))
            continue
        name, text = command.group(1), _without_codes(command.group(2)).strip()
        if name == "head1" and text.upper().startswith("AUTHOR"):
            region = "tail"
        if name == "head2" and region != "tail":
            result.append(("question", text))
            region = "answer"
        elif name in ("head1", "head2", "head3", "head4", "item") and text:
            result.append((region, text))
    if not any(label == "question" for label, _ in result):
        raise DataError(file, None, "holds no question (=head2)")
    return result


_DASHES = re.compile(r"^-{60,}\s*$")
_SUBJECT = re.compile(r"^Subject: +\d+\)")


def digest_lines(data: bytes, file: str) -> Lines:
    """Labelled lines of a posting in digest form.

    ``Subject: N)`` right after a line of at least 60 dashes is a question (its first line alone). What stands
    before the dashes of the first question is head; from the last line of dashes on it is tail; the rest is
    answer, the lines of dashes between questions included.
    """
    lines = data.decode("latin-1").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    dashes = [i for i, line in enumerate(lines) if _DASHES.match(line)]
    questions = [i for i in range(1, len(lines)) if i - 1 in dashes and _SUBJECT.match(lines[i])]
    if not questions:
        raise DataError(file, None, "holds no question ('Subject: N)' after a line of dashes)")
    first, last = questions[0] - 1, dashes[-1]
    labels = ["head" if i < first else "tail" if i >= last else "answer" for i in range(len(lines))]
    for i in questions:
        labels[i] = "question"
    return list(zip(labels, lines, strict=True))


def labelled_lines(data: bytes, file: str) -> Lines:
    """Lines of a file in the form ``label <tab> line``; an empty line may lack the tab."""
    result: Lines = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
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
    files = sorted(path for path in folder.glob("*") if path.is_file() and path.suffix != ".tmp")
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
