"""Kinds of claims, and what verdicts are made of."""

from functools import partial

import numpy as np
import pytest

from treecrf.report.ledger import claim_rows
from treecrf.studies.claim_kinds import (
    KINDS,
    Measured,
    above,
    at_least,
    at_most,
    better,
    equal,
    near,
    not_worse,
    order,
    rises,
)
from treecrf.studies.claim_rows import parts_of
from treecrf.studies.claims import FAILS, HOLDS, LEANS, Evidence, Observation, judge


def degree(kind, value, p=None, interval=None, **parameters):
    return kind(Measured(value, "n", p=p, interval=interval), **parameters)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (degree(better, 1, 0.04, level=0.05), HOLDS),
        (degree(better, 1, 0.05, level=0.05), FAILS),
        (degree(better, 1, 0.05, level=0.05, leans=True), LEANS),
        (degree(better, -1, 0.01, level=0.05, leans=True), FAILS),
        (degree(better, 2.0, margin=2), FAILS),
        (degree(better, 2.1, margin=2), HOLDS),
        (degree(not_worse, -0.1, 0.05, (-0.49, 2), level=0.05, margin=0.5), HOLDS),
        (degree(not_worse, -0.1, 0.9, (-0.5, 2), level=0.05, margin=0.5), LEANS),
        (degree(not_worse, -0.1, 0.9, level=0.05, margin=0.5), LEANS),
        (degree(not_worse, -0.1, 0.04, (-0.2, 0), level=0.05, margin=0.5), FAILS),
        (degree(not_worse, 1, 0.04, level=0.05, margin=0.5), HOLDS),
        (degree(not_worse, -1, np.nan, level=0.05, margin=0.5), LEANS),
        (degree(equal, 0.1, 0.05, (-0.49, 0.49), level=0.05, margin=0.5), HOLDS),
        (degree(equal, 0.1, 0.9, (-0.4, 0.5), level=0.05, margin=0.5), LEANS),
        (degree(equal, 0.1, 0.9, (-0.5, 0.4), level=0.05, margin=0.5), LEANS),
        (degree(equal, 0.1, 0.9, (np.nan, np.nan), level=0.05, margin=0.5), LEANS),
        (degree(equal, 0.1, 0.04, (-0.1, 0.3), level=0.05, margin=0.5), FAILS),
        (degree(above, 2.0, bound=2), FAILS),
        (degree(above, 2.0, bound=2, leans=1), LEANS),
        (degree(above, 1.0, bound=2, leans=1), FAILS),
        (degree(above, 2.1, bound=2), HOLDS),
        (degree(at_least, 10, bound=10), HOLDS),
        (degree(at_least, 9, bound=10), FAILS),
        (degree(at_most, 0.1 + 0.2, bound=0.3), HOLDS),
        (degree(at_most, 0.31, bound=0.3), FAILS),
        (degree(near, 0.9, target=1, tolerance=0.1), HOLDS),
        (degree(near, 1.11, target=1, tolerance=0.1), FAILS),
        (degree(order, ["b", "a", "c"], order=["b"]), HOLDS),
        (degree(order, ["b", "a", "c"], order=["b", "c"]), FAILS),
        (degree(rises, [60, 70.4, 70.1, 89], tolerance=0.3), HOLDS),
        (degree(rises, [60, 70.4, 70.09, 89], tolerance=0.3), FAILS),
    ],
)
def test_kinds_hold_lean_or_fail(found, expected):
    assert found == expected


def test_every_kind_serves_a_claim():
    assert set(KINDS) <= {part["kind"] for row in claim_rows() if "study" in row for part in parts_of(row)}


@pytest.mark.parametrize(
    ("interval", "worst", "best"),
    [((2.1, 3.0), HOLDS, HOLDS), ((1.9, 3.0), LEANS, HOLDS), ((0.9, 3.0), FAILS, HOLDS), ((0.5, 0.9), FAILS, FAILS)],
)
def test_an_interval_with_the_threshold_leaves_two_degrees(interval, worst, best):
    found = Measured(sum(interval) / 2, "n", repeated=interval).observe(partial(above, bound=2, leans=1))
    assert (found.degree, found.best) == (worst, best)


def test_an_interval_wider_than_the_tolerance_decides_nothing():
    """Its ends are both too far from the target."""
    found = Measured(1.5, "n", repeated=(0.5, 2.5)).observe(partial(near, target=1, tolerance=0.1), target=1)
    assert (found.degree, found.best) == (FAILS, HOLDS)


def test_the_papers_test_takes_a_large_p_for_equality():
    found = Measured(0.1, "n", p=0.01, papers_p=0.9, interval=(-3.0, 3.0))
    assert equal(found, level=0.05, margin=0.5) == FAILS
    assert equal(found.by_papers_test(), level=0.05, margin=0.5) == HOLDS


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
    assert finding.numbers == "n0; n1; n2; not run: b"
    assert finding.explanation == "It holds for 1 of 3 measurements, and not for these: d1; d2."
    none = verdict(FAILS, FAILS)
    assert none.explanation == "It holds for none of 2 measurements, and not for these: d0; d1."
    assert verdict(FAILS).explanation == "Here d0."


def test_a_verdict_that_repeated_measurements_leave_open_is_undecided():
    def finding(*degrees):
        found = tuple(Observation("n", worst, f"d{i}", best) for i, (worst, best) in enumerate(degrees))
        return judge(Evidence(found, ("a",)), "t")

    assert finding((FAILS, HOLDS)).verdict == "undecided"
    assert finding((FAILS, HOLDS)).explanation == "The interval of repeated measurements holds the threshold: d0."
    assert finding((LEANS, HOLDS), (HOLDS, HOLDS)).verdict == "undecided"
    assert finding((FAILS, HOLDS), (FAILS, FAILS), (FAILS, FAILS)).verdict == "not_replicated"
    assert finding((HOLDS, HOLDS), (FAILS, FAILS), (FAILS, LEANS), (HOLDS, HOLDS)).verdict == "partly"


def test_a_claim_needs_its_data_sets():
    for quorum in (None, 2):
        finding = judge(observations(HOLDS), "t", quorum=quorum)
        assert (finding.verdict, finding.numbers, finding.datasets) == ("not_run", "n0; not run: b", ("a",))
        assert finding.explanation.startswith("Results on a alone; it needs 2: b as well")
