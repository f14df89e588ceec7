"""Check what the papers claim against the results of the run.

Outputs
-------
csv, by_rule, compared : see `treecrf_studies.report.ledger`
html : the list of claims
"""

from _job import job
from treecrf_studies.report.claim_pages import write_list
from treecrf_studies.report.ledger import write_ledger

with job(snakemake):
    write_ledger(snakemake.params.results, snakemake.params.decides)
    write_list(snakemake.params.results, snakemake.output.html)
