"""Check what the papers claim against the results of the run.

Outputs
-------
csv, by_rule, html : the verdicts, see `treecrf.report.ledger.verdicts` and `treecrf.report.ledger.verdicts_by_rule`
"""

from _job import job
from treecrf.report.ledger import verdicts, verdicts_by_rule
from treecrf.report.ledger_page import write_ledger

with job(snakemake):
    results, decides = snakemake.params.results, snakemake.params.decides
    write_ledger(verdicts(results, decides), verdicts_by_rule(results, decides), results)
