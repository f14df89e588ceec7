"""The ledger: what the papers claim, checked against the result files of a run.

The claims are in ``reporting/published/claims.yaml``; a claim is checked by a small function of the module of its study,
which is registered with `treecrf.reporting.claims.core.checks`.
"""

from treecrf.reporting.claims.ledger import verdicts
from treecrf.reporting.claims.page import ledger_fragment, ledger_summary, write_ledger

__all__ = ["ledger_fragment", "ledger_summary", "verdicts", "write_ledger"]
