"""`Estimator`: settings by name, and scikit-learn's tags, without scikit-learn."""

from __future__ import annotations

import html
import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.io.arrays import thawed
from treecrf.io.messages import refuse_unknown


class NotFittedError(ValueError, AttributeError):
    """Something was asked that only `fit` tells; scikit-learn's own error has the same bases."""


class Estimator:
    """Settings are the keyword arguments of ``__init__``, which stores them unchanged; what `fit` learns ends in ``_``."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was learnt out of a pickle; kernels ask for arrays that can be written to."""
        vars(self).update(thawed(state))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name (scikit-learn's protocol).

        Parameters
        ----------
        deep : bool
            Whether settings of labellers within are there too, such as ``first__n_iterations``; those of a list of
            labellers have their numbers, such as ``experts__0__n_iterations``.
        """
        params = {name: getattr(self, name) for name in _settings(type(self))}
        if not deep:
            return params
        inner = {
            f"{place}__{name}": setting
            for place, part in _parts(params).items()
            for name, setting in part.get_params().items()
        }
        return params | inner

    def set_params(self, **params: Any) -> Self:
        """Change settings, also of labellers within, as `get_params` names them; a ValueError names one that is not
        known.
        """
        own = self.get_params(deep=False)
        refuse_unknown((name for name in params if "__" not in name), own, type(self).__name__, "setting", ValueError)
        for name in own.keys() & params.keys():
            setattr(self, name, params[name])
        inner = {name: params[name] for name in params if "__" in name}
        parts = _parts(self.get_params(deep=False))
        for name, value in inner.items():
            place = max((place for place in parts if name.startswith(f"{place}__")), key=len, default=None)
            if place is None:
                refuse_unknown([name], self.get_params(), type(self).__name__, "setting", ValueError)
            else:
                parts[place].set_params(**{name.removeprefix(f"{place}__"): value})
        return self

    def __repr__(self) -> str:
        """The settings that are not at their defaults."""
        usual = {name: repr(parameter.default) for name, parameter in _settings(type(self)).items()}
        changed = {
            name: repr(value) for name, value in self.get_params(deep=False).items() if repr(value) != usual[name]
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in changed.items())})"

    def _repr_html_(self) -> str:
        """The settings as a table that unfolds, for notebooks; those that are not at their defaults are bold."""
        usual = {name: repr(parameter.default) for name, parameter in _settings(type(self)).items()}
        rows = []
        for name, value in self.get_params(deep=False).items():
            cell = html.escape(repr(value))
            rows.append(f"<tr><th>{name}</th><td>{cell if repr(value) == usual[name] else f'<b>{cell}</b>'}</td></tr>")
        return f"<details><summary><code>{html.escape(repr(self))}</code></summary><table><tbody>{''.join(rows)}</tbody></table></details>"

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the inputs of the training set, categories before numbers, shape (n_features,)."""
        return np.array(list(self._input_kinds()), dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Number of inputs of the training set."""
        return len(self._input_kinds())

    def _input_kinds(self) -> dict[str, Any]:
        """What each input of the training set holds, "category" or "number"."""
        raise NotImplementedError

    def _refuse_unfitted(self) -> NoReturn:
        """Say that `fit` comes first, by scikit-learn's own error where that is loaded."""
        exceptions = sys.modules.get("sklearn.exceptions")
        kind = NotFittedError if exceptions is None else exceptions.NotFittedError
        raise kind(f"this {type(self).__name__} is not fitted; call fit first.")

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before it calls; it is loaded already when it does.

        There is no ``estimator_type``: labels of sequences are lists of lists, which scikit-learn's classifiers do not
        have.
        """
        from sklearn.utils import InputTags, Tags, TargetTags

        tags = Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def new_one(estimator: Any, **changes: Any) -> Any:
    """Another estimator of its class and settings, but for the changes, not fitted."""
    return type(estimator)(**estimator.get_params(deep=False) | changes)


def follow(fitted: Any, source: Any) -> None:
    """Give a fitted estimator within another one the settings of predictions that its source has by now.

    A pipeline without such a setting gives it to its labeller.
    """
    for name in _OF_PREDICTIONS:
        if name in _settings(type(source)) and name in _settings(type(fitted)):
            setattr(fitted, name, getattr(source, name))
        elif name in _settings(type(source)):
            for part in _parts(fitted.get_params(deep=False)).values():
                follow(part, source)


_OF_PREDICTIONS = ("unseen", "n_threads")


def _parts(params: dict[str, Any]) -> dict[str, Estimator]:
    """The estimators among settings, and in lists of them, by place."""
    parts: dict[str, Estimator] = {}
    for name, value in params.items():
        several = enumerate(value) if isinstance(value, list | tuple) else ()
        places = {name: value} | {f"{name}__{number}": each for number, each in several}
        parts |= {place: part for place, part in places.items() if isinstance(part, Estimator)}
    return parts


def _settings_of(estimator: type) -> dict[str, inspect.Parameter]:
    """The parameters of a class, those of its base where it passes them on."""
    settings: dict[str, inspect.Parameter] = {}
    for level in estimator.__mro__:
        parameters = inspect.signature(level.__init__).parameters.values()  # type: ignore[misc]
        of_level = {p.name: p for p in parameters if p.kind is not p.VAR_KEYWORD and p.name != "self"}
        settings |= {name: parameter for name, parameter in of_level.items() if name not in settings}
        if all(p.kind is not p.VAR_KEYWORD for p in parameters):
            break
    return settings


_settings: Callable[[Any], dict[str, inspect.Parameter]] = cache(_settings_of)  # signatures take long to read
