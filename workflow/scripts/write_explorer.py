"""The page to explore the results of the run.

Outputs
-------
One HTML file that needs no other file and no network.
"""

from _job import job
from treecrf_studies.explorer.page import write_explorer
from treecrf_studies.framework.settings import load_settings

with job(snakemake, noted=False):
    write_explorer(load_settings(snakemake.params.settings))
