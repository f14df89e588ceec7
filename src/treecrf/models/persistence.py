"""Labellers from files, and labellers within labellers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.checks import ANY, ATTRIBUTES, PARTS, TEXT, TEXTS, check_parts, optional, several
from treecrf.inputs.binning import EDGES
from treecrf.io.arrays import Arrays
from treecrf.io.files import AnyPath
from treecrf.io.messages import listed, quoted, repeated
from treecrf.io.npz import read_npz
from treecrf.models.base import FORMAT, Labeller, prefixed, refuse_rest, take_prefixed
from treecrf.models.inputs import Inputs
from treecrf.models.registry import class_path_of
from treecrf.moved import family


def load_class(class_path: str) -> Any:
    """The class that ``module:Class`` names; nothing else of the registry is loaded."""
    module, _, name = class_path.partition(":")
    return getattr(import_module(module), name)


def load(path: AnyPath) -> Labeller:
    """Read a labeller that `Labeller.save` wrote; a ValueError names the file if it is something else."""
    return rebuild(*read_npz(path, FORMAT), os.fspath(path))


_LIST = several("values", ANY)

HEADER = {
    "format": TEXT,
    "class": TEXT,
    "params": PARTS,
    "label_names": TEXTS,
    "classes": _LIST,
    "values": PARTS,
    "attributes": ATTRIBUTES,
    "number_names": TEXTS,
    "edges": optional(EDGES),
}
"""What the header of every labeller has; the class declares what its settings and values must be."""

_MORE = {"anchored": PARTS, "table": PARTS}
"""What it may have: derived inputs, and the columns of a table (`treecrf.automl.labeller`)."""

_UNFIT = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, MemoryError)
"""Exceptions that a header and arrays raise which do not describe a labeller."""


def rebuild(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], place: str) -> Labeller:
    """The labeller that `Labeller.contents` described.

    Nothing of what they say is believed: settings are checked as in `Labeller.fit`, arrays by the rules that are
    declared with them. A ValueError names the place that they are from, and the part that is wrong.
    """
    name = header.get("class") if isinstance(header, dict) else header
    try:
        kind = _class_named(name)
    except LookupError:
        where = family(str(name)) or "which is not known; import the module that has it"
        raise ValueError(f"{place} holds a {quoted(name)}, {where}.") from None
    try:
        check_parts("the header", header, HEADER, _MORE)
        check_parts("values", header["values"], {**kind._fitted_values, **kind._described})
        model, rest = kind(**_built_params(_former(kind) | header["params"])), dict(arrays)
        model._check_settings()
        model.inputs_ = Inputs.from_described(header)
        model.label_names_, model._classes = _checked_labels(header["label_names"], header["classes"])
        model._restore(header["values"], rest)
        refuse_rest(rest)
    except _UNFIT as error:
        raise ValueError(
            f"{place} holds a {name} that is damaged or of another version of treecrf ({quoted(str(error))}); train it "
            "again."
        ) from error
    return model


def _checked_labels(names: Any, classes: Any) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Names of labels from a file, and the labels themselves."""
    if len(names) < 2 or repeated(names) is not None:
        raise ValueError(f"label_names are {quoted(names)}")
    labels = np.array(classes)
    if labels.shape != (len(names),) or labels.dtype.kind not in "biufU":
        raise ValueError(f"classes are {quoted(classes)}")
    return tuple(names), labels


def packed(name: str, labellers: Iterable[Labeller]) -> tuple[list[dict[str, Any]], Arrays]:
    """The headers of fitted labellers, and their arrays, whose names begin with `name` and the labeller's number."""
    headers, arrays = list[dict[str, Any]](), Arrays()
    for number, labeller in enumerate(labellers):
        header, of_labeller = labeller.contents()
        headers.append(header)
        arrays |= prefixed(f"{name}_{number}", of_labeller)
    return headers, arrays


def unpacked(name: str, headers: list[dict[str, Any]], arrays: Arrays, label_names: tuple[str, ...]) -> list[Any]:
    """The labellers of these labels that `packed` was given; their arrays are taken out."""
    return [
        rebuild_part(header, take_prefixed(f"{name}_{number}", arrays), f"{name} {number}", label_names)
        for number, header in enumerate(headers)
    ]


def rebuild_part(
    header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], place: str, label_names: tuple[str, ...]
) -> Labeller:
    """`rebuild` of a labeller within another one, which has the same labels."""
    part = rebuild(header, arrays, place)
    if part.label_names_ != label_names:
        raise ValueError(f"{place} has the labels {listed(part.label_names_)}, not {listed(label_names)}")
    return part


def _class_named(name: Any) -> type[Labeller]:
    """The class of a labeller, which is imported if a package offers it (`treecrf.models.registry`)."""
    if isinstance(name, str) and (path := class_path_of(name)):
        load_class(path)
    kind = Labeller.registry[str(name)]
    if not kind.is_saved:
        raise LookupError(name)
    return kind


def _former(kind: type[Labeller]) -> dict[str, Any]:
    """Settings that version 0.2 did not write, with what they would have been: it kept all stages."""
    return {"keep_stages": True} if hasattr(kind, "keep_stages") else {}


def _built_params(params: dict[str, Any]) -> dict[str, Any]:
    """Settings of a labeller that `Labeller.contents` described."""
    check_parts("the labeller in the settings", {"params": params}, {"params": HEADER["params"]})
    return {name: _built(value) for name, value in params.items()}


def _built(setting: Any) -> Any:
    """The setting that `Labeller.contents` described; lists become tuples."""
    if isinstance(setting, dict) and setting.keys() == {"class", "params"}:
        kind = _class_named(setting["class"])
        return kind(**_built_params(setting["params"]))
    return tuple(_built(each) for each in setting) if isinstance(setting, list) else setting
