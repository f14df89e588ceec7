"""What a labeller sees of a set: the categories of its training set, rare ones merged, and numbers, in bins or as they are."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.models.binning import Binner
from treecrf.sequences import MISSING, Attribute, SequenceSet, attributes_from

RARE = "(rare)"
"""Name of the category that stands for the rare ones, and for those that training never saw."""


class Inputs(NamedTuple):
    """The inputs of a training set, as a labeller sees them in every set.

    Attributes
    ----------
    attributes : tuple of Attribute
        Those of the training set, then those that stand for its numbers; where rare categories were merged, `RARE` is
        the last category.
    number_names : tuple of str
        Of the training set.
    binner : Binner or None
        None: numbers stay as they are.
    """

    attributes: tuple[Attribute, ...]
    number_names: tuple[str, ...] = ()
    binner: Binner | None = None

    @classmethod
    def learn(cls, train: SequenceSet, n_bins: int | None, min_count: int) -> Self:
        """Find out what to merge and where to cut; labels are not looked at.

        Parameters
        ----------
        train : SequenceSet
        n_bins : int, optional
            Most bins of a number; None leaves the numbers as they are.
        min_count : int
            Categories that the training set has less often are rare. An ordered attribute keeps all it has.
        """
        attributes = tuple(
            _merge_rare(attribute, train.values[:, j], min_count) for j, attribute in enumerate(train.attributes)
        )
        if n_bins is None:
            return cls(attributes, train.number_names)
        binner = Binner(n_bins).fit(train)
        return cls((*attributes, *binner.attributes), train.number_names, binner)

    @property
    def categories(self) -> tuple[Attribute, ...]:
        """The attributes without those that stand for numbers."""
        return self.attributes if self.binner is None else self.attributes[: -len(self.number_names) or None]

    def apply(self, data: SequenceSet, unseen: str) -> SequenceSet:
        """The set with the training set's categories, and its numbers in their bins; itself if it has them already.

        A category that the training set did not have becomes `RARE` where there is such a one; otherwise it becomes
        missing, with a warning, or is refused (`unseen` is "missing" or "error").

        Raises
        ------
        ValueError
            For other inputs than those of the training set, and for what `unseen` refuses.
        """
        numbers_seen = self.number_names if self.binner is None else ()
        if (data.attributes, data.number_names) == (self.attributes, numbers_seen):
            return data
        self._check_names(data)
        if data.attributes != self.categories:
            data = self._recode(data, unseen)
        return data if self.binner is None else self.binner.transform(data)

    def _check_names(self, data: SequenceSet) -> None:
        found, trained = ([a.name for a in attributes] for attributes in (data.attributes, self.categories))
        for name in found:
            if name in self.number_names:
                raise ValueError(f"{name!r} has categories here and numbers in the training set; {_ADVICE}.")
        for name in data.number_names:
            if name in trained:
                raise ValueError(f"{name!r} has numbers here and categories in the training set; {_ADVICE}.")
        if found != trained:
            raise ValueError(
                f"the data have the attributes {found}, the training set had {trained}; give the same ones."
            )
        if data.number_names != self.number_names:
            raise ValueError(
                f"the data have the numbers {list(data.number_names)}, the training set had {list(self.number_names)}; give "
                "the same ones."
            )

    def _recode(self, data: SequenceSet, unseen: str) -> SequenceSet:
        values = np.empty_like(data.values)
        for j, (attribute, trained) in enumerate(zip(data.attributes, self.categories, strict=True)):
            code_of = {category: code for code, category in enumerate(trained.categories)}
            other = code_of.get(RARE, MISSING)
            table = np.array([code_of.get(c, other) for c in attribute.categories] + [MISSING], dtype=values.dtype)
            values[:, j] = table[data.values[:, j]]
            lost = np.flatnonzero((values[:, j] == MISSING) & (data.values[:, j] != MISSING))
            if len(lost):
                category = attribute.categories[data.values[lost[0], j]]
                problem = (
                    f"attribute {attribute.name!r}, observation {lost[0]}: category {category!r} was not in the training "
                    f"set ({len(lost)} such cells)"
                )
                if unseen == "error":
                    raise ValueError(f"{problem}; drop them or set unseen='missing'.")
                warnings.warn(f"{problem}; they are treated as missing.", stacklevel=5)
        return data.with_values(values, self.categories)

    def described(self) -> dict[str, Any]:
        """The inputs as JSON values."""
        edges = (
            None
            if self.binner is None
            else {k: None if e is None else e.tolist() for k, e in self.binner.edges_.items()}
        )
        return {"attributes": self.attributes, "number_names": self.number_names, "edges": edges}

    @classmethod
    def from_described(cls, described: dict[str, Any]) -> Self:
        """What `described` gave; files from before there were numbers have attributes alone."""
        binner, edges = None, described.get("edges")
        if edges is not None:
            binner = Binner()
            binner.edges_ = {name: None if e is None else np.array(e, dtype=np.float64) for name, e in edges.items()}
        return cls(attributes_from(described["attributes"]), tuple(described.get("number_names", ())), binner)


_ADVICE = "read both as the same (SequenceSet.from_frame(kinds=))"


def _merge_rare(attribute: Attribute, codes: NDArray[np.int32], min_count: int) -> Attribute:
    if min_count == 1 or attribute.ordered:
        return attribute
    counts = np.bincount(codes[codes != MISSING], minlength=len(attribute.categories))
    if not (counts < min_count).any():
        return attribute
    pairs = zip(attribute.categories, counts, strict=True)
    return attribute._replace(categories=(*(c for c, n in pairs if n >= min_count and c != RARE), RARE))
