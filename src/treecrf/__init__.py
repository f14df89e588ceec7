"""Sequence labelling with conditional random fields whose potentials are sums of regression trees."""

from treecrf._kernel_cache import kernel_cache

with kernel_cache():
    from treecrf import chain
    from treecrf.models.base import load
    from treecrf.models.linear import LinearCRF
    from treecrf.models.memm import MEMM
    from treecrf.models.treecrf import TreeCRF
from treecrf import datasets, missing
from treecrf.sequences import MISSING, Attribute, SequenceSet

__all__ = [
    "MEMM",
    "MISSING",
    "Attribute",
    "LinearCRF",
    "SequenceSet",
    "TreeCRF",
    "chain",
    "datasets",
    "load",
    "missing",
]
