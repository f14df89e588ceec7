"""Missing input values outside the trees: making holes, filling them, marking them (PhD sections 4.1 and 4.3)."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.sequences import MISSING, Attribute, SequenceSet

MISSING_CATEGORY = "(missing)"
"""Name of the category that `Indicator` adds."""


def inject(data: SequenceSet, rate: float, rng: np.random.Generator) -> SequenceSet:
    """Make cells missing completely at random, each by itself, before windows are cut.

    What lies outside a sequence (EDGE) is no cell, so it never goes missing. Cells that are missing already
    stay so.

    Parameters
    ----------
    data : SequenceSet
    rate : float
        Probability with which a cell goes missing, 0 to 1.
    rng : numpy.random.Generator
        One number is drawn for every cell, whatever the rate: for categories first, then for numbers.

    Raises
    ------
    ValueError
        If the rate is no probability.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"rate={rate!r}: give a probability, 0 to 1.")
    holes = rng.random(data.values.shape) < rate
    damaged = data.with_values(np.where(holes, MISSING, data.values))
    holes = rng.random(data.numbers.shape) < rate
    return damaged.with_numbers(np.where(holes, np.nan, data.numbers))


class Imputer:
    """Fills holes with the commonest value of the attribute in the training set (PhD section 4.1, imputation).

    The first category wins ties; it also fills an attribute that no cell of the training set shows. Numbers are filled
    with their median.

    Attributes
    ----------
    fill_values_ : dict of str
        The commonest category by attribute.
    medians_ : dict of float
        The median by number.
    """

    fill_values_: dict[str, str]
    medians_: dict[str, float]

    def fit(self, train: SequenceSet) -> Self:
        """Find the commonest values and the medians; labels are not looked at."""
        self.fill_values_ = {}
        for j, attribute in enumerate(train.attributes):
            if not attribute.categories:
                raise ValueError(f"attribute {attribute.name!r} has no categories, so nothing can fill it; drop it.")
            observed = train.values[:, j][train.values[:, j] != MISSING]
            counts = np.bincount(observed, minlength=len(attribute.categories))
            self.fill_values_[attribute.name] = attribute.categories[int(counts.argmax())]
        self.medians_ = _medians(train)
        return self

    def transform(self, data: SequenceSet) -> SequenceSet:
        """The same set without holes; categories that it does not have but needs are added to its own."""
        _check_fitted(self, "fill_values_")
        _check_names(data, tuple(self.fill_values_), tuple(self.medians_))
        values, attributes = data.values.copy(), []
        for j, attribute in enumerate(data.attributes):
            fill, categories = self.fill_values_[attribute.name], attribute.categories
            if fill not in categories:
                categories = (*categories, fill)
            values[:, j] = np.where(data.values[:, j] == MISSING, categories.index(fill), data.values[:, j])
            attributes.append(attribute._replace(categories=categories))
        return _fill_numbers(data.with_values(values, attributes), self.medians_)

    def fit_transform(self, train: SequenceSet) -> SequenceSet:
        """`fit`, then `transform` of the same set."""
        return self.fit(train).transform(train)


class Indicator:
    """Shows a labeller which cells are missing (PhD section 4.1, indicator).

    Every attribute gets its mark, whether or not the training set has holes in it, so that holes in other data
    can be shown; a mark that training never saw fails every test. A number gets a flag, and its holes the median.

    Parameters
    ----------
    mark : "auto", "category" or "flag"
        "category": a hole becomes one more category, `MISSING_CATEGORY`. "flag": it becomes the first category,
        and an attribute more, ``NAME missing`` with the categories "no" and "yes", says so. "auto": flags for
        attributes of two categories (the line features of the FAQ task), categories for others (letters).

    Attributes
    ----------
    flagged_ : dict of bool
        Whether an attribute is marked by a flag.
    medians_ : dict of float
        The median by number.
    """

    flagged_: dict[str, bool]
    medians_: dict[str, float]

    def __init__(self, mark: Literal["auto", "category", "flag"] = "auto") -> None:
        if mark not in ("auto", "category", "flag"):
            raise ValueError(f"mark={mark!r}: choose 'auto', 'category' or 'flag'.")
        self.mark = mark

    def fit(self, train: SequenceSet) -> Self:
        """Decide how each attribute is marked; labels are not looked at."""
        self.flagged_ = {
            attribute.name: self.mark == "flag" or (self.mark == "auto" and len(attribute.categories) == 2)
            for attribute in train.attributes
        }
        self.medians_ = _medians(train)
        return self

    def transform(self, data: SequenceSet) -> SequenceSet:
        """The same set without holes and with the marks; flags follow the attributes, those of numbers last."""
        _check_fitted(self, "flagged_")
        _check_names(data, tuple(self.flagged_), tuple(self.medians_))
        holes, flags = data.values == MISSING, []
        columns: list[NDArray[np.int32]] = []
        attributes: list[Attribute] = []
        for j, attribute in enumerate(data.attributes):
            name, categories, _ = attribute
            if self.flagged_[name]:
                flags.append((name, holes[:, j]))
                if not categories:
                    raise ValueError(f"attribute {name!r} has no categories; mark it by a category, not by a flag.")
                attributes.append(attribute)
                columns.append(np.where(holes[:, j], 0, data.values[:, j]))
            else:
                if MISSING_CATEGORY in categories:
                    raise ValueError(f"attribute {name!r} has a category {MISSING_CATEGORY!r} already; rename it.")
                attributes.append(Attribute(name, (*categories, MISSING_CATEGORY)))
                columns.append(np.where(holes[:, j], len(categories), data.values[:, j]))
        flags += [(name, np.isnan(data.numbers[:, j])) for j, name in enumerate(data.number_names)]
        for name, holes_of_it in flags:
            flag = f"{name} missing"
            if flag in self.flagged_ or flag in self.medians_:
                raise ValueError(f"there is an attribute {flag!r} already, which a flag would be called; rename it.")
            attributes.append(Attribute(flag, ("no", "yes")))
            columns.append(holes_of_it.astype(np.int32))
        values = np.stack(columns, axis=1) if columns else data.values
        return _fill_numbers(data.with_values(values, attributes), self.medians_)

    def fit_transform(self, train: SequenceSet) -> SequenceSet:
        """`fit`, then `transform` of the same set."""
        return self.fit(train).transform(train)


def _check_fitted(transformer: object, attribute: str) -> None:
    if not hasattr(transformer, attribute):
        raise ValueError(f"this {type(transformer).__name__} is not fitted; call fit first.")


def _check_names(data: SequenceSet, expected: tuple[str, ...], expected_numbers: tuple[str, ...]) -> None:
    names = tuple(attribute.name for attribute in data.attributes)
    for kind, found, trained in (("attributes", names, expected), ("numbers", data.number_names, expected_numbers)):
        if found != trained:
            raise ValueError(
                f"the data have the {kind} {list(found)}, the training set had {list(trained)}; give the same ones."
            )


def _medians(train: SequenceSet) -> dict[str, float]:
    for name, column in zip(train.number_names, train.numbers.T, strict=True):
        if np.isnan(column).all():
            raise ValueError(f"number {name!r} is missing everywhere, so nothing can fill it; drop it.")
    return dict(zip(train.number_names, np.nanmedian(train.numbers, axis=0).tolist(), strict=True))


def _fill_numbers(data: SequenceSet, medians: dict[str, float]) -> SequenceSet:
    return data.with_numbers(np.where(np.isnan(data.numbers), np.array([*medians.values()]), data.numbers))
