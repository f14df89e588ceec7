"""Compile the numerical routines of a study once, before many jobs want them at the same time.

Outputs
-------
JSON with the version of numba.
"""

from numba import __version__

from _job import find_study, job
from treecrf.io.files import write_json

with job(snakemake):
    find_study(snakemake.params.study).module("jobs").warm_kernels()
    write_json({"numba": __version__}, snakemake.output[0])
