"""`Transform`: what changes the inputs of sequences in front of any labeller, with scikit-learn's interface."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.conversion import Given
from treecrf.estimators.settings import Estimator
from treecrf.io.messages import quoted
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.estimators.conversion import Sequences


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

    def _learn(self, train: SequenceSet, weights: NDArray[np.float64] | None = None) -> None:
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
