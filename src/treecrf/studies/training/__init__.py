"""Chapter 3: TreeCRF and its rivals, their accuracy."""
