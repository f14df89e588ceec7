"""`CRFSuite`: the linear CRF of CRFsuite (Okazaki 2007), through python-crfsuite."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from treecrf.compiled.struct import SOME_IN_EACH_ROW, TRUTH, WEIGHTS, Bool, Float64
from treecrf.estimators.checks import NOT_NEGATIVE, SIZE
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import FEW_BINS
from treecrf.io.arrays import Bools, Codes, Floats, Ints
from treecrf.io.messages import needs_extra
from treecrf.models.base import Monitor
from treecrf.models.chains import ChainLabeller, LatticeChains
from treecrf.models.inputs import Inputs
from treecrf.models.linear.linear_crf import score_cells, window_cells, window_chains
from treecrf.sequences import SequenceSet, slot_sizes


@dataclass(eq=False, repr=False)
class CRFSuite(ChainLabeller):
    """Linear-chain CRF trained by CRFsuite's L-BFGS, with a squared penalty.

    A weight for each label and cell of the window, and for each label and label before, also of pairs that training
    does not show. CRFsuite has no weights for the first label of a sequence. Its weights are read out, so predictions
    need this package alone.

    Parameters
    ----------
    c2 : float
        The penalty is ``c2`` times the sum of squared weights (CRFsuite's setting of that name).
    max_iterations : int
        Most iterations of L-BFGS.
    window : (int, int)
        Observations before and after the position that the potentials see.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, give it no weight, or
        refuse it.
    n_bins, min_count, anchors : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    cell_weights_ : float64, shape (n_cells + 1, n_labels)
        Cells as in `treecrf.trees.columns.Columns`; the last row, of codes that belong to none, is 0.
    transition_weights_ : float64, shape (n_labels, n_labels + 1)
        By label and label before; the last column, of no label before, is 0.
    seen_ : bool, shape (n_labels,)
        Labels of the training set; the others have probability 0.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "update".
    """

    c2: float = 0.1
    max_iterations: int = 1000
    window: tuple[int, int] = (0, 0)
    unseen: str = "missing"
    n_bins: int = FEW_BINS
    min_count: int = 1
    anchors: AnchorSetting = None

    order = 1  # not a setting
    has_stages = False  # cRFsuite gives its last weights alone
    _parameter_constraints: ClassVar = {
        "c2": NOT_NEGATIVE,
        "max_iterations": SIZE,
    }

    _fitted_arrays: ClassVar = {
        "cell_weights": Annotated[Float64, "n_cells + 1, n_labels", WEIGHTS],
        "transition_weights": Annotated[Float64, "n_labels, n_labels + 1", WEIGHTS],
        "seen": Annotated[Bool, "n_labels", TRUTH, SOME_IN_EACH_ROW],
    }

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"n_cells": int(slot_sizes(self.attributes_, self.window).sum())}

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        began = time.thread_time()
        cells, n_cells = window_cells(train, self.window)
        shape, settings = (n_cells + 1, len(train.label_names)), {"c2": self.c2, "max_iterations": self.max_iterations}
        learnt = run_crfsuite(cells.astype(str).tolist(), labels, train.offsets, shape, settings)
        self.cell_weights_: Floats = learnt.weights
        self.transition_weights_: Floats = np.ascontiguousarray(np.pad(learnt.transitions.T, ((0, 0), (0, 1))))
        self.seen_: Bools = np.bincount(labels, minlength=shape[1]) > 0
        self.seconds_ = {"windows": time.thread_time() - began - learnt.seconds, "update": learnt.seconds}
        if monitor is not None:
            self.inputs_, self.label_names_ = Inputs(train.attributes), train.label_names
            monitor(1, dict(self.seconds_), float(self.log_likelihood(train).sum()))

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[LatticeChains]:
        aligned = self._aligned(data)
        cells, _ = window_cells(aligned, self.window)
        scores = score_cells(cells, self.cell_weights_)
        yield window_chains(scores, self.transition_weights_, aligned.offsets, self.seen_)


class Learnt(NamedTuple):
    """What CRFsuite has learnt.

    Attributes
    ----------
    weights : float64, shape (n_features, n_labels)
    transitions : float64, shape (n_labels, n_labels)
        By label before and label.
    seconds : float
        CPU seconds of its search.
    """

    weights: Floats
    transitions: Floats
    seconds: float


def run_crfsuite(
    items: list[Any], labels: Codes, offsets: Ints, shape: tuple[int, int], settings: dict[str, float]
) -> Learnt:
    """Train CRFsuite on sequences whose positions have `items`, numbers of features as text, perhaps with values.

    Parameters
    ----------
    items : list of (list of str or dict of str to float)
    labels : int16, shape (n_positions,)
    offsets : int64, shape (n_sequences + 1,)
    shape : (int, int)
        Numbers of features and of labels.
    settings : dict
        CRFsuite's.
    """
    with needs_extra("rivals"):
        import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(settings | {"feature.possible_states": True, "feature.possible_transitions": True})
    names = labels.astype(str).tolist()
    for first, last in pairwise(offsets):
        trainer.append(items[first:last], names[first:last])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        began = time.thread_time()
        trainer.train(path)
        seconds = time.thread_time() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    weights, transitions = np.zeros(shape), np.zeros((shape[1], shape[1]))
    for learnt, array in ((info.state_features, weights), (info.transitions, transitions)):
        for (row, column), weight in learnt.items():
            array[int(row), int(column)] = weight
    return Learnt(weights, transitions, seconds)
