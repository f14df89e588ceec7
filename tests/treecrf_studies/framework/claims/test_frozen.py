"""The rules of the ledger are the frozen ones, and every claim quotes its paper in few words."""

from treecrf_studies.framework.claims.frozen import CHANGED, is_frozen
from treecrf_studies.framework.claims.rows import QUOTED
from treecrf_studies.report.ledger import claim_rows


def test_the_rules_are_frozen():
    assert is_frozen(), CHANGED


def test_every_claim_quotes_its_paper_shortly():
    for row in claim_rows():
        assert 0 < len(row["quote"].split()) <= QUOTED, row["id"]
        assert row["place"], row["id"]
