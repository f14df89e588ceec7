"""Rows of claims: margins beside published effects, what stands beside a claim, larger samples, theorems."""

from types import SimpleNamespace

import pytest

from treecrf_studies.framework.claims.frozen import deciding
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.kinds import Measured
from treecrf_studies.framework.claims.rows import BY_PAPER, LARGER, check_claim

ROW = {
    "id": "X",
    "datasets": ["a"],
    "measure": "difference",
    "kind": "better",
    "level": 0.05,
    "margin": 0.5,
    "test": "t",
}


def functions(**found):
    """A module whose only measure gives these differences by data set: (value, p, interval, published)."""

    def difference(_results, dataset):
        for value, p, interval, published in found.get(dataset, ()):
            yield Measured(
                value, f"{dataset}: {value}", p=p, interval=interval, published=published, papers=(value, 0.001)
            )

    return SimpleNamespace(difference=difference)


def find(row, rule=None, **found):
    rules = {} if rule is None else {"rule": rule}
    return check_claim(ROW | row, functions(**found), Results("nowhere"), **rules)


@pytest.mark.parametrize(
    ("published", "interval", "verdict"),
    [
        (None, (-0.1, 0.4), "not_replicated"),  # equivalent to no difference
        (0.3, (-0.1, 0.4), "undecided"),  # half of the published difference is within it
        (0.3, (-0.1, 0.14), "not_replicated"),
        (-0.3, (-0.1, 0.14), "not_replicated"),
        (5.0, (-0.1, 0.4), "not_replicated"),
        (0.0, (-0.1, 0.4), "not_replicated"),
    ],
)
def test_what_is_half_as_large_as_the_published_effect_is_not_equal_to_none(published, interval, verdict):
    finding = find({}, a=[(0.1, 0.2, interval, published)])
    assert finding.verdict == verdict
    margin = min(0.5, abs(published) / 2) if published else 0.5
    assert finding.observations[0].limits == (-margin, margin)


def test_what_stands_beside_a_claim_does_not_decide_it():
    beside = [{"name": "equivalent within 0.5 points", "kind": "equal"}]
    row = {"kind": "not_different", "beside": beside}
    open_one = find(row, a=[(0.1, 0.2, (-2.0, 2.2), None)])
    assert open_one.verdict == "replicated"
    assert [(name, found.verdict) for name, found in open_one.beside] == [("equivalent within 0.5 points", "undecided")]
    shown = find(row, a=[(0.1, 0.2, (-0.2, 0.3), None)])
    assert [found.verdict for _, found in shown.beside] == ["replicated"]
    different = find(row, a=[(0.1, 0.01, (0.05, 0.2), None)])
    assert (different.verdict, different.beside[0][1].verdict) == ("not_replicated", "not_replicated")


def test_a_larger_sample_has_a_verdict_of_its_own():
    found = {"a": [(0.7, 0.2, (-1.0, 2.4), None)], "larger_a": [(0.7, 0.001, (0.4, 1.0), None)]}
    row = {"larger": {"datasets": ["larger_a"]}, "no_verdict": "Fitted."}
    assert find(row, **found).verdict == "no_verdict"
    larger = find(row, LARGER, **found)
    assert (larger.verdict, larger.datasets) == ("replicated", ("larger_a",))
    assert find({**row, "no_verdict": None}, BY_PAPER, **found).verdict == "replicated"
    assert find({**row, "no_verdict": None}, **found).verdict == "undecided"


def test_a_theorem_is_checked_and_can_fail():
    row = {"theorem": True, "kind": "at_least", "bound": 1.0}
    assert find(row, a=[(1.0, None, None, None)]).verdict == "checked"
    assert find(row, a=[(0.9, None, None, None)]).verdict == "not_replicated"


def test_the_digest_is_of_what_decides():
    row = {**ROW, "statement": "s", "beside": [{"name": "n", "kind": "equal"}], "no_verdict": "Why."}
    same = {**row, "statement": "other", "measure": "other", "test": "other", "no_verdict": "Other."}
    same["beside"] = [{"name": "other", "kind": "equal"}]
    assert deciding(same) == deciding(row)
    for changed in ({"level": 0.01}, {"margin": 0.4}, {"datasets": ["b"]}, {"kind": "equal"}, {"no_verdict": None}):
        assert deciding({**row, **changed}) != deciding(row)
    assert deciding({**row, "beside": [{"name": "n", "kind": "not_worse"}]}) != deciding(row)
