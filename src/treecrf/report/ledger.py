"""All claims and the verdicts on them."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from treecrf.io.messages import repeated
from treecrf.studies import registry
from treecrf.studies.claim_rows import check_claim
from treecrf.studies.claims import NOT_RUN, Finding, Results

LATER = "later_claims.yaml"
"""The file with the claims of studies that do not exist yet."""

SNAPSHOT = "provenance.json"
"""A file that the folder of a snapshot has, and that of a run has not."""

PAPERS = "PMIUE"
"""The letters that ids of claims begin with, in the order of the ledger: PhD, MS, ICML, UAI, ESPBoost."""

COLUMNS = [
    "id", "source", "statement", "check", "verdict", "data_sets", "numbers", "test", "explanation",
]  # fmt: skip


def claim_rows() -> list[dict[str, Any]]:
    """The rows of all files, each with one key more: "study" (its `Study`) or "reason" (why it is not checked)."""
    rows = [
        row | {"study": study}
        for study in registry()
        for row in _read(study.module_name("claims").rpartition(".")[0], "claims.yaml")
    ]
    rows += [row | {"reason": later["reason"]} for later in _read(__package__, LATER) for row in later["claims"]]
    if twice := repeated(row["id"] for row in rows):
        raise ValueError(f"claims.yaml: the claim {twice} appears twice; give one of the two another id.")
    return sorted(rows, key=lambda row: _number(row["id"]))


def later_claims() -> frozenset[str]:
    """The ids of the claims whose study does not exist yet."""
    return frozenset(row["id"] for row in claim_rows() if "reason" in row)


def verdicts(results: str | os.PathLike[str] = "results") -> pd.DataFrame:
    """What the results of a run say of every claim of the papers.

    A claim is "not_run" unless all data sets that it is about were run, or as many as its row asks for (`quorum`); one that
    was not run beyond these counts neither for nor against it. A data set counts only if its
    ``description.json`` says that its data are those of its name.

    Parameters
    ----------
    results : path-like
        The folder with the results (``results/demo`` after ``make demo``), or the evidence of a snapshot
        (``docs/results/evidence``); it may be empty or not there, or hold some studies only.

    Returns
    -------
    DataFrame
        One row per claim, paper by paper.

        id, source, statement, check
            As in the ``claims.yaml`` of the study.
        verdict
            "replicated", "partly", "not_replicated" or "not_run".
        data_sets
            The data sets behind the verdict.
        numbers, test
            What was measured, and what decides whether it agrees with the claim.
        explanation
            One sentence: where the numbers differ from the claim, or why it was not checked; empty if it is replicated.

    Raises
    ------
    ValueError
        If the folder is a snapshot (``docs/results``), whose evidence is one level below.
    """
    if (Path(results) / SNAPSHOT).is_file():
        raise ValueError(
            f"{results} has the tables of a snapshot, not the results behind them; name its folder evidence, or that of a "
            "run, such as results."
        )
    found = Results(results)
    return pd.DataFrame([row | _verdict(_find(row, found)) for row in claim_rows()])[COLUMNS]


def read_verdicts(results: str | os.PathLike[str]) -> pd.DataFrame:
    """The verdicts that the run has written to ``claims.csv``."""
    return pd.read_csv(Path(results) / "claims.csv", keep_default_na=False)


def _read(package: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load(files(package).joinpath(name).read_text(encoding="utf-8"))
    return rows


def _number(claim: str) -> tuple[int, ...]:
    """The place of a claim: that of its paper in `PAPERS`, then its numbers."""
    if claim[0] not in PAPERS:
        raise ValueError(
            f"claims.yaml: the id {claim} begins with none of {', '.join(PAPERS)}; add the paper to PAPERS."
        )
    return PAPERS.index(claim[0]), *map(int, claim[1:].split("."))


def _find(row: dict[str, Any], results: Results) -> Finding:
    if "reason" in row:
        return Finding(NOT_RUN, explanation=row["reason"])
    if not results.any_of(study.name for study in registry()):
        return Finding(
            NOT_RUN,
            explanation=f"{results.folder} has no results of a study; name the folder of a run, such as results/demo.",
        )
    return check_claim(row, row["study"].module("claims"), results)


def _verdict(finding: Finding) -> dict[str, object]:
    return {
        "verdict": finding.verdict,
        "data_sets": ", ".join(finding.datasets),
        "numbers": finding.numbers,
        "test": finding.test,
        "explanation": finding.explanation,
    }
