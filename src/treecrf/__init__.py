"""Sequence labelling with conditional random fields whose potentials are sums of regression trees.

Names are loaded when they are first used: what needs no labeller, such as the help of the command line, starts
without the compiled kernels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treecrf import moved
from treecrf.models.registry import CLASS_PATHS, WRAPPERS

if TYPE_CHECKING:  # for editors and type checkers alone, which cannot read the registry
    from treecrf import chain as chain
    from treecrf import metrics as metrics
    from treecrf import missing as missing
    from treecrf.ensembles.labeller import Ensemble as Ensemble
    from treecrf.ensembles.sequential import StackedSequential as StackedSequential
    from treecrf.estimators.conversion import as_set as as_set
    from treecrf.models.boosted.treecrf import MEMM as MEMM
    from treecrf.models.boosted.treecrf import SlidingWindow as SlidingWindow
    from treecrf.models.boosted.treecrf import TreeCRF as TreeCRF
    from treecrf.models.linear.crfsuite import CRFSuite as CRFSuite
    from treecrf.models.linear.induced_crf import InducedCRF as InducedCRF
    from treecrf.models.linear.linear_crf import LinearCRF as LinearCRF
    from treecrf.models.linear.perceptron import VotedPerceptron as VotedPerceptron
    from treecrf.models.neural.neural_crf import NeuralCRF as NeuralCRF
    from treecrf.models.persistence import load as load
    from treecrf.models.window.classifiers import NeuralNetwork as NeuralNetwork
    from treecrf.models.window.classifiers import WindowLightGBM as WindowLightGBM
    from treecrf.readers.reading import load_table as load_table
    from treecrf.sequences import MISSING as MISSING
    from treecrf.sequences import Attribute as Attribute
    from treecrf.sequences import SequenceSet as SequenceSet

_PATHS = {
    **dict.fromkeys(("chain", "metrics", "missing"), ""),
    **{name: f"treecrf.sequences:{name}" for name in ("MISSING", "Attribute", "SequenceSet")},
    "as_set": "treecrf.estimators.conversion:as_set",
    "load": "treecrf.models.persistence:load",
    "load_table": "treecrf.readers.reading:load_table",
    **CLASS_PATHS,
    "StackedSequential": WRAPPERS["StackedSequential"],
}
"""``module:name`` of everything that the package offers; a module's is empty."""

__all__ = sorted(_PATHS)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _PATHS:
        raise AttributeError(moved.place(f"{__name__}.{name}") or f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PATHS[name].partition(":")
    value = getattr(import_module(module), attribute) if module else import_module(f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
