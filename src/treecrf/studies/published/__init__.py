"""The claims of the papers, and published numbers of which no study exists yet."""
