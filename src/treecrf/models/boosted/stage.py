"""What one iteration of boosting adds to the potentials."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.trees.forest import Forest, join_trees
from treecrf.trees.tree import Tree

NO_TRANSITIONS = np.zeros((0, 0))


class Stage(NamedTuple):
    """One iteration.

    Attributes
    ----------
    trees : list of Tree
        One for each label.
    transitions : float64, shape (n_labels, n_labels + 1)
        What is added to the potentials of a label after another, START last; empty where trees look at previous labels.
    """

    trees: list[Tree]
    transitions: NDArray[np.float64] = NO_TRANSITIONS

    def scaled(self, factor: float) -> Stage:
        """The same with all values times a factor."""
        return Stage([tree._replace(values=factor * tree.values) for tree in self.trees], factor * self.transitions)


def join_stages(stages: Iterable[Stage]) -> tuple[Forest, NDArray[np.float64]]:
    """The trees of all stages, and their transitions, shape (n_stages, n_labels, n_labels + 1)."""
    listed = list(stages)
    forest = join_trees([tree for stage in listed for tree in stage.trees])
    transitions = [stage.transitions for stage in listed]
    return forest, np.stack(transitions) if listed else NO_TRANSITIONS[None][:0]


def split_stages(forest: Forest, transitions: NDArray[np.float64], n_stages: int) -> list[Stage]:
    """What `join_stages` joined."""
    n_labels = forest.n_trees // max(n_stages, 1)
    return [
        Stage([forest.tree(i) for i in range(stage * n_labels, (stage + 1) * n_labels)], transitions[stage])
        for stage in range(n_stages)
    ]
