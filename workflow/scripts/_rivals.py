"""What an export and an import of rivals have in common: the sets of a job, and what all methods share on them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

from _arguments import settings_of
from treecrf.sequences import SequenceSet
from treecrf.studies.rivals import RivalJob, Rivals, set_digest

if TYPE_CHECKING:
    import pandas as pd

    from treecrf.studies.study import Study


def load_sets(paths: Mapping[str, Any]) -> dict[str, SequenceSet]:
    """The sets of a job by side; of several draws by side and number."""
    sides = {side: path for side, path in paths.items() if isinstance(path, str)}
    draws = {f"{side} {i}": path for side in paths if side not in sides for i, path in enumerate(paths[side])}
    return {side: SequenceSet.load(path) for side, path in (sides | draws).items()}


def digests_of(sets: Mapping[str, SequenceSet]) -> dict[str, str]:
    """What tells the sets from others."""
    return {side: set_digest(data) for side, data in sets.items()}


def shared_by(
    study: Study, dataset: str, method: str, values: Mapping[str, Any], sets: Mapping[str, SequenceSet]
) -> dict[str, pd.DataFrame]:
    """What all methods of a study share on a data set."""
    function = study.module("shared").shared
    known = {"dataset": dataset, "settings": settings_of(study, values, method), **sets, **values_of(values)}
    return function(**{name: known[name] for name in signature(function).parameters})


def values_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a job is given beside settings and data."""
    return {name: value for name, value in values.items() if name != "settings"}


def imported(snakemake: Any, study: Study, function: str, method: str) -> tuple[pd.DataFrame, ...]:
    """What a method of a job found in the run that wrote the file of rivals; a ValueError if its data were others."""
    rivals, dataset, values = Rivals(snakemake.input.rivals), snakemake.wildcards.dataset, snakemake.params["values"]
    job = RivalJob(study.name, function, dataset, method)
    given = {name: path for name, path in snakemake.input.items() if name in ("train", "validation", "test")}
    sets = load_sets({name: path if isinstance(path, str) else list(path) for name, path in given.items()})
    rivals.refuse_other_data(job, digests_of(sets))
    if function == study.shares:
        shared = shared_by(study, dataset, method, values, sets)
        rivals.refuse_other_parts(RivalJob(study.name, "shared", dataset), shared)
    frames = rivals.frames(job)
    return tuple(frames[name] for name, _ in snakemake.output.items())
