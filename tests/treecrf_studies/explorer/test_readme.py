"""The part of README.md that shows the results, against those that are committed."""

import re

import numpy as np
import pandas as pd
import pytest
from builders import ROOT

from treecrf.statistics.ranking import AT_THE_TOP, WORSE
from treecrf_studies.explorer.readme import (
    LEAST_METHODS,
    METHODS,
    accuracy_table,
    findings,
    linked,
    nearness_table,
    results_part,
    sentences,
    sets_by_lines,
    verdicts_by_paper,
    with_results,
)
from treecrf_studies.framework.views import VIEWS, distinct_accuracies

FOLDER = ROOT / "docs/results"


@pytest.fixture(scope="module")
def claims():
    return pd.read_csv(FOLDER / "claims.csv", keep_default_na=False)


def test_readme_shows_the_results_that_are_committed(gathered, claims):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == with_results(
        readme, linked(results_part(gathered, claims, sets_by_lines(FOLDER / "evidence")), "docs/results")
    )


def test_table_has_the_accuracies_marks_the_highest_and_methods_that_a_test_separates(gathered):
    scores = gathered.scores.query(
        "study == 'training' and quantity == 'accuracy' and point == 'choice' and decoder == 'better'"
    ).set_index(["dataset", "method"])
    _, _, *lines = accuracy_table(gathered).splitlines()
    methods = [method for method in METHODS if method in scores.index.get_level_values("method")]
    n_methods = scores[scores.index.isin(methods, level="method")].groupby(level="dataset").size()
    assert len(lines) == (n_methods >= LEAST_METHODS).sum() > 0
    for line in lines:
        dataset, *cells, highest, near = [cell.strip() for cell in line.strip("|").split("|")]
        of_set = scores.loc[dataset].reindex(methods)
        values = of_set["value"].astype(float)
        assert [cell == "–" for cell in cells] == values.isna().tolist()
        assert [float(re.sub(r"[^\d.]", "", cell) or "nan") for cell in cells] == pytest.approx(
            values.round(2), nan_ok=True
        )
        assert ["↓" in cell for cell in cells] == (of_set["standing"] == WORSE).tolist()
        assert ["**" in cell for cell in cells] == of_set["standing"].isin(AT_THE_TOP).tolist()
        of_all = scores.loc[dataset]
        assert float(highest) == pytest.approx(of_all["value"].astype(float).max(), abs=0.0051)
        assert near == f"{(of_all['standing'] != WORSE).sum()} of {len(of_all)} methods"


def test_the_sentence_names_methods_that_lose_no_test_where_all_are_tested(gathered):
    chosen = "study == 'training' and decoder == 'better' and point == 'choice'"
    pairs = gathered.pairs.query(chosen)
    n_methods = pairs.groupby("dataset").apply(lambda of: len({*of["method"], *of["other"]}))
    shared = n_methods.index[n_methods == n_methods.max()]
    of_shared = pairs[pairs["dataset"].isin(shared)]
    worse = of_shared["decision"] == "worse"
    better = of_shared["decision"] == "better"
    losers = {*of_shared.loc[worse, "method"], *of_shared.loc[better, "other"]}
    names = gathered.methods.query("study == 'training'").set_index("method")["name"]
    unbeaten = set(names[[*{*of_shared["method"], *of_shared["other"]} - losers]])
    start, end = findings(gathered).split(". No test on these sets finds a method better than ")
    assert set(re.split(", | and ", start.split(" have results on ")[1])) == set(shared)
    assert set(re.split(", | or ", end.rstrip("."))) == unbeaten
    none = gathered._replace(scores=gathered.scores.assign(standing="not tested"))
    assert findings(none) == ""


def test_verdicts_are_counted_by_paper_and_way_of_judging(claims):
    _, _, *lines = verdicts_by_paper(claims).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    *papers, (name, n, *every) = cells
    assert (name, int(n), sum(int(paper[1]) for paper in papers)) == ("all", len(claims), len(claims))
    for place, column in enumerate(("verdict_papers_test", "verdict", "verdict_larger")):
        counts = claims.loc[claims[column] != "", column].str.replace("_", " ").value_counts().to_dict()
        assert {text: int(n) for n, text in re.findall(r"(\d+) ([a-z ]+)", every[place])} == counts
    none = claims.assign(verdict="not_run")
    assert verdicts_by_paper(none) == ""


def test_what_is_near_is_counted_by_table_sample_and_quantity():
    """FAQ sets, the ceiling, peaks that were not kept, other corpora and programs and repeats are apart."""
    away = np.array([0.0, -1.0, 1.02, 5.0, 0.4, 0.0, 9.0, 0.0, 2.0, 0.0])
    own = "the paper's own split"
    published = pd.DataFrame(
        {
            "source": ["T1"] * 3 + ["T2"] + ["T1"] * 6,
            "published": [80.0] * 7 + [99.0] + [80.0] * 2,
            "sample": [own] * 4 + ["another corpus"] + [own] * 5,
            "quantity": "accuracy",
            "counted": [True] * 5 + [False] + [True] * 4,
            "own": [True] * 8 + [False, True],
            "inferred": [False] * 6 + [True] + [False] * 3,
            "point": ["peak"] * 3 + ["choice"] * 6 + ["peak"],
        }
    )
    published["at_choice"] = published["published"] + away
    published["measured"] = published["at_choice"].where(
        published["point"] == "choice", published["published"] + away / 2
    )
    published.loc[9, "measured"] = np.nan
    pairs = distinct_accuracies(published.reindex(columns=VIEWS["published"]))
    said = sentences(pairs)
    assert "prints 7 distinct test accuracies" in said
    assert "meets 3 of 4 within one point: 0 of 1 at the iteration that validation chose and 3 of 3 at the peak" in said
    assert "(median difference +0.26)" in said
    assert "Counted apart: 1 of 1 printed peaks whose test curve was not kept" in said
    assert said.endswith("; 1 of 1 printed as 99 % or more.")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in nearness_table(pairs).splitlines()[2:]]
    choice, peak = "at the iteration that validation chose", "at the peak of the test curve"
    assert rows == [
        ["T1", own, peak, "3", "3", "+0.00"],
        ["T2", own, choice, "1", "0", "+5.00"],
        ["T1, columns inferred", own, choice, "1", "0", "+9.00"],
        ["T1", own, f"{choice}, no peak measured", "1", "1", "+0.00"],
        ["T1, published 99 % or more", own, choice, "1", "1", "+0.00"],
    ]
