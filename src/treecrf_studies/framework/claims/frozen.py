"""A digest of what decides the claims, which shows whether the ledger's rules are those frozen before the results.

What decides is the data, the comparison, the test's level, margins, thresholds and shares of every row; texts and the
names of functions do not count, so that rewording and moving code leave the digest as it is. ``python -m
treecrf_studies.framework.claims.frozen`` freezes the rules as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from treecrf.io.files import write_json
from treecrf_studies.framework.claims.rows import TEXTS, Row
from treecrf_studies.registry import registry

FILE = "frozen.json"
"""Beside this module: the digest of the rules when they were frozen."""

LENGTH = 12
"""Digits of a digest."""

NAMES_OF_CODE = ("measure", "sum_up")
"""Keys of a row whose values are functions."""

CHANGED = (
    "What decides claims (the claims.yaml of studies) differs from the frozen rules; check it and run "
    "python -m treecrf_studies.framework.claims.frozen."
)


@cache
def claims_of(package: str) -> list[dict[str, Any]]:
    """The rows of the claims.yaml of a study's package."""
    rows: list[dict[str, Any]] = yaml.safe_load(files(package).joinpath("claims.yaml").read_text(encoding="utf-8"))
    return rows


def deciding(row: Row) -> dict[str, Any]:
    """The values of a row that a verdict depends on; of a reason for no verdict, that there is one."""
    kept = {name: value for name, value in row.items() if name not in (*TEXTS, *NAMES_OF_CODE)}
    if "no_verdict" in kept:
        kept["no_verdict"] = bool(kept["no_verdict"])
    return {name: _deciding(value) for name, value in kept.items()}


def _deciding(value: Any) -> Any:
    if isinstance(value, Mapping):
        return deciding(value)
    return [_deciding(each) for each in value] if isinstance(value, list) else value


@cache
def rules_digest() -> str:
    """The digest (SHA-256, `LENGTH` digits) of what decides every claim."""
    packages = [study.module_name("claims").rpartition(".")[0] for study in registry()]
    rows = {row["id"]: deciding(row) for package in packages for row in claims_of(package)}
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:LENGTH]


def is_frozen() -> bool:
    """Whether the rules are the frozen ones."""
    return bool(json.loads(_file().read_text(encoding="utf-8"))["digest"] == rules_digest())


def rules_text() -> str:
    """The rules in a word: their digest, and whether they are the frozen ones."""
    return f"{rules_digest()} ({'frozen' if is_frozen() else 'changed after freezing'})"


def freeze() -> None:
    """Write the digest of the rules as they are."""
    write_json({"digest": rules_digest()}, _file())


def _file() -> Path:
    return Path(__file__).with_name(FILE)


if __name__ == "__main__":
    freeze()
    print(f"frozen: {rules_digest()}")
