"""Loading of labellers: their classes by name, and fitted ones from files."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import quoted
from treecrf.io.npz import read_npz
from treecrf.models.base import FORMAT, Labeller
from treecrf.models.chains import ChainLabeller
from treecrf.models.inputs import Inputs
from treecrf.models.registry import CLASS_PATHS, WRAPPERS

_PATHS = CLASS_PATHS | WRAPPERS


def load_class(class_path: str) -> type[ChainLabeller]:
    """The class that ``module:Class`` names; nothing else of the registry is loaded."""
    module, _, name = class_path.partition(":")
    return getattr(import_module(module), name)


def load(path: str | os.PathLike[str]) -> Labeller:
    """Read a labeller that `Labeller.save` wrote; a ValueError names the file if it is something else."""
    return rebuild(*read_npz(path, FORMAT), os.fspath(path))


def rebuild(header: dict[str, Any], arrays: dict[str, NDArray[Any]], place: str) -> Labeller:
    """The labeller that `Labeller.contents` described; a ValueError names the place that they are from."""
    name = header.get("class")
    try:
        kind = _class_named(name)
    except LookupError:
        raise ValueError(
            f"{place} holds a {quoted(name)}, which is not known; import the module that has it."
        ) from None
    try:
        model = kind(**kind._params_from_file(header["params"]))
        model.inputs_ = Inputs.from_described(header)
        model.label_names_ = tuple(header["label_names"])
        model._classes = np.array(header["classes"])
        model._restore(header["values"], arrays)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{place} holds a {name} of another version of treecrf ({quoted(str(error))}); train it again."
        ) from error
    return model


def describe_untrained(labeller: Labeller) -> dict[str, Any]:
    """Class and settings of a labeller as JSON values, for one that has it as a setting."""
    return {"class": type(labeller).__name__, "params": labeller._params_for_file()}


def build_untrained(described: dict[str, Any]) -> Labeller:
    """The labeller, not trained, that `describe_untrained` described."""
    kind = _class_named(described["class"])
    return kind(**kind._params_from_file(described["params"]))


def _class_named(name: Any) -> type[Labeller]:
    """The class of a labeller, which is imported if it is this package's."""
    if isinstance(name, str) and name in _PATHS:
        load_class(_PATHS[name])
    return Labeller.registry[str(name)]
