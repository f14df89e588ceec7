"""Arrays of a `treecrf.sequences.SequenceSet`, from whatever a user gives, and whether they fit together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.arguments import as_array
from treecrf.io.columns import MISSING
from treecrf.io.frames import Encoded
from treecrf.io.messages import quoted, repeated


def codes(codes: ArrayLike, what: str, kept_as: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Codes of categories or labels, whole numbers from -1, in the type `kept_as`; `what` names them in errors."""
    array = as_array(codes, what)
    if array.dtype.kind == "f":
        if not np.isfinite(array).all() or (array != np.floor(array)).any():
            raise ValueError(
                f"{what}: codes must be whole numbers and hold NaN or a fraction; write {MISSING} for missing."
            )
    elif array.dtype.kind not in "iub":
        raise ValueError(f"{what}: codes must be integers, not {array.dtype}; use SequenceSet.from_frame for names.")
    highest = np.iinfo(kept_as).max
    if array.size and (array.min() < -1 or array.max().item() > highest):  # float16 holds less than the limits
        raise ValueError(f"{what}: codes must lie in -1..{highest}; found {array.min()}..{array.max()}.")
    return array.astype(kept_as, order="C")


def numbers(numbers: ArrayLike) -> NDArray[np.float64]:
    """Real numbers, NaN where the value is not known; a copy."""
    array = as_array(numbers, "numbers")
    if array.dtype.kind not in "iufb":
        raise ValueError(f"numbers must be real numbers, not {array.dtype}; write NaN for missing.")
    return array.astype(np.float64, order="C")


_HIGHEST = np.iinfo(np.int64).max // 2


def offsets(offsets: ArrayLike, what: str) -> NDArray[np.int64]:
    """Whole numbers from 0; `what` names them in errors."""
    return _integers(offsets, what, 0, f"{what} must start at 0 and never fall.")


def groups(groups: ArrayLike) -> NDArray[np.int64]:
    """Any whole numbers."""
    return _integers(groups, "groups", -_HIGHEST, f"groups must lie in {-_HIGHEST}..{_HIGHEST}.")


def _integers(numbers: ArrayLike, what: str, lowest: int, problem: str) -> NDArray[np.int64]:
    array = as_array(numbers, what)
    if array.dtype.kind not in "iu" and (array.dtype.kind != "f" or (array != np.floor(array)).any()):
        raise ValueError(f"{what}: must be whole numbers.")
    if array.size and not (array.min().item() >= lowest and array.max().item() <= _HIGHEST):
        raise ValueError(problem)
    return array.astype(np.int64)


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


def places(key: Any, n: int, what: str) -> NDArray[np.int64]:
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


def first_relatives(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first sequence of each sequence's group: the same for all numbers of the same groups."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return first[group]


def join_offsets(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Offsets of sets that are laid one after another."""
    starts = np.cumsum([0] + [int(part[-1]) for part in parts])
    return np.concatenate([[0]] + [part[1:] + start for part, start in zip(parts, starts, strict=False)]).astype(
        np.int64
    )


def gather_ranges(first: NDArray[np.int64], indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lay some of the ranges ``first[i] .. first[i + 1] - 1`` one after another.

    Returns
    -------
    first : int64, shape (n_chosen + 1,)
        Where each chosen range now begins.
    places : int64
        What the chosen ranges hold.
    """
    sizes = np.diff(first)[indices]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return begins, np.repeat(first[indices] - begins[:-1], sizes) + np.arange(begins[-1])


def places_in(first: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of every entry in its range, from 0, where ranges are ``first[i] .. first[i + 1] - 1``."""
    return np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))


def check_parts(data: Encoded, groups: NDArray[np.int64]) -> None:
    """Raise a ValueError that names the first place where the parts of a set contradict each other."""
    if data.values.ndim != 2:
        raise ValueError(f"values must have shape (n_observations, n_attributes), not {data.values.shape}.")
    if data.values.shape[1] != len(data.attributes):
        raise ValueError(
            f"values have {data.values.shape[1]} columns but {len(data.attributes)} attributes are described; "
            "every sequence needs the same attributes."
        )
    if data.labels is not None and data.labels.ndim != 1:
        raise ValueError(f"labels must have shape (n_positions,), not {data.labels.shape}.")
    for name, offsets, total in (
        ("offsets", data.offsets, None if data.labels is None else len(data.labels)),
        ("observation_offsets", data.observation_offsets, len(data.values)),
    ):
        if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise ValueError(f"{name} must start at 0 and never fall.")
        if total is not None and offsets[-1] != total:
            raise ValueError(
                f"{name} end at {offsets[-1]} but there are {total} rows; the last offset must be that number."
            )
    if len(data.offsets) != len(data.observation_offsets):
        raise ValueError("offsets and observation_offsets must describe the same number of sequences.")
    n_sequences = len(data.offsets) - 1
    if groups.shape != (n_sequences,):
        raise ValueError(f"groups must have shape ({n_sequences},), one number a sequence, not {groups.shape}.")
    lengths = np.diff(data.offsets)
    short = np.flatnonzero(np.diff(data.observation_offsets) < lengths)
    if len(short):
        raise ValueError(f"sequence {short[0]} has more positions than observations.")
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        raise ValueError(f"sequence {empty[0]} has no positions; leave it out.")
    highest = data.values.max(axis=0) if len(data.values) else ()
    for j, ((name, categories, *_), code) in enumerate(zip(data.attributes, highest, strict=False)):
        if code >= len(categories):
            row = int(data.values[:, j].argmax())
            raise ValueError(
                f"attribute {name!r}: code {data.values[row, j]} at observation {row} is beyond its "
                f"{len(categories)} categories."
            )
    _check_numbers(data)
    if data.labels is not None and data.labels.max(initial=-1) >= len(data.label_names):
        row = int(data.labels.argmax())
        raise ValueError(
            f"label code {data.labels[row]} at position {row} is beyond the {len(data.label_names)} label names."
        )


def _check_numbers(data: Encoded) -> None:
    if data.numbers.shape != (len(data.values), len(data.number_names)):
        raise ValueError(
            f"numbers must have shape ({len(data.values)}, {len(data.number_names)}), a row for each observation and a "
            f"column for each of number_names, not {data.numbers.shape}."
        )
    twice = repeated([*data.number_names, *(attribute[0] for attribute in data.attributes)])
    if data.number_names and twice is not None:
        raise ValueError(f"two inputs are called {quoted(twice)}; rename one.")
    infinite = np.argwhere(np.isinf(data.numbers))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(
            f"number {data.number_names[column]!r} is infinite at observation {row}; write NaN where it is not known."
        )
