"""Check what the papers claim against the results of the run.

Outputs
-------
csv, html : the verdicts, see `treecrf.report.ledger.verdicts`
"""

from _job import job
from treecrf.report.ledger import verdicts
from treecrf.report.ledger_page import write_ledger

with job(snakemake):
    write_ledger(verdicts(snakemake.params.results), snakemake.output.csv, snakemake.output.html)
