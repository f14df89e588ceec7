"""Compile the numerical routines once, before many jobs want them at the same time.

Outputs
-------
JSON with the version of numba.
"""

from numba import __version__

from _job import job
from treecrf.io.files import write_json
from treecrf.studies import registry

with job(snakemake):
    for study in registry():
        if study.warms:
            study.module("jobs").warm_kernels()
    write_json({"numba": __version__}, snakemake.output[0])
