"""Features of a line of text (McCallum, Freitag and Pereira 2000, table 2): true or false, 24 of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet

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

LEFT_OUT = ("begins-with-subject", "contains-non-space", "contains-pipe", "prev-begins-with-ordinal")
"""The four that the default leaves out: a mark of the label in our stand-ins, the opposite of blank, two rare ones."""

DEFAULT_FEATURES = tuple(name for name in FEATURES if name not in LEFT_OUT)
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
