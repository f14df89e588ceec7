"""Columns derived from those of a set: parts and shapes of words, rolling statistics of numbers, parts of time stamps.

`DerivedInputs` decides at `fit` which columns can be derived (`Derivation`), and adds the same ones to every set. A
derived category depends on its own cell alone, so it is computed once for each category. A derived number depends on a
few neighbours within its sequence. Missing values stay missing; a rolling statistic uses the values that are there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from treecrf.estimators.checks import FLAG, NAME, Check, check_params, one_of, optional, several, whole
from treecrf.estimators.protocol import Transform
from treecrf.inputs.neighbours import PAIRS, paired, shifted
from treecrf.inputs.times import (
    DAY,
    DAY_FIRST,
    DAYS,
    EITHER_FIRST,
    EPOCHS,
    MONTH_FIRST,
    OF_DAY,
    WRITTEN,
    are_times,
    epoch_of,
    form_of,
    identifying_times,
    read_times,
    seconds_of,
)
from treecrf.io.arrays import Floats, Ints
from treecrf.io.columns import Kind
from treecrf.io.messages import listed, quoted
from treecrf.sequences import MISSING, Attribute, SequenceSet

BLOCKS = ("words", "rolling", "times")
"""Groups of derived columns: of words, of numbers, of time stamps."""

NEIGHBOURS = "neighbours"
"""A further group: categories of neighbours and pairs of them, for labellers without windows."""

SHORT_LETTERS = 2.0
"""Of a category, on average, below which categories are characters, of which more neighbours matter."""

LEAST_WORDS = 100
"""Categories from which on a column can be one of words."""

LEAST_LETTERS = 4.0
"""Of a word, on average over the categories: shorter ones have no parts."""

MOST_SIZE = 2**16
"""Which the letters of an affix and the observations of a span are below."""

CHUNK = 2**20
"""Cells of the windows that rolling statistics look at together."""


class Derivation(NamedTuple):
    """A derived column.

    Attributes
    ----------
    source : str
        The column that it is derived from.
    kind : str
        Of `OF_CATEGORIES`, `OF_TIMES`, `DIFFERENCES`, `STATISTICS`, `SHIFTS` or `PAIRS`, or "place".
    size : int
        Letters of an affix, observations of a rolling statistic, steps to a neighbour, or how a time is written (a
        place in `FORMS`); otherwise 0.
    """

    source: str
    kind: str
    size: int = 0

    @property
    def name(self) -> str:
        """The name of the column, for example "word: suffix of 3" or "x: rolling mean of 9"."""
        words = _WORDS.get(self.kind, self.kind)
        if self.kind in SHIFTS:
            return f"{self.source}: {self.size} {words}"
        return f"{self.source}: {words} of {self.size}" if self.kind in SIZED else f"{self.source}: {words}"

    @property
    def block(self) -> str:
        """The block of derivations that it belongs to: one of `BLOCKS`, or `NEIGHBOURS`."""
        if self.kind in (*SHIFTS, *PAIRS):
            return NEIGHBOURS
        if self.kind in ("gap", *OF_TIMES):
            return "times"
        return "rolling" if self.holds == "number" else "words"

    @property
    def holds(self) -> Kind:
        """Whether the column holds numbers or categories."""
        return "number" if self.kind in (*DIFFERENCES, *STATISTICS, "gap") else "category"


_WORDS = {
    "lower": "lower case",
    "previous": "change since the previous",
    "next": "change to the next",
    "mean": "rolling mean",
    "deviation": "rolling deviation",
    "lowest": "rolling minimum",
    "highest": "rolling maximum",
    "gap": "seconds since the previous",
    "place": "place in the sequence",
    "pair_before": "pair with the one before",
    "pair_after": "pair with the one after",
    "around": "pair around",
}


class DerivedInputs(Transform):
    """Adds columns that experts derive from words, numbers and time stamps.

    Columns of words are those with at least `LEAST_WORDS` categories of at least `LEAST_LETTERS` letters on average;
    columns of time stamps are those that can be read in one of `FORMS`. A derived column that the training set has
    already in another form, or that never changes, is not added. Time stamps that identify the rows
    (`identifying_times`), which other sets do not have, are taken away.

    Parameters
    ----------
    blocks : tuple of str
        Of `BLOCKS`. "words": lower case, prefixes and suffixes, shape, digits, and whether the sequence begins or ends.
        "rolling": the change from and to the neighbours, and mean, deviation, minimum and maximum over some
        observations. "times": seconds since the observation before, hour and weekday. "neighbours", not among the
        usual ones: where a column has `LEAST_WORDS` categories, the categories of neighbours, and pairs of them.
    columns : tuple of str, optional
        Columns to derive from; all that suit unless given.
    affixes : int
        Letters of the longest prefix and suffix.
    spans : tuple of int
        Observations that rolling statistics look at, each at least 2.
    centred : bool
        Whether these are around the observation, or the last ones up to it, as for streams.

    Attributes
    ----------
    kinds_ : dict of str
        "category" or "number", by input of the training set.
    derivations_ : tuple of Derivation
        The columns that are added.
    dropped_ : tuple of str
        The columns that are taken away.
    """

    kinds_: dict[str, Kind]
    derivations_: tuple[Derivation, ...]
    dropped_: tuple[str, ...]

    _parameter_constraints: ClassVar[Mapping[str, Check]] = {
        "blocks": several("blocks of derived inputs", one_of(*BLOCKS, NEIGHBOURS)),
        "columns": optional(several("names of columns", NAME)),
        "affixes": whole(0, MOST_SIZE - 1),
        "spans": several("numbers of observations", whole(2, MOST_SIZE - 1)),
        "centred": FLAG,
    }

    def __init__(
        self,
        blocks: Sequence[str] = BLOCKS,
        columns: Sequence[str] | None = None,
        affixes: int = 4,
        spans: Sequence[int] = (3, 9, 25),
        centred: bool = True,
    ) -> None:
        self.blocks, self.columns, self.affixes, self.spans, self.centred = blocks, columns, affixes, spans, centred

    def _learn(self, train: SequenceSet, weights: Floats | None = None) -> None:
        """Find the columns that can be derived, and keep those that are new."""
        self._check_settings(train)
        kinds: dict[str, Kind] = {attribute.name: "category" for attribute in train.attributes}
        self.kinds_ = kinds | dict.fromkeys(train.number_names, "number")
        proposed = tuple(self._proposed(train))
        taken = {derivation.name for derivation in proposed} & self.kinds_.keys()
        if taken:
            raise ValueError(
                f"there is a column {min(taken)!r} already, which a derived one would be called; rename it."
            )
        self.dropped_ = identifying_times(train)
        known = _Known(_without(train, self.dropped_))
        self.derivations_ = tuple(
            derivation for derivation, column in self._columns(train, proposed) if known.is_new(column)
        )

    def restore(
        self, kinds: Mapping[str, Kind], derivations: Iterable[tuple[str, str, int]], dropped: Iterable[str] = ()
    ) -> Self:
        """Take back what `fit` learnt: `kinds_`, `derivations_` and `dropped_`; returns self."""
        self.kinds_, self.dropped_ = dict(kinds), tuple(dropped)
        for name in self.dropped_:
            if name not in self.kinds_:
                raise ValueError(f"the column {quoted(name)} that is taken away is none of the inputs")
        self.derivations_ = tuple(Derivation(str(source), str(kind), int(size)) for source, kind, size in derivations)
        for derivation in self.derivations_:
            holds = self.kinds_.get(derivation.source, "")
            of_source = _DERIVATIONS.get(holds, ())
            sizes: Collection[int] = range(1, MOST_SIZE) if derivation.kind in SIZED else (0,)
            if derivation.block == "times":
                sizes = tuple(EPOCHS) if holds == "number" else WRITTEN
            if derivation.kind not in of_source or derivation.size not in sizes:
                raise ValueError(f"the derived column {quoted(derivation.name)} is of no known kind")
        return self

    def _check_settings(self, train: SequenceSet) -> None:
        check_params(self.get_params(deep=False), self._parameter_constraints)
        names = {*(attribute.name for attribute in train.attributes), *train.number_names}
        for name in self.columns or ():
            if name not in names:
                raise ValueError(f"columns: there is no column {quoted(name)}; the set has {listed(sorted(names))}.")

    def _proposed(self, train: SequenceSet) -> Iterator[Derivation]:
        """Every column that can be derived."""
        for attribute in train.attributes:
            if self.columns is not None and attribute.name not in self.columns:
                continue
            is_named = self.columns is not None
            form = form_of(attribute.categories)
            if "times" in self.blocks and form is not None:
                yield from _of_times(attribute.name, form)
            elif "words" in self.blocks and (is_named or _are_words(attribute.categories)):
                yield Derivation(attribute.name, "lower")
                for size in range(1, self.affixes + 1):
                    yield Derivation(attribute.name, "prefix", size)
                    yield Derivation(attribute.name, "suffix", size)
                yield from (Derivation(attribute.name, kind) for kind in ("shape", "digits", "place"))
        yield from self._proposed_neighbours(train)
        longest = int(np.diff(train.observation_offsets).max(initial=0))
        for name, numbers in zip(train.number_names, train.numbers.T, strict=True):
            if self.columns is not None and name not in self.columns:
                continue
            form = epoch_of(numbers, train.observation_offsets)
            if form is not None:
                yield from _of_times(name, form) if "times" in self.blocks else ()
            elif "rolling" in self.blocks:
                yield from (Derivation(name, kind) for kind in self._differences())
                yield from (
                    Derivation(name, kind, span) for span in self.spans if span <= longest for kind in STATISTICS
                )

    def _proposed_neighbours(self, train: SequenceSet) -> Iterator[Derivation]:
        """Those of all categories where one has many values, which windows of many cells would take long to see."""
        named = [each for each in train.attributes if self.columns is None or each.name in self.columns]
        kept = [attribute for attribute in named if not are_times(attribute.categories)]
        widest = max((each.categories for each in kept), key=len, default=())
        if NEIGHBOURS not in self.blocks or len(widest) < LEAST_WORDS:
            return
        most = 3 if sum(map(len, widest)) < SHORT_LETTERS * len(widest) else 2
        for attribute in kept:
            for size in range(1, most + 1):
                yield from (Derivation(attribute.name, kind, size) for kind in SHIFTS)
            if len(attribute.categories) >= LEAST_WORDS:
                yield from (Derivation(attribute.name, kind) for kind in PAIRS)

    def _differences(self) -> tuple[str, ...]:
        return tuple(DIFFERENCES) if self.centred else ("previous",)

    @property
    def reach(self) -> tuple[int, int]:
        """Observations before and after one that its derived columns look at."""
        if not hasattr(self, "derivations_"):
            self._refuse_unfitted()
        reaches = [self._reach(derivation) for derivation in self.derivations_]
        return max((left for left, _ in reaches), default=0), max((right for _, right in reaches), default=0)

    def _reach(self, derivation: Derivation) -> tuple[int, int]:
        if derivation.kind in STATISTICS:
            after = derivation.size // 2 if self.centred else 0
            return derivation.size - 1 - after, after
        if derivation.kind in SHIFTS:
            return (derivation.size, 0) if SHIFTS[derivation.kind] < 0 else (0, derivation.size)
        if derivation.kind in PAIRS:
            first, second = PAIRS[derivation.kind]
            return -first, second
        return {"previous": (1, 0), "gap": (1, 0), "next": (0, 1), "place": (1, 1)}.get(derivation.kind, (0, 0))

    def _transform(self, data: SequenceSet) -> SequenceSet:
        """The same set with the derived columns after its own, without those that are taken away."""
        kept = _without(data, self.dropped_)
        values, attributes = [kept.values], list(kept.attributes)
        numbers, names = [kept.numbers], list(kept.number_names)
        for derivation, column in self._columns(data, self.derivations_):
            if isinstance(column, _Categories):
                values.append(column.codes[:, None])
                attributes.append(Attribute(derivation.name, column.categories))
            else:
                numbers.append(np.where(np.isfinite(column), column, np.nan)[:, None])  # sums of huge numbers overflow
                names.append(derivation.name)
        return data.with_values(np.hstack(values), attributes).with_numbers(np.hstack(numbers), names)

    def _columns(
        self, data: SequenceSet, derivations: Sequence[Derivation]
    ) -> Iterator[tuple[Derivation, _Categories | Floats]]:
        """The derived columns, one after another; what several of one source need is computed once."""
        places = {attribute.name: j for j, attribute in enumerate(data.attributes)}
        of_span: dict[tuple[str, int], dict[str, Floats]] = {}
        offsets = data.observation_offsets
        for derivation in derivations:
            source, kind, size = derivation
            is_number = self.kinds_[source] == "number"
            if source not in (data.number_names if is_number else places):
                raise ValueError(
                    f"the set has no {self.kinds_[source]} column {quoted(source)}; give the columns of the training "
                    "set."
                )
            if is_number:
                numbers = data.numbers[:, data.number_names.index(source)]
                if kind in DIFFERENCES:
                    yield derivation, differences(numbers, offsets, DIFFERENCES[kind])
                    continue
                if derivation.block == "times":
                    yield derivation, _part_of_epochs(numbers, offsets, kind, size)
                    continue
                if (source, size) not in of_span:
                    before, after = self._reach(derivation)
                    of_span = {(source, size): rolling_statistics(numbers, offsets, before, after)}
                yield derivation, of_span[source, size][kind]
                continue
            codes, categories = data.values[:, places[source]], data.attributes[places[source]].categories
            if kind == "gap":
                yield derivation, _steps(codes, categories, offsets, size)
            elif kind in SHIFTS:
                yield derivation, _Categories(*shifted(codes, categories, offsets, SHIFTS[kind] * size))
            elif kind in PAIRS:
                yield derivation, _Categories(*paired(codes, categories, offsets, kind))
            elif kind == "place":
                yield derivation, _Categories(_places(offsets), PLACES)
            else:
                function = OF_TIMES[kind] if kind in OF_TIMES else OF_CATEGORIES[kind]
                yield derivation, _Categories.of(codes, function(categories, size))

    def _input_kinds(self) -> dict[str, Kind]:
        if not hasattr(self, "kinds_"):
            self._refuse_unfitted()
        return self.kinds_

    def _names_out(self) -> list[str]:
        added = [(derivation.name, derivation.holds) for derivation in self.derivations_]
        columns = [*((name, kind) for name, kind in self.kinds_.items() if name not in self.dropped_), *added]
        return [name for kind in ("category", "number") for name, holds in columns if holds == kind]


def _without(data: SequenceSet, names: Collection[str]) -> SequenceSet:
    """The set without some of its inputs."""
    if not names:
        return data
    kept = [j for j, attribute in enumerate(data.attributes) if attribute.name not in names]
    data = data.with_values(data.values[:, kept], [data.attributes[j] for j in kept])
    kept = [j for j, name in enumerate(data.number_names) if name not in names]
    return data.with_numbers(data.numbers[:, kept], [data.number_names[j] for j in kept])


class _Categories(NamedTuple):
    """A column of categories: codes, shape (n_observations,), and names."""

    codes: NDArray[np.int32]
    categories: tuple[str, ...]

    @classmethod
    def of(cls, codes: NDArray[np.int32], texts: Sequence[str | None]) -> _Categories:
        """The column from the text of each category of its source, None where it is missing."""
        names = sorted({text for text in texts if text is not None})
        code_of = {name: code for code, name in enumerate(names)} | {None: MISSING}
        derived = np.array([*(code_of[text] for text in texts), MISSING], dtype=np.int32)
        return cls(derived[codes], tuple(names))


class _Known:
    """The columns so far, which say whether another one is new."""

    def __init__(self, train: SequenceSet) -> None:
        self._codes = [(_n_different(column), column) for column in train.values.T]
        self._numbers = list(train.numbers.T)

    def is_new(self, column: _Categories | Floats) -> bool:
        """Whether a column varies, and divides the observations as no other does; then it counts as known."""
        if isinstance(column, _Categories):
            n_values = _n_different(column.codes)
            equal = [other for n, other in self._codes if n == n_values]
            if n_values < 2 or any(_divide_alike(column.codes, other, n_values) for other in equal):
                return False
            self._codes.append((n_values, column.codes))
            return True
        there = column[~np.isnan(column)]
        if not len(there) or (there == there[0]).all():
            return False
        if any(np.array_equal(column, other, equal_nan=True) for other in self._numbers):
            return False
        self._numbers.append(column)
        return True


def _n_different(codes: NDArray[np.int32]) -> int:
    return len(np.unique(codes))


def _divide_alike(codes: NDArray[np.int32], other: NDArray[np.int32], n_values: int) -> bool:
    """Whether two columns with as many values are the same up to the names of these."""
    pairs = (codes.astype(np.int64) + 1) * (int(other.max(initial=0)) + 2) + other + 1
    return len(np.unique(pairs)) == n_values


# --- words --------------------------------------------------------------------------------------------

PLACES = ("inside", "first", "last", "only")


def _are_words(categories: Sequence[str]) -> bool:
    return len(categories) >= LEAST_WORDS and sum(map(len, categories)) >= LEAST_LETTERS * len(categories)


def _shape(word: str) -> str:
    """Capitals, small letters and digits as X, x and 0, a run as one; other characters stay: "Xx-0" for "Apollo-11"."""
    letters = ("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", "".join(letters))


def _digits(word: str) -> str:
    n_digits = sum(map(str.isdigit, word))
    return "none" if not n_digits else "all" if n_digits == len(word) else "some"


OF_CATEGORIES: dict[str, Callable[[Sequence[str], int], list[str | None]]] = {
    "lower": lambda words, _: [word.lower() for word in words],
    "prefix": lambda words, size: [word.lower()[:size] for word in words],
    "suffix": lambda words, size: [word.lower()[-size:] for word in words],
    "shape": lambda words, _: [_shape(word) for word in words],
    "digits": lambda words, _: [_digits(word) for word in words],
}
"""Texts derived from each category, by kind; a word that is shorter than an affix is an affix itself."""


def _places(offsets: Ints) -> NDArray[np.int32]:
    """Codes of `PLACES`, shape (n_observations,)."""
    codes = np.zeros(offsets[-1], dtype=np.int32)
    filled = offsets[:-1] < offsets[1:]
    np.add.at(codes, offsets[:-1][filled], 1)
    np.add.at(codes, offsets[1:][filled] - 1, 2)
    return codes


# --- time stamps --------------------------------------------------------------------------------------


def without_stamps(data: SequenceSet) -> SequenceSet:
    """The set without time stamps that identify its rows."""
    return _without(data, identifying_times(data))


def _of_times(source: str, form: int) -> Iterator[Derivation]:
    """What can be derived from times in that form: weekdays only where the date is known."""
    for kind in ("gap", *OF_TIMES):
        if kind != "weekday" or form not in (EITHER_FIRST, OF_DAY):
            yield Derivation(source, kind, form)


def _steps(codes: NDArray[np.int32], categories: Sequence[str], offsets: Ints, form: int) -> Floats:
    """Seconds since the row before: over midnight where no date is there, NaN where two readings of dates differ."""
    if form == EITHER_FIRST:
        of_days, of_months = (_steps(codes, categories, offsets, each) for each in (DAY_FIRST, MONTH_FIRST))
        return np.where(of_days == of_months, of_days, np.nan)
    seconds = np.append(seconds_of(categories, form), np.nan)[codes]  # a missing cell has the code -1
    steps = differences(seconds, offsets, -1)
    return steps % DAY if form == OF_DAY else steps


def _part_of_epochs(numbers: Floats, offsets: Ints, kind: str, form: int) -> _Categories | Floats:
    """What is derived from seconds or milliseconds since 1970."""
    seconds = numbers / EPOCHS[form]
    if kind == "gap":
        return differences(seconds, offsets, -1)
    days = np.floor(seconds / DAY)
    parts = (days + 3) % 7 if kind == "weekday" else (seconds - days * DAY) // 3600  # 1970 began on a Thursday
    known = np.isfinite(parts)
    codes = np.where(known, parts, MISSING).astype(np.int32)
    return _Categories.of(codes, DAYS if kind == "weekday" else [f"{hour:02}" for hour in range(24)])


OF_TIMES: dict[str, Callable[[Sequence[str], int], list[str | None]]] = {
    "hour": lambda texts, form: [None if time != time else f"{time.hour:02}" for time in read_times(texts, form)],
    "weekday": lambda texts, form: [None if time != time else DAYS[time.weekday()] for time in read_times(texts, form)],
}
"""Categories derived from time stamps of a form, by kind."""


# --- numbers ------------------------------------------------------------------------------------------

DIFFERENCES = {"previous": -1, "next": 1}
"""Neighbours that a number is compared with, by kind."""

SHIFTS = {"before": -1, "after": 1}
"""Directions of neighbours, by kind."""

STATISTICS = ("mean", "deviation", "lowest", "highest")
"""What is derived from the numbers in a window."""

_DERIVATIONS: dict[str, tuple[str, ...]] = {
    "category": (*OF_CATEGORIES, *OF_TIMES, "gap", "place", *SHIFTS, *PAIRS),
    "number": (*DIFFERENCES, *STATISTICS, *OF_TIMES, "gap"),
}
"""Kinds of derived columns, by what their source holds."""

SIZED = ("prefix", "suffix", *STATISTICS, *SHIFTS)
"""Kinds with a size."""


def differences(numbers: Floats, offsets: Ints, step: int) -> Floats:
    """Change from the observation before (`step` -1), or to the one after (1).

    Parameters
    ----------
    numbers : float64, shape (n_observations,)
    offsets : int64, shape (n_sequences + 1,)
        Of the observations of each sequence.
    step : -1 or 1

    Returns
    -------
    float64, shape (n_observations,)
        NaN where the observation or its neighbour is missing; 0 where the sequence has no neighbour.
    """
    filled = offsets[:-1] < offsets[1:]
    ends = offsets[:-1][filled] if step < 0 else offsets[1:][filled] - 1
    neighbours = np.roll(numbers, -step)
    neighbours[ends] = numbers[ends]
    with np.errstate(over="ignore"):
        return (neighbours - numbers) * step


def rolling_statistics(numbers: Floats, offsets: Ints, before: int, after: int) -> dict[str, Floats]:
    """Mean, deviation, minimum and maximum of the numbers around each observation, within its sequence.

    Each window is summed by itself, so that a part of a sequence gives the same bits as the whole.

    Parameters
    ----------
    numbers : float64, shape (n_observations,)
        NaN is left out.
    offsets : int64, shape (n_sequences + 1,)
    before, after : int
        Observations before and after that belong to the window.

    Returns
    -------
    dict of float64 arrays, shape (n_observations,)
        By name (`STATISTICS`); NaN where no number is there. The deviation divides by their number, so that of one is
        0.
    """
    n_windows = len(numbers)
    edge = max(before, after)
    sequence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    places = np.arange(n_windows) + edge * (sequence + 1)  # sequences stand apart by an edge of NaN
    padded = np.full(n_windows + edge * len(offsets), np.nan)
    padded[places] = numbers
    windows = sliding_window_view(padded, before + 1 + after)
    statistics = {name: np.empty(n_windows) for name in STATISTICS}
    rows = max(CHUNK // (before + 1 + after), 1)
    for first in range(0, n_windows, rows):
        part = slice(first, first + rows)
        for name, column in _statistics(windows[places[part] - before]).items():
            statistics[name][part] = column
    return statistics


def _statistics(windows: Floats) -> dict[str, Floats]:
    """Statistics of each row, by name."""
    there = ~np.isnan(windows)
    n_there = there.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.where(there, windows, 0.0).sum(axis=1) / n_there
        deviation = np.sqrt(np.where(there, (windows - mean[:, None]) ** 2, 0.0).sum(axis=1) / n_there)
    empty = n_there == 0
    return {
        "mean": mean,
        "deviation": deviation,
        "lowest": np.where(empty, np.nan, np.where(there, windows, np.inf).min(axis=1)),
        "highest": np.where(empty, np.nan, np.where(there, windows, -np.inf).max(axis=1)),
    }
