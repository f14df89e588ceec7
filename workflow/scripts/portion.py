"""A portion of a long job of a study: some of the parts that do not depend on each other, before the job itself.

Outputs
-------
The finished parts, in one file that the job reads; see `treecrf.studies.stored_pieces.StoredPieces`.
"""

from contextlib import suppress

from _arguments import arguments_of, pieces_of
from _job import find_study, job
from treecrf.studies.stored_pieces import Portion, PortionDone

with job(snakemake):
    study = find_study(snakemake.params.study)
    module, function = snakemake.params.function.split(".")
    pieces = pieces_of(snakemake, Portion(*snakemake.params.portion))
    call = getattr(study.module(module), function)
    (method,) = snakemake.params["values"]["settings"]
    with suppress(PortionDone):
        call(**arguments_of(snakemake, study, call, method, pieces))
    pieces.pack(snakemake.output[0])
pieces.clear()
