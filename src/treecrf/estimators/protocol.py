"""scikit-learn's protocol, without scikit-learn: settings by name, requests of metadata, and transforms of inputs."""

from __future__ import annotations

import html
import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.conversion import Given
from treecrf.io.arrays import Floats, thawed
from treecrf.io.messages import quoted, refuse_unknown
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.estimators.conversion import Sequences


class NotFittedError(ValueError, AttributeError):
    """Something was asked that only `fit` tells; scikit-learn's own error has the same bases."""


class Estimator:
    """Settings are arguments of ``__init__``, which stores them unchanged; names of what `fit` learns end in ``_``."""

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
        summary = f"<summary><code>{html.escape(repr(self))}</code></summary>"
        return f"<details>{summary}<table><tbody>{''.join(rows)}</tbody></table></details>"

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


class MetadataRequests:
    """scikit-learn's metadata routing (https://scikit-learn.org/stable/metadata_routing.html), without scikit-learn.

    What `fit`, `predict` and `score` take by name after sequences and labels can be requested: ``sample_weight``,
    ``groups`` and others. Nothing is requested unless a user says so.
    """

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `fit` others pass on.

        Parameters
        ----------
        **requests
            By argument, such as ``sample_weight`` and ``groups``: True (passed on), False (not passed on), None
            (refused where it is given), or the name that it has where it is given.

        Raises
        ------
        RuntimeError
            Unless scikit-learn's metadata routing is switched on.
        TypeError
            For an argument that the method does not have.
        """
        return self._request("fit", requests)

    def set_predict_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `predict` others pass on, as for `set_fit_request`."""
        return self._request("predict", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Say which arguments of `score` others pass on, as for `set_fit_request`."""
        return self._request("score", requests)

    def get_metadata_routing(self) -> Any:
        """The requests, as scikit-learn's ``MetadataRequest``."""
        if "_metadata_request" in vars(self):  # the name that scikit-learn's `clone` knows
            return self._metadata_request
        from sklearn.utils.metadata_routing import MetadataRequest

        requests = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "predict", "score"):
            for name in self._metadata_of(method):
                getattr(requests, method).add_request(param=name, alias=None)
        return requests

    def _metadata_of(self, method: str) -> list[str]:
        """Names of the arguments of a method after sequences and labels."""
        parameters = inspect.signature(getattr(self, method)).parameters.values()
        return [p.name for p in parameters if p.name not in ("X", "y") and p.kind is not p.VAR_KEYWORD]

    def _request(self, method: str, requests: dict[str, bool | str | None]) -> Self:
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "requests need metadata routing; switch it on (sklearn.set_config(enable_metadata_routing=True))."
            )
        refuse_unknown(requests, self._metadata_of(method), f"{method} of {type(self).__name__}")
        routing = self.get_metadata_routing()
        for name, alias in requests.items():
            getattr(routing, method).add_request(param=name, alias=alias)
        self._metadata_request = routing
        return self


class Transform(Estimator):
    """Changes the inputs of sequences, with the interface of a scikit-learn transformer.

    Subclasses have a setting or more, and implement `_learn`, `_transform`, `_input_kinds` and `_names_out`. They see
    sets; `fit`, `transform` and `fit_transform` also take sequences in the forms of `treecrf.estimators.conversion`,
    and give back what labellers take: a set for a set, arrays for arrays of numbers, unless there are categories now,
    and DataFrames for all other forms, whose categories are categorical columns.
    """

    _sklearn_output_config: dict[str, str]  # the name that scikit-learn's `clone` knows

    def fit(self, train: Sequences, y: Any = None) -> Self:
        """Learn from the inputs of sequences; labels are not looked at."""
        self._learn(Given.read(train).data)
        return self

    def transform(self, data: Sequences) -> Any:
        """The same sequences with other inputs."""
        kinds = self._input_kinds()
        given = Given.read(data, kinds=kinds)
        return given.returned(self._transform(given.data), self._container())

    def fit_transform(self, train: Sequences, y: Any = None) -> Any:
        """`fit`, then `transform` of the same sequences."""
        given = Given.read(train)
        self._learn(given.data)
        return given.returned(self._transform(given.data), self._container())

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Say what `transform` gives back for sequences that are no sets: by default arrays for arrays, or always
        DataFrames.

        Parameters
        ----------
        transform : "default", "pandas" or "polars", optional
            None changes nothing.
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f"transform={quoted(transform)}: choose 'default', 'pandas' or 'polars'.")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def _container(self) -> str:
        """What `set_output` said, or scikit-learn's configuration where it is loaded."""
        if "_sklearn_output_config" in vars(self):
            return self._sklearn_output_config["transform"]
        sklearn = sys.modules.get("sklearn")
        return "default" if sklearn is None else str(sklearn.get_config()["transform_output"])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the inputs after `transform`, categories before numbers, shape (n_features_out,).

        Parameters
        ----------
        input_features : list of str, optional
            Those of the training set, which other ones are compared with.
        """
        names = self.feature_names_in_
        if input_features is not None and set(input_features) != set(names):
            raise ValueError(
                f"input_features is not equal to feature_names_in_: {list(input_features)} and {list(names)}; give the "
                "same."
            )
        return np.array(self._names_out(), dtype=object)

    def _learn(self, train: SequenceSet, weights: Floats | None = None) -> None:
        """Learn from a set, whose positions may have weights, shape (n_positions,)."""
        raise NotImplementedError

    def _transform(self, data: SequenceSet) -> SequenceSet:
        raise NotImplementedError

    def _names_out(self) -> list[str]:
        """Names of the inputs that `_transform` gives, categories before numbers."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags, tags.input_tags.allow_nan = TransformerTags(preserves_dtype=[]), True
        return tags
