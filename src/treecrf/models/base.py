"""Base of all labellers: settings, training, and what a file holds; predictions are in `treecrf.models.prediction`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.estimators.checks import (
    CLASS_WEIGHT,
    N_BINS,
    SECONDS,
    SIZE,
    UNSEEN,
    WINDOW,
    Check,
    check_params,
    optional,
)
from treecrf.estimators.conversion import Given
from treecrf.estimators.labels import storable_labels
from treecrf.inputs.anchors import ANCHORS
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.messages import counted
from treecrf.io.npz import check_npz_name, write_npz
from treecrf.models.execution import Monitor, reporting_monitor
from treecrf.models.fitted import Declared, named_arrays, take_declared
from treecrf.models.inputs import Inputs, check_training_set
from treecrf.models.prediction import Predictor
from treecrf.models.weights import ClassWeight, position_weights, refuse_weights, without_silent
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:  # kernels are loaded for predictions alone
    from treecrf.estimators.conversion import Groups, Labels, Sequences

Codes = NDArray[np.int16]
Floats = NDArray[np.float64]
FORMAT = "treecrf.model/1"


class Labeller(Predictor):
    """A sequence labeller with the interface of a scikit-learn estimator.

    Subclasses take their settings as keyword arguments, store them unchanged, declare what `fit` learns, and implement
    `_train` and what `Predictor` asks for.

    Attributes
    ----------
    n_bins : int
        Most bins that a number is cut into (`treecrf.inputs.binning.Binner`); few where each has a weight of its own.
    min_count : int
        Categories that the training set has less often become one; weights count (`treecrf.models.inputs.Inputs`).
    anchors : (int, int) or (int, int, tuple of str), optional
        Observations from the start and from the end of the sequence that every position sees, beside the distances of
        both ends; then attributes whose categories before the position are counted (`treecrf.inputs.anchors.Anchors`).
        None: none of these.
    class_weight : "balanced", mapping of str to float, or None
        What positions weigh by the name of their label, 1 unless named (`treecrf.models.weights`).
    """

    registry: ClassVar[dict[str, type[Labeller]]] = {}
    _parameter_constraints: ClassVar[Mapping[str, Check]] = {
        "window": WINDOW,
        "unseen": UNSEEN,
        "n_bins": N_BINS,
        "min_count": SIZE,
        "class_weight": CLASS_WEIGHT,
        "anchors": optional(ANCHORS),
    }
    """What settings must be, by name; a subclass declares those that others do not have, or have in another range."""

    takes_numbers: ClassVar[bool] = False
    """Whether `_train` and predictions see numbers; otherwise they see ordered attributes in their place."""

    takes_unknown_labels: ClassVar[bool] = False
    """Whether `_train` gets labels that are `MISSING` at some positions."""

    takes_weights: ClassVar[bool] = False
    """Whether `fit` has weights; otherwise `_train` is not given any."""

    is_saved: ClassVar[bool] = True
    """Whether a file may hold one; nothing that a file names runs code of another package."""

    _fitted_arrays: ClassVar[Declared] = {}
    """What `fit` learns as arrays (`treecrf.models.fitted`), and `save` writes."""

    _fitted_values: ClassVar[Mapping[str, Check]] = {"seconds": SECONDS}
    """What it learns as JSON values."""

    _described: ClassVar[Mapping[str, Check]] = {}
    """What else a file has as JSON values, from which `_restore` makes something."""

    n_bins: int = MOST_BINS
    min_count: int = 1
    class_weight: ClassWeight = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        Labeller.registry[cls.__name__] = cls

    # --- settings -----------------------------------------------------------------------------------

    def _params_for_file(self) -> dict[str, Any]:
        """Settings as JSON values, labellers among them by class and settings."""
        return {name: _described(value) for name, value in self.get_params(deep=False).items()}

    def _check_settings(self) -> None:
        """Refuse a setting that is out of its range, in one sentence."""
        check_params(self.get_params(deep=False), {**Labeller._parameter_constraints, **self._parameter_constraints})

    def keeping_stages(self) -> Self:
        """Set `keep_stages`, where there is such a setting, and return the labeller."""
        return self.set_params(keep_stages=True) if "keep_stages" in self.get_params() else self

    # --- training -----------------------------------------------------------------------------------

    def fit(
        self,
        X: Sequences,
        y: Labels = None,
        *,
        sample_weight: ArrayLike | None = None,
        groups: Groups = None,
        lengths: ArrayLike | None = None,
        monitor: Monitor | None = None,
        verbose: bool | int = False,
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : SequenceSet, or sequences as in `treecrf.estimators.conversion`
            At least two label names; without missing cells, unless the method copes with them.
        y : list of lists, optional
            The labels, unless `X` is a set that has them: text or whole numbers, by sequence.
        sample_weight : array_like of float, shape (n_sequences,) or (n_positions,), optional
            What each sequence or position counts, for a method that takes weights (`treecrf.models.weights`).
        groups : list, length n_sequences, optional
            What each sequence belongs to, such as a person: those of one group stay together where training holds some
            out.
        lengths : int, shape (n_sequences,), optional
            How many observations each sequence of a padded array has, which has three dimensions (sequences, rows,
            columns).
        monitor : callable, optional
            Called as ``monitor(iteration, seconds_by_phase, log_likelihood)`` after every iteration, the log likelihood
            of the sequences that it trained on, without a prior or penalty.
        verbose : bool or int
            Whether to print a line after every iteration, or after every so many.

        Raises
        ------
        ValueError
            For unusable settings or data, in one sentence.
        """
        return self._fit_given(X, y, sample_weight, groups, lengths, monitor, verbose)

    def _fit_given(
        self,
        X: Sequences,
        y: Labels,
        sample_weight: ArrayLike | None,
        groups: Groups,
        lengths: ArrayLike | None,
        monitor: Monitor | None,
        verbose: bool | int,
        **options: Any,
    ) -> Self:
        """`fit` of what a caller gave; the options are for `_fit`."""
        given = Given.read(X, y, lengths=lengths).in_groups(groups)
        if given.empty:
            warnings.warn(
                f"{counted(len(given.empty), 'sequence')} without observations left out of training.", stacklevel=3
            )
        weights = given.weights(sample_weight)
        monitor = reporting_monitor(type(self).__name__, verbose, monitor)
        self._check_settings()
        self._fit(given.data, weights, monitor, **options)
        if self.label_names_ == given.data.label_names:  # else training went on with the labels of another set
            self._classes = given.classes
        return self

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> Any:
        train, weights = self._examples(train, sample_weight)
        assert train.labels is not None
        self._refuse_missing(train)
        inputs = self._learn_inputs(train, weights)
        self._train(inputs.apply(train, "error"), train.labels, weights, monitor)
        self.inputs_, self.label_names_ = inputs, train.label_names

    def _examples(
        self, train: SequenceSet, sample_weight: ArrayLike | None
    ) -> tuple[SequenceSet, NDArray[np.float64] | None]:
        """Sequences with non-zero weight, and the weights of their positions if not 1."""
        check_training_set(train, self.takes_unknown_labels)
        weights = position_weights(train, sample_weight, self.class_weight)
        if not self.takes_weights:
            refuse_weights(self, weights)
        return without_silent(train, weights)

    def fit_predict_proba(self, train: SequenceSet) -> NDArray[np.float64]:
        """`fit`, then `predict_proba` of the training set itself."""
        return self.fit(train).predict_proba(train)

    def _learn_inputs(self, train: SequenceSet, weights: Floats | None = None) -> Inputs:
        """What this labeller sees of a training set, whose positions have weights, if not 1."""
        return Inputs.learn(train, None if self.takes_numbers else self.n_bins, self.min_count, self.anchors, weights)

    # --- to be implemented --------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        """Set the fitted attributes but those that `fit` sets; positions have weights, if not 1."""
        raise NotImplementedError

    def _sizes(self) -> dict[str, Any]:
        """Lengths of axes that arrays from a file must have, and other limits that their rules name."""
        return {"n_labels": len(self.label_names_)}

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `fit` learnt, as JSON values and arrays: what the class declares, and what it adds."""
        values = {name: getattr(self, f"{name}_") for name in self._fitted_values}
        fitted = {name: getattr(self, f"{name}_") for name in self._fitted_arrays}
        return values, named_arrays(fitted, self._fitted_arrays)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Take back what `_state` gave: take the arrays out by `take_declared` alone; those left are refused."""
        fitted = take_declared(arrays, self._fitted_arrays, self._sizes())
        for name, value in (fitted | {name: values[name] for name in self._fitted_values}).items():
            setattr(self, f"{name}_", value)

    # --- files --------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted labeller to one file (.npz with a JSON header, no pickle); atomic.

        The name of a file of another format, such as ``model.pkl``, is refused.
        """
        check_npz_name(path)
        write_npz(path, *self.contents())

    def contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What `save` writes: a header of JSON values, and arrays."""
        self._check_fitted()
        values, arrays = self._state()
        header = {
            "format": FORMAT,
            "class": type(self).__name__,
            "params": self._params_for_file(),
            "label_names": self.label_names_,
            "classes": storable_labels(self.classes_).tolist(),
            "values": values,
            **self.inputs_.described(),
        }
        return header, arrays


LABELLER = Check(lambda value: isinstance(value, Labeller), "give a labeller")


def _described(setting: Any) -> Any:
    """A setting as JSON value, a labeller by class and settings."""
    if isinstance(setting, Labeller):
        return {"class": type(setting).__name__, "params": setting._params_for_file()}
    return [_described(each) for each in setting] if isinstance(setting, tuple | list) else setting
