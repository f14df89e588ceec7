"""`VotedPerceptron`: a chain whose weights are corrected by the features of wrong labels, and averaged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.rules import NOT_NEGATIVE, WEIGHTS
from treecrf.compiled.struct import Float64, Int64, allocate
from treecrf.estimators.checks import FIRST_ORDER, FLAG, SIZE, optional
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import FEW_BINS
from treecrf.models.base import Codes, Floats, Monitor
from treecrf.models.chains import ChainLabeller, Chains, ScoredChains
from treecrf.models.linear.objectives import window_cells
from treecrf.models.linear.outcomes import score_cells, window_chains
from treecrf.sequences import SequenceSet, slot_sizes

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
        from treecrf.models.linear._perceptron_kernels import Beam, Counts, Examples, learn_epoch, learn_epoch_of_two

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
                n_wrong.append(learn_epoch_of_two(examples, counts, beam, self.order))
            else:
                n_wrong.append(learn_epoch(examples, counts, beam, width, self.early_update, self.order))
            seconds["update"] += time.thread_time() - before
            if monitor is not None:
                monitor(epoch + 1, dict(seconds), float("nan"))
        n_seen = float(counts.n_seen[0])
        self.cell_weights_: NDArray[np.float64] = counts.cells - counts.cell_delays / n_seen
        transitions = counts.transitions - counts.transition_delays / n_seen
        self.transition_weights_: NDArray[np.float64] = np.ascontiguousarray(transitions.T)
        self.n_wrong_, self.seconds_ = np.array(n_wrong), seconds

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[Chains]:
        aligned = self._aligned(data)
        cells, _ = window_cells(aligned, self.window)
        scores, transitions = score_cells(cells, self.cell_weights_), self.transition_weights_
        if len(transitions) <= _FEW_LABELS:
            yield ScoredChains(scores, transitions, aligned.offsets, 1)
        else:
            yield window_chains(scores, transitions, aligned.offsets, np.ones(len(transitions), dtype=np.bool_))
