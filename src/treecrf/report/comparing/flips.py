"""Claims whose verdict is not the same in two runs, as judged or under another rule."""

from __future__ import annotations

import pandas as pd

from treecrf.report.comparing.runs import Run
from treecrf.report.rules import AS_JUDGED
from treecrf.studies.claims import NOT_RUN

COLUMNS = ["id", "statement", "rule", "from", "to", "numbers_from", "numbers_to"]


def find_flips(one: Run, other: Run) -> tuple[pd.DataFrame, int]:
    """Verdicts that differ, and the number of claims that both runs judge.

    Returns
    -------
    DataFrame
        `COLUMNS`: a row for each claim and rule whose verdict changed, `AS_JUDGED` first. A claim that one run alone has results for
        is there with the verdict "not_run"; other rules only where both runs judge the claim by them.
    int
    """
    (claims, by_rule), (later, by_rule_later) = one.claims(), other.claims()
    names = ["id", "statement", "verdict", "numbers"]  # those of an older run may lack some
    told = [frame.reindex(columns=names, fill_value="") for frame in (claims, later)]
    both = told[0].merge(told[1], on="id", suffixes=("_from", "_to"))
    changed = both[both["verdict_from"] != both["verdict_to"]]
    judged = changed.rename(columns={"statement_to": "statement", "verdict_from": "from", "verdict_to": "to"}).assign(
        rule=AS_JUDGED
    )
    of_rules = by_rule.merge(by_rule_later, on=["id", "rule"], suffixes=("_from", "_to"))
    of_rules = of_rules[of_rules["verdict_from"] != of_rules["verdict_to"]].rename(
        columns={"verdict_from": "from", "verdict_to": "to"}
    )
    stated = of_rules.merge(
        both.rename(columns={"statement_to": "statement"})[["id", "statement", "numbers_from", "numbers_to"]], on="id"
    )
    order = {claim: place for place, claim in enumerate(both["id"])}
    flips = pd.concat([judged[COLUMNS], stated[COLUMNS]], ignore_index=True)
    flips = flips.sort_values("id", key=lambda ids: ids.map(order), kind="stable").reset_index(drop=True)
    n_judged = int(((both["verdict_from"] != NOT_RUN) & (both["verdict_to"] != NOT_RUN)).sum())
    return flips, n_judged
