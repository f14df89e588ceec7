"""The page that shows the whole run, or one study.

Outputs
-------
One HTML file that needs no other file and no network.
"""

from _job import job
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.page import write_page

with job(snakemake, noted=False):
    write_page(load_settings(snakemake.params.settings), snakemake.params.logs, study=snakemake.params.get("study", ""))
