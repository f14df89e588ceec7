"""Claims as rows of a study's ``claims.yaml``: what is measured, and which kind of claim it has to satisfy.

Keys of a row
-------------
id, source, statement, check
    Which claim it is, in the words of the papers.
measure, datasets
    A function of the study's ``claims.py`` that yields a `Measured` for each thing that the claim says of a data set, and the
    data sets. A function that yields nothing has no results there.
kind
    A function of `KINDS`, or of the study's ``claims.py``, which says whether what was measured holds.
parts
    Instead of these: rows of their own, each with measure, datasets and kind.
sum_up
    A function of the study's ``claims.py`` that gives the `Evidence` about all of it together, where the claim is about that.
test
    What decides, in a clause or several; names in braces stand for values of the row.
thresholds, about
    Which values of the row, or of a part, are thresholds, and whether they are the "paper"'s or "ours"; the value that
    they are distances from, 0 unless given. See `treecrf.studies.sensitivity`.
papers_level
    The level at which the paper's test decides, where a valid test has another.
enough, partly, quorum
    As in `treecrf.studies.claims.judge`; two fractions, a number of data sets.

Other keys are parameters of the kind if it has one of that name, and of the measure if not. The value of a kind's
parameter may depend on the data set: a mapping with the key "otherwise".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import ModuleType
from typing import Any

from treecrf.studies.claim_kinds import KINDS
from treecrf.studies.claims import (
    FAILS,
    HALF,
    HOLDS,
    Degrees,
    Evidence,
    Finding,
    Observation,
    Results,
    gather,
    judge,
    merge,
)  # fmt: skip

WORDING = (
    "id",
    "source",
    "statement",
    "check",
    "test",
    "thresholds",
    "about",
    "papers_level",
    "enough",
    "partly",
    "quorum",
)
FOUND_BY = ("study", "kind", "measure", "datasets", "parts", "sum_up")

Row = Mapping[str, Any]


def check_claim(row: Row, functions: ModuleType, results: Results, papers_test: bool = False) -> Finding:
    """The verdict of results on a claim.

    Parameters
    ----------
    row : mapping
        As the module describes it.
    functions : module
        The study's ``claims.py``.
    results : Results
    papers_test : bool
        Whether the test of the paper decides, at its own level, instead of a valid one.
    """
    evidence = merge(_evidence(part, functions, results, papers_test) for part in parts_of(row))
    if "sum_up" in row and evidence.observations:
        evidence = _function(row, "sum_up", functions)(evidence)
    clauses = [row["test"]] if isinstance(row["test"], str) else row["test"]
    shares = Fraction(row.get("enough", HOLDS)), Fraction(row.get("partly", HALF))
    return judge(evidence, ", ".join(clauses).format(**row), *shares, quorum=row.get("quorum"))


def parts_of(row: Row) -> list[Row]:
    """The parts of a claim, each with what it shares with the others; the row itself if it has none."""
    return [{**row, **part} for part in row.get("parts", [{}])]


def _evidence(row: Row, functions: ModuleType, results: Results, papers_test: bool) -> Evidence:
    """The evidence of a part."""
    measure, kind = _function(row, "measure", functions), _kind(row, functions)
    parameters = {name: value for name, value in row.items() if name not in WORDING + FOUND_BY}
    own = {name: parameters.pop(name) for name in list(inspect.signature(kind).parameters)[1:] if name in parameters}
    if papers_test and "papers_level" in row:
        own["level"] = row["papers_level"]

    def observe(dataset: str) -> Iterator[Observation]:
        here = {name: _at(value, dataset) for name, value in own.items()}
        for found in measure(results, dataset, **parameters):
            judge_by = partial(kind, **here)
            yield found.observe_by_paper(judge_by) if papers_test else found.observe(judge_by)

    return gather(row["datasets"], observe)


def _kind(row: Row, functions: ModuleType) -> Callable[..., Degrees]:
    kind: Callable[..., Degrees] | None = KINDS.get(row["kind"]) or getattr(functions, row["kind"], None)
    if kind is None:
        raise ValueError(
            f"claim {row['id']}: there is no kind {row['kind']!r}; choose one of {', '.join(KINDS)}, or write a function of "
            f"that name in {functions.__name__}."
        )
    return kind


def _at(value: Any, dataset: str) -> Any:
    """The value of a parameter on a data set."""
    return value.get(dataset, value["otherwise"]) if isinstance(value, Mapping) else value


def _function(row: Row, key: str, functions: ModuleType) -> Callable[..., Any]:
    found: Callable[..., Any] | None = getattr(functions, row[key], None)
    if found is None:
        raise ValueError(f"claim {row['id']}: {functions.__name__} has no function {row[key]!r}; write it.")
    return found


def sum_up_counts(evidence: Evidence, conditions: Callable[[int, int, int], tuple[bool, bool]]) -> Evidence:
    """Of comparisons judged by `treecrf.studies.claim_kinds.better`, an observation about how many are better and worse.

    `conditions` gives, of the numbers of better and of worse ones and of all, the two conditions of the claim, each of which is
    half of it. Better in none and worse in none is open: tests that find nothing say nothing.
    """
    n_all = len(evidence.observations)
    n_better = sum(each.degree == HOLDS for each in evidence.observations)
    n_worse = sum(FAILS == each.degree == each.best for each in evidence.observations)
    counted = f"significantly better in {n_better} of {n_all} comparisons and worse in {n_worse}"
    listed = "; ".join([counted, *(each.numbers for each in evidence.observations)])
    if not n_better:
        return evidence.summed_up(Observation(listed, FAILS, f"it is {counted}", FAILS if n_worse else HOLDS))
    degree = sum((HALF for holds in conditions(n_better, n_worse, n_all) if holds), FAILS)
    return evidence.summed_up(Observation(listed, degree, f"it is {counted}"))


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
