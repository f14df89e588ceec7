"""All claims and the verdicts on them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pandas as pd
import yaml

from treecrf.studies.claims import CHECKS, NOT_RUN, Finding, Place, Results
from treecrf.studies.future import claims as future
from treecrf.studies.missing import claims as missing
from treecrf.studies.training import claims as training

LATER = {
    "M": "The study of output coding (MS thesis) does not exist yet.",
    "U": "The study of kernels (UAI 2004) does not exist yet.",
    "E": "The study of ensembles (ESPBoost) does not exist yet.",
}
"""Why a claim cannot be checked, by how its id begins."""

STUDIES = (training, missing, future)
"""Modules whose functions register themselves."""

COLUMNS = [
    "id", "source", "statement", "check", "verdict", "data_sets", "stand_in", "numbers", "test", "explanation",
]  # fmt: skip


def read_claims() -> pd.DataFrame:
    """The claims: id, source, statement, check; in the order of the file ``claims.yaml``."""
    text = files("treecrf.studies.published").joinpath("claims.yaml").read_text(encoding="utf-8")
    return pd.DataFrame(yaml.safe_load(text))[COLUMNS[:4]]


def verdicts(results: str | os.PathLike[str] = "results") -> pd.DataFrame:
    """What the results of a run say of every claim of the papers.

    A data set that was not run counts neither for nor against a claim. Where a claim names FAQ sets that were not run, their
    stand-ins count instead, each once. A data set counts only if its ``description.json`` says that its data are those of its
    name.

    Parameters
    ----------
    results : path-like
        The folder with the results; it may be empty or not there, or hold some studies only.

    Returns
    -------
    DataFrame
        One row per claim, in the order of ``claims.yaml``.

        id, source, statement, check
            As in the file.
        verdict
            "replicated", "partly", "not_replicated" or "not_run".
        data_sets, stand_in
            The data sets behind the verdict, and whether one of them stands in for one of the papers.
        numbers, test
            What was measured, and what decides whether it agrees with the claim.
        explanation
            One sentence: where the numbers differ from the claim, or why it was not checked; empty if it is replicated.
    """
    found = Results(results)
    rows = [claim | _row(_find(str(claim["id"]), found)) for claim in read_claims().to_dict("records")]
    return pd.DataFrame(rows)[COLUMNS]


def read_verdicts(results: str | os.PathLike[str]) -> pd.DataFrame:
    """The verdicts that the run has written to ``claims.csv``."""
    return pd.read_csv(Path(results) / "claims.csv", keep_default_na=False)


def _find(claim: str, results: Results) -> Finding:
    if claim in CHECKS:
        return CHECKS[claim](results)
    reasons = [reason for start, reason in LATER.items() if claim.startswith(start)]
    if not reasons:
        raise ValueError(
            f"claims.yaml: nothing checks the claim {claim}; write a function and register it with its id."
        )
    return Finding(NOT_RUN, explanation=reasons[0])


def _data_sets_text(places: Sequence[Place]) -> str:
    """The data sets, those of the papers first, and then the stand-ins with whom they stand in for."""
    papers = [place.name for place in places if not place.stands_for]
    stand_ins = [place for place in places if place.stands_for]
    parts = [", ".join(papers)] if papers else []
    if stand_ins:
        word = "stand-in" if len(stand_ins) == 1 else "stand-ins"
        parts.append(f"{', '.join(p.name for p in stand_ins)} ({word} for {', '.join(stand_ins[0].stands_for)})")
    return "; ".join(parts)


def _row(finding: Finding) -> dict[str, object]:
    return {
        "verdict": finding.verdict,
        "data_sets": _data_sets_text(finding.places),
        "stand_in": any(place.stands_for for place in finding.places),
        "numbers": finding.numbers,
        "test": finding.test,
        "explanation": finding.explanation,
    }
