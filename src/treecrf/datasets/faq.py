"""FAQ segmentation: every line of a Usenet FAQ is head, question, answer or tail (McCallum, Freitag and Pereira 2000).

The labelled files of the papers, as features: 48 documents without names, 24 features a line. A document is an array of
24 rows and a column a line, in which **1 means false and -1 true**, and an array of labels from 1 in the order of `LABELS`.

Which documents are of which newsgroup is inferred: documents of a newsgroup follow one another, and `DOCUMENTS` are the runs
of as many files as the dissertation gives whose mean lengths fit best, 0.6 to 1.4 % below the published ones. The 29
documents that are left are ``faq_other``, a sample that no table of the papers uses.

The features have no names in the file, and only some of them can be told from the data, so all are called by the number of
their column. What the data say, over all documents:

- 7 is the complement of 6; with 7 only 2, 8, 10, 12, 19 and 20 are ever true, as on a blank line;
- 8 is 7 of the line before, 10 is 9 of the line before, and 14 is 13 of the line before; all three are false on the first line;
- 13 and 14 are never true;
- 4 implies 0; 17 and 18 imply 2 and exclude each other; 3 implies 9, which implies 22; 15 excludes 2.

The dissertation uses 20 features, of which 11 are rarely true on ai-general (figure 4.2), and does not say which. Without
13 and the three that repeat the line before, 20 are left, of which 11 are true on less than a tenth of its lines: a choice.
The numbers that the figure gives the rare ones fit no 20 columns in the order of the file, so its order is another one.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.datasets._seeds import check_count
from treecrf.datasets._text import DataError, read_bytes
from treecrf.datasets.description import Description
from treecrf.datasets.line_features import VALUES
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet

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

    Give it bytes with the right checksum, as those of `read_bytes`: damaged ones can crash scipy's reader, and Python with it.
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
    parsed = parse(read_bytes(raw, FILE), FILE)
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
            f"columns={quoted(columns)}: give 'papers', 'all' or a list of different whole numbers from 0 to {N_COLUMNS - 1}."
        )
    return chosen


def last_document_tests(documents: SequenceSet) -> tuple[SequenceSet, SequenceSet]:
    """All documents but the last for training, the last for testing."""
    last = len(documents) - 1
    return documents.select(range(last)), documents.select([last])


def split_by_last(whole: Callable[..., SequenceSet]) -> Callable[..., tuple[SequenceSet, SequenceSet]]:
    """A loader of all documents as a loader of training and test set."""
    return lambda raw, **options: last_document_tests(whole(raw, **options))


def load_other(raw: Path, *, n_train: int = 20, columns: Columns = "papers") -> tuple[SequenceSet, SequenceSet]:
    """The documents that the papers do not use, in the order of the file: the first `n_train` train, the others test."""
    check_count("n_train", n_train, most=len(OTHER_DOCUMENTS) - 1)
    documents = read_documents(raw, OTHER_DOCUMENTS, columns=columns)
    return documents.select(range(n_train)), documents.select(range(n_train, len(documents)))


def _of_newsgroup(group: str) -> Description:
    def whole(raw: Path, *, columns: Columns = "papers") -> SequenceSet:
        return read_documents(raw, DOCUMENTS[group], columns=columns)

    return Description(
        f"faq_{group.replace('-', '_')}", f"segments of the {group} FAQ", (0, 0), split_by_last(whole), (FILE,),
        "leave_one_out", source=_SOURCE, whole=whole,
    )  # fmt: skip


def _whole(raw: Path, *, columns: Columns = "papers") -> SequenceSet:
    """All documents of the file."""
    return read_documents(raw, range(N_DOCUMENTS), columns=columns)


_SOURCE = "McCallum, Freitag and Pereira 2000, as features, with van der Maaten's hidden-unit CRF; no terms stated"

DESCRIPTIONS = (
    *map(_of_newsgroup, DOCUMENTS),
    Description(
        "faq_other", "segments of other FAQs, which the papers do not use", (0, 0), load_other, (FILE,), source=_SOURCE,
    ),
    Description(
        "faq_mccallum", "segments of all FAQs of the file", (0, 0), split_by_last(_whole), (FILE,),
        "leave_one_out", source=_SOURCE, whole=_whole,
    ),
)  # fmt: skip
