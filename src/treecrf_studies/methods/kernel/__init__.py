"""Conditional random fields in the space of a kernel."""
