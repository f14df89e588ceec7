"""Tables and frames as the parts of a `treecrf.sequences.SequenceSet`, and values in the order of an index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.io.arrays import Bools, Codes, Floats, Ints, as_array, places_in, starts_of
from treecrf.io.columns import (
    COLUMN_KINDS,
    MISSING,
    CellError,
    Column,
    Kind,
    Vocabulary,
    encode_categories,
    encode_numbers,
    infer_kind,
)
from treecrf.io.messages import counted, listed, quoted, repeated

if TYPE_CHECKING:
    import pandas as pd


class Encoded(NamedTuple):
    """What a `SequenceSet` is made of, in the order of its parameters."""

    values: NDArray[np.int32]
    offsets: Ints
    attributes: Sequence[tuple[Any, ...]]
    labels: Codes | None
    label_names: tuple[str, ...]
    observation_offsets: Ints
    numbers: Floats
    number_names: tuple[str, ...]

    @classmethod
    def unlabelled(
        cls,
        columns: Sequence[NDArray[np.int32]],
        attributes: Sequence[tuple[Any, ...]],
        numbers: Sequence[ArrayLike],
        number_names: Iterable[str],
        offsets: Ints,
    ) -> Encoded:
        """A set without labels of columns of codes and of numbers."""
        n_rows = int(offsets[-1])
        values = np.stack(columns, axis=1) if columns else np.empty((n_rows, 0), dtype=np.int32)
        cells = np.stack(numbers, axis=1) if numbers else np.empty((n_rows, 0))
        return cls(values, offsets, attributes, None, (), offsets, cells, tuple(number_names))


def encode_frame(
    frame: pd.DataFrame,
    sequence: str,
    label: str | None,
    attributes: Sequence[str] | None,
    label_names: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]] | None,
    kinds: Mapping[str, Kind] | None,
    unknown_labels: bool = False,
) -> Encoded:
    """See `SequenceSet.from_frame`."""
    twice = repeated(frame.columns)
    if twice is not None:
        raise ValueError(f"the table has two columns {quoted(twice)}; rename one.")
    table = {name: Column(frame[name], name) for name in frame.columns}
    return encode_columns(table, sequence, label, attributes, label_names, categories, kinds, unknown_labels)


def encode_columns(
    table: Mapping[str, Column],
    sequence: str,
    label: str | None,
    attributes: Sequence[str] | None,
    label_names: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    unknown_labels: bool = False,
) -> Encoded:
    """The set that the columns of a table make, by name; other arguments and errors as of `SequenceSet.from_frame`."""
    taken = [sequence] if label is None else [sequence, label]
    columns = [c for c in table if c not in taken] if attributes is None else list(attributes)
    for column in [*taken, *columns]:
        if column not in table:
            raise ValueError(f"the table has no column {quoted(column)}; its columns are {listed(table)}.")
    twice = repeated([*taken, *columns])
    if twice is not None:
        raise ValueError(f"column {quoted(twice)} has two uses; name it for one of them.")
    if not columns:
        raise ValueError(
            f"the table has no attribute columns beside {listed(taken)}; add what labels depend on, such as words or "
            "numbers."
        )
    n_rows = len(table[sequence].cells)
    if not n_rows:
        raise ValueError("the table has no rows; give at least one sequence.")

    offsets = find_sequences(table[sequence])
    check_kinds(kinds or {}, columns)
    kind_of: dict[str, Kind] = dict.fromkeys(categories or {}, "category")
    kind_of |= kinds or {}
    inputs = encode_inputs({c: table[c] for c in columns}, kind_of, offsets, categories)
    inputs = inputs._replace(label_names=tuple(label_names or ()))
    if label is None:
        return inputs
    codes, names = encode_categories(table[label], label_names)
    if len(names) > np.iinfo(np.int16).max:
        raise ValueError(f"column {quoted(label)} has {len(names):,} different labels, too many; name another column.")
    if unknown_labels:
        return inputs._replace(labels=codes.astype(np.int16), label_names=names)
    offsets, labelled = _labelled_positions(codes, offsets, label)
    return inputs._replace(offsets=offsets, labels=codes[labelled].astype(np.int16), label_names=names)


def encode_inputs(
    columns: Mapping[str, Column],
    kinds: Mapping[str, Kind],
    offsets: Ints,
    categories: Mapping[str, Sequence[str]] | None = None,
    vocabularies: Mapping[str, Vocabulary] | None = None,
) -> Encoded:
    """A set of columns by name, without labels.

    Parameters
    ----------
    columns : mapping of str to Column
    kinds : mapping of str to "number" or "category"
        What columns hold; of those that are not named, `infer_kind` finds it out.
    offsets : int64, shape (n_sequences + 1,)
    categories : mapping of str to sequence of str, optional
        All that a column may have, in order; else the levels of a categorical column, or the texts that it has, sorted.
    vocabularies : mapping of str to Vocabulary, optional
        The categories that training knows. A column that has nothing else is coded by them.

    Raises
    ------
    CellError
        For a cell that is no finite number in a column of numbers, that holds several values, or that is none of
        `categories`.
    """
    attributes: list[tuple[Any, ...]] = []
    values, numbers, number_names = [], [], []
    for name, column in columns.items():
        if (kinds.get(name) or infer_kind(column)) == "number":
            numbers.append(encode_numbers(column))
            number_names.append(str(name))
            continue
        known = (vocabularies or {}).get(name)
        codes = known.codes(column.cells) if known is not None and isinstance(column.cells, list) else None
        if known is not None and codes is not None:
            names = known.names
        else:
            column.refuse_nested()
            fixed = (categories or {}).get(name)
            codes, names = encode_categories(column, column.levels if fixed is None else fixed)
        values.append(codes)
        attributes.append((str(name), names, False))
    return Encoded.unlabelled(values, attributes, numbers, number_names, offsets)


def find_sequences(column: Column) -> Ints:
    """Offsets of the runs of equal cells; a CellError unless each sequence has a name and is one run."""
    codes, texts = column.distinct
    unnamed = codes == MISSING
    if unnamed.any():
        raise CellError(int(unnamed.argmax()), column.name, "the sequence is not named.")
    offsets, again = runs_of(codes)
    if again is not None:
        raise CellError(again, column.name, comes_again(quoted(texts[codes[again]]), "table"))
    return offsets


def runs_of(codes: NDArray[np.intp]) -> tuple[Ints, int | None]:
    """Offsets of the runs of equal codes, and the first row of a run whose code has an earlier one, if there is any."""
    import pandas as pd

    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    again = starts[pd.Series(codes[starts]).duplicated().to_numpy()]
    return np.r_[starts, len(codes)].astype(np.int64), int(again[0]) if len(again) else None


def comes_again(sequence: str, what: str) -> str:
    """What is wrong with a sequence whose rows stand in two places of a table or frame."""
    return (
        f"sequence {sequence} comes a second time; sort the {what} if these rows belong to it, or rename it if they "
        "are of another recording, which sorting would merge."
    )


def decode_frame(data: Encoded, sequence: str, label: str) -> pd.DataFrame:
    """See `SequenceSet.to_frame`."""
    import pandas as pd

    names_of_columns = [sequence, label, *(attribute[0] for attribute in data.attributes), *data.number_names]
    twice = repeated(names_of_columns)
    if twice is not None:
        raise ValueError(f"two columns would be called {twice!r}; give to_frame other names for sequence and label.")
    lengths = np.diff(data.observation_offsets)
    columns: dict[str, Any] = {sequence: np.repeat(np.arange(len(lengths)), lengths)}
    if data.labels is not None:
        inside = places_in(data.observation_offsets) < np.repeat(np.diff(data.offsets), lengths)
        column = np.full(len(data.values), None, dtype=object)
        column[inside] = np.array([*data.label_names, None], dtype=object)[data.labels]
        columns[label] = column
    for j, (name, categories, *_) in enumerate(data.attributes):
        names = np.array([*categories, None], dtype=object)
        columns[name] = names[data.values[:, j]]
    for j, name in enumerate(data.number_names):
        columns[name] = data.numbers[:, j]
    return pd.DataFrame(columns)


def check_kinds(kinds: Mapping[str, Kind], columns: Sequence[str]) -> None:
    """Raise where a kind is none, or that of a column that is no input."""
    for column, kind in kinds.items():
        if column not in columns:
            raise ValueError(f"kinds names {quoted(column)}, which is no input; the inputs are {listed(columns)}.")
        if kind not in COLUMN_KINDS:
            raise ValueError(f"kinds: {quoted(column)} cannot be {quoted(kind)}; choose one of {listed(COLUMN_KINDS)}.")


def _labelled_positions(codes: NDArray[np.int32], observation_offsets: Ints, name: str) -> tuple[Ints, Bools]:
    """Offsets of the labelled rows; unlabelled ones may only end a sequence."""
    labelled = codes != MISSING
    counts = np.add.reduceat(labelled.astype(np.int64), observation_offsets[:-1])
    expected = places_in(observation_offsets) < np.repeat(counts, np.diff(observation_offsets))
    if (labelled != expected).any():
        raise CellError(
            int((~labelled & expected).argmax()),
            name,
            "an empty label stands before labelled rows, and only the end of a sequence may be unlabelled; fill it "
            "in, or read the table from Python with unknown_labels=True.",
        )
    if not counts.all():
        row = int(observation_offsets[counts.argmin()])
        raise CellError(row, name, "no row of the sequence has a label; fill some in, or leave the sequence out.")
    return starts_of(counts), labelled


def by_index(values: Any, index: pd.Index, what: str, is_said: bool = True) -> Any:
    """Values of rows or sequences in the order of these, where they have an index; a ValueError if it is another one.

    Parameters
    ----------
    values : any
        What has no index, such as an array, is in order already.
    index : Index
        Of the rows or sequences.
    what : str
        Values are, in errors.
    is_said : bool
        Whether the index says what a row belongs to; else one that only counts, of values or of rows, is not looked at.
    """
    if not is_indexed(values) or len(values) != len(index):
        return values
    own = values.index
    if own.equals(index) or own.equals(index.get_level_values(0)):
        return values
    if own.is_unique and index.is_unique and own.nlevels == index.nlevels:
        places = own.get_indexer(index)
        if (places >= 0).all():
            return values.iloc[places]
    if not is_said and (_only_counts(own) or _only_counts(index)):
        return values
    raise ValueError(
        f"{what} have another index than the sequences; give them the same one, or an array (.to_numpy()), which is "
        "taken as it is ordered."
    )


def is_indexed(value: Any) -> bool:
    """Whether something is a Series or a DataFrame of pandas."""
    return hasattr(value, "iloc") and hasattr(value, "index")


def parts_by_index(parts: Any, indices: list[pd.Index], what: str) -> Any:
    """`by_index` for lists of the values of each sequence, and the index of its rows."""
    parts = list(parts) if isinstance(parts, Iterator) else parts
    if not isinstance(parts, Collection) or len(parts) != len(indices) or not any(map(is_indexed, parts)):
        return parts
    return [
        by_index(part, index, f"{what} of sequence {number}", is_said=False)
        for number, (part, index) in enumerate(zip(parts, indices, strict=True))
    ]


def _only_counts(index: pd.Index) -> bool:
    import pandas as pd

    return bool(index.equals(pd.RangeIndex(len(index))))


# --- the parts of a set ---------------------------------------------------------------------------


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


def numbers(numbers: ArrayLike) -> Floats:
    """Real numbers, NaN where the value is not known; a copy."""
    array = as_array(numbers, "numbers")
    if array.dtype.kind not in "iufb":
        raise ValueError(f"numbers must be real numbers, not {array.dtype}; write NaN for missing.")
    return array.astype(np.float64, order="C")


_HIGHEST = np.iinfo(np.int64).max // 2


def offsets(offsets: ArrayLike, what: str) -> Ints:
    """Whole numbers from 0; `what` names them in errors."""
    return _integers(offsets, what, 0, f"{what} must start at 0 and never fall.")


def groups(groups: ArrayLike) -> Ints:
    """Whole numbers that tell groups of sequences apart."""
    return _integers(groups, "groups", -_HIGHEST, f"groups must lie in {-_HIGHEST}..{_HIGHEST}.")


def _integers(numbers: ArrayLike, what: str, lowest: int, problem: str) -> Ints:
    array = as_array(numbers, what)
    if array.dtype.kind not in "iu" and (array.dtype.kind != "f" or (array != np.floor(array)).any()):
        raise ValueError(f"{what}: must be whole numbers.")
    if array.size and not (array.min().item() >= lowest and array.max().item() <= _HIGHEST):
        raise ValueError(problem)
    return array.astype(np.int64)


def check_parts(data: Encoded, groups: Ints) -> None:
    """Raise a ValueError that names the first place where the parts of a set contradict each other."""
    if data.values.ndim != 2:
        raise ValueError(f"values must have shape (n_observations, n_attributes), not {data.values.shape}.")
    if data.values.shape[1] != len(data.attributes):
        raise ValueError(
            f"values have {counted(data.values.shape[1], 'column')} and {counted(len(data.attributes), 'attribute')} "
            "described; every sequence needs the same attributes."
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
                f"{name} end at {offsets[-1]} but there are {counted(total, 'row')}; the last offset must be that "
                "number."
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
                f"{counted(len(categories), 'category', 'categories')}."
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
