"""The simulated tables of docs/statistics.md are those of the benchmark; sequence-level tests keep their level, and
intervals cover.
"""

import numpy as np
import pytest
from builders import ROOT
from simulated_levels import (
    COVERAGE,
    FAMILIES,
    HIGHEST,
    LEVELS,
    SITUATIONS,
    cover,
    coverage_table,
    draws,
    family,
    simulate,
    table,
    walk,
)
from simulating import draw_outcomes, expected_accuracy

from treecrf_studies.training.summary import ENOUGH_TRAININGS

PAGE = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")


def lines_between(marks):
    """The lines of the page between two marks."""
    begin, end = map(PAGE.index, marks)
    return PAGE[begin:end].split("\n")


def rows_between(marks):
    """The cells of the table there, without its heading."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines_between(marks) if line.startswith("| ")
    ][1:]


LINES, ROWS = lines_between(LEVELS), rows_between(LEVELS)

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


def test_chain_starts_anew_in_every_sequence():
    cumulative = np.array([[1.0, 1, 1], [0, 0, 1], [0, 0, 1]])  # 0 leads to 1, 1 to 1, and -1 stays
    assert walk(cumulative, np.full(4, 0.5), np.array([0, 2, 4])).tolist() == [1, 1, 1, 1]
    cumulative = np.array([[0, 0, 1.0], [0, 1, 1], [1, 1, 1]])  # 0 stays
    assert walk(cumulative, np.full(3, 0.5), np.array([0, 3])).tolist() == [0, 0, 0]


def test_intervals_of_a_family_hold_together_where_trainings_differ_as_little_as_real_ones():
    """A few hundred sequences and trainings whose standard deviation is 0.3 points, as those of the study of training
    on words.
    """
    rows = [row for row in rows_between(COVERAGE) if row[2] == "0.3 points"]
    assert len(rows) == len(FAMILIES) // 2
    assert min(float(row[5]) for row in rows) >= 1 - HIGHEST


def test_the_table_of_coverage_is_computed():
    few = (17, 3, 0.01, "equal")
    assert few in FAMILIES
    (line,) = coverage_table([cover(*few, 1000)]).split("\n")[2:]
    assert line in lines_between(COVERAGE)


def test_intervals_of_a_family_contain_the_single_ones_and_miss_less_often():
    found = [family(np.random.default_rng(seed), 17, 3, 0.1, "unequal") for seed in range(20)]
    assert all((single <= simultaneous).all() for single, simultaneous, _ in found)
    assert 0.9 < np.mean([single for single, *_ in found]) < 1


def test_expected_accuracies_are_those_of_many_simulated_sequences():
    ahead, lengths = (0.0, 0.3), np.full(40000, 4)
    outcomes = draw_outcomes(np.random.default_rng(0), lengths, 1, ahead)
    assert 100 * outcomes.mean(axis=(1, 2, 3)) == pytest.approx(expected_accuracy(ahead), abs=0.5)
