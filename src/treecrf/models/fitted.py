"""Fitted arrays of labellers: declared once beside each class, written by name, and checked when they come from a file.

A declaration maps the name of an attribute, without the underscore at its end, to ``Annotated[Float64, "n_labels, n_labels + 1"]``
or to a class under `treecrf.compiled.struct.struct`, whose fields are declared in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

Declared = Mapping[str, Any]


def named_arrays(values: Mapping[str, Any], declared: Declared) -> dict[str, NDArray[Any]]:
    """The arrays of declared values by the names that they have in a file; a struct's fields begin with its name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind in declared.items():
        arrays |= {name: values[name]} if _is_array(kind) else prefixed(name, values[name]._asdict())
    return arrays


def declared_values(arrays: Mapping[str, NDArray[Any]], declared: Declared, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The declared values of arrays from a file.

    Parameters
    ----------
    arrays : mapping of str to array
        As from `named_arrays`; other ones are left alone.
    declared : mapping
    sizes : mapping of str to int
        Lengths of axes that are known. Others are what the arrays have, each the same everywhere within a struct.

    Raises
    ------
    ValueError
        For an array of another type or shape than declared.
    KeyError
        For one that is not there.
    """
    values: dict[str, Any] = {}
    kinds = {name: _type_and_axes(kind) for name, kind in declared.items() if _is_array(kind)}
    known = dict(sizes)
    for name, (dtype, axes) in kinds.items():
        array = arrays[name]
        if array.dtype != dtype or array.ndim != len(axes):
            raise ValueError(f"{name} has {array.ndim} axes of {array.dtype}, not {len(axes)} of {dtype}")
        values[name] = np.ascontiguousarray(array)
    waiting = [(name, *axis) for name in values for axis in zip(kinds[name][1], values[name].shape, strict=True)]
    n_before = len(waiting) + 1
    while len(waiting) < n_before:  # what is left then are sums of axes that nothing tells
        n_before = len(waiting)
        waiting = [each for each in waiting if not _is_settled(*each, known)]
    for name, kind in declared.items():
        if name not in kinds:
            fields = get_type_hints(kind, include_extras=True)
            values[name] = kind(**declared_values(without_prefix(name, arrays), fields, sizes))
    return values


def prefixed(name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Arrays whose names begin with another one."""
    return {f"{name}_{part}": array for part, array in arrays.items()}


def without_prefix(name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What `prefixed` was given, from among others."""
    return {key.removeprefix(f"{name}_"): array for key, array in arrays.items() if key.startswith(f"{name}_")}


def _is_array(kind: Any) -> bool:
    return get_origin(kind) is Annotated


def _type_and_axes(kind: Any) -> tuple[np.dtype[Any], list[str]]:
    array, shape, *_ = get_args(kind)
    return np.dtype(get_args(get_args(array)[1])[0]), shape.split(", ")


def _is_settled(name: str, axis: str, length: int, known: dict[str, int]) -> bool:
    """Whether the length of an axis is settled; a name that stands alone for it is learnt."""
    unknown = [term for term in _terms(axis) if not term.isdecimal() and term not in known]
    rest = length - sum(int(term) if term.isdecimal() else known[term] for term in _terms(axis) if term not in unknown)
    if len(unknown) > 1:
        return False
    if unknown:
        known[unknown[0]] = rest
    if rest < 0 or (rest and not unknown):
        raise ValueError(f"{name} has an axis of {length}, not of {axis}")
    return True


def _terms(axis: str) -> Iterator[str]:
    return iter(axis.split(" + "))
