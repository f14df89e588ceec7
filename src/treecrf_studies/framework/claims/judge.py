"""Verdicts on claims: result files, observations on data sets, and the rule that turns observations into a verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from treecrf.io.files import frame_file, read_frame, read_json
from treecrf_studies import datasets
from treecrf_studies.registry import registry
from treecrf_studies.rendering.cells import with_and

REPLICATED, PARTLY, NOT_REPLICATED = "replicated", "partly", "not_replicated"
UNDECIDED, CHECKED, NO_VERDICT, NOT_RUN = "undecided", "checked", "no_verdict", "not_run"

VERDICTS = (REPLICATED, PARTLY, NOT_REPLICATED, UNDECIDED, CHECKED, NO_VERDICT, NOT_RUN)
"""Every verdict, best first.

Undecided: the verdict depends on comparisons that tests or repeated measurements leave open. Checked: a theorem or an
exact example, which cannot fail unless the code is wrong. No verdict: it was measured, but what was measured was fitted
to the claim, is about other data than the paper's, or comes from a shortened protocol.
"""

JUDGED = VERDICTS[:4]
"""Verdicts of claims that results decide, or could have decided."""

NEEDS = "results"
"""What a claim needs of a data set, where nothing says it better."""

HALF = Fraction(1, 2)

HOLDS, LEANS, FAILS = Fraction(1), HALF, Fraction(0)
"""Degrees of an observation; it leans to the claim if a part of it holds."""

SIGNS = {HOLDS: "✓", LEANS: "◐", FAILS: "✗"}
OPEN_SIGN = "?"
"""Before an observation, by its degree, and where it is open."""

Degrees = tuple[Fraction, Fraction]
"""The worst and the best degree that what was measured leaves possible."""


@dataclass(frozen=True)
class Observation:
    """One thing that a claim says, as measured.

    Attributes
    ----------
    numbers : str
        What was measured, and where.
    degree : Fraction
        `HOLDS`, `LEANS` or `FAILS`.
    difference : str
        How it differs from the claim, the end of a sentence.
    best : Fraction or None
        Above `degree` where a test or repeated measurements do not decide between the two.
    is_time : bool
        Whether it is about repeated measurements of a time.
    straddled, smallest, n_needed : str
        Where it is open: the thresholds that its interval contains, the smallest difference that would have been found,
        and how many sequences or documents would decide.
    dataset : str
    measured : Measured or None
        The numbers themselves (`treecrf_studies.framework.claims.kinds.Measured`).
    limits : tuple of float
        The values at which the claim begins or ceases to hold.
    """

    numbers: str
    degree: Fraction
    difference: str
    best: Fraction | None = None
    is_time: bool = False
    straddled: str = ""
    smallest: str = ""
    n_needed: str = ""
    dataset: str = ""
    measured: Any = None
    limits: tuple[float, ...] = ()

    @property
    def is_decided(self) -> bool:
        return self.best is None or self.best == self.degree

    @property
    def line(self) -> str:
        """What was measured, after a sign that says what it is for the claim."""
        sign = SIGNS[self.degree] if self.is_decided else OPEN_SIGN
        contained = f"the interval contains {self.straddled}" if self.straddled else ""
        smallest = f"would have found a difference of {self.smallest}" if self.smallest else ""
        needed = f"{self.n_needed} would decide" if self.n_needed else ""
        power = ", ".join(filter(None, (contained, smallest, needed)))
        return f"{sign} {self.numbers}" + (f" [{power}]" if power else "")


@dataclass(frozen=True)
class Evidence:
    """Observations, the data sets that they are from, and the names of those that gave none."""

    observations: tuple[Observation, ...]
    datasets: tuple[str, ...]
    absent: tuple[str, ...] = ()

    def summed_up(self, *conditions: Observation) -> Evidence:
        """The same evidence with observations about all of it together instead of each; none where there was none."""
        return replace(self, observations=conditions if self.observations else ())


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim and what is behind it; see `treecrf_studies.report.ledger.verdicts`."""

    verdict: str
    test: str = ""
    numbers: str = ""
    explanation: str = ""
    datasets: tuple[str, ...] = ()
    straddled: str = ""
    smallest: str = ""
    n_needed: str = ""
    between: str = ""
    """Of an undecided claim: the best and the worst verdict that its open comparisons leave possible."""
    observations: tuple[Observation, ...] = ()
    beside: tuple[tuple[str, Finding], ...] = ()
    """What stands beside the claim and does not decide it, by its name."""


class Results:
    """The result files of a run in the folder `results` of the settings, which need not exist."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._read: dict[Path, pd.DataFrame | None] = {}
        self.lacking: list[tuple[str, str, str]] = []
        """Study, data set and name of the frames that were asked for in vain."""

    def any_of(self, studies: Iterable[str]) -> bool:
        """Whether a study has results."""
        return any((self.folder / study).is_dir() for study in studies)

    def frame(self, study: str, dataset: str, name: str) -> pd.DataFrame | None:
        """A summary of a data set of a study; None without it, or where nothing says that the set is what it is
        named.

        Another variant or more draws of a set are named after it: "xor_full", "nettalk_binary_30".
        """
        draws = {each.name for each in registry() if each.draws}  # and describes its data sets itself
        description = self.folder / (study if study in draws else "data") / dataset / "description.json"
        is_it = description.is_file() and _is_named_after(dataset, read_json(description)["source"])
        frame = self.table(study, dataset, f"{name}.csv") if is_it else None
        if frame is None:
            self.lacking.append((study, dataset, name))
        return frame

    def table(self, *parts: str) -> pd.DataFrame | None:
        """The frame at a place below the folder; None if there is none."""
        path = self.folder.joinpath(*parts)
        if path not in self._read:
            file = frame_file(path)
            self._read[path] = None if file is None else read_frame(file)
        return self._read[path]


def _is_named_after(dataset: str, source: str) -> bool:
    """Whether a data set is what it is named, or a variant whose name begins with that and is no other data set's."""
    return dataset == source or (dataset.startswith(f"{source}_") and dataset not in datasets.names())


def gather(named: Iterable[str], observe: Callable[[str], Iterable[Observation]]) -> Evidence:
    """Observe on each data set that a claim names; no observation where its results lack what the claim needs."""
    by_dataset = {name: tuple(observe(name)) for name in named}
    return Evidence(
        tuple(each for group in by_dataset.values() for each in group),
        tuple(name for name, observations in by_dataset.items() if observations),
        tuple(name for name, observations in by_dataset.items() if not observations),
    )


def merge(parts: Iterable[Evidence]) -> Evidence:
    """The evidence of several parts of a claim; a data set without results of one of them is absent."""
    parts = tuple(parts)
    absent = tuple(dict.fromkeys(each for part in parts for each in part.absent))
    return Evidence(
        tuple(each for part in parts for each in part.observations),
        tuple(dict.fromkeys(each for part in parts for each in part.datasets if each not in absent)),
        absent,
    )


def judge(
    evidence: Evidence,
    test: str,
    enough: Fraction = HOLDS,
    partly: Fraction = HALF,
    quorum: int | None = None,
    needs: str = NEEDS,
) -> Finding:
    """The verdict on a claim; `test` says what decides whether an observation holds, `needs` what absent sets lack.

    Not run: fewer than `quorum` of the data sets that it is about have results (all are needed unless given).
    Replicated: the share `enough` of the observations holds. Partly: the mean of their degrees is `partly`. Shares, so
    that a data set beyond the quorum that did not run counts neither for nor against. Undecided: the verdict depends on
    observations that tests or repeated measurements leave open; but what holds in part whatever tests leave open is
    "partly".
    """
    observations, n_run = evidence.observations, len(evidence.datasets)
    if not n_run:
        return Finding(NOT_RUN, test, explanation=f"Not run: the run has no {needs} for {with_and(evidence.absent)}.")
    n_needed = n_run + len(evidence.absent) if quorum is None else quorum
    if n_run < n_needed:
        known = (
            f"Not run: the claim needs {n_needed} data sets, and the run has {with_and(evidence.datasets)} alone. "
            f"It has no {needs} for {with_and(evidence.absent)}."
        )
        return Finding(NOT_RUN, test, _numbers(evidence), known, evidence.datasets)
    worst = _verdict([each.degree for each in observations], enough, partly)
    best = _verdict([each.degree if each.best is None else each.best for each in observations], enough, partly)
    open_times = any(each.is_time and not each.is_decided for each in observations)
    verdict = worst if worst == best or (worst == PARTLY and not open_times) else UNDECIDED
    straddled, smallest, wanted = (
        "; ".join(filter(None, (getattr(each, name) for each in observations if verdict == UNDECIDED)))
        for name in ("straddled", "smallest", "n_needed")
    )
    explanation = _explain(verdict, observations)
    between = f"{best} or {worst}".replace("_", " ") if verdict == UNDECIDED else ""
    return Finding(
        verdict, test, _numbers(evidence), explanation, evidence.datasets, straddled, smallest, wanted, between
    )


def _verdict(degrees: Sequence[Fraction], enough: Fraction, partly: Fraction) -> str:
    """The verdict that observations of these degrees give."""
    if degrees.count(HOLDS) >= enough * len(degrees):
        return REPLICATED
    return PARTLY if sum(degrees, Fraction(0)) >= partly * len(degrees) else NOT_REPLICATED


def _numbers(evidence: Evidence) -> str:
    """What was measured, and where nothing was."""
    measured = [each.line for each in evidence.observations]
    return "; ".join([*measured, *([f"not run: {', '.join(evidence.absent)}"] if evidence.absent else [])])


def _explain(verdict: str, observations: Sequence[Observation]) -> str:
    """One sentence that says where the observations differ from the claim, or what leaves them open."""
    if verdict == REPLICATED:
        return ""
    if verdict == UNDECIDED:
        open_ones = "; ".join(each.difference for each in observations if not each.is_decided)
        return f"Not decided by what was measured: {open_ones}."
    n_held = sum(each.degree == HOLDS for each in observations)
    differences = "; ".join(each.difference for each in observations if each.degree != HOLDS)
    if len(observations) == 1:
        return f"Here {differences}."
    shown = f"It is shown in {n_held or 'none'} of {len(observations)} measurements"
    n_open = sum(not each.is_decided for each in observations)
    undecided = f", {n_open} {'is' if n_open == 1 else 'are'} not decided" if n_open else ""
    return f"{shown}{undecided}; not in these: {differences}."
