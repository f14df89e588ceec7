"""Values and columns of this study's frames."""

CHUNK_NAMES = ("precision", "recall", "f1")
"""Columns about noun phrases, in percent."""

LINE = ["dataset", "method", "window", "size"]
"""Columns that tell the points of lines apart: observations of a window; bits of a code, labels of a beam, else 0."""
