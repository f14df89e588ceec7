"""What a rule gives to a function of a study."""

from __future__ import annotations

from typing import Any

from treecrf.io.files import sha256
from treecrf_studies.framework.jobs import JobContext, Portion, StoredJobCache, read_job
from treecrf_studies.framework.study import Study


def job_cache_of(snakemake: Any, portion: Portion | None = None) -> StoredJobCache:
    """The finished parts of a job beside its first output: of a killed attempt, and of portions of it."""
    same = {"params": dict(snakemake.params.items()), "inputs": {path: sha256(path) for path in snakemake.input}}
    job = {"wildcards": dict(snakemake.wildcards.items()), **same}
    cache = StoredJobCache(f"{snakemake.output[0]}.cache", job, portion)
    for path in snakemake.input.get("portions", ()):
        cache.add(path)
    return cache


def context_of(snakemake: Any, study: Study, method: str, cache: StoredJobCache) -> JobContext[Any]:
    """The context of one of the job's methods."""
    dataset = snakemake.wildcards.get("dataset", "")
    return read_job(study, snakemake.params["values"], dict(snakemake.input.items()), dataset, method, cache.of(method))
