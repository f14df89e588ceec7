"""Changes between the manifests of two runs: settings, code, versions, machine, raw files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from treecrf.report.comparing.runs import Run

COLUMNS = ["kind", "name", "from", "to"]

KINDS = {"setting": "settings", "code": "code", "version": "versions", "machine": "machine", "raw file": "raw_files"}
"""What may change, in the order in which it is shown, and what a manifest calls it; "code" is a commit or a digest of a study's code."""

ABSENT = ""


def find_changes(one: Run, other: Run) -> pd.DataFrame:
    """Everything that the manifests say differently; `COLUMNS`, as texts, empty where one of them has nothing.

    There are no rows of a kind that one of them does not know, nor any where a run has no manifest.
    """
    before, after = _by_kind(one.manifest), _by_kind(other.manifest)
    rows = [
        (kind, name, *_texts(before[kind].get(name, ABSENT), after[kind].get(name, ABSENT)))
        for kind, key in KINDS.items()
        if key in one.manifest and key in other.manifest
        for name in dict.fromkeys([*before[kind], *after[kind]])
        if before[kind].get(name, ABSENT) != after[kind].get(name, ABSENT)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _by_kind(manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    commit = {"commit": manifest["commit"]} if manifest.get("commit") else {}
    return {
        "setting": dict(_leaves(manifest.get("settings", {}))),
        "code": commit | manifest.get("code", {}),
        "version": manifest.get("versions", {}),
        "machine": dict(_leaves({"machine": manifest.get("machine", ABSENT)})),
        "raw file": {f"{file['data set']}: {file['file']}": file["SHA-256"] for file in manifest.get("raw_files", [])},
    }


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values in nested mappings, by their names with points between."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _texts(before: Any, after: Any) -> tuple[str, str]:
    """Two values; of two lists only what the other one does not have."""
    if (
        isinstance(before, list)
        and isinstance(after, list)
        and all(isinstance(part, str) for part in (*before, *after))
    ):
        only = [[part for part in one if part not in other] for one, other in ((before, after), (after, before))]
        if any(only):
            shared = ["…"] if set(before) & set(after) else []
            return _text([*shared, *only[0]]), _text([*shared, *only[1]])
    return _text(before), _text(after)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
