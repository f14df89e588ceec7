"""Kinds of claims, and what verdicts are made of."""

from functools import partial

import numpy as np
import pytest

from treecrf_studies.framework.claims.judge import FAILS, HOLDS, LEANS, Evidence, Observation, judge
from treecrf_studies.framework.claims.kinds import (
    CLAIM_KINDS,
    NO,
    OPEN,
    YES,
    Measured,
    above,
    at_least,
    at_most,
    better,
    equal,
    near,
    not_different,
    not_worse,
    order,
    outcome,
    rises,
)
from treecrf_studies.framework.claims.rows import parts_of
from treecrf_studies.report.ledger import claim_rows


def degrees(kind, value, p=None, interval=None, repeated=None, **parameters):
    return kind(Measured(value, "n", p=p, interval=interval, repeated=repeated), **parameters)


TOST = {"level": 0.05, "margin": 0.5}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (degrees(better, 1, 0.04, **TOST), YES),
        (degrees(better, 0.1, 0.04, (0.05, 0.15), **TOST), YES),
        (degrees(better, 1, 0.05, (0.0, 2.0), **TOST), OPEN),
        (degrees(better, 1, 0.05, **TOST), OPEN),
        (degrees(better, 0.1, 0.05, (-0.2, 0.49), **TOST), NO),
        (degrees(better, 0.1, 0.05, (-0.2, 0.5), **TOST), OPEN),
        (degrees(better, -1, 0.01, **TOST), NO),
        (degrees(better, 0, 0.01, **TOST), OPEN),
        (degrees(better, 1, np.nan, (np.nan, np.nan), **TOST), OPEN),
        (degrees(outcome, 1, 0.04, **TOST), YES),
        (degrees(outcome, -1, 0.04, (-0.2, 0.0), **TOST), NO),
        (degrees(outcome, 0.1, 0.05, (-0.2, 0.49), **TOST), (LEANS, LEANS)),
        (degrees(outcome, 0.1, 0.05, (-0.2, 0.5), **TOST), OPEN),
        (degrees(not_worse, -0.1, 0.05, (-0.49, 2), **TOST), YES),
        (degrees(not_worse, -0.1, 0.9, (-0.5, 2), **TOST), OPEN),
        (degrees(not_worse, -0.1, 0.9, **TOST), OPEN),
        (degrees(not_worse, -0.1, 0.04, (-0.2, 0), **TOST), NO),
        (degrees(not_worse, 1, 0.04, **TOST), YES),
        (degrees(equal, 0.1, 0.05, (-0.49, 0.49), **TOST), YES),
        (degrees(equal, 0.1, 0.9, (-0.4, 0.5), **TOST), OPEN),
        (degrees(equal, 0.1, 0.9, (-0.5, 0.4), **TOST), OPEN),
        (degrees(equal, 0.1, 0.9, (np.nan, np.nan), **TOST), OPEN),
        (degrees(equal, 0.1, 0.04, (-0.1, 0.3), **TOST), NO),
        (degrees(not_different, 0.1, 0.05, level=0.05), YES),
        (degrees(not_different, 0.1, 0.049, (-0.1, 0.3), level=0.05), NO),
        (degrees(not_different, 0.1, np.nan, level=0.05), OPEN),
        (degrees(above, 2.0, bound=2), NO),
        (degrees(above, 2.0, bound=2, leans=1), (LEANS, LEANS)),
        (degrees(above, 1.0, bound=2, leans=1), NO),
        (degrees(above, 2.1, bound=2), YES),
        (degrees(at_least, 10, bound=10), YES),
        (degrees(at_least, 9, bound=10), NO),
        (degrees(at_most, 0.1 + 0.2, bound=0.3), YES),
        (degrees(at_most, 0.31, bound=0.3), NO),
        (degrees(near, 0.9, target=1, tolerance=0.1), YES),
        (degrees(near, 1.11, target=1, tolerance=0.1), NO),
        (degrees(order, ["b", "a", "c"], order=["b"]), YES),
        (degrees(order, ["b", "a", "c"], order=["b", "c"]), NO),
        (degrees(rises, [60, 70.4, 70.1, 89], tolerance=0.3), YES),
        (degrees(rises, [60, 70.4, 70.09, 89], tolerance=0.3), NO),
    ],
)
def test_kinds_hold_fail_or_stay_open(found, expected):
    assert found == expected


def test_every_kind_serves_a_claim():
    used = {part["kind"] for row in claim_rows() for part in parts_of(row)}
    used |= {{**row, **part}["kind"] for row in claim_rows() for part in row.get("beside", ())}
    assert set(CLAIM_KINDS) <= used


@pytest.mark.parametrize(
    ("interval", "worst", "best"),
    [
        ((2.1, 3.0), HOLDS, HOLDS),
        ((1.9, 3.0), LEANS, HOLDS),
        ((0.9, 3.0), FAILS, HOLDS),
        ((0.5, 0.9), FAILS, FAILS),
        ((np.nan, np.nan), FAILS, HOLDS),
    ],
)
@pytest.mark.parametrize("of", ["interval", "repeated"])
def test_an_interval_with_the_threshold_leaves_two_degrees(of, interval, worst, best):
    assert degrees(above, sum(interval) / 2, bound=2, leans=1, **{of: interval}) == (worst, best)


def test_an_interval_wider_than_the_tolerance_decides_nothing():
    """Its ends are both too far from the target."""
    assert degrees(near, 1.5, repeated=(0.5, 2.5), target=1, tolerance=0.1) == OPEN


def test_the_papers_test_leaves_nothing_open():
    found = Measured(0.1, "n", p=0.01, interval=(-3.0, 3.0), papers=(-0.1, 0.9))
    equality, lead = partial(equal, **TOST), partial(better, **TOST)
    assert found.observe(equality).degree == FAILS
    assert found.observe_by_paper(equality).degree == HOLDS  # a large p is equality
    assert found.observe_by_paper(lead).degree == FAILS
    assert found.observe_by_paper(lead).is_decided


def test_the_papers_test_has_a_difference_of_its_own():
    found = Measured(1.0, "n", p=0.01, papers=(-1.0, 0.01))
    assert found.observe_by_paper(partial(better, **TOST)).degree == FAILS
    unknown = Measured(1.0, "n", p=0.01, papers=(-1.0, np.nan))
    assert unknown.observe_by_paper(partial(better, **TOST)).degree == HOLDS


# --- what a verdict is made of ----------------------------------------------------------------------


def observations(*degrees):
    return Evidence(tuple(Observation(f"n{i}", d, f"d{i}") for i, d in enumerate(degrees)), ("a",), ("b",))


def test_degrees_make_verdicts():
    def verdict(*degrees):
        return judge(observations(*degrees), "t", quorum=1)

    assert verdict(HOLDS, HOLDS).verdict == "replicated"
    assert verdict(HOLDS, LEANS).verdict == "partly"
    assert verdict(LEANS).verdict == "partly"
    assert verdict(LEANS, FAILS).verdict == "not_replicated"
    finding = verdict(HOLDS, FAILS, FAILS)
    assert finding.numbers == "✓ n0; ✗ n1; ✗ n2; not run: b"
    assert finding.explanation == "It is shown in 1 of 3 measurements; not in these: d1; d2."
    none = verdict(FAILS, FAILS)
    assert none.explanation == "It is shown in none of 2 measurements; not in these: d0; d1."
    assert verdict(FAILS).explanation == "Here d0."


def verdict_of(*degrees, is_time=False):
    found = tuple(Observation("n", worst, f"d{i}", best, is_time) for i, (worst, best) in enumerate(degrees))
    return judge(Evidence(found, ("a",)), "t")


def test_a_verdict_that_hangs_on_what_is_open_is_undecided():
    finding = verdict_of(OPEN)
    assert (finding.verdict, finding.explanation) == ("undecided", "Not decided by what was measured: d0.")
    assert verdict_of(OPEN, NO, NO).verdict == "not_replicated"
    assert verdict_of(YES, NO, (FAILS, LEANS), YES).verdict == "partly"


def test_what_is_partly_shown_is_partly_whatever_tests_leave_open():
    finding = verdict_of(YES, OPEN)
    assert finding.verdict == "partly"
    assert finding.explanation == "It is shown in 1 of 2 measurements, 1 is not decided; not in these: d1."
    assert verdict_of(YES, OPEN, is_time=True).verdict == "undecided"
