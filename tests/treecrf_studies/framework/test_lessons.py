"""Pairs of methods in words, from planted comparisons."""

import pytest
from runs import pair_comparisons

from treecrf_studies.framework.lessons import FAMILY, Gap, Pair, gaps


def test_a_pair_in_the_other_order_is_turned():
    one, two = gaps(pair_comparisons(), "treecrf_newton", "linear_crf", FAMILY)
    assert one == Gap("one", 2.0, 1.0, 3.0, "better")
    assert two == Gap("two", -0.5, -0.75, -0.25, "worse")


def sentences(*found, larger=()):
    return list(Pair("A", "B", found, larger).sentences())


def test_without_a_decision_no_winner_is_named():
    found = [Gap("one", 2.0, -1.0, 5.0, "undecided"), Gap("two", 0.1, -0.1, 0.3, "equivalent")]
    assert sentences(*found) == ["A vs B: equivalent on two; undecided on one."]
    assert (
        sentences(*found, larger=[Gap("big", 2.0, 1.0, 3.0, "better")])[1] == "On larger samples: more accurate on big."
    )
    assert sentences() == []


def test_many_data_sets_have_a_mean_with_its_interval():
    pair = Pair("A", "B", [Gap(f"s{x:g}", x, x - 1, x + 1, "better") for x in (2.0, 1.0, 4.0, 3.0)])
    assert list(pair.sentences()) == [
        "A vs B: more accurate on s2, s1, s4 and s3.",
        "Mean over 4 data sets: +2.50 points.",
    ]
    # Student's t with 3 degrees of freedom: 2.5 ± 3.182 · 1.291 / 2
    mean, interval = pair.mean()
    assert [mean, *interval] == pytest.approx([2.5, 0.45, 4.55], abs=0.01)
    assert pair._replace(gaps=pair.gaps[:3]).mean() is None
    assert pair._replace(is_averaged=False).mean() is None


def test_a_mean_over_some_faq_sets_is_given_without_them_too():
    points = {"a": 1.0, "faq_b": 10.0, "c": 2.0, "d": 3.0}
    found = [Gap(name, x, x - 1, x + 1, "better") for name, x in points.items()]
    assert sentences(*found)[-1] == "Mean over 4 data sets: +4.00 points, without FAQ sets +2.00."
    of_faq = [gap._replace(dataset=f"faq_{gap.dataset}") for gap in found]
    assert sentences(*of_faq)[-1] == "Mean over 4 data sets: +4.00 points."
