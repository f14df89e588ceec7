"""Claims under other rules: thresholds halved and doubled, the paper's test, without one of the data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from treecrf_studies.framework.claims.kinds import TESTED
from treecrf_studies.framework.claims.power import TESTED_FOR_DIFFERENCE as DIFFERENCES
from treecrf_studies.framework.claims.rows import AS_JUDGED, BY_PAPER, HOLM, Row, Rule, parts_of

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
    if any(part["kind"] in DIFFERENCES for part in parts):
        yield WITHOUT_EQUIVALENCE, _with_margin(row, 0.0), AS_JUDGED
    for dataset in datasets_of(row):
        if len(datasets_of(row)) > 1:
            yield f"{WITHOUT} {dataset}", without(row, dataset), AS_JUDGED


def former_rules(row: Row) -> Iterator[tuple[str, Row, Rule]]:
    """The same of the rule that the claim had before it was changed."""
    if changed := row.get("changed"):
        yield FORMER, {**row, **changed.get("was", {}), "test": ""}, Rule(changed.get("papers_test", False))


def scaled(row: Row, factor: Fraction) -> dict[str, Any]:
    """The row with its thresholds multiplied by `factor`, as distances from the value of "about"."""
    changed = dict(row)
    about = row.get("about", 0)
    for name in row.get("thresholds", {}):
        if name in row:
            changed[name] = _scaled(row[name], factor, about) if name not in SHARES else _share(row[name], factor)
    if "parts" in row:
        shared = {name: row[name] for name in ("thresholds", "about") if name in row}
        changed["parts"] = [scaled({**shared, **part}, factor) for part in row["parts"]]
    return changed


def _with_margin(row: Row, margin: float) -> dict[str, Any]:
    """The row with this margin wherever a claim is about a difference."""
    changed = {**row, "margin": margin} if row.get("kind") in DIFFERENCES else dict(row)
    if "parts" in row:
        changed["parts"] = [
            {**part, "margin": margin} if part.get("kind", row.get("kind")) in DIFFERENCES else part
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


def _share(value: Any, factor: Fraction) -> Fraction:
    return min(Fraction(1), Fraction(value) * factor)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return " / ".join(f"{name} {each:g}" for name, each in value.items())
    return value if isinstance(value, str) else f"{value:g}"
