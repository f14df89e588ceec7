"""Values that columns of this study's frames have."""

BETTER = "better"
"""Of `decoder`: the decoder that cross-validation prefers (table 3.5 shows one number)."""
