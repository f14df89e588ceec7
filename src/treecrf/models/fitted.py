"""Fitted arrays of labellers: declared once beside each class, written by name, and checked when they come from a file.

A declaration maps the name of an attribute, without the underscore at its end, to
``Annotated[Float64, "n_labels, n_labels + 1", FINITE]``, a type, a shape and rules for the values
(`treecrf.compiled.struct`), or to a class under `treecrf.compiled.struct.struct`, whose fields are declared in the same
way.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Known, Rule, dtype_of

Declared = Mapping[str, Any]


def named_arrays(values: Mapping[str, Any], declared: Declared) -> dict[str, NDArray[Any]]:
    """The arrays of declared values by the names that they have in a file; a struct's fields begin with its name."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind in declared.items():
        arrays |= {name: values[name]} if _is_array(kind) else prefixed(name, values[name]._asdict())
    return arrays


def take_declared(arrays: dict[str, NDArray[Any]], declared: Declared, known: Known) -> dict[str, Any]:
    """Take the declared values out of the arrays of a file.

    Parameters
    ----------
    arrays : dict of str to array
        As from `named_arrays`; what is taken is no longer there afterwards.
    declared : mapping
    known : mapping of str to int or array
        Lengths of axes that are known, and other limits that rules name. Other lengths are what the arrays have, each
        the same everywhere within a struct.

    Raises
    ------
    ValueError
        For an array of another type or shape than declared, or that breaks a rule.
    KeyError
        For one that is not there.
    TypeError
        For one that is declared without a rule.
    """
    kinds = {name: _ArrayKind.of(name, kind) for name, kind in declared.items() if _is_array(kind)}
    values: dict[str, Any] = {name: kind.typed(name, arrays.pop(name)) for name, kind in kinds.items()}
    lengths = {key: size for key, size in known.items() if isinstance(size, int)}
    waiting = [(name, *axis) for name in kinds for axis in zip(kinds[name].axes, values[name].shape, strict=True)]
    while waiting:
        left = [each for each in waiting if not _is_settled(*each, lengths)]
        if len(left) == len(waiting):
            raise TypeError(f"nothing tells the axis {left[0][1]} of {left[0][0]}")
        waiting = left
    limits = {**known, **lengths}
    for name, kind in kinds.items():
        for rule in kind.rules:
            if not rule.holds(values[name], limits):
                raise ValueError(f"{name} must {rule.need}")
        limits[name] = values[name]
    for name, kind in declared.items():
        if name not in kinds:
            fields, of_struct = get_type_hints(kind, include_extras=True), take_prefixed(name, arrays)
            values[name] = kind(**take_declared(of_struct, fields, known))
            refuse_rest(of_struct)
    return values


def refuse_rest(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that nothing has taken, and so nothing has checked."""
    for name in arrays:
        raise ValueError(f"nothing declares the part {name}")


def prefixed(name: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Arrays whose names begin with another one."""
    return {f"{name}_{part}": array for part, array in arrays.items()}


def take_prefixed(name: str, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Take what `prefixed` was given out of others."""
    return {key.removeprefix(f"{name}_"): arrays.pop(key) for key in list(arrays) if key.startswith(f"{name}_")}


def _is_array(kind: Any) -> bool:
    return get_origin(kind) is Annotated


class _ArrayKind(NamedTuple):
    """The type, the axes and the rules of a declared array."""

    dtype: np.dtype[Any]
    axes: list[str]
    rules: list[Rule]

    @classmethod
    def of(cls, name: str, kind: Any) -> _ArrayKind:
        array, shape, *notes = get_args(kind)
        rules = [note for note in notes if isinstance(note, Rule)]
        if not rules:
            raise TypeError(f"{name} is declared without a rule for its values")
        dtype = dtype_of(array)
        if dtype is None:
            raise TypeError(f"{name} is declared as no array")
        return cls(dtype, shape.split(", "), rules)

    def typed(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        if array.dtype != self.dtype or array.ndim != len(self.axes):
            raise ValueError(f"{name} has {array.ndim} axes of {array.dtype}, not {len(self.axes)} of {self.dtype}")
        return np.ascontiguousarray(array)


def _is_settled(name: str, axis: str, length: int, known: dict[str, int]) -> bool:
    """Whether the length of an axis, a sum of products, is settled; a name that stands alone for a term is learnt."""
    unknown, rest = list[list[str]](), length
    for factors in (term.split(" * ") for term in axis.split(" + ")):
        if all(factor.isdecimal() or factor in known for factor in factors):
            rest -= prod(int(factor) if factor.isdecimal() else known[factor] for factor in factors)
        else:
            unknown.append(factors)
    if len(unknown) > 1 or any(len(factors) > 1 for factors in unknown):
        return False
    if unknown:
        known[unknown[0][0]] = rest
    if rest < 0 or (rest and not unknown):
        raise ValueError(f"{name} has an axis of {length}, not of {axis}")
    return True
