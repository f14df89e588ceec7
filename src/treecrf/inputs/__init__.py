"""Inputs derived from those of a set: bins of numbers, and what stands at the ends of sequences."""
