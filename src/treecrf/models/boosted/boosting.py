"""Functional gradient boosting: the loop over iterations, the rows and columns that each one draws, and checkpoints.

A training that was stopped continues from the checkpoint it last wrote, to the same bits. A checkpoint says which
training it belongs to: a digest of the labeller's settings, the training set, the start, and the code, numba and
processor that the trees are grown with. One of another training is replaced, and so is one that is damaged.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.cache import kernel_digest
from treecrf.compiled.struct import FINITE, NOT_INFINITE, SHARES, WEIGHTS, Float64
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.base import prefixed, refuse_rest, take_declared
from treecrf.models.boosted.params import BoostingParams, Criterion
from treecrf.models.execution import PHASES, Monitor, Workers
from treecrf.sequences import SequenceSet
from treecrf.trees.forest import Forest, Tree, join_trees

NO_TRANSITIONS = np.zeros((0, 0))

_ROUNDING = 1e-9  # of a sum of many logarithms
_POSITIONS, _COLUMNS = 1, 2  # streams of random numbers


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
    """The iterations that `join_iterations` joined."""
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
        """Write the gradient of every row for the trees of an iteration; return the criterion's value."""

    def grow(self, iteration: int) -> Iteration:
        """Grow one tree for each label on the gradients, and add them to the potentials."""

    def add(self, iteration: Iteration) -> None:
        """Add what an iteration has grown, with the same bits as `grow`."""

    def marginals(self) -> NDArray[np.float64] | None:
        """P(y_t | X) of the training set, shape (n_positions, n_labels); None where only the trees can tell."""


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
    first. After the last iteration, the criterion of that one is computed once more; `note` is called with the progress
    after every one. An iteration that lowers its criterion is halved, `most_halvings` times at most, until it does not.
    """
    iterations, log_likelihoods, seconds, reports, steps = progress
    workers.seconds = seconds
    _replay(training, progress)
    if monitor is not None:
        for iteration, report in enumerate(reports, start=len(log_likelihoods) - len(reports)):
            if iteration > 0:
                monitor(iteration, dict(zip(seconds, report, strict=True)), log_likelihoods[iteration])
    for iteration in range(len(log_likelihoods), params.n_iterations + 1):
        n_pseudo = params.pseudo_likelihood_iterations
        is_pseudo = min(iteration, params.n_iterations - 1) < n_pseudo
        criterion: Criterion = "pseudo-likelihood" if is_pseudo else params.criterion
        value = training.compute_gradient(criterion, iteration)
        if len(steps) < iteration:
            # Values of two criteria are not compared, nor those of two beams.
            may_halve = params.leaf_values == "newton" and params.beam is None and iteration != n_pseudo
            most_halvings = params.most_halvings if may_halve else 0
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
    """Halve the last iteration until the criterion, now `value`, is not below that before it; return it."""
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


def draw_positions(params: BoostingParams, n_positions: int, iteration: int) -> NDArray[np.int32]:
    """Draw the positions that the trees of an iteration see, int32, shape (n,), ascending, without replacement."""
    if params.row_fraction == 1.0:
        return np.arange(n_positions, dtype=np.int32)
    rng = np.random.default_rng([params.sampling_seed, _POSITIONS, iteration])
    is_drawn = np.zeros(n_positions, dtype=np.bool_)
    is_drawn[rng.choice(n_positions, _share(params.row_fraction, n_positions), replace=False, shuffle=False)] = True
    return np.flatnonzero(is_drawn).astype(np.int32)


def draw_columns(params: BoostingParams, n_columns: int, iteration: int, label: int) -> NDArray[np.bool_]:
    """Draw the columns whose tests each node of a tree may be split by, without replacement.

    Returns bool, shape (2 * max_leaves - 1, n_columns): the root first, then the two children of each split. There are
    no rows if every node may test all columns.
    """
    if params.feature_fraction == 1.0:
        return np.ones((0, n_columns), dtype=np.bool_)
    rng = np.random.default_rng([params.sampling_seed, _COLUMNS, iteration, label])
    permutations = rng.random((2 * params.max_leaves - 1, n_columns)).argsort(axis=1)
    return permutations < _share(params.feature_fraction, n_columns)


def _share(fraction: float, number: int) -> int:
    """The nearest whole number to a part of some things, but at least one."""
    return max(round(fraction * number), 1)


# --- checkpoints --------------------------------------------------------------------------------------------


FORMAT = "treecrf.checkpoint/3"

SECONDS = 30.0
"""Seconds of work that a stopped training loses at most, unless told otherwise."""

LARGEST_SHARE = 0.05
"""Share of the time that writing may take: large states are written less often."""

WITHOUT_EFFECT = ("n_threads", "warm_start")
"""Settings that any value of gives the same trees; what a warm start continues from is looked at itself."""


class Checkpoint:
    """A file that a training writes its state to, and continues from.

    Parameters
    ----------
    path : path-like
        Gets the suffix .npz by custom only. The file stays when the training ends; delete it then.
    seconds : float
        How often to write; 0 after every iteration. States that take long to write are otherwise written less often
        (`LARGEST_SHARE`).

    Raises
    ------
    ValueError
        If `seconds` is not a number of at least 0.
    """

    def __init__(self, path: str | os.PathLike[str], seconds: float = SECONDS) -> None:
        if not seconds >= 0:
            raise ValueError(
                f"seconds={seconds!r}: a checkpoint is written every so often; give a number of at least 0."
            )
        self.path = Path(path)
        self.seconds = float(seconds)
        self._fingerprint = ""
        self._due = 0.0

    def begin(self, fingerprint: str, sizes: Mapping[str, Any]) -> Progress | None:
        """Start the clock; what the file holds, if it is whole and of the training with this fingerprint.

        `sizes` is what the rules of the training's trees and transitions name (`treecrf.models.base`).
        """
        self._fingerprint, self._due = fingerprint, time.monotonic() + self.seconds
        try:
            header, arrays = read_npz(self.path, FORMAT)
            return _unpacked(header, arrays, sizes) if header["fingerprint"] == fingerprint else None
        except (ValueError, TypeError, LookupError, FileNotFoundError):
            return None

    def note(self, progress: Progress) -> None:
        """Write, if it is time to; the file is replaced at once or not at all."""
        begin = time.monotonic()
        if begin < self._due:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_npz(self.path, *_packed(self._fingerprint, progress))
        now = time.monotonic()
        self._due = now + max(self.seconds, (now - begin) / LARGEST_SHARE if self.seconds else 0.0)


def fingerprint(
    class_name: str,
    settings: Mapping[str, Any],
    train: SequenceSet,
    start: NDArray[np.float64],
    progress: Progress,
    weights: NDArray[np.float64] | None = None,
) -> str:
    """A digest of all that decides which trees a training grows.

    Parameters
    ----------
    class_name : str
    settings : mapping of str to object
        Of a labeller of that class.
    train : SequenceSet
    start : float64, shape (n_labels, n_states)
    progress : Progress
        What the training begins with.
    weights : float64, shape (n_positions,), optional
        Of positions.
    """
    decisive = {name: value for name, value in settings.items() if name not in WITHOUT_EFFECT}
    named = [class_name, decisive, kernel_digest(), np.__version__, train.attributes, train.label_names]
    digest = hashlib.sha256(json.dumps(named, default=str).encode())
    digest.update(_digest([train.values, train.offsets, train.observation_offsets, np.asarray(train.labels), start]))
    forest, transitions = join_iterations(progress.iterations)
    digest.update(_digest([*forest, transitions, np.array(progress.log_likelihoods), np.array(progress.steps)]))
    digest.update(_digest([] if weights is None else [weights]))
    return digest.hexdigest()


def _digest(arrays: Iterable[NDArray[Any]]) -> bytes:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


def _packed(fingerprint: str, progress: Progress) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    header = {"format": FORMAT, "fingerprint": fingerprint, "seconds": progress.seconds}
    forest, transitions = join_iterations(progress.iterations)
    arrays = prefixed("forest", forest._asdict())
    arrays["transitions"] = transitions
    arrays["log_likelihoods"] = np.array(progress.log_likelihoods)
    arrays["steps"] = np.array(progress.steps)
    arrays["reports"] = np.array(progress.reports).reshape(-1, len(progress.seconds))
    return header, arrays


def _unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]], sizes: Mapping[str, Any]) -> Progress:
    state = take_declared(arrays, _STATE, {**sizes, "n_phases": len(PHASES)})
    refuse_rest(arrays)
    forest, transitions = state["forest"], state["transitions"]
    lists = [state[name].tolist() for name in ("log_likelihoods", "reports", "steps")]
    if forest.n_trees != len(transitions) * sizes["n_labels"] or len(lists[1]) > len(lists[0]):
        raise ValueError("the parts are of different iterations")
    seconds = {phase: float(header["seconds"][phase]) for phase in PHASES}
    return Progress(split_iterations(forest, transitions), lists[0], seconds, *lists[1:])


_STATE = {
    "forest": Forest,
    "transitions": Annotated[Float64, "n_steps + 1, n_transitions, n_transitions_before", WEIGHTS],
    "log_likelihoods": Annotated[Float64, "n_steps + 1", NOT_INFINITE],
    "steps": Annotated[Float64, "n_steps", SHARES],
    "reports": Annotated[Float64, "n_reports, n_phases", FINITE],
}
