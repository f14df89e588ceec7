"""What a labeller sees of a set: checks of the set, categories of the training set, rare ones merged, and numbers, in bins or as they are."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import MISSING, NARROW_CATEGORIES, Attribute, SequenceSet, attributes_from


def check_set(data: Any) -> None:
    """Refuse what is no set, where nothing else is read."""
    if not isinstance(data, SequenceSet):
        raise ValueError(
            f"this needs a SequenceSet, not a {type(data).__name__}; other forms of sequences are for fit, predict, "
            "predict_proba, predict_n_best, span_probability, log_likelihood, score and staged_score."
        )


def refuse_missing(data: SequenceSet) -> None:
    """Refuse a set with missing cells."""
    if data.has_missing:
        names = [f"attribute {attribute.name!r}" for attribute in data.attributes]
        names += [f"number {name!r}" for name in data.number_names]
        row, column = np.argwhere(np.hstack([data.values == MISSING, np.isnan(data.numbers)]))[0]
        raise ValueError(
            f"{names[column]} is missing at observation {row}; "
            "fill or mark the missing values (treecrf.missing), or give TreeCRF a way to handle them, such as missing='instance_weighting'."
        )


def check_training_set(train: SequenceSet, unknown: bool = False) -> NDArray[np.int16]:
    """The labels of a training set, once it has been found fit to learn from; `unknown` says whether some may be `MISSING`."""
    check_set(train)
    if not len(train):
        raise ValueError("the training set has no sequences; give at least one.")
    if train.labels is None:
        raise ValueError("the training set has no labels; give labelled sequences, or their labels as y.")
    if len(train.label_names) < 2:
        raise ValueError(
            f"the training set has {_only(train.label_names)}; labelling needs at least two different ones."
        )
    is_known = train.labels != MISSING
    if not is_known.all():
        if not unknown:
            raise ValueError(
                f"position {int((~is_known).argmax())} has no label, and this method learns from whole sequences of labels; give "
                "it one, drop its sequence, or choose a method that sums over unknown labels, such as TreeCRF or LinearCRF."
            )
        if not is_known.any():
            raise ValueError("no label of the training set is known; give at least one.")
    return train.labels


def _only(names: tuple[str, ...]) -> str:
    return f"the label {names[0]!r} alone" if names else "no labels"


MOST_BINS = NARROW_CATEGORIES
"""Of a number: more would make every window code take two bytes."""

FEW_BINS = 5
"""Of a number whose bins have a weight each, as in linear CRFs, unless stated otherwise. On generated sequences of a
Gaussian hidden Markov model with 12 numbers, 5-fold cross-validation of `LinearCRF` prefers 2 or 3 bins with 1,000
positions and 5 with 9,000, where ten lose two points and `MOST_BINS` twenty."""


class Binner:
    """Cuts numbers into bins that hold about equally many of the training set's cells.

    A bin ends at a number of the training set, which it contains, so any increasing function of a number has the same
    bins with the same cells. Numbers beyond those of the training set fall into the first or the last bin.

    Parameters
    ----------
    n_bins : int
        Most bins of a number, up to `MOST_BINS`; there are fewer where many cells are equal.

    Attributes
    ----------
    edges_ : dict of float64 arrays, shape (number of bins - 1,), or None
        By number: where each bin but the last ends, ascending; None if the training set has NaN alone, and so nothing
        to tell apart: such a number is always missing.
    """

    edges_: dict[str, NDArray[np.float64] | None]

    def __init__(self, n_bins: int = MOST_BINS) -> None:
        self.n_bins = n_bins

    def fit(self, train: SequenceSet) -> Self:
        """Find the edges; labels are not looked at."""
        self.edges_ = {name: _find_edges(train.numbers[:, j], self.n_bins) for j, name in enumerate(train.number_names)}
        return self

    def transform(self, data: SequenceSet) -> SequenceSet:
        """The same set with an ordered attribute, after the others, in place of each number; its categories name the bins."""
        if not self.edges_:
            return data
        columns = [data.values]
        for j, edges in enumerate(self.edges_.values()):
            numbers = data.numbers[:, j]
            known = ~np.isnan(numbers) & (edges is not None)
            codes = np.searchsorted(() if edges is None else edges, numbers)
            columns.append(np.where(known, codes, MISSING)[:, None])
        plain = data.with_numbers(np.empty((len(data.values), 0)), ())
        return plain.with_values(np.hstack(columns), (*data.attributes, *self.attributes))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The ordered attributes that stand for the numbers."""
        return tuple(
            Attribute(name, () if edges is None else _name_bins(edges), ordered=True)
            for name, edges in self.edges_.items()
        )


def _find_edges(numbers: NDArray[np.float64], n_bins: int) -> NDArray[np.float64] | None:
    known = np.sort(numbers[~np.isnan(numbers)])
    if not len(known):
        return None
    different = np.unique(known)
    if len(different) > n_bins:
        different = np.unique(known[np.arange(1, n_bins + 1) * len(known) // n_bins - 1])
    return different[:-1]


def _name_bins(edges: NDArray[np.float64]) -> tuple[str, ...]:
    """The intervals, with as many digits as make them distinct."""
    if not len(edges):
        return ("any number",)
    for digits in range(4, 18):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(texts):
            break
    between = (f"above {low} to {high}" for low, high in pairwise(texts))
    return (f"to {texts[0]}", *between, f"above {texts[-1]}")


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
        names_given, names_trained = ([a.name for a in attributes] for attributes in (data.attributes, self.categories))
        for name in names_given:
            if name in self.number_names:
                raise ValueError(f"{name!r} has categories here and numbers in the training set; {_ADVICE}.")
        for name in data.number_names:
            if name in names_trained:
                raise ValueError(f"{name!r} has numbers here and categories in the training set; {_ADVICE}.")
        if names_given != names_trained:
            raise ValueError(
                f"the data have the attributes {names_given}, the training set had {names_trained}; give the same ones."
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
        """What `described` gave."""
        binner, edges = None, described["edges"]
        if edges is not None:
            binner = Binner()
            binner.edges_ = {name: None if e is None else np.array(e, dtype=np.float64) for name, e in edges.items()}
        return cls(attributes_from(described["attributes"]), tuple(described["number_names"]), binner)


_ADVICE = "read both as the same (SequenceSet.from_frame(kinds=))"


def _merge_rare(attribute: Attribute, codes: NDArray[np.int32], min_count: int) -> Attribute:
    if min_count == 1 or attribute.ordered:
        return attribute
    counts = np.bincount(codes[codes != MISSING], minlength=len(attribute.categories))
    if not (counts < min_count).any():
        return attribute
    pairs = zip(attribute.categories, counts, strict=True)
    return attribute._replace(categories=(*(c for c, n in pairs if n >= min_count and c != RARE), RARE))


def shares_of(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gains as shares of their sum; zeros where nothing was gained."""
    total = gains.sum()
    return gains / total if total > 0 else np.zeros(len(gains))
