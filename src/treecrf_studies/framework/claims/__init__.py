"""The claims of the papers: rows of YAML, kinds that judge what was measured, verdicts."""
