"""FAQ segmentation, and features of a line of text for this set and ``sectlabel``.

Every line of a Usenet FAQ is head, question, answer or tail (McCallum, Freitag and Pereira 2000).

The labelled files of the papers, as features: 48 documents without names, 24 features a line. A document is an array of
24 rows and a column a line, in which **1 means false and -1 true**, and an array of labels from 1 in the order of
`LABELS`.

Which documents are of which newsgroup is inferred: documents of a newsgroup follow one another, and `DOCUMENTS` are the
runs of as many files as the dissertation gives whose mean lengths fit best, 0.6 to 1.4 % below the published ones. The
29 documents that are left are ``faq_other``, a sample that no table of the papers uses.

The features have no names in the file, and only some of them can be told from the data, so all are called by the number
of their column. What the data say, over all documents:

- 7 is the complement of 6; with 7 only 2, 8, 10, 12, 19 and 20 are ever true, as on a blank line;
- 8 is 7 of the line before, 10 is 9 of the line before, and 14 is 13 of the line before; all three are false on the
first line;
- 13 and 14 are never true;
- 4 implies 0; 17 and 18 imply 2 and exclude each other; 3 implies 9, which implies 22; 15 excludes 2.

The dissertation uses 20 features, of which 11 are rarely true on ai-general (figure 4.2), and does not say which.
Without 13 and the three that repeat the line before, 20 are left, of which 11 are true on less than a tenth of its
lines: a choice. The numbers that the figure gives the rare ones fit no 20 columns in the order of the file, so its
order is another one.

``faq_perl`` and ``faq_x`` stand in for those files: documents as text, whose labels come from rigid structure.

- the Perl FAQ, nine POD files. The label comes from the markup (`pod_lines`), which is then removed (`plain_pod`);
- the X FAQ, five Usenet postings in digest form (`digest_lines`).

A blank line carries the label of the region it stands in: only the line of a question itself is a question.
"""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import DataError, parse_files, text_lines

_QUESTION_WORD = r"(?:how|what|when|where|which|who|whom|whose|why|is|are|can|could|do|does|should|will|would)\b"
_ORDINAL = r"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b"


def _search(pattern: str) -> Callable[[str, str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda line, previous: compiled.search(line) is not None


_BEGINS_WITH_ORDINAL = _search(rf"^\s*{_ORDINAL}")

FEATURES: dict[str, Callable[[str, str], bool]] = {
    "begins-with-number": _search(r"^\s*\d"),
    "begins-with-ordinal": _BEGINS_WITH_ORDINAL,
    "begins-with-punctuation": _search(r"^\s*[^\w\s]"),
    "begins-with-question-word": _search(rf"^\s*{_QUESTION_WORD}"),
    "begins-with-subject": _search(r"^\s*subject"),
    "blank": lambda line, previous: not line.strip(),
    "contains-alphanum": _search(r"[a-z0-9]"),
    "contains-bracketed-number": _search(r"\[\d+\]|\(\d+\)|<\d+>|\{\d+\}"),
    "contains-http": _search(r"https?:"),
    "contains-non-space": _search(r"\S"),
    "contains-number": _search(r"\d"),
    "contains-pipe": _search(r"\|"),
    "contains-question-mark": _search(r"\?"),
    "contains-question-word": _search(rf"\b{_QUESTION_WORD}"),
    "ends-with-question-mark": _search(r"\?\s*$"),
    "first-alpha-is-capitalized": lambda line, previous: next(
        (each.isupper() for each in line if each.isalpha()), False
    ),
    "indented": _search(r"^\s+\S"),
    "indented-1-to-4": _search(r"^\s{1,4}\S"),
    "indented-5-to-10": _search(r"^\s{5,10}\S"),
    "more-than-one-third-space": lambda line, previous: 3 * sum(map(str.isspace, line)) > len(line),
    "only-punctuation": _search(r"^\s*[^\w\s](?:[^\w]|_)*$"),
    "prev-is-blank": lambda line, previous: not previous.strip(),
    "prev-begins-with-ordinal": lambda line, previous: _BEGINS_WITH_ORDINAL(previous, ""),
    "shorter-than-30": lambda line, previous: len(line.rstrip()) < 30,
}
"""A test of a line and the line before it ("" before the first one), by the paper's name of the feature."""

NOT_DEFAULT = ("begins-with-subject", "contains-non-space", "contains-pipe", "prev-begins-with-ordinal")
"""The four that the default leaves out: a mark of the label in our stand-ins, the opposite of blank, two rare ones."""

DEFAULT_FEATURES = tuple(name for name in FEATURES if name not in NOT_DEFAULT)
"""The 20 that are used unless stated otherwise: the dissertation does not say which 20 it kept."""

VALUES = ("false", "true")


def from_documents(
    documents: Sequence[Sequence[tuple[str, str]]],
    label_names: Sequence[str],
    features: Sequence[str] = DEFAULT_FEATURES,
) -> SequenceSet:
    """One sequence per document of (label, line), one position per line; `features` are names from `FEATURES`."""
    if not isinstance(features, Sequence) or isinstance(features, str) or not len(features):
        raise ValueError(f"features={quoted(features)}: give a list of names, at least one.")
    for i, name in enumerate(features):
        if not isinstance(name, str) or name not in FEATURES:
            raise ValueError(f"line feature {quoted(name)} is not known; choose from {', '.join(FEATURES)}.")
        if name in features[:i]:
            raise ValueError(f"line feature {name!r} is named twice; name it once.")
    tests = [FEATURES[name] for name in features]
    lines = [("", *(line for _, line in document)) for document in documents]
    rows = [[test(line, previous) for test in tests] for each in lines for previous, line in pairwise(each)]
    labels = [label_names.index(label) for document in documents for label, _ in document]
    return SequenceSet(
        np.array(rows, dtype=np.int16),
        np.cumsum([0, *map(len, documents)]),
        tuple(Attribute(name, VALUES) for name in features),
        np.array(labels, dtype=np.int16),
        tuple(label_names),
    )


FILE = "faq_mccallum/faqs.mat"

LABELS = ("head", "question", "answer", "tail")

N_DOCUMENTS, N_COLUMNS = 48, 24

DOCUMENTS = {"ai-general": range(17, 24), "ai-neural": range(30, 37), "aix": range(37, 42)}
"""Documents of the newsgroups that the papers use."""

OTHER_DOCUMENTS = tuple(i for i in range(N_DOCUMENTS) if not any(i in documents for documents in DOCUMENTS.values()))

LEFT_OUT = (8, 10, 13, 14)
"""Columns that the papers are taken to leave out."""

Columns = Literal["papers", "all"] | Sequence[int]


class Document(NamedTuple):
    """Lines of a document: features, bool of shape (n_lines, 24), and label codes, int16 of shape (n_lines,)."""

    features: NDArray[np.bool_]
    labels: NDArray[np.int16]


def parse(data: bytes, file: str) -> list[Document]:
    """All documents of the MATLAB file, in its order; a DataError says what is wrong with the file.

    Give it bytes with the right checksum, as those of `read_bytes`: damaged ones can crash scipy's reader, and Python
    with it.
    """
    import scipy.io  # slow to import

    try:
        content = scipy.io.loadmat(io.BytesIO(data), variable_names=["X", "labels"])
    except Exception as error:  # what scipy raises depends on the byte that is wrong
        raise DataError(file, None, "cannot be read as a MATLAB file") from error
    features, labels = (_cells(content.get(name), name, file) for name in ("X", "labels"))
    return [_document(*cells, i, file) for i, cells in enumerate(zip(features, labels, strict=True))]


def _cells(cells: NDArray[np.object_] | None, name: str, file: str) -> NDArray[np.object_]:
    if not isinstance(cells, np.ndarray) or cells.dtype != object or cells.shape != (N_DOCUMENTS, 1):
        raise DataError(file, None, f"{name} is not an array of {N_DOCUMENTS} cells")
    return cells[:, 0]


def _document(features: NDArray[np.int16], labels: NDArray[np.uint8], number: int, file: str) -> Document:
    n_lines = labels.size
    if labels.shape != (1, n_lines) or features.shape != (N_COLUMNS, n_lines) or not n_lines:
        raise DataError(
            file, None, f"document {number} has features of shape {features.shape} and labels of shape {labels.shape}"
        )
    if not np.isin(features, (-1, 1)).all():
        raise DataError(file, None, f"document {number} has a feature that is neither 1 nor -1")
    if not np.isin(labels, range(1, len(LABELS) + 1)).all():
        raise DataError(file, None, f"document {number} has a label that is none of 1 to {len(LABELS)}")
    return Document(features.T < 0, labels[0].astype(np.int16) - 1)


def read_documents(raw: Path, numbers: Sequence[int], *, columns: Columns = "papers") -> SequenceSet:
    """The documents with these numbers, one sequence each.

    `columns`: "papers" for the 20 that the papers are taken to use, "all", or a list of numbers from 0 to 23.
    """
    chosen = _column_numbers(columns)
    (parsed,) = parse_files(raw, (FILE,), parse)
    documents = [parsed[i] for i in numbers]
    return SequenceSet(
        np.concatenate([document.features[:, chosen] for document in documents]).astype(np.int16),
        np.cumsum([0, *(len(document.labels) for document in documents)]),
        tuple(Attribute(f"column_{i}", VALUES) for i in chosen),
        np.concatenate([document.labels for document in documents]),
        LABELS,
    )


def _column_numbers(columns: Columns) -> list[int]:
    if columns == "papers":
        return [i for i in range(N_COLUMNS) if i not in LEFT_OUT]
    if columns == "all":
        return list(range(N_COLUMNS))
    chosen = list(columns) if isinstance(columns, Sequence) and not isinstance(columns, str) else []
    if not chosen or any(type(i) is not int or not 0 <= i < N_COLUMNS or chosen.count(i) > 1 for i in chosen):
        raise ValueError(
            f"columns={quoted(columns)}: give 'papers', 'all' or a list of different whole numbers from 0 to "
            f"{N_COLUMNS - 1}."
        )
    return chosen


def split_by_last(whole: Callable[..., SequenceSet]) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    """A loader of all documents as a loader of training and test set: all but the last train, the last tests."""

    def load(raw: Path, **options: Any) -> tuple[SequenceSet, SequenceSet]:
        documents = whole(raw, **options)
        last = len(documents) - 1
        return documents.select(range(last)), documents.select([last])

    return load


def load_other(raw: Path, *, n_train: int = 20, columns: Columns = "papers") -> tuple[SequenceSet, SequenceSet]:
    """The documents that the papers do not use, in the order of the file: the first `n_train` train, the others
    test.
    """
    check_count("n_train", n_train, most=len(OTHER_DOCUMENTS) - 1)
    documents = read_documents(raw, OTHER_DOCUMENTS, columns=columns)
    return documents.select(range(n_train)), documents.select(range(n_train, len(documents)))


def _of_documents(name: str, summary: str, numbers: Sequence[int]) -> Description:
    """The documents with these numbers as a data set."""
    whole = partial(read_documents, numbers=numbers)
    return Description(
        name,
        summary,
        (0, 0),
        split_by_last(whole),
        (FILE,),
        "leave_one_out",
        source=_SOURCE,
        whole=whole,
    )


_SOURCE = "McCallum, Freitag and Pereira 2000, as features, with van der Maaten's hidden-unit CRF; no terms stated"


# --- stand-ins --------------------------------------------------------------------------------------

Lines = list[tuple[str, str]]
"""A label and a line."""

PERL_FILES = tuple(f"faq/perlfaq/perlfaq{i}.pod" for i in range(1, 10))
X_FILES = tuple(f"faq/20_newsgroups/comp.windows.x/{i}" for i in (66429, 66430, 66433, 66422, 66424))


def pod_lines(data: bytes, file: str) -> Lines:
    """Labelled plain lines of a POD file, its markup removed as `plain_pod` says.

    A heading of level 2 is a question; what follows it is answer up to the next question, its blank lines and
    headings of level 1 between questions included. What stands before the first question is head. The section
    whose heading of level 1 begins with ``AUTHOR`` is tail, to the end of the file.
    """
    result: Lines = []
    region = "head"
    for paragraph in pod_paragraphs(data):
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
    return from_documents(parse_files(raw, PERL_FILES, pod_lines), LABELS, features)


def x_documents(raw: Path, *, features: Sequence[str] = DEFAULT_FEATURES) -> SequenceSet:
    """The five parts of the X FAQ, in order."""
    return from_documents(parse_files(raw, X_FILES, digest_lines), LABELS, features)


_STAND_IN = "stands in for the labelled FAQ files of McCallum, Freitag and Pereira (2000): "


# --- POD, the markup of Perl's documentation (perlpod, perlpodspec) ----------------------------------


class Paragraph(NamedTuple):
    """A paragraph's command ("" for text) and the lines that are left of it without markup."""

    command: str
    lines: tuple[str, ...]


_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*")
_SPECIAL = re.compile(r"([A-Z])(?:(<<+)(?=\s)|<)|>")
_NUMBERS = {16: r"0[xX]([0-9a-fA-F]{1,8})", 8: r"0([0-7]{1,11})", 10: r"([1-9][0-9]{0,9}|0)"}  # by base
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_BAR = "\ue000"  # stands for E<verbar> until a link's text has been told from its address
_ENTITIES = {"verbar": _BAR, "sol": "/", "lchevron": "«", "rchevron": "»"}


def plain_pod(text: str) -> str:
    """Text without formatting codes, which may be nested and run over lines.

    Of ``L<text|address>`` the text stays, ``E<name>`` becomes its character, the index entries ``X<..>`` and the
    empty ``Z<>`` go; of all other codes the contents stay. A code that is never closed stays as it is, and so does
    an ``E<..>`` of no character.
    """
    open_codes: list[tuple[str, int]] = []  # letter and number of angle brackets
    pieces: list[list[str]] = [[]]  # text so far, outside and within each open code
    place = 0
    while special := _SPECIAL.search(text, place):
        pieces[-1].append(text[place : special.start()])
        place = special.end()
        if special[1]:
            open_codes.append((special[1], len(special[2] or "<")))
            pieces.append([])
            continue
        width = _closing(text, special.start(), open_codes[-1][1]) if open_codes else 0
        if width:
            letter, brackets = open_codes.pop()
            contents = "".join(pieces.pop())
            pieces[-1].append(_rendered(letter, contents.strip() if brackets > 1 else contents))
            place = special.start() + width
        else:
            pieces[-1].append(">")
    result = [*pieces[0]]
    for (letter, brackets), unclosed in zip(open_codes, pieces[1:], strict=True):
        result += [letter, brackets * "<", *unclosed]
    result.append(text[place:])
    return "".join(result).replace(_BAR, "|")


def _closing(text: str, place: int, brackets: int) -> int:
    """Number of characters at `place` that close a code opened by `brackets` brackets; 0 if they do not."""
    if brackets == 1:
        return int(text[place] == ">")
    closed = text[place - 1].isspace() and text.startswith(brackets * ">", place)
    return brackets if closed else 0


def _rendered(letter: str, contents: str) -> str:
    if letter in "XZ":
        return ""
    if letter == "L":
        return contents.split("|")[0]
    return contents if letter != "E" else _character(contents)


def _character(name: str) -> str:
    """What ``E<name>`` stands for: a number, decimal, octal from 0, hexadecimal from 0x, or a name of HTML's."""
    if name in _ENTITIES:
        return _ENTITIES[name]
    for base, pattern in _NUMBERS.items():
        number = re.fullmatch(pattern, name)
        if number:
            code = int(number[1], base)
            is_character = code <= sys.maxunicode and not 0xD800 <= code <= 0xDFFF  # those are halves of characters
            return chr(code) if is_character else f"E<{name}>"
    return html.unescape(f"&{name};") if _NAME.fullmatch(name) else f"E<{name}>"


def pod_paragraphs(data: bytes) -> Iterator[Paragraph]:
    """The paragraphs of a POD file.

    A verbatim paragraph (its first line is indented) keeps its lines; others lose their formatting codes, and
    lines that held nothing but codes without text. Blank lines are text paragraphs of one empty line. What
    leaves no text (``=over``, ``=back``, ``=for``, a block from ``=begin`` to ``=end``, a line of index entries,
    what stands outside POD after ``=cut``) leaves no line, and neither do the blank lines behind it: a reader of
    the rendered text would not see them.
    """
    hidden = False
    after_nothing = False
    for block in _blocks(text_lines(data)):
        if not block[0].strip():
            if not hidden and not after_nothing:
                yield from (Paragraph("", ("",)) for _ in block)
            continue
        command = _COMMAND.match(block[0])
        name = command[1] if command else ""
        if name in ("begin", "cut"):
            hidden = True
        elif name and (name != "for"):
            hidden = False  # ``=end``, or any command after ``=cut``
        lines: tuple[str, ...] = ()
        if command is None and block[0][0].isspace():
            lines = tuple(block)
        elif command is None or re.fullmatch(r"head\d|item", name):
            start = command.end() if command else 0
            rendered = plain_pod("\n".join(block)[start:]).split("\n")
            lines = tuple(line for line in rendered if line.strip())
        after_nothing = hidden or not lines
        if not hidden and (name or lines):
            yield Paragraph(name, lines)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Runs of blank lines and of other lines; a command begins a run of its own."""
    block: list[str] = []
    for line in lines:
        if block and (bool(line.strip()) != bool(block[0].strip()) or _COMMAND.match(line)):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


DESCRIPTIONS = (
    *(
        _of_documents(f"faq_{group.replace('-', '_')}", f"segments of the {group} FAQ", numbers)
        for group, numbers in DOCUMENTS.items()
    ),
    Description(
        "faq_other",
        "segments of other FAQs, which the papers do not use",
        (0, 0),
        load_other,
        (FILE,),
        source=_SOURCE,
    ),
    _of_documents("faq_mccallum", "segments of all FAQs of the file", range(N_DOCUMENTS)),
    Description(
        "faq_perl",
        "segments of the Perl FAQ",
        (0, 0),
        split_by_last(perl_documents),
        PERL_FILES,
        "leave_one_out",
        _STAND_IN + "labels come from POD markup, which is removed",
        "perlfaq 5.20210520; the terms of Perl",
        perl_documents,
    ),
    Description(
        "faq_x",
        "segments of the X FAQ",
        (0, 0),
        split_by_last(x_documents),
        X_FILES,
        "leave_one_out",
        _STAND_IN + "labels come from the digest's structure",
        "comp.windows.x, April 1993",
        x_documents,
    ),
)
