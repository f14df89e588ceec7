"""The settings that a job runs with, by their keys in the configuration, and which differ from former ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_OF_DATASET = ("source", "window")

_NO_SETTINGS = ("settings", "options", "own_code", "protocol", "stand_in", "stand_ins")
"""Values of a job that come from code, or hold several settings."""


def settings_of(params: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """What the parameters of a job hold of the configuration, by keys such as ``training.max_leaves``."""
    values, study = params.get("values"), params.get("study", "")
    if values is None:
        values = {name: params[name] for name in ("source", "options", "window") if name in params}
    found = _options(values["options"], dataset) if "options" in values else {}
    for name, value in values.items():
        if name not in _NO_SETTINGS:
            place = f"datasets.{dataset}." if name in _OF_DATASET else "" if name == "seed" else f"{study}."
            found[place + name] = value
    for settings in values.get("settings", {}).values():
        for name, value in (settings or {}).items():
            if not name.endswith("datasets"):
                found[f"{study}.{name}"] = value.get(dataset) if name == "overrides" else value
    return found


def _options(options: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Options of `treecrf_studies.datasets.load`: of a table, the keys of its data set; of others those below ``options``."""
    if "path" in options:
        return {name if name == "seed" else f"datasets.{dataset}.{name}": value for name, value in options.items()}
    places = {"raw": "raw", "groups": f"datasets.{dataset}.groups"}
    found = {place: options[name] for name, place in places.items() if name in options}
    rest = {name: value for name, value in options.items() if name not in places}
    return found | {f"datasets.{dataset}.options": rest}


def changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Key, former and new value (JSON) of each setting that differs; what is only added, such as a method, does not."""
    for key in sorted(before.keys() & now.keys()):
        old, new = before[key], now[key]
        if key.endswith(".methods") and {*old} <= {*new}:
            continue
        if key.endswith(".labellers"):
            old, new = ({name: each[name] for name in before[key].keys() & now[key].keys()} for each in (old, new))
        former, later = (json.dumps(value, sort_keys=True) for value in (old, new))
        if former != later:
            yield key, former, later
