"""What a job of a study gives to its function: data, settings, and the parts that an earlier attempt has finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import Any

from treecrf.datasets.synthetic import Splits
from treecrf.io.checksums import sha256
from treecrf.io.files import read_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.stored_job_cache import Portion, StoredJobCache
from treecrf.studies.study import Study


def job_cache_of(snakemake: Any, portion: Portion | None = None) -> StoredJobCache:
    """The finished parts of a job, beside its first output: those of a killed attempt at the same job, and of portions of it."""
    same = {"params": dict(snakemake.params.items()), "inputs": {path: sha256(path) for path in snakemake.input}}
    job = {"wildcards": dict(snakemake.wildcards.items()), **same}
    cache = StoredJobCache(f"{snakemake.output[0]}.cache", job, portion)
    for path in snakemake.input.get("portions", ()):
        cache.add(path)
    return cache


def settings_of(study: Study, values: Mapping[str, Any], method: str) -> Any:
    """The settings of a study for one method of a job, the only one that they name."""
    model = getattr(study.module("settings"), study.settings)
    lists = {"datasets": [], "methods": [method]} if method else {"datasets": []}
    return model(
        **{name: each for name, each in lists.items() if name in model.model_fields} | values["settings"][method]
    )


def arguments_of(
    snakemake: Any, study: Study, function: Callable[..., Any], method: str, cache: StoredJobCache
) -> dict[str, Any]:
    """What the parameters of a study's function name: data, one of the job's methods, and its settings."""
    values, given = snakemake.params["values"], snakemake.input

    def load(side: str) -> SequenceSet:
        return SequenceSet.load(given[side])

    known: dict[str, Callable[[], Any]] = {
        "dataset": lambda: snakemake.wildcards.dataset,
        "method": lambda: method,
        "settings": lambda: settings_of(study, values, method),
        "seed": lambda: values["seed"],
        "source": lambda: values["source"],
        "options": lambda: values["options"],
        "window": lambda: tuple(values["window"]),
        "protocol": lambda: values["protocol"],
        **{side: partial(load, side) for side in ("train", "test")},
        "splits": lambda: {
            seed: Splits(*(SequenceSet.load(path) for path in paths))
            for seed, paths in enumerate(zip(*(given[side] for side in Splits._fields), strict=True))
        },
        "choice": lambda: read_frame(given["choice"]) if given.get("choice") else None,
        "cache": lambda: cache.of(method),
    }
    return {name: known[name]() for name in signature(function).parameters}
