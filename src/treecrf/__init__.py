"""Sequence labelling with conditional random fields whose potentials are sums of regression trees.

Names are loaded when they are first used: what needs no labeller, such as the help of the command line, starts
without the compiled kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treecrf import chain, datasets, missing
    from treecrf.models.base import load
    from treecrf.models.boosted.memm import MEMM, SlidingWindow
    from treecrf.models.boosted.treecrf import TreeCRF
    from treecrf.models.future.future_memm import FutureFeatureMEMM
    from treecrf.models.future.future_treecrf import FutureFeatureTreeCRF
    from treecrf.models.java.mallet import MalletCRF
    from treecrf.models.java.smile import SmileCRF
    from treecrf.models.linear.induced_crf import InducedCRF
    from treecrf.models.linear.linear_crf import LinearCRF
    from treecrf.models.window.classifiers import NeuralNetwork, WindowLightGBM
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

_MODULES = ("chain", "datasets", "missing")
_LABELLERS = {
    "MEMM": "treecrf.models.boosted.memm",
    "FutureFeatureMEMM": "treecrf.models.future.future_memm",
    "FutureFeatureTreeCRF": "treecrf.models.future.future_treecrf",
    "InducedCRF": "treecrf.models.linear.induced_crf",
    "LinearCRF": "treecrf.models.linear.linear_crf",
    "MalletCRF": "treecrf.models.java.mallet",
    "NeuralNetwork": "treecrf.models.window.classifiers",
    "SlidingWindow": "treecrf.models.boosted.memm",
    "SmileCRF": "treecrf.models.java.smile",
    "TreeCRF": "treecrf.models.boosted.treecrf",
    "WindowLightGBM": "treecrf.models.window.classifiers",
}
"""Modules of the labellers; under their full names, so that `treecrf.io.code_digest` finds them."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: Any
    if name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    elif name in ("MISSING", "Attribute", "SequenceSet"):
        value = getattr(import_module(f"{__name__}.sequences"), name)
    else:
        modules = {labeller: import_module(module) for labeller, module in _LABELLERS.items()}
        value = import_module(f"{__name__}.models.base").load if name == "load" else getattr(modules[name], name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
