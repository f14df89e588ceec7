"""The loop of functional gradient boosting: gradient, trees, and word of both after every iteration."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from treecrf.models.base import Monitor
from treecrf.models.boosted.checkpoint import Checkpoint, Progress
from treecrf.models.resources import make_runner

if TYPE_CHECKING:
    from treecrf.models.boosted.lattice_training import LatticeTraining
    from treecrf.models.boosted.training import Criterion, Training

_ROUNDING = 1e-9  # of a sum of many logarithms


def boost(
    training: Training | LatticeTraining,
    progress: Progress,
    n_iterations: int,
    criterion_of: Callable[[int], Criterion],
    n_threads: int = 1,
    monitor: Monitor | None = None,
    checkpoint: Checkpoint | None = None,
    most_halvings: int = 0,
) -> None:
    """Go on with a training, whose potentials hold the stages of `progress`, up to `n_iterations`.

    `progress` gets what is added, and the log likelihood at the end; `monitor` hears of the iterations in its reports
    first. `criterion_of` says what an iteration follows. After the last one, the criterion of that one is computed once
    more. An iteration that lowers its criterion is halved, `most_halvings` times at most, until it does not.
    """
    stages, log_likelihoods, seconds, reports, steps = progress
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
                stages.append(training.grow(run, iteration, seconds))
                if checkpoint is not None:
                    checkpoint.note(progress)


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
        progress.stages[-1] = training.halve(progress.stages[-1])
        progress.seconds["update"] += time.thread_time() - begin
        value, step = gradient(), 0.5 * step
    progress.steps.append(step)
    return value
