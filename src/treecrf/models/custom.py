"""`CustomLabeller`: a user's class, or a classifier of single rows, with the interface of the labellers here."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from treecrf.estimators.checks import SEED, Check, optional
from treecrf.io.arrays import Arrays, Codes, Floats
from treecrf.io.messages import counted
from treecrf.models.base import Labeller, Monitor
from treecrf.models.decoding import DECODERS, Decoder
from treecrf.models.inputs import check_training_set, refuse_weights
from treecrf.models.window.features import Taken, WindowFeatures
from treecrf.sequences import SequenceSet


def is_classifier(labeller: type) -> bool:
    """Whether a class learns from a table and labels, ``fit(X, y)``, and not from sequences, ``fit(train)``."""
    if issubclass(labeller, Labeller):
        return False
    parameters = list(inspect.signature(labeller.fit).parameters.values())  # type: ignore[attr-defined]
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 3:  # self, X, y
        return False
    return positional[2].default is inspect.Parameter.empty or getattr(labeller, "_estimator_type", "") == "classifier"


def adapt(classifier: Any, window: tuple[int, int]) -> AdaptedClassifier:
    """A labeller with stages if the classifier tells what it predicts after each iteration, otherwise without.

    Parameters
    ----------
    classifier : object
        Not fitted; with ``fit(X, y)`` and ``predict_proba(X)``.
    window : (int, int)
        Observations before and after the position.
    """
    kind = StagedClassifier if hasattr(classifier, "staged_predict_proba") else AdaptedClassifier
    return kind(classifier, window)


class AdaptedClassifier:
    """A classifier that labels each position from the features of its window (`WindowFeatures`).

    Where the training set has no position of some label, the classifier does not learn it and its probability is 0.

    Parameters
    ----------
    classifier : object
        Its setting ``categorical_features``, if it has it, is set to the columns of categories.
    window : (int, int)

    Attributes
    ----------
    classifier : object
        The same, fitted.
    codes_ : int16, shape (number of labels that occur,)
        The labels of the training set behind the classes 0, 1, .. of the classifier.
    """

    def __init__(self, classifier: Any, window: tuple[int, int]) -> None:
        self.classifier = classifier
        self.window = window

    def fit(self, train: SequenceSet) -> Self:
        """Learn from labelled sequences."""
        assert train.labels is not None
        self._n_labels = len(train.label_names)
        self.codes_, classes = np.unique(train.labels, return_inverse=True)
        self._features = WindowFeatures(self.window, Taken.by(self.classifier)).fit(train)
        if self._features.taken.most_categories is not None:
            self.classifier.set_params(categorical_features=list(range(self._features.n_codes_)))
        if len(self.codes_) > 1:  # of a single label there is nothing to learn
            self.classifier.fit(self._features.transform(train), classes)
        return self

    def predict_proba(self, data: SequenceSet) -> Floats:
        """P(label | window), shape (n_positions, n_labels)."""
        if len(self.codes_) == 1:
            return self._spread(np.ones((data.n_positions, 1)))
        return self._spread(self.classifier.predict_proba(self._features.transform(data)))

    def _spread(self, probabilities: Any) -> Floats:
        """The classes at the places of their labels; rows of a classifier with single precision sum to 1 again."""
        checked = np.asarray(probabilities, dtype=np.float64)
        spread = np.zeros((len(checked), self._n_labels))
        spread[:, self.codes_] = checked / checked.sum(axis=1, keepdims=True)
        return spread


class StagedClassifier(AdaptedClassifier):
    """One that also tells what it predicts after each iteration."""

    def staged_predict_proba(self, data: SequenceSet) -> Iterator[Floats]:
        """`predict_proba` after 1, 2, .. iterations."""
        if len(self.codes_) == 1:
            yield self.predict_proba(data)
            return
        for probabilities in self.classifier.staged_predict_proba(self._features.transform(data)):
            yield self._spread(probabilities)


_SUM_TOLERANCE = 1e-6  # of the probabilities of a position


@dataclass(eq=False, repr=False)
class CustomLabeller(Labeller):
    """A labeller made of a user's class.

    A classifier of single rows with ``fit(X, y)`` and ``predict_proba(X)``, such as any of scikit-learn's that has
    both, is given the categories and numbers in the window of every position
    (`treecrf.models.window.features.WindowFeatures`), and its ``staged_predict_proba`` is used where it has one.

    Any other class needs ``fit(train)`` and ``predict_proba(data)``, both with a `SequenceSet`; the second returns
    P(y_t | X), shape (n_positions, n_labels), labels in the order of ``train.label_names``. Whatever else it has is
    used: ``staged_predict_proba(data)``, the same after 1, 2, .. iterations, so that the iteration can be chosen;
    ``fit(train, monitor=...)``, where the class reports its seconds and, with stages, every iteration; ``predict(data,
    decoder=...)``, else "viterbi" gives the likeliest label of each position, as "forward_backward" does. Numbers are
    as the set has them. If its constructor takes ``window`` or ``random_state`` it gets them.

    Parameters
    ----------
    class_name : str
        ``module:Class``; the module is looked for in the working directory, then where Python looks.
    settings : mapping
        Keyword arguments of the class.
    window : (int, int)
        Observations before and after the position, for a classifier and for a class that takes ``window``.
    unseen : "missing" or "error"
        What to do with categories that the training set did not have.
    random_state : int, optional
        Seed, for a class that takes ``random_state``; a classifier without one has the seed 0.

    Attributes
    ----------
    inner_ : object
        The fitted instance; of a classifier, the `treecrf.models.custom.AdaptedClassifier` around it.
    seconds_ : dict
        CPU seconds of this thread in `fit`, by phase; "fit" unless the class reports its own.
    """

    _parameter_constraints: ClassVar = {
        "class_name": Check(lambda value: isinstance(value, str) and value != "", "give module:Class"),
        "settings": Check(lambda value: value is None or isinstance(value, Mapping), "give None or a mapping"),
        "random_state": optional(SEED),
    }

    is_saved = False
    takes_numbers = True

    class_name: str
    settings: Mapping[str, Any] | None = None
    window: tuple[int, int] = (0, 0)
    unseen: str = "missing"
    random_state: int | None = None

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> None:
        refuse_weights(self, sample_weight)
        check_training_set(train)
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names
        self.inner_ = inner = self._make()
        phases, last, is_followed = dict[str, float](), float("nan"), False

        def note(stage: int, seconds_by_phase: Mapping[str, float], log_likelihood: float) -> None:
            nonlocal last, is_followed
            last = log_likelihood
            phases.update(seconds_by_phase)
            if monitor is not None and self.has_stages:
                is_followed = True
                monitor(stage, seconds_by_phase, log_likelihood)

        begin = time.thread_time()
        if "monitor" in inspect.signature(inner.fit).parameters:
            inner.fit(train, monitor=note)
        else:
            inner.fit(train)
        self.seconds_ = phases or {"fit": time.thread_time() - begin}
        if monitor is not None and not is_followed:
            monitor(1, self.seconds_, last)

    def _marginals(self, data: SequenceSet) -> Floats:
        return self._checked(self.inner_.predict_proba(self.align_inputs(data, self.unseen)), data)

    @property
    def has_stages(self) -> bool:  # type: ignore[override]
        """Whether the class tells what it predicts after each iteration."""
        return hasattr(getattr(self, "inner_", None) or self._make(), "staged_predict_proba")

    def staged_predict_proba(self, data: SequenceSet, every: int = 1) -> Iterator[Floats]:
        """`predict_proba` after `every`, 2 `every`, .. iterations; a class without stages has one."""
        stages = (
            self.inner_.staged_predict_proba(self.align_inputs(data, self.unseen))
            if self.has_stages
            else [self.predict_proba(data)]
        )
        for stage, probabilities in enumerate(stages, start=1):
            if stage % every == 0:
                yield self._checked(probabilities, data)

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, Codes]]:
        """Labels after `every`, 2 `every`, .. iterations; a class with stages gives the likeliest for all decoders."""
        if not self.has_stages:
            if every == 1:
                yield {decoder: self.predict(data, decoder) for decoder in decoders}
            return
        for probabilities in self.staged_predict_proba(data, every):
            yield dict.fromkeys(decoders, probabilities.argmax(axis=1).astype(np.int16))

    def _viterbi(self, data: SequenceSet) -> Codes:
        inner_predict = getattr(self.inner_, "predict", None)
        if inner_predict is None or "decoder" not in inspect.signature(inner_predict).parameters:
            return super()._viterbi(data)
        labels = np.asarray(inner_predict(self.align_inputs(data, self.unseen), decoder="viterbi"))
        if labels.shape != (data.n_positions,) or not np.isin(labels, np.arange(len(self.label_names_))).all():
            raise ValueError(
                f"{self.class_name}: predict must return one label code for each of "
                f"{counted(data.n_positions, 'position')}, "
                f"0 to {len(self.label_names_) - 1}; it returned shape {labels.shape}."
            )
        return labels.astype(np.int16)

    def check(self) -> None:
        """Find the class and make an instance, as `fit` does first.

        Raises
        ------
        ValueError
            In one sentence: what `find_class` says, or that the class does not take these settings.
        """
        self._check_settings()
        self._make()

    def _make(self) -> Any:
        labeller = find_class(self.class_name)
        taken, rows = inspect.signature(labeller).parameters, is_classifier(labeller)
        seed = self.random_state
        if rows:  # without a seed each training would be another
            seed = 0 if seed is None else seed + 1
        arguments = {"window": self.window, "random_state": seed}
        arguments = {name: value for name, value in arguments.items() if name in taken} | dict(self.settings or {})
        try:
            inner = labeller(**arguments)
            if hasattr(inner, "_validate_params"):  # scikit-learn's own check, which otherwise waits for fit
                inner._validate_params()
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self.class_name} does not take these settings ({str(error).rstrip('.')}); correct them in the "
                "configuration."
            ) from None
        if not hasattr(inner, "predict_proba"):
            raise ValueError(
                f"{self.class_name} has no predict_proba with these settings; choose others, or another class."
            )
        return adapt(inner, self.window) if rows else inner

    def _checked(self, probabilities: Any, data: SequenceSet) -> Floats:
        checked = np.asarray(probabilities, dtype=np.float64)
        expected = (data.n_positions, len(self.label_names_))
        if checked.shape != expected:
            raise ValueError(
                f"{self.class_name}: predict_proba returned shape {checked.shape} for "
                f"{counted(expected[0], 'position')} and {counted(expected[1], 'label')}; return {expected}."
            )
        wrong = ~((checked >= 0).all(axis=1) & (np.abs(checked.sum(axis=1) - 1) <= _SUM_TOLERANCE))
        if wrong.any():
            position = int(wrong.argmax())
            raise ValueError(
                f"{self.class_name}: predict_proba returned {checked[position].tolist()} for position {position}; the "
                "probabilities of a position must be at least 0 and sum to 1."
            )
        return checked

    def contents(self) -> tuple[dict[str, Any], Arrays]:
        """Raise: only the class itself knows how to write what it learnt."""
        raise ValueError(f"{self.class_name} is not saved here; save `inner_` as the class does.")


def find_class(class_name: str) -> type:
    """The class that ``module:Class`` names.

    Raises
    ------
    ValueError
        In one sentence: the name has another form, there is no such module or class, or the class lacks a method.
    """
    module_name, colon, name = class_name.partition(":")
    if not (colon and module_name and name.isidentifier()):
        raise ValueError(f"{class_name!r} names no class; write module:Class, such as my_labellers:Majority.")
    if sys.path[0] != os.getcwd():
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{class_name}: there is no module {error.name!r}; put it into the working directory or install it."
        ) from None
    class_ = getattr(module, name, None)
    if not isinstance(class_, type):
        raise ValueError(f"{class_name}: the module {module.__name__} ({module.__file__}) has no class {name!r}.")
    lacking = [method for method in ("fit", "predict_proba") if not callable(getattr(class_, method, None))]
    if lacking:
        raise ValueError(f"{class_name} has no method {lacking[0]!r}; a labeller needs fit and predict_proba.")
    return class_
