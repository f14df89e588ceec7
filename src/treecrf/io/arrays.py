"""Arrays: checks of numbers from callers, ranges of one array laid out in another, and weighted numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.messages import counted, quoted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int16]
"""Of labels."""

Arrays = dict[str, NDArray[Any]]

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
) -> Ints:
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
    values: ArrayLike,
    what: str,
    axes: Axes,
    *,
    least: float = -np.inf,
    most: float = np.inf,
    known: bool = True,
    some: bool = True,
) -> NDArray[Any]:
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


def truths(values: ArrayLike, what: str, axes: Axes, *, some: bool = True) -> Bools:
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


def offsets(values: ArrayLike, n: int | None = None, what: str = "offsets", *, rising: bool = False) -> Ints:
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
        raise ValueError(
            f"{what} end at {array[-1]} but there are {counted(n, 'position')}; the last offset must be that number."
        )
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


def _first(array: NDArray[Any], chosen: Bools) -> str:
    place = np.unravel_index(int(chosen.argmax()), array.shape)
    index = ", ".join(str(int(number)) for number in place)
    return f"there is {array[place]} at [{index}]"


# --- ranges, places and objects --------------------------------------------------------------------


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, which can no longer be written to."""
    array.setflags(write=False)
    return array


def thawed(value: Any) -> Any:
    """A value with copies in place of the arrays in it that cannot be written to, as those that joblib maps into
    memory.

    Arrays are looked for in containers, and in objects, which are changed in place.
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.array(value)
    if type(value) is dict:
        return {key: thawed(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        parts = [thawed(each) for each in value]
        return value._make(parts) if hasattr(value, "_make") else type(value)(parts)
    if type(value).__module__.startswith(("treecrf.", "treecrf_")) and hasattr(value, "__dict__"):
        vars(value).update(thawed(vars(value)))
    return value


def places(key: Any, n: int, what: str) -> Ints:
    """The places, of `n`, that a subscript names; `what` they are, in errors.

    Parameters
    ----------
    key : int, slice, ints or booleans
        As of a list or an array: from the end where negative.

    Raises
    ------
    IndexError
        For places that there are not.
    TypeError
        For other subscripts.
    """
    if isinstance(key, slice):
        return np.arange(n)[key]
    indices = np.asarray(key)
    if not indices.size and indices.dtype.kind == "f":
        return np.empty(0, dtype=np.int64)
    if indices.ndim > 1 or indices.dtype.kind not in "iub" or (indices.ndim == 0 and indices.dtype.kind == "b"):
        raise TypeError(f"{quoted(key)} names no {what}; give a whole number, a slice, whole numbers or a mask.")
    if indices.dtype.kind == "b":
        if len(indices) != n:
            raise IndexError(f"a mask of {len(indices)} does not fit {n} {what}; give one truth value for each.")
        return np.flatnonzero(indices)
    outside = (indices < -n) | (indices >= n)
    if outside.any():
        raise IndexError(f"index {indices[outside].flat[0]} is outside 0..{n - 1}, the {what} that there are.")
    return np.atleast_1d(indices).astype(np.int64) % max(n, 1)


def of_objects(entries: Iterable[Any]) -> NDArray[np.object_]:
    """The entries of a list as an array of one dimension, whatever they are."""
    listed = list(entries)
    array = np.empty(len(listed), dtype=object)
    for place, entry in enumerate(listed):
        array[place] = entry
    return array


def first_relatives(groups: Ints) -> Ints:
    """The first sequence of each sequence's group: the same for all numbers of the same groups."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return first[group]


def join_offsets(parts: list[Ints]) -> Ints:
    """Offsets of sets that are laid one after another."""
    starts = np.cumsum([0] + [int(part[-1]) for part in parts])
    return np.concatenate([[0]] + [part[1:] + start for part, start in zip(parts, starts, strict=False)]).astype(
        np.int64
    )


def starts_of(sizes: ArrayLike) -> Ints:
    """Where ranges of these sizes begin, and the last one ends; shape (n_ranges + 1,)."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def gather_ranges(first: Ints, indices: Ints) -> tuple[Ints, Ints]:
    """Lay some of the ranges ``first[i] .. first[i + 1] - 1`` one after another.

    Returns
    -------
    first : int64, shape (n_chosen + 1,)
        Where each chosen range now begins.
    places : int64
        What the chosen ranges hold.
    """
    sizes = np.diff(first)[indices]
    begins = starts_of(sizes)
    return begins, np.repeat(first[indices] - begins[:-1], sizes) + np.arange(begins[-1])


def places_in(first: Ints) -> Ints:
    """The place of every entry in its range, from 0, where ranges are ``first[i] .. first[i + 1] - 1``."""
    return np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))


# --- weights ---------------------------------------------------------------------------------------

_MOST_PARTS, _ROUNDING = 100, 1e-12
_FEW_COPIES, _FEW_TIMES = 2**16, 16  # of all examples, and of each on average
_FIRST = 16  # weights that are looked at before all


def in_units(weights: Floats, most_parts: int = _MOST_PARTS) -> tuple[float, Floats]:
    """A unit of weight, and the weights in it, so that a factor of all weights changes the unit alone.

    Parameters
    ----------
    weights : float64, shape (n,)
        At least 0, and some above it.
    most_parts : int
        The unit may be so small a part of the least weight above 0.

    Returns
    -------
    float, and float64 of shape (n,)
        Whole numbers where there are such that are not many copies; else 1 on average. Whole weights with a 1 among
        them stay as they are.
    """
    values = np.unique(weights[weights > 0])
    least, mean = float(values[0]), float((weights / len(weights)).sum())
    for parts in range(1, most_parts + 1):
        if parts * (mean / least) > max(_FEW_COPIES / len(weights), _FEW_TIMES):
            break
        if _are_copies(parts * (values[:_FIRST] / least)) and _are_copies(parts * (values / least)):
            return least / parts, np.rint(parts * (weights / least))
    return mean, weights / mean


def _are_copies(numbers: Floats) -> bool:
    whole = np.rint(numbers)
    return bool((np.abs(numbers - whole) <= _ROUNDING * whole).all())


def of_observations(weights: Floats | None, offsets: Ints, observation_offsets: Ints) -> Floats | None:
    """The weight of every observation, from those of positions; observations after the last have its weight."""
    if weights is None or np.array_equal(offsets, observation_offsets):
        return weights
    lengths, places = np.diff(observation_offsets), places_in(observation_offsets)
    return weights[np.minimum(places + np.repeat(offsets[:-1], lengths), np.repeat(offsets[1:] - 1, lengths))]


def cumulated(numbers: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """The known numbers that weigh something, sorted, and the weight of those up to each, in units of the weights."""
    known = ~np.isnan(numbers) if weights is None else ~np.isnan(numbers) & (weights > 0)
    numbers = numbers[known]
    if weights is None or not len(numbers):
        return np.sort(numbers), np.arange(1.0, len(numbers) + 1)
    order = np.argsort(numbers, kind="stable")
    return numbers[order], np.cumsum(in_units(weights[known])[1][order])


def median(numbers: Floats, weights: Floats | None) -> float:
    """The median of the known numbers, NaN where there are none."""
    ordered, sums = cumulated(numbers, weights)
    if not len(ordered):
        return float("nan")
    low, high = (ordered[np.searchsorted(sums, 0.5 * sums[-1], side)] for side in ("left", "right"))
    return float(np.mean([low, high]))
