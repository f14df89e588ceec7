"""The loop of functional gradient boosting: gradient, trees, and word of both after every iteration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.models.base import Monitor
from treecrf.models.resources import make_runner
from treecrf.trees.forest import Forest, join_trees
from treecrf.trees.tree import Tree

if TYPE_CHECKING:
    from treecrf.models.boosted.lattice_training import LatticeTraining
    from treecrf.models.boosted.training import Criterion, Training


NO_TRANSITIONS = np.zeros((0, 0))


class Iteration(NamedTuple):
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

    def scaled(self, factor: float) -> Iteration:
        """The same with all values times a factor."""
        return Iteration([tree._replace(values=factor * tree.values) for tree in self.trees], factor * self.transitions)


def join_iterations(iterations: Iterable[Iteration]) -> tuple[Forest, NDArray[np.float64]]:
    """The trees of all iterations, and their transitions, shape (n_iterations, n_labels, n_labels + 1)."""
    listed = list(iterations)
    forest = join_trees([tree for iteration in listed for tree in iteration.trees])
    transitions = [iteration.transitions for iteration in listed]
    return forest, np.stack(transitions) if listed else NO_TRANSITIONS[None][:0]


def split_iterations(forest: Forest, transitions: NDArray[np.float64], n_iterations: int) -> list[Iteration]:
    """What `join_iterations` joined."""
    n_labels = forest.n_trees // max(n_iterations, 1)
    return [
        Iteration(
            [forest.tree(i) for i in range(iteration * n_labels, (iteration + 1) * n_labels)], transitions[iteration]
        )
        for iteration in range(n_iterations)
    ]


class Progress(NamedTuple):
    """What a training has done so far, between two iterations; `boost` adds to the lists.

    Attributes
    ----------
    iterations : list of Iteration
    log_likelihoods : list of float
        Before each iteration.
    seconds : dict
        CPU seconds by phase.
    reports : list of list of float
        The seconds as they were when the gradient of each iteration was known; without the iterations of the trees
        that a warm start began with.
    steps : list of float
        What the leaf values of each iteration were multiplied by, so that it did not lower the log likelihood; not yet
        that of an iteration whose effect is not known.
    """

    iterations: list[Iteration]
    log_likelihoods: list[float]
    seconds: dict[str, float]
    reports: list[list[float]]
    steps: list[float]


_ROUNDING = 1e-9  # of a sum of many logarithms


def boost(
    training: Training | LatticeTraining,
    progress: Progress,
    n_iterations: int,
    criterion_of: Callable[[int], Criterion],
    n_threads: int = 1,
    monitor: Monitor | None = None,
    note: Callable[[Progress], None] | None = None,
    most_halvings: int = 0,
) -> None:
    """Go on with a training, whose potentials hold the iterations of `progress`, up to `n_iterations`.

    `progress` gets what is added, and the log likelihood at the end; `monitor` hears of the iterations in its reports
    first. `criterion_of` says what an iteration follows. After the last one, the criterion of that one is computed once
    more; `note` is called with the progress after every one. An iteration that lowers its criterion is halved, `most_halvings`
    times at most, until it does not.
    """
    iterations, log_likelihoods, seconds, reports, steps = progress
    if monitor is not None:
        for iteration, report in enumerate(reports, start=len(log_likelihoods) - len(reports)):
            if iteration > 0:
                monitor(iteration, dict(zip(seconds, report, strict=True)), log_likelihoods[iteration])
    with ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else nullcontext() as pool:
        run = make_runner(pool)
        for iteration in range(len(log_likelihoods), n_iterations + 1):
            criterion = criterion_of(min(iteration, n_iterations - 1))
            gradient = partial(training.compute_gradient, run, n_threads, criterion, seconds)
            value = gradient()
            if len(steps) < iteration:
                same_criterion = criterion_of(iteration) == criterion_of(iteration - 1)
                value = _settle(training, progress, value, gradient, most_halvings if same_criterion else 0)
            log_likelihoods.append(value)
            reports.append(list(seconds.values()))
            if monitor is not None and iteration > 0:
                monitor(iteration, dict(seconds), log_likelihoods[-1])
            if iteration < n_iterations:
                iterations.append(training.grow(run, iteration, seconds))
                if note is not None:
                    note(progress)


def _settle(
    training: Training | LatticeTraining,
    progress: Progress,
    value: float,
    gradient: Callable[[], float],
    most_halvings: int,
) -> float:
    """Halve the last iteration until the criterion, now `value`, is not below that before it; return what it is then.

    `gradient` computes gradient and criterion again.
    """
    before, step = progress.log_likelihoods[-1], 1.0
    least = before - _ROUNDING * abs(before)
    while not value >= least and step > 0.5**most_halvings:
        begin = time.thread_time()
        progress.iterations[-1] = training.halve(progress.iterations[-1])
        progress.seconds["update"] += time.thread_time() - begin
        value, step = gradient(), 0.5 * step
    progress.steps.append(step)
    return value
