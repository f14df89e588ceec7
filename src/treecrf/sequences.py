"""`SequenceSet`, the one data container of the project, and the windows that labellers see."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io import arrays
from treecrf.io.frames import MISSING as MISSING
from treecrf.io.messages import counted, listed, quoted
from treecrf.io.npz import read_npz, write_npz

if TYPE_CHECKING:
    import pandas as pd

MAX_CATEGORIES = 254
"""Window codes are uint8: one code is taken by EDGE, one by MISSING."""


class Attribute(NamedTuple):
    """A categorical input: its name and the names of its categories, in the order of their codes."""

    name: str
    categories: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SequenceSet:
    """Labelled sequences of categorical observations.

    A *position* is a place of a chain and carries a label; an *observation* carries attribute values.
    Observation ``t`` of a sequence belongs to its position ``t``. A sequence may end in observations that
    no label belongs to (the last letter of a word whose positions are the gaps between its letters):
    windows see them, chains do not.

    Parameters
    ----------
    values : array_like of int, shape (n_observations, n_attributes)
        Category codes from 0; `MISSING` (-1) where the value is not known. Kept as int16.
    offsets : array_like of int, shape (n_sequences + 1,)
        Sequence ``i`` owns the positions ``offsets[i]`` to ``offsets[i + 1] - 1``. Kept as int64.
    attributes : sequence of Attribute
        One per column of `values`.
    labels : array_like of int, shape (n_positions,), optional
        Label codes. Kept as int16.
    label_names : sequence of str
        Names of the labels, in the order of their codes.
    observation_offsets : array_like of int, shape (n_sequences + 1,), optional
        The same as `offsets` for the rows of `values`; equal to `offsets` unless given.
    groups : array_like of int, shape (n_sequences,), optional
        Sequences with the same number are related: what chooses settings or tests methods keeps them together. Each
        is a group of its own unless given. Kept as int64.

    Raises
    ------
    ValueError
        If the arrays contradict each other; the message names the first place where they do.
    """

    values: NDArray[np.int16]
    offsets: NDArray[np.int64]
    attributes: tuple[Attribute, ...]
    labels: NDArray[np.int16] | None = None
    label_names: tuple[str, ...] = ()
    observation_offsets: NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]
    groups: NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        attributes = tuple(Attribute(str(name), tuple(map(str, categories))) for name, categories in self.attributes)
        observation_offsets = self.offsets if self.observation_offsets is None else self.observation_offsets
        groups = np.arange(max(len(self.offsets) - 1, 0)) if self.groups is None else self.groups
        for name, value in (
            ("values", arrays.frozen(arrays.codes(self.values, "values"))),
            ("offsets", arrays.frozen(arrays.offsets(self.offsets, "offsets"))),
            ("attributes", attributes),
            ("labels", None if self.labels is None else arrays.frozen(arrays.codes(self.labels, "labels"))),
            ("label_names", tuple(map(str, self.label_names))),
            ("observation_offsets", arrays.frozen(arrays.offsets(observation_offsets, "observation_offsets"))),
            ("groups", arrays.frozen(arrays.groups(groups))),
        ):
            object.__setattr__(self, name, value)
        _check(self)

    def __repr__(self) -> str:
        """Sizes and names; the arrays are attributes."""
        attributes = listed((f"{a.name} ({len(a.categories)} values)" for a in self.attributes), str)
        labels = listed(self.label_names, str) if self.labels is not None else "none"
        return (
            f"SequenceSet({counted(len(self), 'sequence')}, {counted(self.n_positions, 'position')}; attributes: "
            f"{attributes}; labels: {labels})"
        )

    # --- size ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of sequences."""
        return len(self.offsets) - 1

    @property
    def n_positions(self) -> int:
        """Number of labelled places, over all sequences."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of positions of each sequence, shape (n_sequences,)."""
        return np.diff(self.offsets)

    @property
    def has_missing(self) -> bool:
        """Whether any cell is `MISSING`."""
        return bool((self.values == MISSING).any())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SequenceSet):
            return NotImplemented
        if self.attributes != other.attributes or self.label_names != other.label_names:
            return False
        if (self.labels is None) != (other.labels is None):
            return False
        pairs = [(getattr(self, name), getattr(other, name)) for name in _ARRAYS if name != "groups"]
        pairs.append((arrays.first_relatives(self.groups), arrays.first_relatives(other.groups)))
        return all(a is b or np.array_equal(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    # --- parts and variants -------------------------------------------------------------------------

    def select(self, indices: ArrayLike) -> SequenceSet:
        """The sequences at `indices` (int, shape (n,)), in that order, as a set of their own."""
        chosen = np.asarray(indices, dtype=np.int64).reshape(-1)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= len(self)):
            raise ValueError(
                f"select: index {chosen[(chosen < 0) | (chosen >= len(self))][0]} is outside 0..{len(self) - 1}."
            )
        offsets, positions = gather_ranges(self.offsets, chosen)
        observation_offsets, rows = gather_ranges(self.observation_offsets, chosen)
        labels = None if self.labels is None else self.labels[positions]
        return SequenceSet(
            self.values[rows],
            offsets,
            self.attributes,
            labels,
            self.label_names,
            observation_offsets,
            self.groups[chosen],
        )

    def with_values(self, values: ArrayLike, attributes: Sequence[Attribute] | None = None) -> SequenceSet:
        """The same sequences and labels with other inputs (`values` as in the constructor)."""
        return replace(self, values=np.asarray(values), attributes=tuple(attributes or self.attributes))

    def with_labels(self, labels: ArrayLike | None, label_names: Sequence[str] | None = None) -> SequenceSet:
        """The same inputs with other labels (int, shape (n_positions,)), or with none."""
        names = self.label_names if label_names is None else tuple(label_names)
        codes = None if labels is None else np.asarray(labels)
        return replace(self, labels=codes, label_names=names)

    def with_groups(self, groups: ArrayLike) -> SequenceSet:
        """The same sequences in other groups (int, shape (n_sequences,))."""
        return replace(self, groups=np.asarray(groups))

    @staticmethod
    def concatenate(parts: Sequence[SequenceSet]) -> SequenceSet:
        """Join sets that share attributes and label names; sequences of different sets are not related."""
        if not parts:
            raise ValueError("concatenate: no sets were given; give at least one.")
        first = parts[0]
        for i, part in enumerate(parts):
            if part.attributes != first.attributes or part.label_names != first.label_names:
                raise ValueError(
                    f"concatenate: set {i} has other attributes or label names than set 0; align them first."
                )
            if (part.labels is None) != (first.labels is None):
                raise ValueError(f"concatenate: set {i} and set 0 must both have labels or both have none.")
        labels = None if first.labels is None else np.concatenate([np.asarray(part.labels) for part in parts])
        groups = [np.unique(part.groups, return_inverse=True)[1] for part in parts]
        starts = np.cumsum([0] + [len(part) for part in parts[:-1]])
        return SequenceSet(
            np.concatenate([part.values for part in parts]),
            arrays.join_offsets([part.offsets for part in parts]),
            first.attributes,
            labels,
            first.label_names,
            arrays.join_offsets([part.observation_offsets for part in parts]),
            np.concatenate([numbers + start for numbers, start in zip(groups, starts, strict=True)]),
        )

    # --- frames and files ---------------------------------------------------------------------------

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        sequence: str,
        label: str | None = None,
        attributes: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        categories: dict[str, Sequence[str]] | None = None,
    ) -> SequenceSet:
        """Read a table with one row per observation.

        Parameters
        ----------
        frame : DataFrame
            Rows of one sequence stand together, in order. An empty attribute cell (None, NaN, empty string)
            is missing. An empty label is allowed only in the last rows of a sequence: observations that no
            label belongs to.
        sequence, label : str
            Names of the column that tells sequences apart and of the label column (None: no labels).
        attributes : sequence of str, optional
            Names of the input columns; all other columns unless given.
        label_names, categories : optional
            Fixed orders of the label names, and of the categories by attribute; sorted names unless given.

        Raises
        ------
        ValueError
            For a column that is not there, a sequence in two places, a label or category outside the given
            ones, an empty label before a labelled row; the message names row and column.
        """
        from treecrf.io.frames import encode_frame

        encoded = encode_frame(frame, sequence, label, attributes, label_names, categories)
        described = tuple(Attribute(*attribute) for attribute in encoded.attributes)
        return cls(**encoded._asdict() | {"attributes": described})

    def to_frame(self, *, sequence: str = "sequence", label: str = "label") -> pd.DataFrame:
        """One row per observation: sequence number, label (None beyond the last position), attributes."""
        from treecrf.io.frames import Encoded, decode_frame

        parts = {name: getattr(self, name) for name in Encoded._fields}
        return decode_frame(Encoded(**parts), sequence, label)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set to `path` (.npz): arrays plus a JSON header, no pickle; atomic."""
        header = {"attributes": self.attributes, "label_names": self.label_names, "format": "treecrf.SequenceSet/1"}
        arrays: dict[str, Any] = {name: getattr(self, name) for name in _ARRAYS if getattr(self, name) is not None}
        write_npz(path, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SequenceSet:
        """Read what `save` wrote; a ValueError names the file if it is something else."""
        header, arrays = read_npz(path, "treecrf.SequenceSet/1")
        try:
            attributes = tuple(Attribute(name, tuple(categories)) for name, categories in header["attributes"])
            return cls(attributes=attributes, label_names=tuple(header["label_names"]), **arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{os.fspath(path)} holds no set of sequences ({quoted(str(error))}); write it again."
            ) from None


_ARRAYS = ("values", "offsets", "labels", "observation_offsets", "groups")


def window_codes(data: SequenceSet, window: tuple[int, int]) -> NDArray[np.uint8]:
    """Codes of the window of every position.

    Parameters
    ----------
    data : SequenceSet
    window : (left, right)
        The window of position t reaches from observation ``t - left`` to ``t + right``.

    Returns
    -------
    uint8, shape (n_positions, n_slots) with ``n_slots = (left + right + 1) * n_attributes``, window place by
    window place. For an attribute with C categories the codes are 0..C-1, C = EDGE (outside the sequence)
    and C + 1 = MISSING: C + 1 boolean features per slot (PhD table 3.6).
    """
    left, right = window
    if left < 0 or right < 0:
        raise ValueError(
            f"window {tuple(window)}: both sides count positions and cannot be negative; give (left, right)."
        )
    sizes = np.array([len(attribute.categories) for attribute in data.attributes])
    if len(sizes) and sizes.max() > MAX_CATEGORIES:
        wide = data.attributes[int(sizes.argmax())]
        raise ValueError(
            f"attribute {wide.name!r} has {len(wide.categories)} categories and a window slot holds {MAX_CATEGORIES}; "
            "merge the rare ones."
        )
    inside = np.where(data.values == MISSING, sizes + 1, data.values)
    sequence_of = np.repeat(np.arange(len(data)), data.lengths)
    first, last = data.observation_offsets[sequence_of], data.observation_offsets[sequence_of + 1]
    centre = first + np.arange(data.n_positions) - data.offsets[sequence_of]
    codes = np.empty((data.n_positions, left + right + 1, len(sizes)), dtype=np.uint8)
    for place, shift in enumerate(range(-left, right + 1)):
        row = centre + shift
        within = (row >= first) & (row < last)
        codes[:, place] = np.where(within[:, None], inside[np.where(within, row, 0)], sizes)
    return codes.reshape(data.n_positions, -1)


def slot_sizes(attributes: Iterable[Attribute], window: tuple[int, int]) -> NDArray[np.int64]:
    """Number of boolean features of each window slot, EDGE included: C + 1; shape (n_slots,)."""
    sizes = [len(attribute.categories) + 1 for attribute in attributes]
    return np.array(sizes * (window[0] + window[1] + 1), dtype=np.int64)


def gather_ranges(first: NDArray[np.int64], indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lay some of the ranges ``first[i] .. first[i + 1] - 1`` one after another.

    Parameters
    ----------
    first : int64, shape (n_ranges + 1,)
    indices : int64, shape (n_chosen,)

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


# --- checks -----------------------------------------------------------------------------------------


def _check(data: SequenceSet) -> None:
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
    if data.groups.shape != (len(data),):
        raise ValueError(f"groups must have shape ({len(data)},), one number a sequence, not {data.groups.shape}.")
    short = np.flatnonzero(np.diff(data.observation_offsets) < data.lengths)
    if len(short):
        raise ValueError(f"sequence {short[0]} has more positions than observations.")
    empty = np.flatnonzero(data.lengths == 0)
    if len(empty):
        raise ValueError(f"sequence {empty[0]} has no positions; leave it out.")
    for j, attribute in enumerate(data.attributes):
        if len(data.values) and data.values[:, j].max() >= len(attribute.categories):
            row = int(data.values[:, j].argmax())
            raise ValueError(
                f"attribute {attribute.name!r}: code {data.values[row, j]} at observation {row} is beyond its "
                f"{len(attribute.categories)} categories."
            )
    if data.labels is not None and len(data.labels):
        if data.labels.min() < 0:
            raise ValueError(f"position {int(data.labels.argmin())} has no label; drop its sequence or give it one.")
        if data.labels.max() >= len(data.label_names):
            row = int(data.labels.argmax())
            raise ValueError(
                f"label code {data.labels[row]} at position {row} is beyond the {len(data.label_names)} label names."
            )
