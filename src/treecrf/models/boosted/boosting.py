"""The loop of functional gradient boosting: gradient, trees, and word of both after every iteration."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING

from treecrf.models.base import Monitor
from treecrf.models.boosted.checkpoint import Checkpoint, Progress
from treecrf.models.runner import make_runner

if TYPE_CHECKING:
    from treecrf.models.boosted.training import Criterion, Training


def boost(
    training: Training,
    progress: Progress,
    n_iterations: int,
    criterion_of: Callable[[int], Criterion],
    n_threads: int = 1,
    monitor: Monitor | None = None,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Go on with a training, whose potentials hold the trees of `progress`, up to `n_iterations`.

    `progress` gets what is added, and the log likelihood at the end; `monitor` hears of the iterations in its reports
    first. `criterion_of` says what an iteration follows. After the last one, the criterion of that one is computed once
    more.
    """
    trees, log_likelihoods, seconds, reports = progress
    if monitor is not None:
        for iteration, report in enumerate(reports, start=len(log_likelihoods) - len(reports)):
            if iteration > 0:
                monitor(iteration, dict(zip(seconds, report, strict=True)), log_likelihoods[iteration])
    with ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else nullcontext() as pool:
        run = make_runner(pool)
        for iteration in range(len(log_likelihoods), n_iterations + 1):
            criterion = criterion_of(min(iteration, n_iterations - 1))
            log_likelihoods.append(training.compute_gradient(run, n_threads, criterion, seconds))
            reports.append(list(seconds.values()))
            if monitor is not None and iteration > 0:
                monitor(iteration, dict(seconds), log_likelihoods[-1])
            if iteration < n_iterations:
                trees.extend(training.grow(run, iteration, seconds))
                if checkpoint is not None:
                    checkpoint.note(progress)
