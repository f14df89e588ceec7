"""Claims as rows of a study's ``claims.yaml``: what is measured, and which kind of claim it has to satisfy.

Keys of a row
-------------
id, source, statement, check
    Which claim it is, in the words of the papers.
measure, datasets
    A function of the study's ``claims.py`` that yields a `Measured` for each thing that the claim says of a data set, and the
    data sets. A function that yields nothing has no results there.
kind
    A function of `KINDS`, which says whether what was measured holds.
parts
    Instead of these: rows of their own, each with measure, datasets and kind.
function
    Instead of these, where no kind fits: a function of the study's ``claims.py`` that gives the `Evidence`.
test
    What decides, in a clause or several; names in braces stand for values of the row.
enough, partly, quorum
    As in `treecrf.studies.claims.judge`; two fractions, a number of data sets.

Other keys are parameters of the kind if it has one of that name, and of the measure or function if not. The value of a kind's
parameter may depend on the data set: a mapping with the key "otherwise".
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import ModuleType
from typing import Any, Generic, TypeVar

from treecrf.studies.claims import (
    FAILS,
    HALF,
    HOLDS,
    LEANS,
    Evidence,
    Finding,
    Observation,
    Results,
    gather,
    judge,
    merge,
)

ROUNDING = 1e-9
"""Differences below it are errors of rounding."""

WORDING = ("id", "source", "statement", "check", "test", "enough", "partly", "quorum")
FOUND_BY = ("study", "kind", "measure", "datasets", "parts", "function")

Row = Mapping[str, Any]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Measured(Generic[Value]):
    """What a claim is about, as measured on a data set: a value as the kind of the claim needs it, and words for it.

    `numbers` says what was measured and where; `difference` (or else `numbers`), the end of a sentence, how that
    differs from the claim; `p` is the p-value that the value differs from 0, where there is a test, `papers_p` that of the
    paper's own test, and `interval` its 90 % interval, that of two one-sided tests at 0.05.
    """

    value: Value
    numbers: str
    difference: str = ""
    p: float | None = None
    papers_p: float | None = None
    interval: tuple[float, float] | None = None

    def observation(self, degree: Fraction) -> Observation:
        """The observation that the claim holds to this degree."""
        return Observation(self.numbers, degree, self.difference or self.numbers)


def better(found: Measured[float], level: float = 1, margin: float = 0, leans: bool = False) -> Fraction:
    """Larger than `margin`, and significantly if there is a test; if `leans`, any advantage leans to the claim."""
    if found.value > margin and (found.p is None or found.p < level):
        return HOLDS
    return LEANS if leans and found.value > 0 else FAILS


def not_worse(found: Measured[float], level: float, margin: float) -> Fraction:
    """Significantly above 0, or the interval above -`margin`; leans if no test decides. A large p alone says nothing."""
    decided = outcome(found, level)
    return HOLDS if decided == LEANS and _lies_within(found, -margin) else decided


def equal(found: Measured[float], level: float, margin: float) -> Fraction:
    """Equivalent: not significantly different from 0, and the interval within `margin`; leans if no test decides."""
    if outcome(found, level) != LEANS:
        return FAILS
    return HOLDS if _lies_within(found, -margin, margin) else LEANS


def above(found: Measured[float], bound: float, leans: float | None = None) -> Fraction:
    """Larger than `bound`; leans to the claim if larger than `leans`."""
    return HOLDS if found.value > bound else LEANS if leans is not None and found.value > leans else FAILS


def at_least(found: Measured[float], bound: float, leans: float | None = None) -> Fraction:
    """Not smaller than `bound`; leans to the claim if not smaller than `leans`."""
    value = found.value + ROUNDING
    return HOLDS if value >= bound else LEANS if leans is not None and value >= leans else FAILS


def at_most(found: Measured[float], bound: float) -> Fraction:
    """Not larger than `bound`."""
    return HOLDS if found.value <= bound + ROUNDING else FAILS


def between(found: Measured[float], bounds: Sequence[float]) -> Fraction:
    """Not outside the two `bounds`."""
    return HOLDS if bounds[0] <= found.value <= bounds[1] else FAILS


def order(found: Measured[Sequence[str]], order: Sequence[str]) -> Fraction:
    """The first names are those of `order`."""
    return HOLDS if list(found.value[: len(order)]) == list(order) else FAILS


def rises(found: Measured[Sequence[float]], tolerance: float) -> Fraction:
    """From one value to the next a curve falls by at most `tolerance`."""
    return HOLDS if largest_fall(found.value) <= tolerance + ROUNDING else FAILS


KINDS: dict[str, Callable[..., Fraction]] = {
    kind.__name__: kind for kind in (better, not_worse, equal, above, at_least, at_most, between, order, rises)
}
"""Kinds of claims: whether a `Measured` holds, leans or fails."""


def largest_fall(curve: Sequence[float]) -> float:
    """How much a curve falls at most from one value to the next; negative if it rises everywhere."""
    return max(first - second for first, second in pairwise(curve))


def _lies_within(found: Measured[float], low: float, high: float = float("inf")) -> bool:
    """Whether the interval is known and lies there, the ends excluded."""
    return found.interval is not None and low < found.interval[0] and found.interval[1] < high


def outcome(found: Measured[float], level: float) -> Fraction:
    """`HOLDS` if significantly above 0, `FAILS` if significantly below, else `LEANS`."""
    if found.p is None or not found.p < level or found.value == 0:  # NaN decides nothing
        return LEANS
    return HOLDS if found.value > 0 else FAILS


def speed_ratio(above: float, below: float) -> float:
    """The ratio of two measures of growth; what does not grow is infinitely slower than what does."""
    if below > 0:
        return above / below
    return float("inf") if above > 0 else 0.0


def count_outcomes(evidence: Evidence) -> tuple[int, int, str]:
    """How many comparisons whose degree is their `outcome` are better and worse, as numbers and in words."""
    degrees = [each.degree for each in evidence.observations]
    n_better, n_worse = degrees.count(HOLDS), degrees.count(FAILS)
    return n_better, n_worse, f"significantly better in {n_better} of {len(degrees)} comparisons and worse in {n_worse}"


def check_claim(row: Row, functions: ModuleType, results: Results) -> Finding:
    """The verdict of results on a claim; `row` as the module describes it, `functions` is the study's ``claims.py``."""
    if "function" in row:
        evidence = _function(row, "function", functions)(results, **_parameters(row), datasets=row["datasets"])
    else:
        evidence = merge(_evidence({**row, **part}, functions, results) for part in row.get("parts", [{}]))
    clauses = [row["test"]] if isinstance(row["test"], str) else row["test"]
    test = ", ".join(clauses).format(**row)
    shares = Fraction(row.get("enough", HOLDS)), Fraction(row.get("partly", HALF))
    return judge(evidence, test, *shares, quorum=row.get("quorum"))


def _evidence(row: Row, functions: ModuleType, results: Results) -> Evidence:
    """The evidence of a row with a measure and a kind."""
    measure = _function(row, "measure", functions)
    kind = KINDS.get(row["kind"])
    if kind is None:
        raise ValueError(f"claim {row['id']}: there is no kind {row['kind']!r}; choose one of {', '.join(KINDS)}.")
    parameters = _parameters(row)
    own = {name: parameters.pop(name) for name in list(inspect.signature(kind).parameters)[1:] if name in parameters}

    def observe(dataset: str) -> Iterator[Observation]:
        here = {name: _at(value, dataset) for name, value in own.items()}
        for found in measure(results, dataset, **parameters):
            yield found.observation(kind(found, **here))

    return gather(row["datasets"], observe)


def _at(value: Any, dataset: str) -> Any:
    """The value of a parameter on a data set."""
    return value.get(dataset, value["otherwise"]) if isinstance(value, Mapping) else value


def _parameters(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in WORDING + FOUND_BY}


def _function(row: Row, key: str, functions: ModuleType) -> Callable[..., Any]:
    found: Callable[..., Any] | None = getattr(functions, row[key], None)
    if found is None:
        raise ValueError(f"claim {row['id']}: {functions.__name__} has no function {row[key]!r}; write it.")
    return found


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
