"""Functional gradient boosting: the loop over iterations, what it has done so far, and the threads that it runs on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.models.boosted.params import BoostingParams, Criterion
from treecrf.models.execution import Monitor, make_runner
from treecrf.trees.forest import Forest, join_trees
from treecrf.trees.tree import Tree

NO_TRANSITIONS = np.zeros((0, 0))
PHASES = ("windows", "gradient", "trees", "update")

_ROUNDING = 1e-9  # of a sum of many logarithms


class Workers:
    """The threads of a training, and the CPU seconds that they spend in each phase.

    Attributes
    ----------
    n_threads : int
    run : callable
        Runs tasks, side by side where there are threads, and returns their results in order.
    seconds : dict of str to float
        By phase.
    """

    def __init__(self, n_threads: int = 1) -> None:
        self.n_threads, self.seconds = n_threads, dict.fromkeys(PHASES, 0.0)
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        self.run = make_runner(self._pool)
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Count what the calling thread does as part of a phase."""
        begin = time.thread_time()
        yield
        spent = time.thread_time() - begin
        with self._lock:
            self.seconds[phase] += spent

    def map(self, phase: str, function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
        """What a function returns for each of some arguments; all calls are part of a phase."""

        def call(of_one: tuple[Any, ...]) -> Any:
            with self.timed(phase):
                return function(*of_one)

        return self.run([partial(call, of_one) for of_one in arguments])


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

    def with_gains_in(self, unit: float) -> Iteration:
        """The same with gains that are multiplied by a unit of weight."""
        return self._replace(trees=[tree._replace(gains=unit * tree.gains) for tree in self.trees])

    @property
    def most_leaves(self) -> int:
        """Leaves of the largest tree."""
        return max(len(tree.values) for tree in self.trees)


def join_iterations(iterations: Iterable[Iteration]) -> tuple[Forest, NDArray[np.float64]]:
    """The trees of all iterations, and their transitions, shape (n_iterations, n_labels, n_labels + 1)."""
    listed = list(iterations)
    forest = join_trees([tree for iteration in listed for tree in iteration.trees])
    transitions = [iteration.transitions for iteration in listed]
    return forest, np.stack(transitions) if listed else NO_TRANSITIONS[None][:0]


def split_iterations(forest: Forest, transitions: NDArray[np.float64]) -> list[Iteration]:
    """What `join_iterations` joined."""
    n_labels = forest.n_trees // max(len(transitions), 1)
    return [
        Iteration([forest.tree(number * n_labels + label) for label in range(n_labels)], step)
        for number, step in enumerate(transitions)
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


class Training(Protocol):
    """Potentials and gradients of a training set: dense (`treecrf.models.boosted.training`) or on a lattice."""

    def compute_gradient(self, criterion: Criterion, iteration: int = 0) -> float:
        """Write the gradient of every row for the trees of an iteration; return the criterion's value for the training set."""

    def grow(self, iteration: int) -> Iteration:
        """Grow one tree for each label on the gradients, and add them to the potentials."""

    def add(self, iteration: Iteration) -> None:
        """Add what an iteration has grown, with the same bits as `grow`."""

    def marginals(self) -> NDArray[np.float64] | None:
        """P(y_t | X) of the training set with the potentials so far, shape (n_positions, n_labels); None: ask the trees."""


def boost(
    training: Training,
    progress: Progress,
    params: BoostingParams,
    workers: Workers,
    monitor: Monitor | None = None,
    note: Callable[[Progress], None] | None = None,
) -> None:
    """Go on with a training from its start and what `progress` says that was done.

    `progress` gets what is added, and the log likelihood at the end; `monitor` hears of the iterations in its reports
    first. After the last iteration, the criterion of that one is computed once more; `note` is called with the progress after
    every one. An iteration that lowers its criterion is halved, `params.halvings` times at most, until it does not.
    """
    iterations, log_likelihoods, seconds, reports, steps = progress
    workers.seconds = seconds
    _replay(training, progress)
    if monitor is not None:
        for iteration, report in enumerate(reports, start=len(log_likelihoods) - len(reports)):
            if iteration > 0:
                monitor(iteration, dict(zip(seconds, report, strict=True)), log_likelihoods[iteration])
    for iteration in range(len(log_likelihoods), params.n_iterations + 1):
        criterion = params.criterion_of(min(iteration, params.n_iterations - 1))
        value = training.compute_gradient(criterion, iteration)
        if len(steps) < iteration:
            same_criterion = params.criterion_of(iteration) == params.criterion_of(iteration - 1)
            most_halvings = params.halvings if same_criterion else 0
            value = _settle(training, progress, workers, value, criterion, iteration, most_halvings)
        log_likelihoods.append(value)
        reports.append(list(seconds.values()))
        if monitor is not None and iteration > 0:
            monitor(iteration, dict(seconds), value)
        if iteration < params.n_iterations:
            iterations.append(training.grow(iteration).with_gains_in(params.unit))
            if note is not None:
                note(progress)


def _settle(
    training: Training,
    progress: Progress,
    workers: Workers,
    value: float,
    criterion: Criterion,
    iteration: int,
    most_halvings: int,
) -> float:
    """Halve the last iteration until the criterion, now `value`, is not below that before it; return what it is then."""
    before, step = progress.log_likelihoods[-1], 1.0
    least = before - _ROUNDING * abs(before)
    while not value >= least and step > 0.5**most_halvings:
        with workers.timed("update"):
            progress.iterations[-1] = _halve(training, progress.iterations[-1])
        value, step = training.compute_gradient(criterion, iteration), 0.5 * step
    progress.steps.append(step)
    return value


def _halve(training: Training, iteration: Iteration) -> Iteration:
    """Halve the step just added; return what is left."""
    training.add(iteration.scaled(-0.5))
    return iteration.scaled(0.5)


def _replay(training: Training, progress: Progress) -> None:
    """Add what an earlier run has grown and halved, with the same bits as that run."""
    for i, iteration in enumerate(progress.iterations):
        step = progress.steps[i] if i < len(progress.steps) else 1.0
        whole = iteration.scaled(1.0 / step)  # exact: steps are powers of 2
        training.add(whole)
        while step < 1.0:
            whole, step = _halve(training, whole), 2.0 * step
