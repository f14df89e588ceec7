"""`SequenceSet`, the one data container of the project, and the windows that labellers see."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io import arrays, frames
from treecrf.io.arrays import Codes, Floats, Ints, as_array
from treecrf.io.columns import MISSING as MISSING
from treecrf.io.columns import Kind
from treecrf.io.files import AnyPath
from treecrf.io.frames import Encoded, check_parts
from treecrf.io.messages import counted, listed, quoted
from treecrf.io.npz import read_npz, write_npz

if TYPE_CHECKING:
    import pandas as pd

NARROW_CATEGORIES = np.iinfo(np.uint8).max - 1
MAX_CATEGORIES = np.iinfo(np.uint16).max - 1
"""Window codes are uint8 where no attribute has more categories than the first, else uint16: two codes are taken by
EDGE and MISSING.
"""


class Attribute(NamedTuple):
    """A categorical input: its name and the names of its categories, in the order of their codes.

    `ordered` says whether that order means something, as that of intervals does; `anchored`, whether windows see the
    attribute at their position alone, as `treecrf.inputs.anchors` counts from the ends of the sequence.
    """

    name: str
    categories: tuple[str, ...]
    ordered: bool = False
    anchored: bool = False


def attributes_from(described: Iterable[Sequence[Any]]) -> tuple[Attribute, ...]:
    """Attributes as a file's JSON has them: name, categories and, unless the file is an old one, the flags of
    `Attribute`.
    """
    try:
        return tuple(_attribute(*parts) for parts in described)
    except TypeError:
        raise TypeError("attributes: each has a name and its categories; give Attribute(name, categories).") from None


def _attribute(name: str, categories: Iterable[str], ordered: bool = False, anchored: bool = False) -> Attribute:
    return Attribute(str(name), tuple(map(str, categories)), bool(ordered), bool(anchored))


@dataclass(frozen=True, eq=False)
class SequenceSet:
    """Labelled sequences of observations, which are categories and numbers.

    A *position* is a place of a chain and carries a label; an *observation* carries attribute values and numbers.
    Observation ``t`` of a sequence belongs to its position ``t``. A sequence may end in observations that
    no label belongs to (the last letter of a word whose positions are the gaps between its letters):
    windows see them, chains do not.

    Parameters
    ----------
    values : array_like of int, shape (n_observations, n_attributes)
        Category codes from 0; `MISSING` (-1) where the value is not known. Kept as int32.
    offsets : array_like of int, shape (n_sequences + 1,)
        Sequence ``i`` owns the positions ``offsets[i]`` to ``offsets[i + 1] - 1``. Kept as int64.
    attributes : sequence of Attribute
        One per column of `values`.
    labels : array_like of int, shape (n_positions,), optional
        Label codes; `MISSING` (-1) where the label is not known (docs/partial_labels.md). Kept as int16.
    label_names : sequence of str
        Names of the labels, in the order of their codes.
    observation_offsets : array_like of int, shape (n_sequences + 1,), optional
        The same as `offsets` for the rows of `values`; equal to `offsets` unless given.
    groups : array_like of int, shape (n_sequences,), optional
        Sequences with the same number are related: what chooses settings or tests methods keeps them together. Each
        is a group of its own unless given. Kept as int64.
    numbers : array_like of float, shape (n_observations, n_numbers), optional
        NaN where the value is not known; infinity is refused. Kept as float64; none unless given.
    number_names : sequence of str
        One per column of `numbers`.

    Raises
    ------
    ValueError
        If the arrays contradict each other; the message names the first place where they do.
    """

    values: NDArray[np.int32]
    offsets: Ints
    attributes: tuple[Attribute, ...]
    labels: Codes | None = None
    label_names: tuple[str, ...] = ()
    observation_offsets: Ints = field(default=None)  # type: ignore[arg-type]
    groups: Ints = field(default=None)  # type: ignore[arg-type]
    numbers: Floats = field(default=None)  # type: ignore[arg-type]
    number_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = arrays.frozen(frames.codes(self.values, "values", np.int32))
        numbers = np.empty((*values.shape[:1], 0)) if self.numbers is None else self.numbers
        observation_offsets = self.offsets if self.observation_offsets is None else self.observation_offsets
        groups = np.arange(max(len(self.offsets) - 1, 0)) if self.groups is None else self.groups
        for name, value in (
            ("values", values),
            ("offsets", arrays.frozen(frames.offsets(self.offsets, "offsets"))),
            ("attributes", attributes_from(self.attributes)),
            ("labels", None if self.labels is None else arrays.frozen(frames.codes(self.labels, "labels", np.int16))),
            ("label_names", tuple(map(str, self.label_names))),
            ("observation_offsets", arrays.frozen(frames.offsets(observation_offsets, "observation_offsets"))),
            ("groups", arrays.frozen(frames.groups(groups))),
            ("numbers", arrays.frozen(frames.numbers(numbers))),
            ("number_names", tuple(map(str, self.number_names))),
        ):
            object.__setattr__(self, name, value)
        check_parts(self._parts(), self.groups)

    @classmethod
    def of_parts(cls, parts: Encoded) -> SequenceSet:
        """A set of what is right by construction, in its final types: nothing is checked."""
        named = parts._asdict() | {"attributes": tuple(Attribute(*each) for each in parts.attributes)}
        return _EMPTY.derived(**named, groups=np.arange(len(parts.offsets) - 1))

    def _parts(self) -> Encoded:
        return Encoded(**{name: getattr(self, name) for name in Encoded._fields})

    def __repr__(self) -> str:
        """Sizes and names; the arrays are attributes."""
        inputs = [f"{a.name} ({counted(len(a.categories), 'value')})" for a in self.attributes]
        inputs += [f"{name} (numbers)" for name in self.number_names]
        labels = listed(self.label_names, str) if self.labels is not None else "none"
        return (
            f"SequenceSet({counted(len(self), 'sequence')}, {counted(self.n_positions, 'position')}; attributes: "
            f"{listed(inputs, str)}; labels: {labels})"
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
    def lengths(self) -> Ints:
        """Number of positions of each sequence, shape (n_sequences,)."""
        return np.diff(self.offsets)

    @property
    def has_missing(self) -> bool:
        """Whether any cell is `MISSING`, or NaN among the numbers."""
        return bool((self.values == MISSING).any()) or bool(np.isnan(self.numbers).any())

    @property
    def n_missing(self) -> int:
        """Number of cells that are `MISSING`, or NaN among the numbers."""
        return int((self.values == MISSING).sum()) + int(np.isnan(self.numbers).sum())

    @property
    def n_unknown_labels(self) -> int:
        """Number of positions whose label is `MISSING`; 0 for a set without labels."""
        return 0 if self.labels is None else int((self.labels == MISSING).sum())

    @property
    def n_cells(self) -> int:
        """Number of cells of all observations, numbers included."""
        return self.values.size + self.numbers.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SequenceSet):
            return NotImplemented
        if any(getattr(self, name) != getattr(other, name) for name in ("attributes", "number_names", "label_names")):
            return False
        if (self.labels is None) != (other.labels is None):
            return False
        pairs = [(getattr(self, name), getattr(other, name)) for name in _ARRAYS if name != "groups"]
        pairs.append((arrays.first_relatives(self.groups), arrays.first_relatives(other.groups)))
        return all(a is b or np.array_equal(a, b, equal_nan=True) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    # --- parts and variants -------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> SequenceSet:
        """Some sequences as a set of their own: ``data[3]``, ``data[-1]``, ``data[2:5]``, ``data[[1, 2]]``,
        ``data[mask]``.
        """
        return self.select(arrays.places(key, len(self), "sequences"))

    def __iter__(self) -> Iterator[SequenceSet]:
        """The sequences one by one, each a set of its own."""
        return (self[number] for number in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.object_]:
        """The sequences as an array of objects, shape (n_sequences,)."""
        return arrays.of_objects(self)

    def select(self, indices: ArrayLike) -> SequenceSet:
        """The sequences at `indices` (int, shape (n,)), in that order, as a set of their own."""
        chosen = np.asarray(indices, dtype=np.int64).reshape(-1)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= len(self)):
            raise ValueError(
                f"select: index {chosen[(chosen < 0) | (chosen >= len(self))][0]} is outside 0..{len(self) - 1}."
            )
        offsets, positions = arrays.gather_ranges(self.offsets, chosen)
        observation_offsets, rows = arrays.gather_ranges(self.observation_offsets, chosen)
        return self.derived(
            values=self.values[rows],
            offsets=offsets,
            labels=None if self.labels is None else self.labels[positions],
            observation_offsets=observation_offsets,
            groups=self.groups[chosen],
            numbers=self.numbers[rows],
        )

    def derived(self, **parts: Any) -> SequenceSet:
        """A copy with other parts, by name, in their final types; for what is right by construction: nothing is checked
        again.
        """
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        for name, value in parts.items():
            object.__setattr__(part, name, arrays.frozen(value) if isinstance(value, np.ndarray) else value)
        return part

    def with_values(self, values: ArrayLike, attributes: Sequence[Attribute] | None = None) -> SequenceSet:
        """The same sequences and labels with other inputs (`values` as in the constructor)."""
        return replace(
            self,
            values=as_array(values, "values"),
            attributes=self.attributes if attributes is None else tuple(attributes),
        )

    def with_numbers(self, numbers: ArrayLike, number_names: Sequence[str] | None = None) -> SequenceSet:
        """The same sequences and labels with other numbers (`numbers` as in the constructor)."""
        names = self.number_names if number_names is None else tuple(number_names)
        return replace(self, numbers=as_array(numbers, "numbers"), number_names=names)

    def with_labels(self, labels: ArrayLike | None, label_names: Sequence[str] | None = None) -> SequenceSet:
        """The same inputs with other labels (int, shape (n_positions,)), or with none."""
        names = self.label_names if label_names is None else tuple(label_names)
        codes = None if labels is None else as_array(labels, "labels")
        return replace(self, labels=codes, label_names=names)

    def with_groups(self, groups: ArrayLike) -> SequenceSet:
        """The same sequences in other groups (int, shape (n_sequences,))."""
        return replace(self, groups=as_array(groups, "groups"))

    @staticmethod
    def concatenate(parts: Sequence[SequenceSet]) -> SequenceSet:
        """Join sets that share inputs and label names; sequences of different sets are not related."""
        if not parts:
            raise ValueError("concatenate: no sets were given; give at least one.")
        first = parts[0]
        names = first.attributes, first.number_names, first.label_names
        for i, part in enumerate(parts):
            if (part.attributes, part.number_names, part.label_names) != names:
                raise ValueError(
                    f"concatenate: set {i} has other attributes, numbers or label names than set 0; align them first."
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
            np.concatenate([part.numbers for part in parts]),
            first.number_names,
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
        categories: Mapping[str, Sequence[str]] | None = None,
        kinds: Mapping[str, Kind] | None = None,
        unknown_labels: bool = False,
    ) -> SequenceSet:
        """Read a table with one row per observation.

        Parameters
        ----------
        frame : DataFrame
            Of pandas or polars, or a table of pyarrow. Rows of one sequence stand together, in order. An empty
            attribute cell (None, NaN, empty string) is missing. An empty label is allowed only in the last rows of a
            sequence: observations that no label belongs to.
        sequence, label : str
            Names of the column that tells sequences apart and of the label column (None: no labels).
        attributes : sequence of str, optional
            Names of the input columns; all other columns unless given.
        label_names, categories : optional
            Fixed orders of the label names, and of the categories by attribute; the levels of a categorical column, or
            sorted names, unless given.
        kinds : mapping of str to "number" or "category", optional
            What an input column holds. Unless given, a column of a numeric type holds numbers, but for one of whole
            numbers with at most 20 different ones (`treecrf.io.columns.MOST_INTEGERS`); all other columns, and those
            with given `categories`, hold categories. What was decided is seen in `attributes` and `number_names`.
        unknown_labels : bool
            Whether every row is a position and an empty label is one that is not known, wherever it stands.

        Raises
        ------
        ValueError
            For a column that is not there, a sequence in two places, a label or category outside the given ones, an
            empty label before a labelled row (unless labels may be unknown), a number that is none or infinite; the
            message names row and column.
        """
        from treecrf.io.frames import encode_frame

        other: Any = frame
        if not hasattr(frame, "iloc") and hasattr(other, "to_pandas"):  # of polars, or a table of pyarrow
            frame = other.to_pandas()
        if not hasattr(frame, "columns"):
            raise ValueError(
                f"from_frame reads one DataFrame, not a {type(frame).__name__}; labellers read lists themselves."
            )
        return cls(
            **encode_frame(frame, sequence, label, attributes, label_names, categories, kinds, unknown_labels)._asdict()
        )

    def to_frame(self, *, sequence: str = "sequence", label: str = "label") -> pd.DataFrame:
        """One row per observation: sequence number, label (None where unknown and beyond the last position), inputs."""
        from treecrf.io.frames import decode_frame

        return decode_frame(self._parts(), sequence, label)

    def save(self, path: AnyPath) -> None:
        """Write the set to `path` (.npz): arrays plus a JSON header, no pickle; atomic."""
        names = {name: getattr(self, name) for name in ("attributes", "label_names", "number_names")}
        arrays: dict[str, Any] = {name: getattr(self, name) for name in _ARRAYS if getattr(self, name) is not None}
        write_npz(path, names | {"format": "treecrf.SequenceSet/1"}, arrays)

    @classmethod
    def load(cls, path: AnyPath) -> SequenceSet:
        """Read what `save` wrote; a ValueError names the file if it is something else."""
        header, arrays = read_npz(path, "treecrf.SequenceSet/1")
        try:
            attributes, number_names = attributes_from(header["attributes"]), tuple(header.get("number_names", ()))
            return cls(
                attributes=attributes, label_names=tuple(header["label_names"]), number_names=number_names, **arrays
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{os.fspath(path)} holds no set of sequences ({quoted(str(error))}); write it again."
            ) from None


_EMPTY = SequenceSet(np.empty((0, 0), dtype=np.int32), np.zeros(1, dtype=np.int64), ())

_ARRAYS = ("values", "offsets", "labels", "observation_offsets", "groups", "numbers")


def window_codes(data: SequenceSet, window: tuple[int, int]) -> NDArray[Any]:
    """Codes of the window of every position; numbers have none.

    Parameters
    ----------
    data : SequenceSet
    window : (left, right)
        The window of position t reaches from observation ``t - left`` to ``t + right``.

    Returns
    -------
    uint8, or uint16 where an attribute has more than `NARROW_CATEGORIES` categories, shape (n_positions, n_slots), in
    the order of `window_slots`. For an attribute with C categories the codes are 0..C-1, C = EDGE (outside the
    sequence) and C + 1 = MISSING: C + 1 boolean features per slot (PhD table 3.6).
    """
    sizes = np.array([len(attribute.categories) for attribute in data.attributes], dtype=np.int64)
    widest = int(sizes.max(initial=0))
    if widest > MAX_CATEGORIES:
        wide = data.attributes[int(sizes.argmax())]
        raise ValueError(
            f"attribute {wide.name!r} has {widest:,} categories and {MAX_CATEGORIES:,} are the most; merge the rare "
            "ones by min_count=2 or more."
        )
    kind = np.uint8 if widest <= NARROW_CATEGORIES else np.uint16
    inside = data.values.astype(kind)
    missing = data.values == MISSING
    if missing.any():
        inside[missing] = np.broadcast_to(sizes + 1, missing.shape)[missing]
    rows = window_rows(data, window)
    is_anchored = np.array([attribute.anchored for attribute in data.attributes], dtype=np.bool_)
    if tuple(window) == (0, 0) and not is_anchored.any():  # windows do not leave the sequence
        return inside if len(rows) == len(inside) else inside[rows[:, 0]]
    before_edges = inside[:, ~is_anchored]
    with_edges = np.vstack([before_edges, sizes[~is_anchored].astype(kind)])  # the row -1
    codes = with_edges.take(rows, axis=0).reshape(len(rows), rows.shape[1] * before_edges.shape[1])
    if not is_anchored.any():
        return codes
    return np.ascontiguousarray(np.hstack([codes, inside[rows[:, window[0]]][:, is_anchored]]))


def window_rows(data: SequenceSet, window: tuple[int, int]) -> Ints:
    """The observations in the window of every position, -1 outside the sequence.

    Parameters: as of `window_codes`. Returns int64, shape (n_positions, left + right + 1).
    """
    if not isinstance(window, Sequence | np.ndarray) or len(window) != 2 or min(window) < 0:
        raise ValueError(
            f"window {window!r}: both sides count observations and cannot be negative; give (left, right), such as (3, "
            "3)."
        )
    left, right = window
    first, last, position = data.observation_offsets[:-1], data.observation_offsets[1:], np.arange(data.n_positions)
    if len(data) > 1:
        lengths = data.lengths
        position += np.repeat(first - data.offsets[:-1], lengths)
        first, last = np.repeat(first, lengths)[:, None], np.repeat(last, lengths)[:, None]
    rows = position[:, None] + np.arange(-left, right + 1)
    rows[(rows < first) | (rows >= last)] = -1
    return rows


class Slot(NamedTuple):
    """A place of a window: the number of its attribute, and its distance from the position, negative before it."""

    attribute: int
    distance: int


def window_slots(attributes: Sequence[Attribute], window: tuple[int, int]) -> list[Slot]:
    """The slots of a window: place by place those of the attributes that are not anchored, then the anchored ones."""
    anchored = [attribute.anchored for attribute in attributes]
    places = range(-window[0], window[1] + 1)
    slots = [Slot(j, distance) for distance in places for j in range(len(anchored)) if not anchored[j]]
    return slots + [Slot(j, 0) for j in range(len(anchored)) if anchored[j]]


def slot_sizes(attributes: Iterable[Attribute], window: tuple[int, int]) -> Ints:
    """Number of boolean features of each window slot, EDGE included: C + 1; shape (n_slots,)."""
    attributes = tuple(attributes)
    sizes = [len(attributes[slot.attribute].categories) + 1 for slot in window_slots(attributes, window)]
    return np.array(sizes, dtype=np.int64)
