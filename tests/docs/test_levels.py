"""The table of simulated levels in docs/statistics.md is that of the benchmark, and sequence-level tests keep their level in it."""

import numpy as np
import pytest
from builders import ROOT
from simulated_levels import BEGIN, END, HIGHEST, SITUATIONS, draws, simulate, table, walk

from treecrf.studies.training.summary import ENOUGH_TRAININGS

PAGE = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
LINES = PAGE[PAGE.index(BEGIN) : PAGE.index(END)].split("\n")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES if line.startswith("| ")][1:]

VALID = {
    "one_training": {"sign flips", "t interval"},
    "several_trainings": {"sign flips", "t interval"},
    "shared_sets": {"two-way, t(min(G) - 1)", "two-way, Satterthwaite"},
    "long_documents": {"sign flips of documents", "sign flips of blocks"},
    "unlike_documents": {"sign flips of documents"},
    "one_document": {"two-way by blocks, t(min(G) - 1)", "two-way by blocks, Satterthwaite"},
    "draws": {"resampled t"},
    "part_draws": {"resampled t", "resampled t, of the part drawn"},
    "fresh_draws": {"paired t", "resampled t"},
}
"""Tests whose null hypothesis holds in the situations of each kind."""


def test_every_situation_and_test_is_in_the_table():
    expected = [
        [title, test]
        for situation, size, title in SITUATIONS
        for test in situation(np.random.default_rng(0), size, 0)[0]
    ]
    assert [row[:2] for row in ROWS[: len(expected)]] == expected
    assert [row[0].split(":")[0] for row in ROWS[len(expected) :]] == [
        name for name in ("faq_ai_general", "faq_ai_neural", "faq_aix", "faq_other") for _ in range(4)
    ]


@pytest.mark.parametrize("situation", SITUATIONS, ids=[title for *_, title in SITUATIONS])
def test_valid_tests_keep_their_level(situation):
    function, _, title = situation
    function, options = getattr(function, "func", function), getattr(function, "keywords", {})
    if options.get("n_trainings", ENOUGH_TRAININGS) < ENOUGH_TRAININGS:
        pytest.skip("of fewer trainings a test says nothing beyond these")
    levels = {test: float(level) for name, test, level, *_ in ROWS if name == title}
    valid = VALID[function.__name__]
    assert valid <= set(levels)
    assert max(levels[test] for test in valid) <= HIGHEST


def test_table_is_computed():
    (title,) = (title for function, _, title in SITUATIONS if function is draws)
    lines = table(simulate(draws, 10, title, 1000, 100)).split("\n")[2:]
    assert lines == [line for line in LINES if line.startswith(f"| {title} |")]


def test_levels_out_of_range_are_marked():
    lines = table([["a", "b", 0.3, 0.5, "far"], ["a", "c", 0.001], ["a", "d", 0.05]]).split("\n")[2:]
    assert lines == ["| a | b | 0.300 | too high | 0.50 far |", "| a | c | 0.001 | low |  |", "| a | d | 0.050 |  |  |"]


def test_chain_starts_anew_in_every_sequence():
    cumulative = np.array([[1.0, 1, 1], [0, 0, 1], [0, 0, 1]])  # 0 leads to 1, 1 to 1, and -1 stays
    assert walk(cumulative, np.full(4, 0.5), np.array([0, 2, 4])).tolist() == [1, 1, 1, 1]
    cumulative = np.array([[0, 0, 1.0], [0, 1, 1], [1, 1, 1]])  # 0 stays
    assert walk(cumulative, np.full(3, 0.5), np.array([0, 3])).tolist() == [0, 0, 0]
