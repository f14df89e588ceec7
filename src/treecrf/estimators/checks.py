"""Checks of settings, from which classes make their parameter constraints."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from treecrf.io.messages import quoted
from treecrf.sequences import NARROW_CATEGORIES


class Check(NamedTuple):
    """What a setting must be: a test of its value, and what a message asks for."""

    holds: Callable[[Any], bool]
    need: str


def check_params(params: Mapping[str, Any], constraints: Mapping[str, Check]) -> None:
    """Refuse a parameter that is out of its range, in one sentence."""
    for name, value in params.items():
        if not constraints[name].holds(value):
            raise ValueError(f"{name}={quoted(value)}: {constraints[name].need}.")


def check_parts(
    what: str, parts: Any, needed: Mapping[str, Check], others: Mapping[str, Check] = MappingProxyType({})
) -> None:
    """Refuse JSON values of a file, `parts` by name, that are not those of a schema: the ones `needed`, and maybe
    `others`.
    """
    if not isinstance(parts, Mapping):
        raise ValueError(f"{what} is {quoted(parts)}, not parts with names")
    for name in [*needed, *parts]:
        if name not in parts:
            raise ValueError(f"{what} has no {name}")
        check = needed.get(name) or others.get(name)
        if check is None:
            raise ValueError(f"{what} has the part {quoted(name)}, which nothing declares")
        if not check.holds(parts[name]):
            raise ValueError(f"{name} of {what} is {quoted(parts[name])}: {check.need}")


def whole(least: int, most: int | None = None) -> Check:
    """A whole number of at least `least`, and of at most `most`."""
    need = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most:,}"
    highest = math.inf if most is None else most
    return Check(
        lambda value: isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) <= highest,
        f"give {need}",
    )


def number(need: str, holds: Callable[[float], bool]) -> Check:
    """A finite number of a range."""
    return Check(lambda value: _is_number(value) and holds(float(value)), f"give {need}")


def one_of(*choices: Any) -> Check:
    """One of some values."""
    return Check(
        lambda value: isinstance(value, Hashable) and value in choices, f"choose one of {', '.join(map(repr, choices))}"
    )


def several(what: str, check: Check) -> Check:
    """A tuple or list of values that each meet another check."""
    return Check(
        lambda values: isinstance(values, tuple | list) and all(map(check.holds, values)),
        f"give a tuple of {what} ({check.need})",
    )


def optional(check: Check) -> Check:
    """None, or what another check asks for."""
    return Check(lambda value: value is None or check.holds(value), check.need.replace("give ", "give None or ", 1))


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and abs(value) <= sys.float_info.max


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(text, str) for text in value)


def _are_attributes(value: Any) -> bool:
    """Whether each has a name, the texts of its categories, and flags."""
    return isinstance(value, tuple | list) and all(
        isinstance(each, tuple | list)
        and 2 <= len(each) <= 4
        and isinstance(each[0], str)
        and _are_texts(each[1])
        and all(isinstance(flag, bool) for flag in each[2:])
        for each in value
    )


def named(check: Check) -> Check:
    """Values that each meet another check, by names that are texts."""
    return Check(
        lambda value: isinstance(value, Mapping) and _are_texts([*value]) and all(map(check.holds, value.values())),
        f"give names and values ({check.need})",
    )


def mapping(parts: Mapping[str, Check]) -> Check:
    """Values of these names, no more and no less."""

    def holds(value: Any) -> bool:
        return (
            isinstance(value, Mapping)
            and value.keys() == parts.keys()
            and all(check.holds(value[name]) for name, check in parts.items())
        )

    return Check(holds, "give " + "; ".join(f"{name} ({check.need})" for name, check in parts.items()))


def _is_window(value: Any) -> bool:
    sides = value.tolist() if isinstance(value, np.ndarray) else value
    has_sides = isinstance(sides, tuple | list) and len(sides) == 2
    return has_sides and all(
        _is_number(side) and 0 <= side <= MOST_PLACES and float(side).is_integer() for side in sides
    )


MOST_PLACES = 10_000
"""On each side of a window."""


def _are_shares(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(_is_number(share) and 0 < share <= 1 for share in value)


def _are_class_weights(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_number(weight) and weight >= 0 for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


WINDOW = Check(_is_window, f"give (left, right), two whole numbers from 0 to {MOST_PLACES:,}, such as (3, 3)")
CLASS_WEIGHT = Check(_are_class_weights, "give None, 'balanced' or weights of at least 0 by name of the label")
SHARES = Check(_are_shares, "give a tuple of shares above 0 and at most 1")
NAME = Check(lambda value: isinstance(value, str) and value != "", "give the name of an attribute")
SIZE = whole(1)
SEED = whole(0)
FLAG = one_of(False, True)
UNSEEN = one_of("missing", "error")
POSITIVE = number("a number above 0", lambda value: value > 0)
NOT_NEGATIVE = number("a number of at least 0", lambda value: value >= 0)
SHARE = number("a number above 0 and of at most 1", lambda value: 0 < value <= 1)
PART = number("a share above 0 and below 1", lambda value: 0 < value < 1)
TOLERANCE = number("a number from 0 to below 1", lambda value: 0 <= value < 1)
VARIANCE = number("a number above 0; the smaller, the nearer to no weights", lambda value: value > 0)
FINITE = number("a finite number", lambda value: True)
N_BINS = whole(2, NARROW_CATEGORIES)
ANY = Check(lambda value: True, "give anything")
ANY_NUMBER = Check(lambda value: isinstance(value, Real) and not isinstance(value, bool), "give a number")
PARTS = named(ANY)
HEADERS = several("headers", PARTS)
"""Of labellers within a labeller (`treecrf.models.persistence.packed`)."""

SECONDS = named(ANY_NUMBER)
"""Seconds of CPU time by phase of training."""

TEXT = Check(lambda value: isinstance(value, str), "give a text")
TEXTS = Check(_are_texts, "give a list of texts")
ATTRIBUTES = Check(_are_attributes, "give attributes with their names, categories and flags")
FIRST_ORDER = Check(whole(0, 1).holds, "choose 0 or 1")
