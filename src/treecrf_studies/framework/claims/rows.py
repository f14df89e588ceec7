"""Claims as rows of a study's ``claims.yaml``: what is measured, and which kind of claim it has to satisfy.

Keys of a row
-------------
id, source, statement, check
    Which claim it is, in our words, and what is checked.
quote, place
    A sentence of the paper, or the part of it that says so, in at most `QUOTED` words, and where it stands.
measure, datasets
    A function of the study's ``claims.py`` that yields a `Measured` for each thing that the claim says of a data set,
    and the data sets. A function that yields nothing has no results there.
kind
    One of `CLAIM_KINDS`, or of those of the study's ``claims.py``, which says whether what was measured holds.
parts
    Instead of these: rows of their own, each with measure, datasets and kind.
sum_up
    A function of the study's ``claims.py`` that gives the `Evidence` about all of it together, where the claim is about
    that.
test
    What decides, in a clause or several; names in braces stand for values of the row.
needs
    What the claim needs of a data set, where a file that is there may lack it: the end of "the run has no".
thresholds, about
    Which values of the row, or of a part, are thresholds, and whether they are the "paper"'s or "ours"; the value that
    they are distances from, 0 unless given. See `treecrf_studies.framework.claims.rows`.
papers
    Values of the row, or of a part, that are others where the test of the paper decides: its level, another kind.
beside
    Rows as those of parts, each with a name: they are judged and shown beside the claim, and do not decide it.
larger
    Values of the row that are others on a larger sample of the same population, where the valid test gives a verdict of
    its own.
theorem
    Whether it is a theorem or an exact example: where it holds it is "checked", not replicated.
enough, partly, quorum
    As in `treecrf_studies.framework.claims.judge.judge`; two fractions, a number of data sets.
no_verdict
    Why the results decide nothing, a sentence: what was measured was fitted to the claim, or is not the paper's data.
changed
    A rule that results had been judged by before this one: "rule" (in words), "reason" (why it is no longer), and
    "was", the values of the row that were others; the ledger gives the verdict under both. All claims that compare
    accuracies were first judged by the paper's test, whose verdict stands beside the valid one anyway: that change is
    not listed again.

Other keys are parameters of the kind if a kind declares them, and of the measure if not. The value of a kind's
parameter may depend on the data set: a mapping with the key "otherwise".

The margin within which equivalence speaks against a difference is at most half of the published difference, where there
is one: what is half as large as the paper's effect is not equal to none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from treecrf.statistics.estimates import adjust_holm
from treecrf_studies.framework.claims.judge import (
    CHECKED,
    FAILS,
    HALF,
    HOLDS,
    LEANS,
    NEEDS,
    NO_VERDICT,
    NOT_RUN,
    REPLICATED,
    Degrees,
    Evidence,
    Finding,
    Observation,
    Results,
    gather,
    judge,
    merge,
)
from treecrf_studies.framework.claims.kinds import (
    CLAIM_KINDS,
    TESTED,
    TESTED_FOR_DIFFERENCE,
    Kind,
    Measured,
    edges,
    with_power,
)
from treecrf_studies.rendering.cells import with_and

QUOTED = 20
"""Words of a paper that a claim may quote."""

TEXTS = ("source", "statement", "check", "quote", "place", "test", "name", "thresholds", "about", "changed", "needs")
"""Keys of a row that no verdict depends on."""

OVERLAYS = ("papers", "beside", "larger")
WORDING = (*TEXTS, *OVERLAYS, "id", "no_verdict", "theorem", "enough", "partly", "quorum")
OF_THE_WHOLE = ("parts", "enough", "partly", "sum_up", "beside")
"""What a row does not share with what stands beside it."""

FOUND_BY = ("study", "kind", "measure", "datasets", "parts", "sum_up")
KIND_PARAMETERS = {name for kind in CLAIM_KINDS.values() for name in kind.parameters}
"""Parameters of kinds; a row may have some that only another rule uses."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """How a claim is judged.

    Attributes
    ----------
    papers_test : bool
        Whether the test of the paper decides, at its own level, instead of a valid one.
    holm : bool
        Whether the p-values of a claim are corrected over its comparisons.
    larger : bool
        Whether a larger sample decides, of a claim that has one.
    """

    papers_test: bool = False
    holm: bool = False
    larger: bool = False


AS_JUDGED, BY_PAPER, HOLM, LARGER = Rule(), Rule(papers_test=True), Rule(holm=True), Rule(larger=True)


def check_claim(row: Row, functions: ModuleType, results: Results, rule: Rule = AS_JUDGED) -> Finding:
    """The verdict of results on a claim.

    Parameters
    ----------
    row : mapping
        As the module describes it.
    functions : module
        The study's ``claims.py``.
    results : Results
    rule : Rule, optional
    """
    if rule.papers_test:
        row = _by_paper(row)
    if rule.larger:
        row = {**row, "no_verdict": None, **row["larger"]}
    clauses = [row["test"]] if isinstance(row["test"], str) else row["test"]
    finding = _find(row, functions, results, rule, "; ".join(clauses).format(**row))
    if not rule.larger:
        shared = {name: value for name, value in row.items() if name not in OF_THE_WHOLE}
        besides = [{**shared, **part} for part in row.get("beside", ())]
        findings = [(part["name"], _find(part, functions, results, rule, part["name"])) for part in besides]
        finding = replace(finding, beside=tuple(findings))
    if row.get("theorem") and finding.verdict == REPLICATED:
        return replace(finding, verdict=CHECKED)
    if row.get("no_verdict") and finding.verdict != NOT_RUN:
        would_be = f"The check itself would say: {finding.verdict.replace('_', ' ')}."
        return replace(finding, verdict=NO_VERDICT, explanation=f"{row['no_verdict']} {would_be}")
    return finding


def _find(row: Row, functions: ModuleType, results: Results, rule: Rule, test: str) -> Finding:
    """The verdict on a row, or on what stands beside one; `test` says what decides."""
    results.lacking.clear()
    evidence = merge(_evidence(parts_of(row), functions, results, rule))
    observations = evidence.observations
    if "sum_up" in row and observations:
        evidence = _function(row, "sum_up", functions)(evidence)
    shares = Fraction(row.get("enough", HOLDS)), Fraction(row.get("partly", HALF))
    needs = row.get("needs") or _files(results, evidence.absent) or NEEDS
    return replace(judge(evidence, test, *shares, quorum=row.get("quorum"), needs=needs), observations=observations)


def _files(results: Results, absent: Collection[str]) -> str:
    """The files that the absent data sets lack, by study; empty where they have all that was asked for."""
    by_study: dict[str, dict[str, None]] = {}
    for study, dataset, name in results.lacking:
        if dataset in absent:
            by_study.setdefault(study, {})[f"{name}.csv"] = None
    return with_and((f"{with_and(names, 'or')} (study {study})" for study, names in by_study.items()), "or")


def parts_of(row: Row) -> list[Row]:
    """The parts of a claim, each with what it shares with the others; the row itself if it has none."""
    return [{**row, **part} for part in row.get("parts", [{}])]


def _by_paper(row: Row) -> dict[str, Any]:
    """The row with the values that it has where the test of the paper decides."""
    changed = {**row, **row.get("papers", {}), "test": ""}  # its words are about the rule as judged
    if "parts" in row:
        changed["parts"] = [{**row.get("papers", {}), **part, **part.get("papers", {})} for part in row["parts"]]
    return changed


@dataclass(frozen=True)
class _Comparison:
    """Something measured on a data set, with what judges it there."""

    measured: Measured[Any]
    kind: str
    judge_by: Callable[[Measured[Any]], Degrees]
    parameters: Mapping[str, Any]

    def observe(self, rule: Rule) -> Observation:
        if rule.papers_test:
            return self.measured.observe_by_paper(self.judge_by)
        seen = with_power(self.measured.observe(self.judge_by), self.measured, self.kind, self.parameters)
        return replace(seen, measured=self.measured, limits=edges(self.kind, self.parameters))


def _evidence(parts: Iterable[Row], functions: ModuleType, results: Results, rule: Rule) -> list[Evidence]:
    """The evidence of each part; with Holm's correction over all comparisons of all of them."""
    comparisons = [
        {dataset: _measure(part, functions, results, dataset) for dataset in part["datasets"]} for part in parts
    ]
    if rule.holm:
        comparisons = _corrected(comparisons)
    return [_observed(part, rule) for part in comparisons]


def _observed(part: dict[str, list[_Comparison]], rule: Rule) -> Evidence:
    return gather(part, lambda dataset: [replace(each.observe(rule), dataset=dataset) for each in part[dataset]])


def _measure(row: Row, functions: ModuleType, results: Results, dataset: str) -> list[_Comparison]:
    """What a part of a claim is about on a data set."""
    measure, kind = _function(row, "measure", functions), _kind(row, functions)
    of_kind = {name: _at(row[name], dataset) for name in kind.parameters if name in row}
    not_of_measure = {*WORDING, *FOUND_BY, *KIND_PARAMETERS, *kind.parameters}
    of_measure = {name: value for name, value in row.items() if name not in not_of_measure}
    comparisons = []
    for each in measure(results, dataset, **of_measure):
        own = _capped(of_kind, each) if row["kind"] in TESTED_FOR_DIFFERENCE else of_kind
        comparisons.append(_Comparison(each, row["kind"], partial(kind.judge, **own), own))
    return comparisons


def _capped(parameters: Mapping[str, Any], measured: Measured[Any]) -> dict[str, Any]:
    """The parameters with a margin of at most half of the published difference."""
    if not measured.published:
        return dict(parameters)
    return {**parameters, "margin": min(parameters["margin"], abs(measured.published) / 2)}


def _corrected(comparisons: list[dict[str, list[_Comparison]]]) -> list[dict[str, list[_Comparison]]]:
    """The comparisons, with p-values corrected over all that a test decides (Holm)."""
    tested = [
        each
        for part in comparisons
        for group in part.values()
        for each in group
        if each.kind in TESTED and each.measured.p is not None
    ]
    holm = adjust_holm(np.array([each.measured.p for each in tested], dtype=float))
    by_place = {id(each): float(p) for each, p in zip(tested, holm, strict=True)}

    def adjust(each: _Comparison) -> _Comparison:
        return replace(each, measured=replace(each.measured, p=by_place.get(id(each), each.measured.p)))

    return [{name: [adjust(each) for each in group] for name, group in part.items()} for part in comparisons]


def _kind(row: Row, functions: ModuleType) -> Kind:
    kinds = {**CLAIM_KINDS, **getattr(functions, "CLAIM_KINDS", {})}
    if row["kind"] not in kinds:
        raise ValueError(
            f"claim {row['id']}: there is no kind {row['kind']!r}; choose one of {', '.join(kinds)}, or add it to "
            f"CLAIM_KINDS in {functions.__name__}."
        )
    return kinds[row["kind"]]


def _at(value: Any, dataset: str) -> Any:
    """The value of a parameter on a data set."""
    return value.get(dataset, value["otherwise"]) if isinstance(value, Mapping) else value


def _function(row: Row, key: str, functions: ModuleType) -> Callable[..., Any]:
    function: Callable[..., Any] | None = getattr(functions, row[key], None)
    if function is None:
        raise ValueError(f"claim {row['id']}: {functions.__name__} has no function {row[key]!r}; write it.")
    return function


def sum_up_counts(
    evidence: Evidence, conditions: Callable[[int, int, int], tuple[bool, bool]], as_found: bool = False
) -> Evidence:
    """Of comparisons judged by `treecrf_studies.framework.claims.kinds.outcome`, an observation about how many are
    better and worse.

    `conditions` gives, of the numbers of better and of worse ones and of all, the two conditions of the claim, each of
    which is half of it. Comparisons that are not decided may be any of the three: the observation is open between the
    worst and the best that they leave possible. A former rule counted them `as_found`, as neither better nor worse,
    unless there was nothing else.
    """
    outcomes = [each.degree if each.is_decided else None for each in evidence.observations]
    n_all, n_open = len(outcomes), outcomes.count(None)
    n_better, n_worse, n_equal = (outcomes.count(degree) for degree in (HOLDS, FAILS, LEANS))
    degrees = [
        sum((HALF for holds in conditions(n_better + better, n_worse + worse, n_all) if holds), FAILS)
        for better in range(0 if as_found else n_open + 1)
        for worse in range(n_open + 1 - better)
    ]
    if as_found:
        degree = sum((HALF for holds in conditions(n_better, n_worse, n_all) if holds), FAILS)
        degrees = [degree] if n_better else [FAILS, FAILS if n_worse else HOLDS]
    counted = (
        f"significantly better in {n_better} of {n_all} comparisons and worse in {n_worse}, equivalent in {n_equal}, "
        f"not decided in {n_open}"
    )
    names = {HOLDS: "better", FAILS: "worse", LEANS: "equal", None: "open"}
    lines = [f"{names[degree]}: {each.line[2:]}" for degree, each in zip(outcomes, evidence.observations, strict=True)]
    return evidence.summed_up(Observation("; ".join([counted, *lines]), min(degrees), f"it is {counted}", max(degrees)))


INDUCTION = "feature_induction"
"""Stands for the first of `INDUCTION_METHODS` that was run, as in table 3.5."""

INDUCTION_METHODS = ("mallet", "induced_crf")
"""Methods that are CRFs with feature induction."""


def first_of(method: str, known: Iterable[str]) -> str:
    """The method; for `INDUCTION`, the first of its methods that is known, the last if none is."""
    if method != INDUCTION:
        return method
    names = set(known)
    return next((name for name in INDUCTION_METHODS if name in names), INDUCTION_METHODS[-1])


# --- other rules: thresholds halved and doubled, the paper's test, without one of the data sets -------

FORMER = "the rule before it was changed"
HALVED, DOUBLED, PAPERS_TEST = "thresholds halved", "thresholds doubled", "the papers' tests"
HOLM_WITHIN = "Holm's correction within a claim"
WITHOUT_EQUIVALENCE = "equivalence that does not count against a difference"
WITHOUT = "without"

PAPERS_DECIDE = {*TESTED, "above", "at_least", "at_most", "near"}
"""Kinds that look at a test or an interval, where the papers had another test, or looked at the value alone."""

SHARES = ("enough", "partly")
"""Thresholds that are shares: at most 1."""


def thresholds_text(row: Row) -> str:
    """The thresholds of a claim, and whether they are the paper's or ours, as "level 0.05 (paper)"."""
    texts = [
        f"{name} {_shown(part[name])} ({origin})"
        for part in parts_of(row)
        for name, origin in part.get("thresholds", {}).items()
    ]
    return ", ".join(dict.fromkeys(texts))


def other_rules(row: Row) -> Iterator[tuple[str, Row, Rule]]:
    """Name of each other rule that changes something for a claim, the row under it, and who decides."""
    yield from former_rules(row)
    row = {**row, "test": ""}  # its words are about the rule as judged
    parts = parts_of(row)
    if any("thresholds" in part for part in parts):
        yield HALVED, scaled(row, Fraction(1, 2)), AS_JUDGED
        yield DOUBLED, scaled(row, Fraction(2)), AS_JUDGED
    if any(part["kind"] in PAPERS_DECIDE or "papers" in part for part in parts):
        yield PAPERS_TEST, row, BY_PAPER
    if any(part["kind"] in TESTED for part in parts):
        yield HOLM_WITHIN, row, HOLM
    if any(part["kind"] in TESTED_FOR_DIFFERENCE for part in parts):
        yield WITHOUT_EQUIVALENCE, _with_margin(row, 0.0), AS_JUDGED
    for dataset in datasets_of(row):
        if len(datasets_of(row)) > 1:
            yield f"{WITHOUT} {dataset}", without(row, dataset), AS_JUDGED


def former_rules(row: Row) -> Iterator[tuple[str, Row, Rule]]:
    """`other_rules` of the rule that the claim had before it was changed."""
    if changed := row.get("changed"):
        yield FORMER, {**row, **changed.get("was", {}), "test": ""}, Rule(changed.get("papers_test", False))


def scaled(row: Row, factor: Fraction) -> dict[str, Any]:
    """The row with its thresholds multiplied by `factor`, as distances from the value of "about"."""
    changed = dict(row)
    about = row.get("about", 0)
    for name in row.get("thresholds", {}):
        if name in row:
            changed[name] = (
                _scaled(row[name], factor, about)
                if name not in SHARES
                else min(Fraction(1), Fraction(row[name]) * factor)
            )
    if "parts" in row:
        shared = {name: row[name] for name in ("thresholds", "about") if name in row}
        changed["parts"] = [scaled({**shared, **part}, factor) for part in row["parts"]]
    return changed


def _with_margin(row: Row, margin: float) -> dict[str, Any]:
    """The row with this margin wherever a claim is about a difference."""
    changed = {**row, "margin": margin} if row.get("kind") in TESTED_FOR_DIFFERENCE else dict(row)
    if "parts" in row:
        changed["parts"] = [
            {**part, "margin": margin} if part.get("kind", row.get("kind")) in TESTED_FOR_DIFFERENCE else part
            for part in row["parts"]
        ]
    return changed


def datasets_of(row: Row) -> tuple[str, ...]:
    """The data sets that a claim is about."""
    return tuple(dict.fromkeys(name for part in parts_of(row) for name in part["datasets"]))


def without(row: Row, dataset: str) -> dict[str, Any]:
    """The row without a data set: parts about it alone are left out, and the quorum is no more than what remains."""
    parts = [
        part | {"datasets": remaining}
        for part in map(dict, parts_of(row))
        if (remaining := [name for name in part["datasets"] if name != dataset])
    ]
    changed = {**row, "parts": parts}
    if "quorum" in row:
        changed["quorum"] = min(row["quorum"], len(datasets_of(row)) - 1)
    return changed


def _scaled(value: Any, factor: Fraction, about: float) -> Any:
    if isinstance(value, Mapping):
        return {name: _scaled(each, factor, about) for name, each in value.items()}
    return about + (value - about) * float(factor)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " / ".join(f"{name} {each:g}" for name, each in value.items())
    return value if isinstance(value, str) else f"{value:g}"
