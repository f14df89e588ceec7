"""Features of a line of text (McCallum, Freitag and Pereira 2000, table 2): true or false, 24 of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet

_QUESTION_WORD = r"(?:how|what|when|where|which|who|whom|whose|why|is|are|can|could|do|does|should|will|would)\b"
_ORDINAL = r"(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b"


def _search(pattern: str) -> Callable[[str, str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda line, previous: compiled.search(line) is not None


def _search_previous(pattern: str) -> Callable[[str, str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda line, previous: compiled.search(previous) is not None


def _first_letter_is_capital(line: str, previous: str) -> bool:
    return next((letter.isupper() for letter in line if letter.isalpha()), False)


def _more_than_one_third_space(line: str, previous: str) -> bool:
    return 3 * sum(letter.isspace() for letter in line) > len(line)


FEATURES: dict[str, Callable[[str, str], bool]] = {
    "begins-with-number": _search(r"^\s*\d"),
    "begins-with-ordinal": _search(rf"^\s*{_ORDINAL}"),
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
    "first-alpha-is-capitalized": _first_letter_is_capital,
    "indented": _search(r"^\s+\S"),
    "indented-1-to-4": _search(r"^\s{1,4}\S"),
    "indented-5-to-10": _search(r"^\s{5,10}\S"),
    "more-than-one-third-space": _more_than_one_third_space,
    "only-punctuation": _search(r"^\s*[^\w\s](?:[^\w]|_)*$"),
    "prev-is-blank": lambda line, previous: not previous.strip(),
    "prev-begins-with-ordinal": _search_previous(rf"^\s*{_ORDINAL}"),
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
    rows = []
    labels = []
    for document in documents:
        previous = ""
        for label, line in document:
            rows.append([test(line, previous) for test in tests])
            labels.append(label_names.index(label))
            previous = line
    return SequenceSet(
        np.array(rows, dtype=np.int16),
        np.concatenate([[0], np.cumsum([len(document) for document in documents])]),
        tuple(Attribute(name, VALUES) for name in features),
        np.array(labels, dtype=np.int16),
        tuple(label_names),
    )
