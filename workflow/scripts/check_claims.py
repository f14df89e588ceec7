"""Check what the papers claim against the results of the run.

Outputs
-------
csv, by_rule, compared : see `treecrf_studies.report.ledger`
"""

from _job import job
from treecrf_studies.report.ledger import write_ledger

with job(snakemake):
    write_ledger(snakemake.params.results, snakemake.params.decides)
