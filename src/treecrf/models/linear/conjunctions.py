"""Base of chains over conjunctions of window cells: the features, their weights at every stage, predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numba import float64, int32, int64, uint32, void
from numpy.typing import NDArray

from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import SOME, WEIGHTS, Float64, Int32, Int64, Known, Rule, below, offsets_into, struct
from treecrf.estimators.checks import (
    FLAG,
    NOT_NEGATIVE,
    SECONDS,
    SEED,
    SHARES,
    SIZE,
    VARIANCE,
    number,
    one_of,
    optional,
    whole,
)
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import FEW_BINS
from treecrf.io.arrays import Arrays, Floats, Ints, gather_ranges, starts_of
from treecrf.models.base import take_declared
from treecrf.models.chains import ChainLabeller, ScoredChains, kept_stages
from treecrf.models.linear.linear_crf import FEATURES, Outcomes
from treecrf.sequences import Attribute, SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import Columns, build_columns, distinct_windows


@kernel(int64(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], uint32[:, ::1], int64[::1], int32[::1]))
def find_windows(first, cells, slot_of_cell, postings, first_posting, windows, first_window, holding):
    """Find the windows where each conjunction holds.

    Walks the postings of a conjunction's rarest cell and looks the others up.

    Parameters
    ----------
    first : int64, shape (n_conjunctions + 1,); cells : int32
        The conjunctions, as in `treecrf.models.linear.conjunctions.Conjunctions`.
    slot_of_cell : int64, shape (n_cells,)
    postings, first_posting : as in `treecrf.trees.columns.Columns`
    windows : uint32, shape (n_windows, n_slots)
        Cells.
    first_window : int64, shape (n_conjunctions + 1,); holding : int32
        Overwritten: windows of each conjunction, ascending. `holding` may be empty, to count only.

    Returns
    -------
    int64
        Number of windows found.
    """
    n_holding = int64(0)
    for conjunction in range(len(first) - 1):
        first_window[conjunction] = n_holding
        begin, end = first[conjunction], first[conjunction + 1]
        rarest = cells[begin]
        for i in range(begin + 1, end):
            cell = cells[i]
            if first_posting[cell + 1] - first_posting[cell] < first_posting[rarest + 1] - first_posting[rarest]:
                rarest = cell
        for i in range(first_posting[rarest], first_posting[rarest + 1]):
            window = postings[i]
            holds = True
            for j in range(begin, end):
                if windows[window, slot_of_cell[cells[j]]] != cells[j]:
                    holds = False
                    break
            if holds:
                if n_holding < len(holding):
                    holding[n_holding] = window
                n_holding += 1
    first_window[len(first) - 1] = n_holding
    return n_holding


@kernel(void(int64[::1], int32[::1], float64[:, ::1], float64[:, ::1]))
def add_scores(first_window, windows, weights, scores):
    """Add each feature's weights, shape (n_features, n_labels), to the scores of its windows."""
    n_labels = scores.shape[1]
    for feature in range(len(weights)):
        for i in range(first_window[feature], first_window[feature + 1]):
            window = windows[i]
            for label in range(n_labels):
                scores[window, label] += weights[feature, label]


@kernel(void(int64[::1], int32[::1], float64[:, ::1], float64[:, ::1]))
def sum_errors(first_window, windows, errors, gradient):
    """Write the sum of the errors, shape (n_windows, n_labels), of each feature's windows."""
    n_labels = errors.shape[1]
    for feature in range(len(gradient)):
        for label in range(n_labels):
            gradient[feature, label] = 0.0
        for i in range(first_window[feature], first_window[feature + 1]):
            window = windows[i]
            for label in range(n_labels):
                gradient[feature, label] += errors[window, label]


@struct
class Conjunctions(NamedTuple):
    """Features that hold where a window has all of some cells (cells as in `treecrf.trees.columns.Columns`).

    The cells of conjunction i are ``cells[first[i]:first[i + 1]]``, ascending and of different slots.
    """

    first: Annotated[Int64, "n_conjunctions + 1", offsets_into("n_cells_of_conjunctions", least=1)]
    cells: Annotated[Int32, "n_cells_of_conjunctions", below("n_cells")]

    @classmethod
    def of(cls, conjunctions: Iterable[Iterable[int]]) -> Self:
        """From one collection of cells for each conjunction."""
        parts = [sorted(cells) for cells in conjunctions]
        first = starts_of([len(part) for part in parts])
        return cls(first, np.array([cell for part in parts for cell in part], dtype=np.int32))

    @property
    def size(self) -> int:
        """Number of conjunctions."""
        return len(self.first) - 1

    def cells_of(self, index: int) -> tuple[int, ...]:
        """The cells of one conjunction."""
        return tuple(self.cells[self.first[index] : self.first[index + 1]].tolist())


class Windows(NamedTuple):
    """The `columns` of the windows of a data set that differ, and the window of each position, int32."""

    columns: Columns
    window_of: NDArray[np.int32]

    @classmethod
    def of(cls, data: SequenceSet, window: tuple[int, int]) -> Self:
        """The windows of a data set, `window` observations before and after each position."""
        sizes, codes = slot_sizes(data.attributes, window), window_codes(data, window)
        examples, window_of = distinct_windows(build_columns(codes, sizes).cells)
        return cls(build_columns(codes[examples], sizes), window_of)

    @property
    def n_windows(self) -> int:
        """Number of windows that differ."""
        return len(self.columns.cells)


class Occurrences(NamedTuple):
    """The windows where each feature holds: ``windows[first[i]:first[i + 1]]``, ascending; int32 and int64."""

    first: Ints
    windows: NDArray[np.int32]


_Parts = TypeVar("_Parts", Conjunctions, Occurrences)
"""For each feature some entries."""


def join(parts: _Parts, others: _Parts) -> _Parts:
    """Those of some features, then those of others."""
    first = np.concatenate([parts.first, parts.first[-1] + others.first[1:]])
    return type(parts)(first, np.concatenate([parts[1], others[1]]))


def pick(parts: _Parts, indices: Ints) -> _Parts:
    """Those of some features, in the order of the indices."""
    first, places = gather_ranges(parts.first, indices)
    return type(parts)(first, parts[1][places])


def find_occurrences(conjunctions: Conjunctions, columns: Columns) -> Occurrences:
    """The windows (`columns`) where each conjunction holds."""
    slot_of_cell = np.repeat(np.arange(len(columns.first_cell) - 1), np.diff(columns.first_cell))
    first = np.zeros(conjunctions.size + 1, dtype=np.int64)
    arguments = (*conjunctions, slot_of_cell, columns.postings, columns.first_posting, columns.cells, first)
    windows = np.empty(find_windows(*arguments, np.empty(0, dtype=np.int32)), dtype=np.int32)
    find_windows(*arguments, windows)
    return Occurrences(first, windows)


def boolean_cells(attributes: tuple[Attribute, ...], window: tuple[int, int]) -> Ints:
    """The cells that are basic features: all, but of an attribute with two categories the second one only.

    A line feature that is true or false is one feature, as in the papers (PhD table 3.6), not two.
    """
    sizes = slot_sizes(attributes, window)
    first_cell = starts_of(sizes)
    return np.setdiff1d(np.arange(first_cell[-1]), first_cell[:-1][sizes == 3])


class Weights(NamedTuple):
    """The weights of one stage.

    Attributes
    ----------
    labels : float64, shape (n_labels,)
        Of each label, everywhere.
    transitions : float64, shape (n_labels, n_labels)
        By previous label and label.
    start, end : float64, shape (n_labels,)
        Of the first and of the last label of a sequence.
    features : float64, shape (n_features, n_outcomes)
        By `Outcomes`.
    """

    labels: Floats
    transitions: Floats
    start: Floats
    end: Floats
    features: Floats

    def joined(self) -> Floats:
        """All weights as one vector; features come last."""
        return np.concatenate([part.ravel() for part in self])

    @classmethod
    def part(cls, joined: Floats, outcomes: Outcomes) -> Self:
        """The weights whose vector is `joined`, as views of it."""
        n = outcomes.n_labels
        labels, transitions, start, end, features = np.split(joined, np.cumsum([n, n**2, n, n]))
        return cls(labels, transitions.reshape(n, n), start, end, features.reshape(-1, outcomes.size))


@dataclass(eq=False, repr=False)
class ConjunctionCRF(ChainLabeller):
    """A first-order CRF that is linear in conjunctions of window cells, trained in rounds of feature induction.

    Its rounds are those of McCallum 2003 (PhD section 3.5); subclasses implement the training.

    Parameters
    ----------
    variance : float
        Of the Gaussian prior of every weight.
    window : (int, int)
        Observations before and after the position that the potentials see.
    features : "pairs", "labels" or "both"
        What a conjunction has weights for: pairs of previous label and label, where START stands before the first
        position (PhD equation 2.2); labels; or either.
    n_iterations : int
        Most iterations of L-BFGS, over all rounds.
    iterations_between_inductions : int
    features_per_induction : int
        Most features that a round adds.
    true_label_threshold : float
        A round looks at the positions where the true label has a lower probability.
    training_proportions : tuple of float
        Shares of the training sequences for the first rounds. As in MALLET, the first share is for induction alone;
        later rounds, and the training after the last induction, have all sequences.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, give it no weight,
        or refuse it.
    random_state : int or None
        A seed draws the parts of the training set, and the weights of labels and pairs to start from, these from a
        normal distribution: the spread over seeds shows how much of an accuracy is chance. None starts from no weights.
    start_noise : float
        Standard deviation of the perturbed start.
    keep_stages : bool
        Whether the weights after every iteration are kept, for `staged_predict` and its kin; otherwise the last ones
        alone.
    n_bins, min_count, anchors : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    conjunctions_ : Conjunctions
        The features, in the order in which training added them.
    stages_ : list of float64 arrays
        `Weights` after 1, 2, .. iterations, joined; a stage has the features that were there. Unless `keep_stages`, the
        last alone.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "gradient" (with the steps of L-BFGS), "induction".
    n_inductions_ : int
        Rounds that looked for features.
    """

    variance: float = 10.0
    window: tuple[int, int] = (0, 0)
    features: str = "pairs"
    n_iterations: int = 200
    iterations_between_inductions: int = 8
    features_per_induction: int = 500
    true_label_threshold: float = 0.95
    training_proportions: tuple[float, ...] = (0.2, 0.5, 0.8)
    unseen: str = "missing"
    random_state: int | None = None
    start_noise: float = 0.01
    n_bins: int = FEW_BINS
    min_count: int = 1
    anchors: AnchorSetting = None
    keep_stages: bool = False

    order = 1
    _fitted_arrays: ClassVar = {"conjunctions": Conjunctions}
    _fitted_values: ClassVar = {"seconds": SECONDS, "n_inductions": whole(0)}
    _parameter_constraints: ClassVar = {
        "variance": VARIANCE,
        "features": one_of(*FEATURES),
        "n_iterations": SIZE,
        "iterations_between_inductions": SIZE,
        "features_per_induction": SIZE,
        "true_label_threshold": number("a probability above 0", lambda value: 0 < value <= 1),
        "training_proportions": SHARES,
        "random_state": optional(SEED),
        "start_noise": NOT_NEGATIVE,
        "keep_stages": FLAG,
    }

    @property
    def reach(self) -> tuple[int, int]:
        left, right = self.window
        return left, max(right, 1)  # the last label has a weight of its own

    @property
    def weights_(self) -> Weights:
        """The weights after the last iteration."""
        return Weights.part(self.stages_[-1], self._outcomes(len(self.label_names_)))

    def _outcomes(self, n_labels: int) -> Outcomes:
        return Outcomes(n_labels, self.order, self.features)

    def _shares(self) -> list[float]:
        """The share of the training sequences that each round of induction looks at."""
        n_rounds = max(1, self.n_iterations // self.iterations_between_inductions)
        return [*self.training_proportions, *[1.0] * n_rounds][:n_rounds]

    def _n_iterations(self, round_: int, n_rounds: int, n_done: int) -> int:
        """Iterations of a round: none before the first induction, all that are left after the last one."""
        if round_ == n_rounds:
            return self.n_iterations - n_done
        return self.iterations_between_inductions if round_ else 0

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[Floats]:
        aligned = self._aligned(data)
        windows = Windows.of(aligned, self.window)
        occurrences = find_occurrences(self.conjunctions_, windows.columns)
        outcomes = self._outcomes(len(self.label_names_))
        for stage in kept_stages(self.stages_, self.keep_stages, every):
            weights = Weights.part(stage, outcomes)
            scores = score_features(weights, occurrences, windows.n_windows, outcomes)
            yield chain_potentials(scores, windows, weights, data.offsets)

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        values, arrays = super()._state()
        return values, arrays | {
            "stages": np.concatenate(self.stages_),
            "stage_sizes": np.array([len(stage) for stage in self.stages_]),
        }

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"n_cells": int(slot_sizes(self.attributes_, self.window).sum())}

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        super()._restore(values, arrays)
        self.conjunctions_: Conjunctions
        n_labels = len(self.label_names_)
        known = {
            "n_conjunctions": self.conjunctions_.size,
            "n_outcomes": self._outcomes(n_labels).size,
            "n_others": n_labels**2 + 3 * n_labels,
        }
        stages = take_declared(arrays, _STAGES, known)
        self.stages_ = np.split(stages["stages"], np.cumsum(stages["stage_sizes"])[:-1])


def _are_stage_sizes(sizes: Ints, known: Known) -> bool:
    """Whether stages have weights of whole features, of not more than there are, and all weights together."""
    most = known["n_others"] + known["n_outcomes"] * known["n_conjunctions"]
    if not ((sizes >= known["n_others"]) & (sizes <= most)).all():
        return False
    are_whole = ((sizes - known["n_others"]) % known["n_outcomes"] == 0).all()
    return bool(are_whole and sizes.sum() == known["n_weights"])


_STAGES = {
    "stages": Annotated[Float64, "n_weights", WEIGHTS],
    "stage_sizes": Annotated[Int64, "n_stages", SOME, Rule("be sizes of the stages", _are_stage_sizes)],
}


def score_features(weights: Weights, occurrences: Occurrences, n_windows: int, outcomes: Outcomes) -> Floats:
    """The score of every label in every window, or of every pair (`Outcomes.combined`), weights of labels included."""
    scores = np.zeros((n_windows, outcomes.size))
    add_scores(*occurrences, np.ascontiguousarray(weights.features), scores)
    combined = outcomes.combined(scores)
    return combined + np.tile(weights.labels, combined.shape[1] // outcomes.n_labels)


def chain_potentials(scores: Floats, windows: Windows, weights: Weights, offsets: Ints) -> Floats:
    """F^y(y', w_t), float64, shape (n_labels, n_positions, n_labels + 1); the last state is START."""
    by_state = np.vstack([weights.transitions, weights.start])
    potentials = ScoredChains(scores[windows.window_of], by_state.T, offsets, 1).potentials()
    potentials[:, offsets[1:] - 1] += weights.end[:, None, None]
    return potentials
