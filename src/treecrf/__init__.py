"""Sequence labelling with conditional random fields whose potentials are sums of regression trees."""

from treecrf._kernel_cache import kernel_cache

with kernel_cache():
    from treecrf import chain
    from treecrf.models.base import load
    from treecrf.models.future import FutureFeatureMEMM
    from treecrf.models.future_treecrf import FutureFeatureTreeCRF
    from treecrf.models.induced import InducedCRF
    from treecrf.models.linear import LinearCRF
    from treecrf.models.mallet import MalletCRF
    from treecrf.models.memm import MEMM, SlidingWindow
    from treecrf.models.smile import SmileCRF
    from treecrf.models.treecrf import TreeCRF
    from treecrf.models.window_classifiers import NeuralNetwork, WindowLightGBM
from treecrf import datasets, missing
from treecrf.sequences import MISSING, Attribute, SequenceSet

__all__ = [
    "MEMM",
    "MISSING",
    "Attribute",
    "FutureFeatureMEMM",
    "FutureFeatureTreeCRF",
    "InducedCRF",
    "LinearCRF",
    "MalletCRF",
    "NeuralNetwork",
    "SequenceSet",
    "SlidingWindow",
    "SmileCRF",
    "TreeCRF",
    "WindowLightGBM",
    "chain",
    "datasets",
    "load",
    "missing",
]
