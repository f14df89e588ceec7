"""Sequence labelling with conditional random fields whose potentials are sums of regression trees."""

from treecrf.sequences import MISSING, Attribute, SequenceSet

__all__ = ["MISSING", "Attribute", "SequenceSet"]
