"""Configuration files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from treecrf.io.messages import quoted

_WRONG_VALUES = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""What YAML's reader raises, besides its own errors, for values such as the date 2020-99-99 or too deep nesting."""

_MOST_BYTES = 1_000_000


def read_configuration(paths: Iterable[str | os.PathLike[str]]) -> dict[Any, Any]:
    """The configuration of several YAML files, each laid over the ones before it key by key, as Snakemake does.

    A ValueError names the file, and the line where YAML tells it.
    """
    merged: dict[Any, Any] = {}
    for path in paths:
        merged = _laid_over(merged, _read(Path(path)))
    return merged


def _laid_over(below: Mapping[Any, Any], above: Mapping[Any, Any]) -> dict[Any, Any]:
    """Both mappings: where both have a mapping under a key, both of these, else the value of `above`."""
    both = {
        key: _laid_over(below[key], value)
        for key, value in above.items()
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
    }
    return {**below, **above, **both}


def _read(path: Path) -> Mapping[Any, Any]:
    data = path.read_bytes()
    if len(data) > _MOST_BYTES:
        raise ValueError(f"configuration {path}: has {len(data):,} bytes, and {_MOST_BYTES:,} are enough; shorten it.")
    try:
        found = yaml.safe_load(data)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        problem = quoted(str(getattr(error, "problem", None) or error))
        raise ValueError(f"configuration {path}{line}: not readable as YAML ({problem}); fix it.") from None
    except _WRONG_VALUES as error:
        raise ValueError(f"configuration {path}: a value is not readable ({quoted(str(error))}); fix it.") from None
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise ValueError(f"configuration {path}: holds {quoted(found)}, not keys with values; fix it.")
    return found
