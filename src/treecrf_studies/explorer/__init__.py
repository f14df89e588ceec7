"""A page to explore the results of a run: one file, no network."""
