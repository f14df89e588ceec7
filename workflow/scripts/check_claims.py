"""Check what the papers claim against the results of the run.

Outputs
-------
csv, html : the verdicts, see `treecrf.reporting.claims.verdicts`
"""

from _job import job
from treecrf.reporting.claims import verdicts, write_ledger

with job(snakemake):
    write_ledger(verdicts(snakemake.params.results), snakemake.output.csv, snakemake.output.html)
