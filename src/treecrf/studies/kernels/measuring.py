"""Measurements of the study of kernels: solvers, ranks, and cost by size, each on the training set of the first draw."""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from treecrf.models.kernel.kernel_crf import KernelCRF
from treecrf.sequences import SequenceSet
from treecrf.studies.framework.job_context import JobContext
from treecrf.studies.kernels.jobs import Draw, load_kernels
from treecrf.studies.kernels.learners import Window, make_kernel_crf
from treecrf.studies.kernels.settings import KernelsSettings

SOLVERS: dict[str, dict[str, Any]] = {
    "lbfgs": {"solver": "lbfgs"},
    "lbfgs_matrix": {"solver": "lbfgs", "form": "matrix"},
    "newton": {"solver": "newton"},
    "subspace": {"solver": "subspace"},
    "block_jacobi": {"solver": "block_jacobi", "step_halving": False},
    "block_jacobi_halved": {"solver": "block_jacobi", "step_halving": True},
}
"""Settings of each solver by its name in frames."""

CRFSUITE = "crfsuite"

SOLVER_NAMES = [
    "dataset", "degree", "solver", "iteration", "cpu_seconds", "objective", "excess", "gap", "converged", "accuracy"
]  # fmt: skip
RANK_NAMES = ["dataset", "pivots", "rank", "accuracy", "objective", "excess", "cpu_seconds", "n_positions"]
SIZE_NAMES = ["dataset", "form", "n_positions", "n_windows", "cpu_seconds", "memory_mb"]

_EXACT = 1e-12
"""Tolerance of the reference."""

PIVOTS = ("random", "greedy", "uniform")
FORMS = ("monomials", "matrix", "low_rank")


def compare_solvers(job: JobContext[KernelsSettings]) -> pd.DataFrame:
    """How far each solver is above the minimum after 0, 1, .. iterations, and where it ends.

    Returns
    -------
    DataFrame
        Columns `SOLVER_NAMES`: CPU seconds of the solver alone, the objective and by which part of the minimum it is above it,
        one row for each iteration (for CRFsuite, which minimizes the same over explicit features, the last alone); at its end
        by which part of the objective lemma 9 says it can be above the minimum, whether the solver says that it has
        converged, and percent of the test positions. The minimum is the lowest objective of all solvers and of one that goes on.
    """
    draw, window, settings = _first_draw(job), job.window, job.settings.of(job.dataset)
    load_kernels("degree_1", draw.train, window, settings)
    parts = []
    for degree in settings.solver_degrees:
        found = [_follow(draw, window, degree, name, settings) for name in (*SOLVERS, CRFSUITE)]
        reference = _fit(
            draw.train, window, degree, settings, max_iterations=10 * settings.solver_steps, tolerance=_EXACT
        )
        lowest = min(reference.objective_, *(steps["objective"].min() for steps in found))
        parts += [steps.assign(excess=steps["objective"] / lowest - 1) for steps in found]
    return pd.concat(parts, ignore_index=True).assign(dataset=job.dataset)[SOLVER_NAMES]


def compare_ranks(job: JobContext[KernelsSettings]) -> pd.DataFrame:
    """What a kernel matrix of low rank loses, for each rule of choosing pivots.

    Returns
    -------
    DataFrame
        Columns `RANK_NAMES`: percent of the test positions, the objective, and by which part of the exact model's it is above it;
        CPU seconds of training. The exact model has pivots "exact".
    """
    draw, window, settings = _first_draw(job), job.window, job.settings.of(job.dataset)
    train, test = draw.train, draw.sets.test
    load_kernels("low_rank", train, window, settings)
    exact = _fit(train, window, 2, settings)
    rows = [{"pivots": "exact", "rank": train.n_positions} | _measured(exact, test)]
    for rank, pivots in product(settings.ranks, PIVOTS):
        if rank < train.n_positions:
            labeller = _fit(train, window, 2, settings, rank=rank, pivots=pivots)
            rows.append({"pivots": pivots, "rank": rank} | _measured(labeller, test))
    frame = pd.DataFrame(rows)
    excess = frame["objective"] / exact.objective_ - 1
    return frame.assign(dataset=job.dataset, excess=excess, n_positions=train.n_positions)[RANK_NAMES]


def measure_sizes(job: JobContext[KernelsSettings]) -> pd.DataFrame:
    """CPU seconds and memory of training by positions and form of the model.

    Returns
    -------
    DataFrame
        Columns `SIZE_NAMES`: CPU seconds of one training, and the most memory that its arrays take in a second one.
    """
    draw, window, settings = _first_draw(job), job.window, job.settings.of(job.dataset)
    load_kernels("low_rank", draw.train, window, settings)
    rows = []
    for part, form in product(_parts(draw.train, settings.sizes), FORMS):
        rank = {"rank": min(settings.rank, part.n_positions // 2)} if form == "low_rank" else {}
        began = time.process_time()
        labeller = _fit(part, window, 2, settings, form=form, **rank)
        seconds = time.process_time() - began
        tracemalloc.start()
        _fit(part, window, 2, settings, form=form, max_iterations=2, **rank)
        memory = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        sizes = {"n_positions": part.n_positions, "n_windows": len(labeller.alphas_)}
        rows.append({"form": form, "cpu_seconds": seconds, "memory_mb": memory} | sizes)
    return pd.DataFrame(rows).assign(dataset=job.dataset)[SIZE_NAMES]


def _first_draw(job: JobContext[KernelsSettings]) -> Draw:
    seed = min(job.splits)
    return Draw(job.dataset, seed, job.splits[seed])


def _fit(train: SequenceSet, window: Window, degree: int, settings: KernelsSettings, **more: Any) -> KernelCRF:
    """A kernel CRF with the variance of measurements; that it has not converged is what is measured."""
    values = {"tolerance": settings.tolerance} | more
    labeller = make_kernel_crf(f"degree_{degree}", window, settings.measured_variance, settings, **values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return labeller.fit(train)


def _follow(draw: Draw, window: Window, degree: int, solver: str, settings: KernelsSettings) -> pd.DataFrame:
    """The iterations of one solver."""
    seconds = [0.0]

    def note(_iteration: int, phases: Mapping[str, float], _log_likelihood: float) -> None:
        seconds.append(phases["gradient"] + phases["update"])

    if solver == CRFSUITE:
        method = {1: "primal", 2: "conjunctions"}[degree]
        labeller = make_kernel_crf(method, window, settings.measured_variance, settings).fit(draw.train)
        steps, seconds = {"iteration": [-1]}, [labeller.seconds_["update"]]
    else:
        values = SOLVERS[solver] | {"max_iterations": settings.solver_steps, "tolerance": settings.tolerance}
        labeller = make_kernel_crf(f"degree_{degree}", window, settings.measured_variance, settings, **values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labeller.fit(draw.train, monitor=note)
        steps = {"iteration": list(range(len(labeller.objective_history_)))}
    return pd.DataFrame(
        steps | {"cpu_seconds": seconds, "objective": labeller.objective_history_}
    ).assign(
        degree=degree, solver=solver, accuracy=100 * labeller.score(draw.sets.test),
        gap=getattr(labeller, "gap_", np.nan) / labeller.objective_, converged=getattr(labeller, "converged_", True),
    )  # fmt: skip


def _measured(labeller: KernelCRF, test: SequenceSet) -> dict[str, float]:
    seconds = sum(labeller.seconds_.values())
    return {"accuracy": 100 * labeller.score(test), "objective": labeller.objective_, "cpu_seconds": seconds}


def _parts(train: SequenceSet, sizes: list[int]) -> Iterator[SequenceSet]:
    """The first sequences, of at least so many positions together; all of them where there are fewer."""
    ends = {min(int(np.searchsorted(train.offsets, size)), len(train)) for size in sizes}
    for n_sequences in sorted(ends):
        yield train.select(np.arange(n_sequences))
