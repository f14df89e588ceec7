"""Base of chains over conjunctions of window cells: the features, their weights at every stage, predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.models import base
from treecrf.models.linear._conjunction_kernels import add_scores, find_windows
from treecrf.sequences import Attribute, SequenceSet, gather_ranges, slot_sizes, window_codes
from treecrf.trees.columns import Columns, build_columns, distinct_windows


class Conjunctions(NamedTuple):
    """Features that hold where a window has all of some cells (cells as in `treecrf.trees.columns.Columns`).

    Attributes
    ----------
    first : int64, shape (n_conjunctions + 1,)
    cells : int32, shape (n_all_cells,)
        The cells of conjunction i, ascending and of different slots: ``cells[first[i]:first[i + 1]]``.
    """

    first: NDArray[np.int64]
    cells: NDArray[np.int32]

    @classmethod
    def of(cls, conjunctions: Iterable[Iterable[int]]) -> Self:
        """From one collection of cells for each conjunction."""
        parts = [sorted(cells) for cells in conjunctions]
        first = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        return cls(first, np.array([cell for part in parts for cell in part], dtype=np.int32))

    @property
    def size(self) -> int:
        """Number of conjunctions."""
        return len(self.first) - 1

    def cells_of(self, index: int) -> tuple[int, ...]:
        """The cells of one conjunction."""
        return tuple(self.cells[self.first[index] : self.first[index + 1]].tolist())

    def followed_by(self, others: Conjunctions) -> Conjunctions:
        """These and then the others."""
        return Conjunctions(
            np.concatenate([self.first, self.first[-1] + others.first[1:]]), np.concatenate([self.cells, others.cells])
        )

    def pick(self, indices: NDArray[np.int64]) -> Conjunctions:
        """Some of them, in the order of the indices."""
        first, places = gather_ranges(self.first, indices)
        return Conjunctions(first, self.cells[places])


class Windows(NamedTuple):
    """The windows of a data set that differ.

    Attributes
    ----------
    columns : Columns
        Of these windows.
    window_of : int32, shape (n_positions,)
        Window of each position.
    """

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
    """The windows where each feature holds: ``windows[first[i]:first[i + 1]]``, ascending.

    Attributes
    ----------
    first : int64, shape (n_features + 1,); windows : int32
    """

    first: NDArray[np.int64]
    windows: NDArray[np.int32]

    def followed_by(self, others: Occurrences) -> Occurrences:
        """These and then the others."""
        return Occurrences(
            np.concatenate([self.first, self.first[-1] + others.first[1:]]),
            np.concatenate([self.windows, others.windows]),
        )

    def pick(self, indices: NDArray[np.int64]) -> Occurrences:
        """Those of some features, in the order of the indices."""
        first, places = gather_ranges(self.first, indices)
        return Occurrences(first, self.windows[places])


def find_occurrences(conjunctions: Conjunctions, columns: Columns) -> Occurrences:
    """The windows where each conjunction holds.

    Parameters
    ----------
    conjunctions : Conjunctions
    columns : Columns
        Of the windows.

    Returns
    -------
    Occurrences
    """
    slot_of_cell = np.repeat(np.arange(len(columns.first_cell) - 1), np.diff(columns.first_cell))
    first = np.zeros(conjunctions.size + 1, dtype=np.int64)
    arguments = (*conjunctions, slot_of_cell, columns.postings, columns.first_posting, columns.cells, first)
    windows = np.empty(find_windows(*arguments, np.empty(0, dtype=np.int32)), dtype=np.int32)
    find_windows(*arguments, windows)
    return Occurrences(first, windows)


def boolean_cells(attributes: tuple[Attribute, ...], window: tuple[int, int]) -> NDArray[np.int64]:
    """The cells that are basic features: all, but of an attribute with two categories the second one only.

    A line feature that is true or false is one feature, as in the papers (PhD table 3.6), not two.
    """
    sizes = slot_sizes(attributes, window)
    first_cell = np.concatenate([[0], np.cumsum(sizes)])
    n_categories = np.tile([len(attribute.categories) for attribute in attributes], sum(window) + 1)
    return np.setdiff1d(np.arange(first_cell[-1]), first_cell[:-1][n_categories == 2])


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
    features : float64, shape (n_features, n_labels)
    """

    labels: NDArray[np.float64]
    transitions: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    features: NDArray[np.float64]

    def joined(self) -> NDArray[np.float64]:
        """All weights as one vector; features come last."""
        return np.concatenate([part.ravel() for part in self])

    @classmethod
    def part(cls, joined: NDArray[np.float64], n_labels: int) -> Self:
        """Undo `joined` (views)."""
        sizes = np.cumsum([n_labels, n_labels**2, n_labels, n_labels])
        labels, transitions, start, end, features = np.split(joined, sizes)
        return cls(
            labels, transitions.reshape(n_labels, n_labels), start, end, features.reshape(-1, n_labels)
        )  # fmt: skip


class ConjunctionCRF(base.ChainLabeller):
    """A first-order CRF that is linear in conjunctions of window cells, whoever has trained it.

    Subclasses implement `fit`, which leaves the attributes below, and have the settings `window` and `unseen`.

    Attributes
    ----------
    conjunctions_ : Conjunctions
        The features, in the order in which training added them.
    stages_ : list of float64 arrays
        `Weights` after 1, 2, .. iterations, joined; a stage has the features that were there.
    seconds_ : dict
        CPU seconds of `fit` by phase.
    """

    order = 1
    window: tuple[int, int]
    unseen: str
    conjunctions_: Conjunctions
    stages_: list[NDArray[np.float64]]
    seconds_: dict[str, float]

    @property
    def weights_(self) -> Weights:
        """The weights after the last iteration."""
        return Weights.part(self.stages_[-1], len(self.label_names_))

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        aligned = self.align_inputs(data, self.unseen)
        base.refuse_missing(data)
        windows = Windows.of(aligned, self.window)
        occurrences = find_occurrences(self.conjunctions_, windows.columns)
        for stage in [self.stages_[-1]] if every is None else self.stages_[every - 1 :: every]:
            weights = Weights.part(stage, len(self.label_names_))
            yield chain_potentials(
                score_labels(weights, occurrences, windows.n_windows), windows, weights, data.offsets
            )

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        arrays: dict[str, NDArray[Any]] = {
            f"conjunctions_{name}": p for name, p in self.conjunctions_._asdict().items()
        }
        arrays |= {"stages": np.concatenate(self.stages_), "stage_sizes": np.array([len(s) for s in self.stages_])}
        return {"seconds": self.seconds_}, arrays

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self.conjunctions_ = Conjunctions(arrays["conjunctions_first"], arrays["conjunctions_cells"])
        self.stages_ = np.split(arrays["stages"], np.cumsum(arrays["stage_sizes"])[:-1])
        self.seconds_ = values["seconds"]


def score_labels(weights: Weights, occurrences: Occurrences, n_windows: int) -> NDArray[np.float64]:
    """The score of every label in every window, float64, shape (n_windows, n_labels)."""
    scores = np.repeat(weights.labels[None], n_windows, axis=0)
    add_scores(*occurrences, np.ascontiguousarray(weights.features), scores)
    return scores


def chain_potentials(
    scores: NDArray[np.float64], windows: Windows, weights: Weights, offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """F^y(y', w_t), float64, shape (n_labels, n_positions, n_labels + 1); the last state is START."""
    n_labels = scores.shape[1]
    by_state = np.vstack([weights.transitions, weights.start])
    potentials = np.empty((n_labels, len(windows.window_of), n_labels + 1))
    np.add(scores[windows.window_of].T[:, :, None], by_state.T[:, None, :], out=potentials)
    potentials[:, offsets[1:] - 1] += weights.end[:, None, None]
    return potentials
