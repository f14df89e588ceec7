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
    from treecrf.models.future import FutureFeatureMEMM
    from treecrf.models.future_treecrf import FutureFeatureTreeCRF
    from treecrf.models.induced import InducedCRF
    from treecrf.models.linear import LinearCRF
    from treecrf.models.mallet import MalletCRF
    from treecrf.models.memm import MEMM, SlidingWindow
    from treecrf.models.smile import SmileCRF
    from treecrf.models.treecrf import TreeCRF
    from treecrf.models.window_classifiers import NeuralNetwork, WindowLightGBM
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
    "MEMM": "treecrf.models.memm",
    "FutureFeatureMEMM": "treecrf.models.future",
    "FutureFeatureTreeCRF": "treecrf.models.future_treecrf",
    "InducedCRF": "treecrf.models.induced",
    "LinearCRF": "treecrf.models.linear",
    "MalletCRF": "treecrf.models.mallet",
    "NeuralNetwork": "treecrf.models.window_classifiers",
    "SlidingWindow": "treecrf.models.memm",
    "SmileCRF": "treecrf.models.smile",
    "TreeCRF": "treecrf.models.treecrf",
    "WindowLightGBM": "treecrf.models.window_classifiers",
}
"""Modules of the labellers; under their full names, so that `treecrf.code_digest` finds them."""


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
