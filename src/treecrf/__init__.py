"""Sequence labelling with conditional random fields whose potentials are sums of regression trees."""

# from treecrf import datasets
#from treecrf.models.base import load
#from treecrf.models.treecrf import TreeCRF
from treecrf.sequences import MISSING, Attribute, SequenceSet

__all__ = ["MISSING", "Attribute", "SequenceSet", "TreeCRF", "datasets", "load"]
