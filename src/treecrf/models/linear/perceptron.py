"""`VotedPerceptron`: a chain whose weights are corrected by the features of wrong labels, and averaged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numba import boolean, int32, int64, uint64, void

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import (
    NOT_NEGATIVE,
    WEIGHTS,
    Float64,
    Int16,
    Int32,
    Int64,
    UInt32,
    allocate,
    compiled_type,
    struct,
)
from treecrf.estimators.checks import FIRST_ORDER, FLAG, SIZE, optional
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import FEW_BINS
from treecrf.io.arrays import Codes, Floats
from treecrf.models.base import Monitor
from treecrf.models.chains import ChainLabeller, Chains, ScoredChains
from treecrf.models.linear.linear_crf import score_cells, window_cells, window_chains
from treecrf.sequences import SequenceSet, slot_sizes

_LOWEST = -(2**30)


@struct
class Examples(NamedTuple):
    """Labelled sequences."""

    cells: Annotated[UInt32, "n_positions, n_slots"]
    labels: Annotated[Int16, "n_positions"]
    offsets: Annotated[Int64, "n_sequences + 1"]


@struct
class Counts(NamedTuple):
    """Weights, which are whole numbers, and what their averages need."""

    cells: Annotated[Int32, "n_cells + 1, n_labels"]
    transitions: Annotated[Int32, "n_labels + 1, n_labels", "By the label before, START last."]
    cell_delays: Annotated[Int64, "n_cells + 1, n_labels", "Every change times the number of sequences before it."]
    transition_delays: Annotated[Int64, "n_labels + 1, n_labels"]
    n_seen: Annotated[Int64, "1", "Sequences, a sequence counting once in each epoch."]


@struct
class Beam(NamedTuple):
    """Work space of `_label_sequence`."""

    scores: Annotated[Int32, "n_longest, n_labels", "Of the best labels up to a position that end in a label."]
    origins: Annotated[Int32, "n_longest, n_labels", "The label before the last one of these."]
    kept: Annotated[Int32, "n_labels", "Labels that are extended, ascending."]
    is_kept: Annotated[Int32, "n_labels"]
    predicted: Annotated[Int32, "n_longest"]


_EXAMPLES, _COUNTS, _BEAM = compiled_type(Examples), compiled_type(Counts), compiled_type(Beam)


@kernel(int64(_BEAM, int64, int64))
def _keep(beam, t, width):
    """Choose the `width` labels of the highest scores, of equal ones the lowest; return their number."""
    scores, n_labels = beam.scores[t], beam.scores.shape[1]
    if width >= n_labels:
        for label in range(n_labels):
            beam.kept[label] = label
            beam.is_kept[label] = 1
        return n_labels
    beam.is_kept[:] = 0
    n_kept, least = int64(0), int32(_LOWEST)
    for label in range(n_labels):
        score = scores[label]
        if n_kept < width or score > least:  # few do, after the first ones
            place = min(n_kept, width - 1)
            while place > 0 and score > scores[beam.kept[place - 1]]:
                beam.kept[place] = beam.kept[place - 1]
                place -= 1
            beam.kept[place] = label
            n_kept = min(n_kept + 1, width)
            least = scores[beam.kept[n_kept - 1]]
    for i in range(n_kept):  # ascending
        label, place = beam.kept[i], i
        beam.is_kept[label] = 1
        while place > 0 and beam.kept[place - 1] > label:
            beam.kept[place] = beam.kept[place - 1]
            place -= 1
        beam.kept[place] = label
    return n_kept


@kernel(int64(_EXAMPLES, _COUNTS, _BEAM, int64, int64, boolean))
def _label_sequence(examples, counts, beam, sequence, width, early):
    """Write the best labels of a sequence to ``beam.predicted``; return how many.

    With `early`, no more than up to the position where the true label is not kept.
    """
    begin, n_labels = examples.offsets[sequence], counts.cells.shape[1]
    length = examples.offsets[sequence + 1] - begin
    n_kept, end = int64(0), length
    for t in range(length):
        scores, origins = beam.scores[t], beam.origins[t]
        if t == 0:
            for label in range(n_labels):
                scores[label] = counts.transitions[n_labels, label]
        else:
            scores[:] = _LOWEST
            for i in range(n_kept):
                before = beam.kept[i]
                base, steps = beam.scores[t - 1, before], counts.transitions[before]
                for label in range(uint64(n_labels)):  # many at a time: no branches
                    value = base + steps[label]
                    better = value > scores[label]
                    scores[label] = value if better else scores[label]
                    origins[label] = before if better else origins[label]
        for slot in range(examples.cells.shape[1]):
            weights = counts.cells[examples.cells[begin + t, slot]]
            for label in range(uint64(n_labels)):
                scores[label] += weights[label]
        n_kept = _keep(beam, t, width)
        if early and beam.is_kept[examples.labels[begin + t]] == 0:
            end = t + 1
            break
    best = beam.kept[0]
    for i in range(1, n_kept):
        if beam.scores[end - 1, beam.kept[i]] > beam.scores[end - 1, best]:
            best = beam.kept[i]
    for t in range(end - 1, -1, -1):
        beam.predicted[t] = best
        best = beam.origins[t, best]
    return end


@kernel(void(_EXAMPLES, _COUNTS, int64, int32[::1], int64, int64))
def _update(examples, counts, begin, predicted, length, order):
    """Add the features of the true labels, take away those of the predicted ones (Collins 2002, figure 1).

    With order 0 transitions stay 0, so that the best labels of a sequence are those of its positions.
    """
    n_labels, delay = counts.cells.shape[1], counts.n_seen[0]
    true_before = predicted_before = int64(n_labels)
    for t in range(length):
        true, other = int64(examples.labels[begin + t]), int64(predicted[t])
        if true != other:
            for slot in range(examples.cells.shape[1]):
                cell = examples.cells[begin + t, slot]
                counts.cells[cell, true] += 1
                counts.cells[cell, other] -= 1
                counts.cell_delays[cell, true] += delay
                counts.cell_delays[cell, other] -= delay
        if order and (true != other or true_before != predicted_before):
            counts.transitions[true_before, true] += 1
            counts.transitions[predicted_before, other] -= 1
            counts.transition_delays[true_before, true] += delay
            counts.transition_delays[predicted_before, other] -= delay
        true_before, predicted_before = true, other


@kernel(int64(_EXAMPLES, _COUNTS, _BEAM, int64, int64, int64))
def _learn(examples, counts, beam, sequence, length, order):
    """Correct the weights by the first `length` labels of ``beam.predicted``; return how many are wrong."""
    begin, n_wrong = examples.offsets[sequence], int64(0)
    for t in range(length):
        n_wrong += beam.predicted[t] != examples.labels[begin + t]
    if n_wrong:
        _update(examples, counts, begin, beam.predicted, length, order)
    counts.n_seen[0] += 1
    return n_wrong


@kernel(int64(_EXAMPLES, _COUNTS, _BEAM, int64, boolean, int64))
def _learn_epoch(examples, counts, beam, width, early, order):
    """One pass over the sequences, in order; return the number of wrong labels."""
    n_wrong = int64(0)
    for sequence in range(len(examples.offsets) - 1):
        length = _label_sequence(examples, counts, beam, sequence, width, early)
        n_wrong += _learn(examples, counts, beam, sequence, length, order)
    return n_wrong


@kernel(int64(_EXAMPLES, _COUNTS, _BEAM, int64))
def _label_sequence_of_two(examples, counts, beam, sequence):
    """Write the best of two labels of a sequence to ``beam.predicted``, without a beam; return how many."""
    begin = examples.offsets[sequence]
    length = uint64(examples.offsets[sequence + 1] - begin)
    for t in range(length):
        value = int32(0)
        for slot in range(uint64(examples.cells.shape[1])):
            value += counts.cells[uint64(examples.cells[uint64(begin) + t, slot]), 1]
        beam.scores[t, 1] = value  # of label 1, and less it that of label 0: updates are opposite
    zero_zero, zero_one = counts.transitions[0, 0], counts.transitions[0, 1]
    one_zero, one_one = counts.transitions[1, 0], counts.transitions[1, 1]
    zero = counts.transitions[2, 0] - beam.scores[0, 1]
    one = counts.transitions[2, 1] + beam.scores[0, 1]
    for t in range(uint64(1), length):
        to_zero, to_one = one + one_zero > zero + zero_zero, one + one_one > zero + zero_one
        beam.origins[t, 0], beam.origins[t, 1] = to_zero, to_one
        before = zero
        zero = (one + one_zero if to_zero else zero + zero_zero) - beam.scores[t, 1]
        one = (one + one_one if to_one else before + zero_one) + beam.scores[t, 1]
    best = int32(one > zero)
    for later in range(length):
        t = length - uint64(1) - later
        beam.predicted[t] = best
        best = beam.origins[t, uint64(best)]
    return int64(length)


@kernel(int64(_EXAMPLES, _COUNTS, _BEAM, int64))
def _learn_epoch_of_two(examples, counts, beam, order):
    """`_learn_epoch` where there are two labels and all are kept: the same counts, sooner."""
    n_wrong = int64(0)
    for sequence in range(len(examples.offsets) - 1):
        length = _label_sequence_of_two(examples, counts, beam, sequence)
        n_wrong += _learn(examples, counts, beam, sequence, length, order)
    return n_wrong


_FEW_LABELS = 4  # whose pairs at each position are no more than what a lattice keeps


@dataclass(eq=False, repr=False)
class VotedPerceptron(ChainLabeller):
    """Perceptron of label sequences with averaged weights (Collins 2002; Hao 2009, chapters 2 and 5).

    The potential of a label is the sum of one weight for each cell of the window and one for the label before, START
    included. Training takes the sequences in order, finds the best labels, and where they are wrong adds the features
    of the true labels and takes away those of the labels it found. Predictions are those of a chain with the averages
    of the weights after every sequence as potentials.

    Parameters
    ----------
    n_epochs : int
        Passes over the training set.
    beam : int or None
        In training, so many labels of each position are extended, those of the highest scores; None: all.
    early_update : bool
        Whether a search with a beam stops where the true label has left it, and corrects up to there (Collins and Roark
        2004).
    window : (int, int)
        Observations before and after the position that the potentials see.
    order : 0 or 1
        Number of previous labels that the potentials see; 0 labels every position by itself, and has no weights for the
        label before.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, give it no weight, or
        refuse it.
    n_bins, min_count, anchors : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    cell_weights_ : float64, shape (n_cells + 1, n_labels)
        Averages; cells as in `treecrf.trees.columns.Columns`, the last row for codes that belong to none.
    transition_weights_ : float64, shape (n_labels, n_labels + 1)
        Averages, by label and label before, START last; 0 with order 0.
    n_wrong_ : int64, shape (n_epochs,)
        Labels that were wrong in each pass.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "update".
    """

    n_epochs: int = 20
    beam: int | None = None
    early_update: bool = False
    window: tuple[int, int] = (0, 0)
    order: int = 1
    unseen: str = "missing"
    n_bins: int = FEW_BINS
    min_count: int = 1
    anchors: AnchorSetting = None

    has_probabilities = False  # a perceptron gives its scores no scale
    has_stages = False  # averages are known at the end alone

    _parameter_constraints: ClassVar = {
        "n_epochs": SIZE,
        "beam": optional(SIZE),
        "early_update": FLAG,
        "order": FIRST_ORDER,
    }

    _fitted_arrays: ClassVar = {
        "cell_weights": Annotated[Float64, "n_cells + 1, n_labels", WEIGHTS],
        "transition_weights": Annotated[Float64, "n_labels, n_labels + 1", WEIGHTS],
        "n_wrong": Annotated[Int64, "n_epochs", NOT_NEGATIVE],
    }

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"n_cells": int(slot_sizes(self.attributes_, self.window).sum())}

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        before = time.thread_time()
        cells, n_cells = window_cells(train, self.window)
        n_labels = len(train.label_names)
        examples = Examples(np.ascontiguousarray(cells), labels.copy(), train.offsets.copy())  # writable
        counts = allocate(Counts, n_cells=n_cells, n_labels=n_labels)
        beam = allocate(Beam, n_longest=int(train.lengths.max()), n_labels=n_labels)
        seconds = {"windows": time.thread_time() - before, "update": 0.0}
        width, n_wrong = min(self.beam or n_labels, n_labels), []
        for epoch in range(self.n_epochs):
            before = time.thread_time()
            if n_labels == width == 2:
                n_wrong.append(_learn_epoch_of_two(examples, counts, beam, self.order))
            else:
                n_wrong.append(_learn_epoch(examples, counts, beam, width, self.early_update, self.order))
            seconds["update"] += time.thread_time() - before
            if monitor is not None:
                monitor(epoch + 1, dict(seconds), float("nan"))
        n_seen = float(counts.n_seen[0])
        self.cell_weights_: Floats = counts.cells - counts.cell_delays / n_seen
        transitions = counts.transitions - counts.transition_delays / n_seen
        self.transition_weights_: Floats = np.ascontiguousarray(transitions.T)
        self.n_wrong_, self.seconds_ = np.array(n_wrong), seconds

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[Chains]:
        aligned = self._aligned(data)
        cells, _ = window_cells(aligned, self.window)
        scores, transitions = score_cells(cells, self.cell_weights_), self.transition_weights_
        if len(transitions) <= _FEW_LABELS:
            yield ScoredChains(scores, transitions, aligned.offsets, 1)
        else:
            yield window_chains(scores, transitions, aligned.offsets, np.ones(len(transitions), dtype=np.bool_))
