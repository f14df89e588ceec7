"""Anchored inputs: observations counted from the ends of the sequence, the distances of both ends, and running counts
of categories.

A window is relative to its position. An anchored input is not: it says what the second observation from the end of the
sequence is, or how many observations before the position had a category. Windows see it at their position alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.checks import Check, check_parts
from treecrf.inputs.binning import EDGES, Binner
from treecrf.io.arrays import Floats, Ints
from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet

AnchorSetting = tuple[int, int] | tuple[int, int, tuple[str, ...]] | None
"""The setting of labellers: the values of `Anchors`, or None for no anchored inputs."""

OUTSIDE = "(outside the sequence)"
"""Category of an observation that a short sequence does not have."""

MOST_ANCHORS = 10_000
"""Observations from each end that a file may ask for."""

ANCHOR_BINS = 32
"""Most bins of a number, distance or count among anchored inputs."""


class Anchors(NamedTuple):
    """Which anchored inputs there are; the distances of both ends always are.

    Attributes
    ----------
    first, last : int
        Observations from the start and from the end of the sequence that every position sees.
    counted : tuple of str
        Attributes of whose categories it is counted how many observations before the position have them.
    """

    first: int = 0
    last: int = 0
    counted: tuple[str, ...] = ()


def are_anchors(value: Any) -> bool:
    """Whether the fields of `Anchors` have these values."""
    if not isinstance(value, tuple | list) or not 2 <= len(value) <= 3:
        return False
    numbers, counted = value[:2], value[2] if len(value) == 3 else ()
    are_sizes = all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 0 for n in numbers)
    return are_sizes and isinstance(counted, tuple | list) and all(isinstance(name, str) for name in counted)


ANCHORS = Check(
    are_anchors, "give two whole numbers of at least 0, such as (0, 4), and names of attributes to count, if any"
)


class AnchoredInputs(NamedTuple):
    """The anchored inputs of a training set, as they are derived from every set.

    Attributes
    ----------
    anchors : Anchors
    sources : tuple of Attribute
        Of the training set.
    binner : Binner
        Of its numbers, of distances and of counts.
    """

    anchors: Anchors
    sources: tuple[Attribute, ...]
    binner: Binner

    @classmethod
    def learn(
        cls,
        train: SequenceSet,
        anchors: tuple[int, int] | tuple[int, int, tuple[str, ...]],
        weights: Floats | None = None,
    ) -> Self:
        """Find the bins; positions may have weights, labels are not looked at.

        Raises
        ------
        ValueError
            For a counted attribute that there is not, and for an input that has the name of an anchored one.
        """
        checked = Anchors(*anchors)
        names = [attribute.name for attribute in train.attributes]
        for name in checked.counted:
            if name not in names:
                raise ValueError(
                    f"anchors: there is no attribute {quoted(name)} to count; name one of {', '.join(names)}."
                )
        learnt = cls(checked, train.attributes, Binner(ANCHOR_BINS).fit(_with_places(train, checked), weights))
        if taken := {*names} & {attribute.name for attribute in learnt.attributes}:
            raise ValueError(f"two inputs are called {min(taken)!r}, one of them an anchored one; rename the other.")
        return learnt

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The anchored attributes: those from the start, those from the end, distances and counts."""
        n_places = 2 + sum(len(self.source(name).categories) for name in self.anchors.counted)
        of_numbers, places = self.binner.attributes[:-n_places], self.binner.attributes[-n_places:]
        copied = [
            Attribute(f"{source.name} {number} from the {end}", (*source.categories, OUTSIDE), source.ordered, True)
            for end, most in (("start", self.anchors.first), ("end", self.anchors.last))
            for number in range(1, most + 1)
            for source in (*self.sources, *of_numbers)
        ]
        return (*copied, *(place._replace(anchored=True) for place in places))

    def derive(self, data: SequenceSet) -> NDArray[np.int32]:
        """Codes of the anchored attributes, shape (n_observations, n_anchored); `MISSING` where what they copy is
        missing.

        Parameters
        ----------
        data : SequenceSet
            With the attributes and numbers of the training set.
        """
        binned = self.binner.transform(_with_places(data, self.anchors))
        n_copied = len(data.attributes) + len(data.number_names)
        codes, places = binned.values[:, :n_copied], binned.values[:, n_copied:]
        outside = np.array([len(attribute.categories) for attribute in binned.attributes[:n_copied]], dtype=np.int32)
        begin, end = _ends(data)
        rows = [begin + number for number in range(self.anchors.first)]
        rows += [end - 1 - number for number in range(self.anchors.last)]
        columns = [np.where(((row >= begin) & (row < end))[:, None], codes[row % len(codes)], outside) for row in rows]
        return np.hstack([*columns, places], dtype=np.int32)

    def source(self, name: str) -> Attribute:
        """The attribute of the training set that has a name."""
        return next(attribute for attribute in self.sources if attribute.name == name)

    def described(self) -> dict[str, Any]:
        """The inputs as JSON values, without the sources."""
        return {"anchors": self.anchors, "edges": self.binner.described()}

    @classmethod
    def from_described(
        cls, described: dict[str, Any], sources: tuple[Attribute, ...], number_names: tuple[str, ...]
    ) -> Self:
        """What `described` gave, of a training set with such attributes and numbers; a ValueError if they do not fit
        together.
        """
        check_parts("anchored", described, {"anchors": ANCHORS, "edges": EDGES})
        first, last, counted = described["anchors"]
        if max(first, last) > MOST_ANCHORS:
            raise ValueError(f"the anchors are {quoted(described['anchors'])}")
        anchors = Anchors(first, last, tuple(counted))
        binner = Binner.from_edges(described["edges"], ANCHOR_BINS)
        if tuple(binner.edges_) != (*number_names, *_place_names(anchors, sources)):
            raise ValueError("the edges of anchored inputs are not those of numbers, distances and counts")
        return cls(anchors, sources, binner)


def _with_places(data: SequenceSet, anchors: Anchors) -> SequenceSet:
    """The set with numbers more: the distances of both ends, the observation itself counted, and the counts."""
    begin, end = _ends(data)
    rows = np.arange(len(data.values))
    columns = [rows - begin + 1, end - rows]
    for attribute in anchors.counted:
        j = next(j for j, source in enumerate(data.attributes) if source.name == attribute)
        has = data.values[:, j, None] == np.arange(len(data.attributes[j].categories))
        before = np.cumsum(has, axis=0) - has
        columns += list((before - before[begin]).T)
    names = (*data.number_names, *_place_names(anchors, data.attributes))
    return data.with_numbers(np.column_stack([data.numbers, *columns]), names)


def _place_names(anchors: Anchors, sources: tuple[Attribute, ...]) -> tuple[str, ...]:
    """Names of the distances and of the counts."""
    categories = {attribute.name: attribute.categories for attribute in sources}
    counts = (f"count of {name}={category} before" for name in anchors.counted for category in categories[name])
    return "place from the start", "place from the end", *counts


def _ends(data: SequenceSet) -> tuple[Ints, Ints]:
    """First observation of the sequence of each observation, and the one after its last."""
    lengths = np.diff(data.observation_offsets)
    return np.repeat(data.observation_offsets[:-1], lengths), np.repeat(data.observation_offsets[1:], lengths)
