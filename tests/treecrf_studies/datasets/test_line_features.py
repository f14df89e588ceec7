"""The 24 line features, each on lines that have it and lines that do not."""

import numpy as np
import pytest

from treecrf_studies.datasets.faq import DEFAULT_FEATURES, FEATURES, NOT_DEFAULT, from_documents

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
