"""Base of all labellers: settings, training, and the fitted values of a file; `prediction` has predictions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treecrf.compiled.struct import Known, Rule, dtype_of
from treecrf.estimators.checks import CLASS_WEIGHT, N_BINS, SECONDS, SIZE, UNSEEN, WINDOW, Check, check_params, optional
from treecrf.estimators.conversion import Given
from treecrf.estimators.labels import storable_labels
from treecrf.inputs.anchors import ANCHORS
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.arrays import Arrays, Codes, Floats
from treecrf.io.files import AnyPath
from treecrf.io.messages import counted, warn
from treecrf.io.npz import check_npz_name, write_npz
from treecrf.models.execution import Monitor, reporting_monitor
from treecrf.models.inputs import (
    ClassWeight,
    Inputs,
    check_training_set,
    position_weights,
    refuse_weights,
    without_silent,
)
from treecrf.models.prediction import Predictor
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.estimators.conversion import Groups, Labels, Sequences

Declared = Mapping[str, Any]


def named_arrays(values: Mapping[str, Any], declared: Declared) -> Arrays:
    """The arrays of declared values by the names that they have in a file; a struct's fields begin with its name."""
    arrays: Arrays = {}
    for name, kind in declared.items():
        arrays |= {name: values[name]} if _is_array(kind) else prefixed(name, values[name]._asdict())
    return arrays


def take_declared(arrays: Arrays, declared: Declared, known: Known) -> dict[str, Any]:
    """Take the declared values out of the arrays of a file.

    Parameters
    ----------
    arrays : dict of str to array
        As from `named_arrays`; what is taken is no longer there afterwards.
    declared : mapping
    known : mapping of str to int or array
        Lengths of axes that are known, and other limits that rules name. Other lengths are what the arrays have, each
        the same everywhere within a struct.

    Raises
    ------
    ValueError
        For an array of another type or shape than declared, or that breaks a rule.
    KeyError
        For one that is not there.
    TypeError
        For one that is declared without a rule.
    """
    kinds = {name: _ArrayKind.of(name, kind) for name, kind in declared.items() if _is_array(kind)}
    values: dict[str, Any] = {name: kind.typed(name, arrays.pop(name)) for name, kind in kinds.items()}
    lengths = {key: size for key, size in known.items() if isinstance(size, int)}
    waiting = [(name, *axis) for name in kinds for axis in zip(kinds[name].axes, values[name].shape, strict=True)]
    while waiting:
        left = [each for each in waiting if not _is_settled(*each, lengths)]
        if len(left) == len(waiting):
            raise TypeError(f"nothing tells the axis {left[0][1]} of {left[0][0]}")
        waiting = left
    limits = {**known, **lengths}
    for name, kind in kinds.items():
        for rule in kind.rules:
            if not rule.holds(values[name], limits):
                raise ValueError(f"{name} must {rule.need}")
        limits[name] = values[name]
    for name, kind in declared.items():
        if name not in kinds:
            fields, of_struct = get_type_hints(kind, include_extras=True), take_prefixed(name, arrays)
            values[name] = kind(**take_declared(of_struct, fields, known))
            refuse_rest(of_struct)
    return values


def refuse_rest(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that nothing has taken, and so nothing has checked."""
    for name in arrays:
        raise ValueError(f"nothing declares the part {name}")


def prefixed(name: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    """Arrays whose names begin with another one."""
    return {f"{name}_{part}": array for part, array in arrays.items()}


def take_prefixed(name: str, arrays: Arrays) -> Arrays:
    """Take what `prefixed` was given out of others."""
    return {key.removeprefix(f"{name}_"): arrays.pop(key) for key in list(arrays) if key.startswith(f"{name}_")}


def _is_array(kind: Any) -> bool:
    return get_origin(kind) is Annotated


class _ArrayKind(NamedTuple):
    """The type, the axes and the rules of a declared array."""

    dtype: np.dtype[Any]
    axes: list[str]
    rules: list[Rule]

    @classmethod
    def of(cls, name: str, kind: Any) -> _ArrayKind:
        array, shape, *notes = get_args(kind)
        rules = [note for note in notes if isinstance(note, Rule)]
        if not rules:
            raise TypeError(f"{name} is declared without a rule for its values")
        dtype = dtype_of(array)
        if dtype is None:
            raise TypeError(f"{name} is declared as no array")
        return cls(dtype, shape.split(", "), rules)

    def typed(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        if array.dtype != self.dtype or array.ndim != len(self.axes):
            raise ValueError(f"{name} has {array.ndim} axes of {array.dtype}, not {len(self.axes)} of {self.dtype}")
        return np.ascontiguousarray(array)


def _is_settled(name: str, axis: str, length: int, known: dict[str, int]) -> bool:
    """Whether the length of an axis, a sum of products, is settled; a name that stands alone for a term is learnt."""
    unknown, rest = list[list[str]](), length
    for factors in (term.split(" * ") for term in axis.split(" + ")):
        if all(factor.isdecimal() or factor in known for factor in factors):
            rest -= prod(int(factor) if factor.isdecimal() else known[factor] for factor in factors)
        else:
            unknown.append(factors)
    if len(unknown) > 1 or any(len(factors) > 1 for factors in unknown):
        return False
    if unknown:
        known[unknown[0][0]] = rest
    if rest < 0 or (rest and not unknown):
        raise ValueError(f"{name} has an axis of {length}, not of {axis}")
    return True


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
        What positions weigh by the name of their label, 1 unless named (`treecrf.models.inputs`).
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
    """What `fit` learns as arrays (`treecrf.models.base`), and `save` writes."""

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
            What each sequence or position counts, for a method that takes weights (`treecrf.models.inputs`).
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
            warn(f"{counted(len(given.empty), 'sequence')} without observations left out of training.")
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

    def _examples(self, train: SequenceSet, sample_weight: ArrayLike | None) -> tuple[SequenceSet, Floats | None]:
        """Sequences with non-zero weight, and the weights of their positions if not 1."""
        check_training_set(train, self.takes_unknown_labels)
        weights = position_weights(train, sample_weight, self.class_weight)
        if not self.takes_weights:
            refuse_weights(self, weights)
        return without_silent(train, weights)

    def fit_predict_proba(self, train: SequenceSet) -> Floats:
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

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        """What `fit` learnt, as JSON values and arrays: what the class declares, and what it adds."""
        values = {name: getattr(self, f"{name}_") for name in self._fitted_values}
        fitted = {name: getattr(self, f"{name}_") for name in self._fitted_arrays}
        return values, named_arrays(fitted, self._fitted_arrays)

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        """Take back what `_state` gave: take the arrays out by `take_declared` alone; those left are refused."""
        fitted = take_declared(arrays, self._fitted_arrays, self._sizes())
        for name, value in (fitted | {name: values[name] for name in self._fitted_values}).items():
            setattr(self, f"{name}_", value)

    # --- files --------------------------------------------------------------------------------------

    def save(self, path: AnyPath) -> None:
        """Write the fitted labeller to one file (.npz with a JSON header, no pickle); atomic.

        The name of a file of another format, such as ``model.pkl``, is refused.
        """
        check_npz_name(path)
        write_npz(path, *self.contents())

    def contents(self) -> tuple[dict[str, Any], Arrays]:
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
