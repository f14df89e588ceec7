"""Structs of arrays and numbers that kernels take, each declared once.

A struct is a named tuple under `@struct`. The annotation of an array names its dtype, its shape and its meaning::

    @struct
    class Routing(NamedTuple):
        '''Which leaf each row is in.'''

        membership: Annotated[Int16, "n_states, n_positions", "Number of the leaf."]
        order: Annotated[int, "Number of previous labels."]
        tree: Tree

The docstring's list of attributes, the compiled type and the allocation follow from it. Arrays that come from files
have rules for their values, too (`Rule`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import prod
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import places_in

Bool: TypeAlias = NDArray[np.bool_]
Int8: TypeAlias = NDArray[np.int8]
UInt16: TypeAlias = NDArray[np.uint16]
UInt32: TypeAlias = NDArray[np.uint32]
Int16: TypeAlias = NDArray[np.int16]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
Float32: TypeAlias = NDArray[np.float32]
Float64: TypeAlias = NDArray[np.float64]

_Struct = TypeVar("_Struct", bound=tuple[Any, ...])


def dtype_of(hint: Any) -> np.dtype[Any] | None:
    """That of arrays with the type ``NDArray[...]``, which stands for a type of ndarray, or from numpy 2.5 on for
    itself.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is NDArray:
        return np.dtype(args[0])
    return np.dtype(get_args(args[1])[0]) if origin is np.ndarray else None


class _Field(NamedTuple):
    """The dtype and the lengths of an array, or the class of a number or struct and None; what it means."""

    kind: Any
    shape: list[str] | None
    meaning: str


@cache
def _fields(cls: type) -> dict[str, _Field]:
    fields = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        shape = None
        if (dtype := dtype_of(kind)) is not None:
            kind, shape = dtype, notes.pop(0).split(", ")
        fields[name] = _Field(kind, shape, next((note for note in notes if isinstance(note, str)), ""))
    return fields


def struct(cls: type[_Struct]) -> type[_Struct]:
    """Add the attributes to the docstring of a named tuple whose annotations declare them."""
    lines = [cls.__doc__ or "", "", "    Attributes", "    ----------"]
    for name, (kind, shape, meaning) in _fields(cls).items():
        kind = kind.__name__ if shape is None else f"{kind}, shape ({', '.join(shape)}{',' * (len(shape) == 1)})"
        lines += [f"    {name} : {kind}", *([f"        {meaning}"] if meaning else [])]
    cls.__doc__ = "\n".join(lines)
    return cls


@cache
def compiled_type(cls: type) -> Any:
    """The type of a struct in signatures of kernels: arrays are contiguous and writable; numbers alone are a tuple."""
    from numba import from_dtype, types

    from treecrf.compiled.record import Record

    def type_of(field: _Field) -> Any:
        if field.shape is not None:
            return types.Array(from_dtype(field.kind), len(field.shape), "C")
        numbers = {bool: types.boolean, int: types.int64, float: types.float64}
        return numbers.get(field.kind) or compiled_type(field.kind)

    kinds = [type_of(field) for field in _fields(cls).values()]
    if any(isinstance(kind, types.Array | Record) for kind in kinds):
        return Record(cls, kinds)
    return types.BaseTuple.from_types(kinds, cls)


def allocate(cls: type[_Struct], **sizes: int) -> _Struct:
    """Make a struct of zeros.

    Parameters
    ----------
    cls : type
        A struct of arrays, and of structs of arrays.
    sizes : int
        The names in the shapes. A length may be a sum of products, such as ``2 * n_rows + 1``.
    """

    return cls(
        *(
            allocate(field.kind, **sizes) if field.shape is None else np.zeros(_lengths(field.shape, sizes), field.kind)
            for field in _fields(cls).values()
        )
    )


def size_of(cls: type[_Struct], **sizes: int) -> int:
    """Bytes that `allocate` takes for the arrays."""
    return sum(
        size_of(field.kind, **sizes)
        if field.shape is None
        else prod(_lengths(field.shape, sizes)) * np.dtype(field.kind).itemsize
        for field in _fields(cls).values()
    )


def _lengths(shape: list[str], sizes: dict[str, int]) -> list[int]:
    """The lengths of a shape whose names stand for `sizes`."""
    terms = [[term.split(" * ") for term in text.split(" + ")] for text in shape]
    return [sum(prod(int(sizes.get(factor, factor)) for factor in term) for term in of_axis) for of_axis in terms]


# --- what the values of arrays from files must be -----------------------------------------------------------


Known = Mapping[str, Any]
"""Lengths of axes and other limits by name, and the arrays that were declared, and found right, before."""


class Rule(NamedTuple):
    """What the values of an array must be.

    Attributes
    ----------
    need : str
        Goes on after "must", such as "be finite".
    holds : callable
        Whether an array, with what is known, keeps the rule.
    """

    need: str
    holds: Callable[[NDArray[Any], Known], bool]


FINITE = Rule("be finite", lambda values, _: bool(np.isfinite(values).all()))
MOST_WEIGHT = 1e100
WEIGHTS = Rule(
    f"be finite, and at most {MOST_WEIGHT:g} away from 0", lambda values, _: bool((np.abs(values) <= MOST_WEIGHT).all())
)
"""Of what is learnt: sums and products of some then stay in the range of float64."""

NOT_INFINITE = Rule("be finite, or NaN where not known", lambda values, _: not np.isinf(values).any())
NOT_NEGATIVE = Rule("be finite and at least 0", lambda values, _: bool((np.isfinite(values) & (values >= 0)).all()))
POSITIVE = Rule("be above 0", lambda values, _: bool((values > 0).all()))
SHARES = Rule("be above 0 and at most 1", lambda values, _: bool(((values > 0) & (values <= 1)).all()))
TRUTH = Rule("be true or false", lambda values, _: bool((values.view(np.uint8) <= 1).all()))
SOME = Rule("have at least one entry", lambda values, _: len(values) > 0)
SOME_IN_EACH_ROW = Rule("hold somewhere in each row", lambda values, _: bool(values.any(axis=-1).all()))


def between(least: int, most: int) -> Rule:
    """Numbers of a range, its ends included."""
    return Rule(f"be {least} to {most}", lambda values, _: bool(((values >= least) & (values <= most)).all()))


def below(limit: str) -> Rule:
    """Numbers from 0 to below a limit that is known by name."""
    return Rule(f"be at least 0 and below {limit}", lambda values, known: _is_below(values, known[limit]))


def offsets_into(length: str, *, least: int = 0, most: int | None = None) -> Rule:
    """Where parts of an axis begin, and its length: from 0, each part with at least and at most so many entries."""

    def holds(values: NDArray[Any], known: Known) -> bool:
        if not len(values) or values[0] != 0 or values[-1] != known[length]:
            return False
        if _is_below(values, known[length] + 1):  # then no difference overflows
            sizes = np.diff(values)
            return bool((sizes >= least).all() and (most is None or (sizes <= most).all()))
        return False

    return Rule(f"begin at 0, never fall and end at {length}", holds)


def earlier_in(offsets: str) -> Rule:
    """A place of the same part of an axis, at most that of the entry itself: 0 for the first entry of each part."""

    def holds(values: NDArray[Any], known: Known) -> bool:
        first = known[offsets]
        return bool(((values >= 0) & (values <= places_in(first))).all())

    return Rule("name an earlier place", holds)


def equal_to(what: str) -> Rule:
    """Values must equal another array, known by name."""
    return Rule(f"be {what}", lambda values, known: np.array_equal(values, known[what]))


def _is_below(values: NDArray[Any], limit: int) -> bool:
    return not values.size or bool(values.min() >= 0 and values.max() < limit)
