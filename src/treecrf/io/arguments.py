"""Arrays of numbers from callers of public functions: their types, shapes and ranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.messages import quoted

Axes = Sequence[int | str]
"""Length of each axis, or its name where any length will do."""

MOST_WHOLE = 2**53
"""Whole numbers up to it are exact in float64, and their sums hardly ever overflow."""


def check_count(name: str, value: object, *, least: int = 1, most: int | None = None) -> None:
    """Refuse an option that is not a whole number of at least `least` and at most `most`."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        reach = f"from {least:,} on" if most is None else f"from {least:,} to {most:,}"
        raise ValueError(f"{name}={quoted(value)}: give a whole number {reach}.")


def integers(
    values: ArrayLike,
    what: str,
    axes: Axes,
    *,
    least: int = -MOST_WHOLE,
    most: int = MOST_WHOLE,
    some: bool = True,
    floats: bool = True,
) -> NDArray[np.int64]:
    """Whole numbers of a range.

    Parameters
    ----------
    values : array-like
    what : str
        Names the array in errors.
    axes : sequence of int or str
        See `Axes`.
    least, most : int
        Ends of the range.
    some : bool
        Whether an array without entries is refused.
    floats : bool
        Whether they may be written as floats.

    Raises
    ------
    ValueError
        For other types, shapes and values.
    """
    array = _shaped(values, what, axes, some)
    if array.dtype.kind not in "iub" and not (floats and array.dtype.kind == "f" and _are_whole(array)):
        raise ValueError(f"{what} must be whole numbers, not {_described(array)}.")
    _check_range(array, what, least, most)
    return array.astype(np.int64)


def reals(
    values: ArrayLike, what: str, axes: Axes, *, least: float = -np.inf, most: float = np.inf, known: bool = True,
    some: bool = True,
) -> NDArray[Any]:  # fmt: skip
    """Real numbers of a range, in their own type if they are floats.

    Parameters
    ----------
    values, what, axes, least, most, some : see `integers`
    known : bool
        Whether NaN and infinite numbers are refused; NaN lies in every range.

    Raises
    ------
    ValueError
        For other types, shapes and values.
    """
    array = _shaped(values, what, axes, some)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{what} must be real numbers, not {array.dtype}.")
    if known and not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, and {_first(array, ~np.isfinite(array))}.")
    _check_range(array, what, least, most)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def truths(values: ArrayLike, what: str, axes: Axes, *, some: bool = True) -> NDArray[np.bool_]:
    """Truth values, also those that are written as 0 and 1; parameters as of `integers`.

    Raises
    ------
    ValueError
        For other types, shapes and values.
    """
    array = _shaped(values, what, axes, some)
    if array.dtype.kind == "b":
        return array
    return integers(array, what, axes, least=0, most=1, some=some).astype(np.bool_)


def offsets(
    values: ArrayLike, n: int | None = None, what: str = "offsets", *, rising: bool = False
) -> NDArray[np.int64]:
    """Where sequences begin and the last one ends: whole numbers from 0 that never fall.

    Parameters
    ----------
    values : array-like
    n : int, optional
        Where they end.
    what : str
        Names the array in errors.
    rising : bool
        Whether every sequence has a position.

    Raises
    ------
    ValueError
        For other numbers.
    """
    array = integers(values, what, ("n_sequences + 1",), least=0)
    lengths = np.diff(array)
    if array[0] != 0 or (lengths < rising).any():
        raise ValueError(f"{what} must start at 0 and {'rise' if rising else 'never fall'}.")
    if n is not None and array[-1] != n:
        raise ValueError(f"{what} end at {array[-1]} but there are {n} positions; the last offset must be that number.")
    return array


def listed_arrays(values: Iterable[ArrayLike]) -> list[ArrayLike]:
    """The arrays of `correct`, one for each method or training set; a number or a text is none.

    Raises
    ------
    ValueError
        If there is no list of arrays.
    """
    if isinstance(values, str | bytes) or np.ndim(values if isinstance(values, np.ndarray) else [0]) == 0:
        raise ValueError(f"correct must be a list of arrays, not {quoted(values)}.")
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"correct must be a list of arrays, not {quoted(values)}.") from None


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """The values as an array of any type.

    Raises
    ------
    ValueError
        For lists that make no array.
    """
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{what} must be an array; give lists of equal lengths.") from None


def _shaped(values: ArrayLike, what: str, axes: Axes, some: bool) -> NDArray[Any]:
    array = as_array(values, what)
    fits = all(isinstance(axis, str) or axis == length for axis, length in zip(axes, array.shape, strict=False))
    if array.ndim != len(axes) or not fits:
        wanted = ", ".join(map(str, axes)) + ("," if len(axes) == 1 else "")
        raise ValueError(f"{what} must have shape ({wanted}), not {array.shape}.")
    if some and not array.size:
        raise ValueError(f"{what} must have an entry, and the shape is {array.shape}.")
    return array


def _are_whole(array: NDArray[Any]) -> bool:
    return bool((np.isfinite(array) & (array == np.floor(array))).all())


def _described(array: NDArray[Any]) -> str:
    if array.dtype.kind != "f" or _are_whole(array):
        return str(array.dtype)
    return _first(array, ~(np.isfinite(array) & (array == np.floor(array)))).removeprefix("there is ")


def _check_range(array: NDArray[Any], what: str, least: float, most: float) -> None:
    outside = (array < least) | (array > most)
    if outside.any():
        raise ValueError(f"{what} must lie in {least} to {most}, and {_first(array, outside)}.")


def _first(array: NDArray[Any], chosen: NDArray[np.bool_]) -> str:
    place = np.unravel_index(int(chosen.argmax()), array.shape)
    index = ", ".join(str(int(number)) for number in place)
    return f"there is {array[place]} at [{index}]"
