"""Labellers that only papers have, and the catalogue of all methods. A class is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treecrf_studies.methods.catalogue import CLASS_PATHS

if TYPE_CHECKING:  # for editors and type checkers alone, which cannot read the catalogue
    from treecrf_studies.methods.coded_crf import CodedCRF as CodedCRF
    from treecrf_studies.methods.future.future_memm import FutureFeatureMEMM as FutureFeatureMEMM
    from treecrf_studies.methods.future.future_memm import FutureFeatureTreeCRF as FutureFeatureTreeCRF
    from treecrf_studies.methods.java.mallet import MalletCRF as MalletCRF
    from treecrf_studies.methods.java.smile import SmileCRF as SmileCRF
    from treecrf_studies.methods.kernel.kernel_crf import KernelCRF as KernelCRF

__all__ = sorted(CLASS_PATHS)


def load_class(class_path: str) -> Any:
    """The class that ``module:Class`` names, of this package or of the library.

    The library's own loader would hide from `CodeGraph` that callers run the classes of this catalogue.
    """
    module, _, name = class_path.partition(":")
    return getattr(import_module(module), name)


def __getattr__(name: str) -> Any:
    if name not in CLASS_PATHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = load_class(CLASS_PATHS[name])
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
