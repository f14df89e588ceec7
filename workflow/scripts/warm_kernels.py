"""Compile the numerical routines once, before many jobs want them at the same time.

Outputs
-------
JSON with the version of numba.
"""

from numba import __version__

from _job import job
from treecrf.io.files import write_json
from treecrf.studies.future import jobs as future
from treecrf.studies.missing import jobs as missing
from treecrf.studies.training import jobs as training

with job(snakemake):
    training.warm_kernels()
    missing.warm_kernels()
    future.warm_kernels()
    write_json({"numba": __version__}, snakemake.output[0])
