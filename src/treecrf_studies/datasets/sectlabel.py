"""SectLabel: 40 scientific papers whose every line bears one of 24 hand-made labels.

A paper is one line of the file: ``<SectLabel_tag> text +L+ text +L+ </SectLabel_tag> ...``, where ``+L+`` ends a
line of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from treecrf.io.arrays import check_count
from treecrf.io.messages import quoted
from treecrf.sequences import SequenceSet
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.faq import DEFAULT_FEATURES, from_documents
from treecrf_studies.datasets.loading import DataError, parse_files, text_lines

FILES = ("sectlabel/sectLabel.tagged.txt",)

_PARTS = {
    "front_matter": "title author affiliation address email keyword category copyright note",
    "heading": "sectionHeader subsectionHeader subsubsectionHeader",
    "body": "bodyText figure figureCaption table tableCaption equation listItem footnote construct page none",
    "back_matter": "reference",
}
MERGE: dict[str, str] = {tag: part for part, tags in _PARTS.items() for tag in tags.split()}
"""The part of a paper that each of the 24 labels is merged into, unless stated otherwise."""

_TAG = re.compile(r"<(/?)SectLabel_(\w+)>")


def parse(data: bytes, file: str) -> list[list[tuple[str, str]]]:
    """Papers as lists of (tag, line)."""
    papers = [_lines(paper, file, number) for number, paper in enumerate(text_lines(data), start=1) if paper.strip()]
    if len(papers) < 2:
        raise DataError(file, None, f"holds {len(papers)} papers")
    return papers


def _lines(paper: str, file: str, number: int) -> list[tuple[str, str]]:
    """The lines of the paper on the line `number`, with their tags."""
    lines: list[tuple[str, str]] = []
    opened, begin = "", 0
    for mark in _TAG.finditer(paper):
        text, (closes, tag) = paper[begin : mark.start()], mark.groups()
        if opened and not (closes and tag == opened):
            raise DataError(file, number, f"a {opened} does not end before another label begins or ends")
        if not opened and (closes or text.strip()):
            break
        if tag not in MERGE:
            raise DataError(file, number, f"the label {quoted(tag)} is not known")
        if closes:
            parts = text.split("+L+")
            if parts[-1].strip():
                raise DataError(file, number, f"a {tag} does not end in '+L+'")
            lines.extend((tag, part.strip(" ")) for part in parts[:-1])
        opened, begin = "" if closes else tag, mark.end()
    if opened or not lines or paper[begin:].strip():
        raise DataError(file, number, "text stands outside the labels")
    return lines


def load(
    raw: Path,
    *,
    labels: Literal["merged", "all"] | Mapping[str, str] = "merged",
    n_train: int = 30,
    features: Sequence[str] = DEFAULT_FEATURES,
) -> tuple[SequenceSet, SequenceSet]:
    """The first `n_train` papers for training, the others for testing.

    `labels`: "merged" into four, "all" 24 as they are, or a name for each of the 24; `features` are those of
    `treecrf_studies.datasets.faq`.
    """
    (papers,) = parse_files(raw, FILES, parse)
    check_count("n_train", n_train, most=len(papers) - 1)
    if labels == "all":
        merge: Mapping[str, str] = {tag: tag for tag in MERGE}
    elif labels == "merged":
        merge = MERGE
    elif isinstance(labels, Mapping) and all(isinstance(labels.get(tag), str) for tag in MERGE):
        merge = labels
    else:
        raise ValueError(f"labels={quoted(labels)}: give 'merged', 'all' or a name for each of {', '.join(MERGE)}.")
    names = tuple(dict.fromkeys(merge[tag] for tag in MERGE))
    documents = from_documents([[(merge[tag], line) for tag, line in paper] for paper in papers], names, features)
    return documents.select(range(n_train)), documents.select(range(n_train, len(papers)))


DESCRIPTIONS = (
    Description(
        "sectlabel",
        "parts of scientific papers, hand-labelled lines",
        (0, 0),
        load,
        FILES,
        source="ParsCit's SectLabel; research, not to be passed on",
    ),
)
