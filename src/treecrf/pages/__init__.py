"""Self-contained HTML pages about a model on a file: the viewer of sequences, and an evaluation."""
