"""One job of a study: calls its function with what the function's parameters name.

Outputs
-------
The frames that the function returns, Parquet or CSV; see `treecrf.studies.study.Job`.
"""

from _job import arguments_of, find_study, job, pieces_of
from treecrf.io.files import write_frame

with job(snakemake):
    study = find_study(snakemake.params.study)
    module, function = snakemake.params.function.split(".")
    pieces = pieces_of(snakemake)
    call = getattr(study.module(module), function)
    found = call(**arguments_of(snakemake, study, call, pieces))
    frames = found if isinstance(found, tuple) else (found,)
    for path, frame in zip(snakemake.output, frames, strict=True):
        write_frame(frame, path)
pieces.clear()
