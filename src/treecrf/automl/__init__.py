"""Training, use and description of labellers, one file at a time."""
