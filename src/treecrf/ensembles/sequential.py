"""`StackedSequential`: a second pass that sees what a first one says of the whole sequence."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from treecrf.estimators.checks import HEADERS, SEED, optional, whole
from treecrf.estimators.protocol import follow, new_one
from treecrf.io.arrays import Arrays, Floats
from treecrf.io.messages import warned_once
from treecrf.models.base import LABELLER, Labeller, Monitor
from treecrf.models.inputs import check_training_set, refuse_weights
from treecrf.models.persistence import packed, unpacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import sequence_folds

PASS_BINS = 32
"""Most bins of a number in a second pass that is not given."""


@dataclass(eq=False, repr=False)
class StackedSequential(Labeller):
    """A labeller, and a second one that also sees the first one's marginals (Cohen and Carvalho 2005, IJCAI).

    The second labeller is trained on marginals of sequences that the first one was not trained with (cross-fitting). It
    sees them as numbers, and their sums over the earlier and over the later positions of the sequence: how many labels
    of each kind to expect there. The marginals of both passes are averaged.

    Parameters
    ----------
    first : Labeller
        Of the first pass; a copy is trained.
    second : Labeller, optional
        Of the second pass; a copy of the first, with at most `PASS_BINS` bins of a number, unless given.
    n_folds : int
        Of cross-fitting; as many as there are unrelated sequences, if these are fewer.
    seed : int
        Decides which sequences are in which fold.

    Attributes
    ----------
    first_, second_ : Labeller
        Trained with all sequences.
    seconds_ : dict
        CPU seconds of `fit` by phase: "first", "second".
    """

    first: Labeller
    second: Labeller | None = None
    n_folds: int = 4
    seed: int = 0

    has_stages = False
    takes_numbers = True  # it leaves cutting them into bins to the labellers

    _parameter_constraints: ClassVar = {
        "first": LABELLER,
        "second": optional(LABELLER),
        "n_folds": whole(2),
        "seed": SEED,
    }

    # --- training -----------------------------------------------------------------------------------

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> None:
        refuse_weights(self, sample_weight)
        check_training_set(train)
        began = time.thread_time()
        ordered, marginals = cross_fit(
            train,
            self.n_folds,
            self.seed,
            "the first pass",
            lambda rest, fold: untrained(self.first).fit(rest).predict_proba(fold),
        )
        self.first_ = untrained(self.first).fit(train)
        between = time.thread_time()
        second = self._default_second() if self.second is None else untrained(self.second)
        self.second_ = second.fit(with_marginals(ordered, marginals, train.label_names))
        self.seconds_ = {"first": between - began, "second": time.thread_time() - between}
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names
        if monitor is not None:
            monitor(1, dict(self.seconds_), float("nan"))

    def _default_second(self) -> Labeller:
        second = untrained(self.first)
        if "n_bins" in second.get_params(deep=False):
            second.set_params(n_bins=min(second.n_bins, PASS_BINS))
        return second

    # --- prediction ---------------------------------------------------------------------------------

    def _marginals(self, data: SequenceSet) -> Floats:
        follow(self.first_, self.first)
        follow(self.second_, self.second or self.first)
        with warned_once():
            first = self.first_.predict_proba(data)
            return (first + self.second_.predict_proba(with_marginals(data, first, self.label_names_))) / 2

    @property
    def has_probabilities(self) -> bool:  # type: ignore[override]
        """Whether the labeller has."""
        return self.first.has_probabilities

    # --- files --------------------------------------------------------------------------------------

    _described: ClassVar = {"passes": HEADERS}

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        headers, arrays = packed("pass", [self.first_, self.second_])
        return {"seconds": self.seconds_, "passes": headers}, arrays

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        self.seconds_ = values["seconds"]
        passes = unpacked("pass", values["passes"], arrays, self.label_names_)
        if len(passes) != 2:
            raise ValueError(f"there are {len(passes)} of 2 passes")
        self.first_, self.second_ = passes


def untrained(labeller: Labeller) -> Labeller:
    """A copy of the labeller, not trained."""
    copy: Labeller = new_one(labeller)
    return copy


def cross_fit(
    train: SequenceSet,
    n_folds: int,
    seed: int,
    asked: str,
    ask: Callable[[SequenceSet, SequenceSet], Floats],
) -> tuple[SequenceSet, Floats]:
    """The sequences fold by fold, and what labellers that the other folds trained say of them.

    Parameters
    ----------
    train : SequenceSet
    n_folds : int
        As many as there are unrelated sequences, if these are fewer.
    seed : int
        Decides which sequences are in which fold.
    asked : str
        What the labellers are, for the ValueError of a set without two unrelated sequences.
    ask : callable
        Called with the other folds and the fold; gives an array with a row for each position of the fold.
    """
    n_groups = len(np.unique(train.groups))
    if n_groups < 2:
        raise ValueError(
            f"the training set has no two unrelated sequences, so {asked} cannot be cross-fitted; give at least two."
        )
    folds = sequence_folds(train.groups, min(n_folds, n_groups), seed)
    parts = [ask(train.select(np.setdiff1d(np.arange(len(train)), fold)), train.select(fold)) for fold in folds]
    return train.select(np.concatenate(folds)), np.concatenate(parts)


def with_marginals(data: SequenceSet, marginals: Floats, label_names: tuple[str, ...]) -> SequenceSet:
    """The set with three numbers more for each label: its marginal, and the sums over earlier and over later positions.

    Parameters
    ----------
    data : SequenceSet
    marginals : float64, shape (n_positions, n_labels)
    label_names : tuple of str
        Of the columns. An observation without a label has marginals of 0.
    """
    here, before, after = np.zeros((3, len(data.values), marginals.shape[1]))
    ends = (data.offsets[:-1], data.lengths, data.observation_offsets[:-1], data.observation_offsets[1:])
    for begin, length, first, last in zip(*ends, strict=True):
        here[first : first + length] = marginals[begin : begin + length]
        before[first + 1 : last] = here[first : last - 1].cumsum(axis=0)
        after[first : last - 1] = here[last - 1 : first : -1].cumsum(axis=0)[::-1]
    numbers = np.hstack([data.numbers, here, before, after])
    names = [f"P({name}){where}" for where in ("", " before", " after") for name in label_names]
    return data.with_numbers(numbers, (*data.number_names, *names))
