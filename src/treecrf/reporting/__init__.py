"""Published values, tables and pages, and the ledger of claims."""

from treecrf.reporting.claims import verdicts

__all__ = ["verdicts"]
