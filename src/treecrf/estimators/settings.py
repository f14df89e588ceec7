"""`Estimator`: settings by name, and scikit-learn's tags, without scikit-learn."""

from __future__ import annotations

import html
import inspect
import sys
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray


class NotFittedError(ValueError, AttributeError):
    """Something was asked that only `fit` tells; scikit-learn's own error has the same bases."""


class Estimator:
    """Settings are the keyword arguments of ``__init__``, which stores them unchanged; what `fit` learns ends in ``_``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Settings by name (scikit-learn's protocol; `deep` is accepted and has no effect)."""
        return {name: getattr(self, name) for name in _settings(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change settings; a ValueError names a setting that is not known."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no setting {name!r}; it has {', '.join(known)}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The settings that are not at their defaults."""
        usual = {name: repr(parameter.default) for name, parameter in _settings(type(self)).items()}
        changed = {name: repr(value) for name, value in self.get_params().items() if repr(value) != usual[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in changed.items())})"

    def _repr_html_(self) -> str:
        """The settings as a table that unfolds, for notebooks; those that are not at their defaults are bold."""
        usual = {name: repr(parameter.default) for name, parameter in _settings(type(self)).items()}
        rows = []
        for name, value in self.get_params().items():
            cell = html.escape(repr(value))
            rows.append(f"<tr><th>{name}</th><td>{cell if repr(value) == usual[name] else f'<b>{cell}</b>'}</td></tr>")
        return (
            f"<details><summary><code>{html.escape(repr(self))}</code></summary><table><tbody>{''.join(rows)}</tbody></table>"
            "</details>"
        )

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

        There is no ``estimator_type``: labels of sequences are lists of lists, which scikit-learn's classifiers do not have.
        """
        from sklearn.utils import InputTags, Tags, TargetTags

        tags = Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _settings(estimator: type) -> dict[str, inspect.Parameter]:
    """The parameters of a class, those of its base where it passes them on."""
    settings: dict[str, inspect.Parameter] = {}
    for level in estimator.__mro__:
        parameters = inspect.signature(level.__init__).parameters.values()  # type: ignore[misc]
        of_level = {p.name: p for p in parameters if p.kind is not p.VAR_KEYWORD and p.name != "self"}
        settings |= {name: parameter for name, parameter in of_level.items() if name not in settings}
        if all(p.kind is not p.VAR_KEYWORD for p in parameters):
            break
    return settings
