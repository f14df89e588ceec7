"""Checks of settings, and the table of those that labellers share."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from treecrf.models.inputs import MOST_BINS


class Check(NamedTuple):
    """What a setting must be: a test of its value, and what a message asks for."""

    holds: Callable[[Any], bool]
    need: str


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


def optional(check: Check) -> Check:
    """None, or what another check asks for."""
    return Check(lambda value: value is None or check.holds(value), check.need.replace("give ", "give None or ", 1))


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and abs(value) <= sys.float_info.max


def _is_window(value: Any) -> bool:
    sides = value.tolist() if isinstance(value, np.ndarray) else value
    has_sides = isinstance(sides, tuple | list) and len(sides) == 2
    return has_sides and all(_is_number(side) and side >= 0 and float(side).is_integer() for side in sides)


def _are_shares(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(_is_number(share) and 0 < share <= 1 for share in value)


def _are_class_weights(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_number(weight) and weight >= 0 for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


_WINDOW = Check(_is_window, "give (left, right), two whole numbers of at least 0, such as (3, 3)")
_NAME = Check(lambda value: isinstance(value, str) and value != "", "give the name of an attribute")
_POSITIVE = number("a number above 0", lambda value: value > 0)
_NOT_NEGATIVE = number("a number of at least 0", lambda value: value >= 0)
_SHARE = number("a number above 0 and of at most 1", lambda value: 0 < value <= 1)
_POLICY = one_of("majority", "both")
_FLAG = one_of(False, True)

CHECKS: dict[str, Check] = {
    **dict.fromkeys(
        ("n_iterations", "max_iterations", "n_epochs", "n_hidden", "batch_size", "n_threads", "n_surrogates", "patience",
         "max_depth", "min_samples_leaf", "min_count", "iterations_between_inductions", "features_per_induction", "crf_iterations"),
        whole(1),
    ),
    **dict.fromkeys(("order", "pseudo_likelihood_iterations", "max_lower_iterations", "sampling_seed", "most_halvings"), whole(0)),
    "max_leaves": whole(2),
    "n_bins": whole(2, MOST_BINS),
    "bag": optional(whole(1)),
    "random_state": optional(whole(0)),
    **dict.fromkeys(("category_smoothing", "least_weight"), _NOT_NEGATIVE),
    "largest_step": _POSITIVE,
    **dict.fromkeys(("l2_regularization", "crf_l2_regularization", "start_noise", "tolerance"), _NOT_NEGATIVE),
    **dict.fromkeys(("shrinkage", "alpha_upper", "beta_upper", "eta_upper", "eta_start"), _POSITIVE),
    **dict.fromkeys(("row_fraction", "feature_fraction", "learning_rate"), _SHARE),
    "variance": number("a number above 0; the smaller, the nearer to no weights", lambda value: value > 0),
    "influence_trimming": number("a number of at least 0 and below 1", lambda value: 0 <= value < 1),
    "true_label_threshold": number("a probability above 0", lambda value: 0 < value <= 1),
    "held_out": number("a share above 0 and below 1", lambda value: 0 < value < 1),
    "training_proportions": Check(_are_shares, "give a tuple of shares above 0 and at most 1"),
    "g0": number("a finite number", lambda value: True),
    "label_dictionary": optional(_NAME),
    "class_weight": Check(_are_class_weights, "give None, 'balanced' or weights of at least 0 by name of the label"),
    "beam": optional(whole(1)),
    "window": _WINDOW,
    "instance_window": _WINDOW,
    "unseen": one_of("missing", "error"),
    **dict.fromkeys(("scale_gain", "either_polarity", "each_label", "warm_start", "induction"), _FLAG),
    **dict.fromkeys(("all_missing", "unseen_missing"), _POLICY),
}  # fmt: skip
"""What the settings of all labellers must be, by name; a labeller's `checks` come first."""
