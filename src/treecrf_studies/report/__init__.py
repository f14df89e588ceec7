"""The page of a run, the ledger of claims, where numbers come from, the snapshot."""
