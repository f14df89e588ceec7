"""One job of a study: calls its function with what the function's parameters name, once for each method.

Outputs
-------
The frames that the function returns, Parquet or CSV; see `treecrf.studies.study.Job`.
"""

from _arguments import arguments_of, job_cache_of
from _job import find_study, job
from treecrf.io.files import stacked, write_frame

with job(snakemake):
    study = find_study(snakemake.params.study)
    module, function = snakemake.params.function.split(".")
    cache = job_cache_of(snakemake)
    call = getattr(study.module(module), function)
    found = [
        call(**arguments_of(snakemake, study, call, method, cache)) for method in snakemake.params["values"]["settings"]
    ]
    outcomes = [outcome if isinstance(outcome, tuple) else (outcome,) for outcome in found]
    for path, frames in zip(snakemake.output, zip(*outcomes, strict=True), strict=True):
        write_frame(stacked(frames), path)
cache.clear()
