"""Methods of labellers that take sequences in every form (`treecrf.estimators.conversion`): they see sets alone."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from treecrf.estimators.conversion import Given, flat_weights
from treecrf.models.monitor import reporting_monitor

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
        options["monitor"] = reporting_monitor(type(self).__name__, verbose, options.get("monitor"))
        fitted = fit(self, given.data, **options)
        if self.label_names_ == given.data.label_names:  # else training went on with the labels of another set
            self._classes = given.classes
        return fitted

    learn.__signature__ = signature.replace(parameters=[this, train, y, *others, verbose])  # type: ignore[attr-defined]
    return learn
