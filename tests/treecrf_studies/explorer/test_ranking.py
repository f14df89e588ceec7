"""How methods stand to the best: decisions corrected for all pairs of a case."""

import numpy as np
import pandas as pd

from treecrf.statistics.ranking import BEST, NOT_SEPARATED, WORSE
from treecrf_studies.explorer.gathering import decided, standings
from treecrf_studies.framework.views import CASE, VIEWS, tidy


def pairs(*rows):
    names = ["method", "other", "value", "p_value", "decision"]
    return tidy(
        pd.DataFrame(rows, columns=names).assign(dataset="d", standard_error=3.0, degrees_of_freedom=np.inf),
        VIEWS["pairs"],
    )


def scores(**values):
    rows = [
        {"dataset": "d", "method": method, "quantity": "accuracy", "value": value} for method, value in values.items()
    ]
    return tidy(pd.DataFrame(rows), VIEWS["scores"])


THREE = pairs(("a", "b", 2.0, 0.03, "better"), ("a", "c", 5.0, 0.001, "better"), ("b", "c", -0.1, 0.9, "equivalent"))


def test_decisions_are_corrected_for_all_pairs_of_a_case():
    found = decided(pd.concat([THREE, THREE.iloc[:1].assign(dataset="alone")]))
    assert found["p_holm"].tolist() == [0.06, 0.003, 0.9, 0.03]
    assert found["decision"].tolist() == ["undecided", "better", "equivalent", "better"]
    assert decided(THREE.iloc[:0]).empty


def test_a_method_that_none_is_better_than_is_not_separated_from_the_best():
    found = standings(scores(a=90.0, b=88.0, c=88.1), decided(THREE)).set_index("method")
    assert found["standing"].to_dict() == {"a": BEST, "b": NOT_SEPARATED, "c": WORSE}
    assert found.loc["b", "gap_points"] == -2.0
    assert found.loc["b", "gap_low"] < -2 - 1.96 * 3
    assert found[["rank", "rank_low", "rank_high"]].loc["c"].tolist() == [2, 2, 3]
    assert set(found["dataset"]) == {"d"}


def test_without_a_test_of_every_pair_nobody_is_ranked():
    assert standings(scores(a=90.0, b=88.0, c=88.1), THREE.iloc[:2]).empty
    assert standings(scores(a=90.0), THREE.iloc[:0]).empty
    assert list(standings(scores(a=90.0), THREE.iloc[:0]))[: len(CASE)] == CASE
