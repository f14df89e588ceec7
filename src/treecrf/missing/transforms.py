"""Transforms that fill or mark missing cells, in front of any labeller, and their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from treecrf.estimators.checks import FINITE, FLAG, TEXT, Check, check_parts, named, one_of
from treecrf.estimators.protocol import Transform
from treecrf.io.arrays import Bools, Floats, in_units, median, of_observations
from treecrf.io.columns import Kind
from treecrf.sequences import MISSING, Attribute, SequenceSet

MISSING_CATEGORY = "(missing)"
"""Name of the category that `Indicator` adds."""


class _Filling(Transform):
    """Leaves no value missing; subclasses learn `medians_` and implement `_categories` and `_added`."""

    medians_: dict[str, float]

    def _input_kinds(self) -> dict[str, Kind]:
        if not hasattr(self, "medians_"):
            self._refuse_unfitted()
        kinds: dict[str, Kind] = dict.fromkeys(self._categories(), "category")
        return kinds | dict.fromkeys(self.medians_, "number")

    def _names_out(self) -> list[str]:
        return [*self._categories(), *self._added(), *self.medians_]

    def _categories(self) -> Iterable[str]:
        """Names of the attributes of the training set."""
        raise NotImplementedError

    def _added(self) -> list[str]:
        """Names of the flags that `_transform` adds."""
        raise NotImplementedError


class Imputer(_Filling):
    """Fills missing values with the commonest value of the attribute in the training set (PhD section 4.1, imputation).

    The first category wins ties; it also fills an attribute that no cell of the training set shows. Numbers are filled
    with their median.

    Parameters
    ----------
    add_indicator : bool
        Whether to mark what was filled by flags, as `Indicator` does, of every attribute and number.

    Attributes
    ----------
    fill_values_ : dict of str
        The commonest category by attribute.
    medians_ : dict of float
        The median by number.
    """

    fill_values_: dict[str, str]

    def __init__(self, add_indicator: bool = False) -> None:
        self.add_indicator = add_indicator

    def _learn(self, train: SequenceSet, weights: Floats | None = None) -> None:
        """Find the commonest values and the medians."""
        weights = of_observations(weights, train.offsets, train.observation_offsets)
        weights = None if weights is None else in_units(weights)[1]
        self.fill_values_ = {}
        for j, attribute in enumerate(train.attributes):
            if not attribute.categories:
                raise ValueError(f"attribute {attribute.name!r} has no categories, so nothing can fill it; drop it.")
            observed = train.values[:, j] != MISSING
            of_observed = None if weights is None else weights[observed]
            counts = np.bincount(train.values[observed, j], of_observed, len(attribute.categories))
            self.fill_values_[attribute.name] = attribute.categories[int(counts.argmax())]
        self.medians_ = _medians(train, weights)

    def _transform(self, data: SequenceSet) -> SequenceSet:
        """The same set without missing values; categories that it does not have but needs are added to its own."""
        _check_names(data, tuple(self.fill_values_), tuple(self.medians_))
        values, attributes = data.values.copy(), []
        for j, attribute in enumerate(data.attributes):
            fill, categories = self.fill_values_[attribute.name], attribute.categories
            if fill not in categories:
                categories = (*categories, fill)
            values[:, j] = np.where(data.values[:, j] == MISSING, categories.index(fill), data.values[:, j])
            attributes.append(attribute._replace(categories=categories))
        filled = _fill_numbers(data.with_values(values, attributes), self.medians_)
        return _flagged(filled, _missing_by_input(data)) if self.add_indicator else filled

    def _categories(self) -> Iterable[str]:
        return self.fill_values_

    def _added(self) -> list[str]:
        return [f"{name} missing" for name in self._input_kinds()] if self.add_indicator else []


class Indicator(_Filling):
    """Shows a labeller which cells are missing (PhD section 4.1, indicator).

    Every attribute gets its mark, whether or not the training set has missing values in it, so that those of other data
    can be shown; a mark that training never saw fails every test. A number gets a flag, and its missing values the
    median.

    Parameters
    ----------
    mark : "auto", "category" or "flag"
        "category": a missing value becomes one more category, `MISSING_CATEGORY`. "flag": it becomes the first
        category, and an attribute more, ``NAME missing`` with the categories "no" and "yes", says so. "auto": flags for
        attributes of two categories (the line features of the FAQ task), categories for others (letters).

    Attributes
    ----------
    flagged_ : dict of bool
        Whether an attribute is marked by a flag.
    medians_ : dict of float
        The median by number.
    """

    flagged_: dict[str, bool]

    def __init__(self, mark: Literal["auto", "category", "flag"] = "auto") -> None:
        self.mark = mark

    def _learn(self, train: SequenceSet, weights: Floats | None = None) -> None:
        """Decide how each attribute is marked."""
        if self.mark not in ("auto", "category", "flag"):
            raise ValueError(f"mark={self.mark!r}: choose 'auto', 'category' or 'flag'.")
        self.flagged_ = {
            attribute.name: self.mark == "flag" or (self.mark == "auto" and len(attribute.categories) == 2)
            for attribute in train.attributes
        }
        self.medians_ = _medians(train, of_observations(weights, train.offsets, train.observation_offsets))

    def _transform(self, data: SequenceSet) -> SequenceSet:
        """The set without missing values and with the marks; flags follow the attributes, those of numbers last."""
        _check_names(data, tuple(self.flagged_), tuple(self.medians_))
        values, attributes = data.values.copy(), []
        for j, attribute in enumerate(data.attributes):
            name, categories = attribute.name, attribute.categories
            is_missing = data.values[:, j] == MISSING
            if self.flagged_[name]:
                if not categories:
                    raise ValueError(f"attribute {name!r} has no categories; mark it by a category, not by a flag.")
                attributes.append(attribute)
                values[is_missing, j] = 0
            else:
                if MISSING_CATEGORY in categories:
                    raise ValueError(f"attribute {name!r} has a category {MISSING_CATEGORY!r} already; rename it.")
                attributes.append(Attribute(name, (*categories, MISSING_CATEGORY)))
                values[is_missing, j] = len(categories)
        flags = {
            name: is_missing for name, is_missing in _missing_by_input(data).items() if self.flagged_.get(name, True)
        }
        return _flagged(_fill_numbers(data.with_values(values, attributes), self.medians_), flags)

    def _categories(self) -> Iterable[str]:
        return self.flagged_

    def _added(self) -> list[str]:
        return [f"{name} missing" for name in self._input_kinds() if self.flagged_.get(name, True)]


def transform_of(treatment: str, mark: Literal["auto", "category", "flag"] = "auto") -> Imputer | Indicator | None:
    """The transform of a treatment of missing values; None for a treatment inside the labeller."""
    if treatment == "indicator":
        return Indicator(mark)
    if treatment in ("imputation", "imputation_indicator"):
        return Imputer(add_indicator=treatment == "imputation_indicator")
    return None


def _flagged(data: SequenceSet, missing: Mapping[str, Bools]) -> SequenceSet:
    """The set with an attribute more for each of some inputs, which marks its missing values."""
    flags = [f"{name} missing" for name in missing]
    taken = set(flags) & {*(attribute.name for attribute in data.attributes), *data.number_names}
    if taken:
        raise ValueError(f"there is an attribute {min(taken)!r} already, which a flag would be called; rename it.")
    values = np.column_stack([data.values, *missing.values()])
    return data.with_values(values, [*data.attributes, *(Attribute(flag, ("no", "yes")) for flag in flags)])


def _missing_by_input(data: SequenceSet) -> dict[str, Bools]:
    """Where each input is missing: attributes, then numbers."""
    names = [*(attribute.name for attribute in data.attributes), *data.number_names]
    return dict(zip(names, np.hstack([data.values == MISSING, np.isnan(data.numbers)]).T, strict=True))


def _check_names(data: SequenceSet, expected: tuple[str, ...], expected_numbers: tuple[str, ...]) -> None:
    names = tuple(attribute.name for attribute in data.attributes)
    for kind, names_given, names_trained in (
        ("attributes", names, expected),
        ("numbers", data.number_names, expected_numbers),
    ):
        if names_given != names_trained:
            raise ValueError(
                f"the data have the {kind} {list(names_given)}, the training set had {list(names_trained)}; give the "
                "same ones."
            )


def _medians(train: SequenceSet, weights: Floats | None) -> dict[str, float]:
    medians = {name: median(column, weights) for name, column in zip(train.number_names, train.numbers.T, strict=True)}
    for name, value in medians.items():
        if np.isnan(value):
            raise ValueError(f"number {name!r} is missing everywhere, so nothing can fill it; drop it.")
    return medians


def _fill_numbers(data: SequenceSet, medians: dict[str, float]) -> SequenceSet:
    return data.with_numbers(np.where(np.isnan(data.numbers), np.array([*medians.values()]), data.numbers))


def describe_transform(transform: Imputer | Indicator | None) -> dict[str, Any] | None:
    """What `restore_transform` takes; None for no transform."""
    if isinstance(transform, Imputer):
        return {
            "kind": "imputation",
            "add_indicator": transform.add_indicator,
            "fill_values": transform.fill_values_,
            "medians": transform.medians_,
        }
    if isinstance(transform, Indicator):
        return {
            "kind": "indicator",
            "mark": transform.mark,
            "flagged": transform.flagged_,
            "medians": transform.medians_,
        }
    return None


def restore_transform(described: dict[str, Any] | None) -> Imputer | Indicator | None:
    """What `describe_transform` described."""
    if described is None:
        return None
    kind = described.get("kind") if isinstance(described, dict) else None
    check_parts("the transform", described, _PARTS["indicator" if kind == "indicator" else "imputation"])
    if kind == "imputation":
        imputer = Imputer(described["add_indicator"])
        imputer.fill_values_, imputer.medians_ = described["fill_values"], described["medians"]
        return imputer
    indicator = Indicator(described["mark"])
    indicator.flagged_, indicator.medians_ = described["flagged"], described["medians"]
    return indicator


_PARTS: dict[str, dict[str, Check]] = {
    "imputation": {
        "kind": one_of("imputation"),
        "add_indicator": FLAG,
        "fill_values": named(TEXT),
        "medians": named(FINITE),
    },
    "indicator": {
        "kind": one_of("indicator"),
        "mark": one_of("auto", "category", "flag"),
        "flagged": named(FLAG),
        "medians": named(FINITE),
    },
}
