"""One job of a study: calls its function once for each method.

Outputs
-------
The frames that the function returns, Parquet or CSV; see `treecrf_studies.framework.study.Job`.
"""

from _context import context_of, job_cache_of
from _job import find_study, job
from treecrf.io.files import stacked, write_frame

with job(snakemake):
    study = find_study(snakemake.params.study)
    module, function = snakemake.params.function.split(".")
    cache = job_cache_of(snakemake)
    call = getattr(study.module(module), function)
    methods = snakemake.params["values"]["settings"]
    results = [call(context_of(snakemake, study, method, cache)) for method in methods]
    outcomes = [result if isinstance(result, tuple) else (result,) for result in results]
    for path, frames in zip(snakemake.output, zip(*outcomes, strict=True), strict=True):
        write_frame(stacked(frames), path)
cache.clear()
