"""Methods of labellers that take sequences in every form (`treecrf.estimators.conversion`): they see sets alone."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from treecrf.estimators.conversion import Given
from treecrf.estimators.labels import flat_masks, flat_weights, known_codes
from treecrf.io.messages import quoted

if TYPE_CHECKING:
    from treecrf.models.base import Monitor

_Result = TypeVar("_Result")


def learns(fit: Callable[..., _Result]) -> Callable[..., _Result]:
    """Give a method ``fit(self, train, *, monitor, ..)`` the arguments `y` and `verbose`; its `train` is a labelled set."""
    signature = inspect.signature(fit)
    this, train, *others = signature.parameters.values()
    y = inspect.Parameter("y", train.kind, default=None, annotation="Labels")
    verbose = inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool | int")

    @functools.wraps(fit)
    def learn(self: Any, train: Any, y: Any = None, *, verbose: bool | int = False, **options: Any) -> _Result:
        given = Given.read(train, y)
        if options.get("sample_weight") is not None:
            options["sample_weight"] = flat_weights(options["sample_weight"], given.data)
        if not isinstance(verbose, bool | np.bool_ | Integral):
            raise ValueError(
                f"verbose={quoted(verbose)}: give True, False, or after how many iterations to print a line."
            )
        if verbose:
            options["monitor"] = _printing(type(self).__name__, int(verbose), options.get("monitor"))
        fitted = fit(self, given.data, **options)
        if self.label_names_ == given.data.label_names:  # else training went on with the labels of another set
            self._classes = given.classes
        return fitted

    learn.__signature__ = signature.replace(parameters=[this, train, y, *others, verbose])  # type: ignore[attr-defined]
    return learn


def answers(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that gives something for each position of a set: of lists, one array for each sequence."""

    @functools.wraps(method)
    def answer(self: Any, data: Any, *arguments: Any, **options: Any) -> Any:
        given = self._read(data)
        return given.answers(method(self, given.data, *arguments, **limits_of_set(self, given, options)))

    return answer


def answers_labels(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that gives a label code for each position of a set: of all else, the labels themselves."""

    @functools.wraps(method)
    def label(self: Any, data: Any, *arguments: Any, **options: Any) -> Any:
        given = self._read(data)
        codes = method(self, given.data, *arguments, **limits_of_set(self, given, options))
        return codes if given.form == "set" else given.answers(self.classes_[codes])

    return label


def limits_of_set(labeller: Any, given: Given, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a question, whose limits (`treecrf.models.decoding.Limits`) have its form, with the limits of the set."""
    limits = dict(options)
    if given.form != "set":
        if limits.get("known") is not None:
            limits["known"] = known_codes(limits["known"], given.data, given.form, labeller.classes_)
        if limits.get("allowed") is not None:
            limits["allowed"] = flat_masks(limits["allowed"], given.data, given.form)
    return limits


def judges(method: Callable[..., _Result]) -> Callable[..., _Result]:
    """Give a method ``method(self, data)`` of a labelled set the argument `y`."""
    signature = inspect.signature(method)
    this, data, *others = signature.parameters.values()
    y = inspect.Parameter("y", data.kind, default=None, annotation="Labels")

    @functools.wraps(method)
    def judge(self: Any, data: Any, y: Any = None, **options: Any) -> _Result:
        return method(self, self._read(data, y).data, **options)

    judge.__signature__ = signature.replace(parameters=[this, data, y, *others])  # type: ignore[attr-defined]
    return judge


def _printing(name: str, every: int, monitor: Monitor | None) -> Monitor:
    """A monitor that prints the first of all reports and those of `every` iterations, before another one is called."""

    def note(stage: int, seconds_by_phase: Mapping[str, float], log_likelihood: float) -> None:
        if stage == 1 or stage % every == 0:
            seconds = sum(seconds_by_phase.values())
            told = "" if math.isnan(log_likelihood) else f"log likelihood {log_likelihood:.6g}, "
            print(f"{name}, iteration {stage}: {told}{seconds:.2f} CPU seconds", flush=True)
        if monitor is not None:
            monitor(stage, seconds_by_phase, log_likelihood)

    return note
