"""A portion of a long job of a study: some of the parts that do not depend on each other, before the job itself.

Outputs
-------
The finished parts, in one file that the job reads; see `treecrf_studies.framework.jobs.StoredJobCache`.
"""

from contextlib import suppress

from _context import context_of, job_cache_of
from _job import find_study, job
from treecrf_studies.framework.jobs import Portion, PortionDone

with job(snakemake):
    study = find_study(snakemake.params.study)
    module, function = snakemake.params.function.split(".")
    cache = job_cache_of(snakemake, Portion(*snakemake.params.portion))
    call = getattr(study.module(module), function)
    (method,) = snakemake.params["values"]["settings"]
    with suppress(PortionDone):
        call(context_of(snakemake, study, method, cache))
    cache.pack(snakemake.output[0])
cache.clear()
