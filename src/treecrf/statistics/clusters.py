"""What a cluster of positions may be in a test."""

GROUP, BLOCK = "group", "block"
"""A group of related sequences, or a block of consecutive lines of one."""
