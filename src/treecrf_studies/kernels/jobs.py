"""Jobs of the study of kernels: one method on all draws of one data set.

Internal cross-validation chooses settings and stages; what labels the test sequences is trained on all training
sequences.
"""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.decoding import DECODERS, Decoder
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, sequence_folds
from treecrf_studies.datasets.synthetic import Splits
from treecrf_studies.framework.jobs import Frames, JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import PREDICTED, prediction_frame
from treecrf_studies.framework.resamples import shared_part
from treecrf_studies.framework.selection import DECODER, ChosenLabeller, Fold, choose, train_as_chosen
from treecrf_studies.kernels.methods import BEST, REDUCED, TREES
from treecrf_studies.kernels.settings import KernelsSettings
from treecrf_studies.methods.catalogue import KERNELS
from treecrf_studies.methods.kernel.kernel_crf import KernelCRF
from treecrf_studies.options import Candidate, Window, candidate_name

RUN_NAMES = [
    "dataset",
    "method",
    "decoder",
    "draw",
    "held_out_accuracy",
    "accuracy",
    "viterbi_accuracy",
    "cpu_seconds",
    "objective",
    "gap",
    "form",
    "settings",
    "n_train",
    "n_test",
    "shared_part",
]

OF_PICTURES: Candidate = {"window": (0, 0), "width": 96, "batch_size": 64}
"""Settings of the neural CRF where it sees pictures."""

_N_SMALL = 6  # sequences


class KernelsOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    runs : DataFrame
        Columns `RUN_NAMES`, one row for each draw: percent of the held-out positions of cross-validation (NaN where
        nothing was to choose), and of the test positions with both decoders; CPU seconds of the training on all
        training sequences; of kernel CRFs the objective, how far it can be above its minimum, and the form; what was
        chosen, in words; training and test positions; `shared_part` of the draws.
    predictions : DataFrame
        Of the test positions, by forward-backward. Group: that of related sequences.
    choice : DataFrame
        method, draw and variance: that of the prior, NaN for methods without one.
    """

    runs: pd.DataFrame
    predictions: pd.DataFrame
    choice: pd.DataFrame


def label_test_sets(job: JobContext[KernelsSettings]) -> KernelsOutcome:
    """One method on one data set; each draw is a part of the job.

    Validation sequences are training sequences here. The job's choice is of the method that chooses for this one.
    """
    method, splits, window, settings = job.method, job.splits, job.window, job.settings
    load_kernels(method, next(iter(splits.values())).train, window, settings)
    parts = {}
    for seed, sets in splits.items():
        given = None if job.choice is None else _variance(job.choice, settings.choosers[method], seed)
        parts[f"seed_{seed}"] = partial(_label_draw, Draw(job.dataset, seed, sets), window, method, settings, given)
    runs, predictions, choices = job.cache.joined(parts)
    runs["shared_part"] = shared_part(splits.values())
    return KernelsOutcome(
        runs[RUN_NAMES], predictions[["dataset", "method", "decoder", "draw", "group", *PREDICTED]], choices
    )


def _variance(choice: pd.DataFrame, method: str, seed: int) -> float:
    """What a method has chosen in a draw."""
    [variance] = choice.loc[(choice["method"] == method) & (choice["draw"] == seed), "variance"]
    return float(variance)


class Draw(NamedTuple):
    """One draw of a data set."""

    dataset: str
    seed: int
    sets: Splits

    @property
    def train(self) -> SequenceSet:
        """All training sequences."""
        return self.sets.all_training

    def folds(self, n_folds: int) -> list[Fold]:
        """Training sequences and those held out in each fold, the same for all methods."""
        train = self.train
        held_out = sequence_folds(train.groups, n_folds, derive_seed("folds", self.dataset, self.seed))
        everything = np.arange(len(train))
        return [(train.select(np.delete(everything, fold)), train.select(fold)) for fold in held_out]


def load_kernels(method: str, train: SequenceSet, window: Window, settings: KernelsSettings) -> None:
    """Run what a method runs on a few sequences, so that no measured time has the loading of compiled routines in
    it.
    """
    few = train.select(np.arange(min(_N_SMALL, len(train))))
    small = settings.model_copy(
        update={
            "tree_iterations": 1,
            "treecrf_leaves": 2,
            "separable_leaves": [2],
            "full_leaves": [2],
            "rank": 2,
            "neural_epochs": 1,
        }
    )
    labeller = make_candidates(method, window, small)[0]
    for decoder in DECODERS:
        labeller.fit(few).predict(few, decoder)


def make_candidates(
    method: str, window: Window, settings: KernelsSettings, variance: float | None = None
) -> list[Labeller]:
    """The candidates of a method; with a variance that another one has chosen, that alone."""
    row = find_method(method, KERNELS, settings.labellers)
    candidates = row.candidates(settings) if variance is None else [{"variance": variance}]
    more = OF_PICTURES if method == "neural_crf" and settings.picture is not None else {}
    return [row.build(settings, candidate | more, window) for candidate in candidates]


def make_kernel_crf(method: str, window: Window, settings: KernelsSettings, **more: Any) -> KernelCRF:
    """A kernel CRF with the variance of measurements and other settings of its own."""
    labeller = find_method(method, KERNELS).build(settings, {"variance": settings.measured_variance} | more, window)
    assert isinstance(labeller, KernelCRF)
    return labeller


def _label_draw(
    draw: Draw,
    window: Window,
    method: str,
    settings: KernelsSettings,
    variance: float | None,
    _checkpoint: Checkpoint | None,
) -> Frames:
    """Run, predictions and choice of one draw."""
    folds = draw.folds(settings.n_folds)
    if method in REDUCED:
        fewest = min(train.n_positions for train, _ in folds)
        settings = settings.model_copy(update={"rank": min(settings.rank, fewest)})
    candidates = make_candidates(method, window, settings, variance)
    every = settings.test_every if method in KERNELS and "test_every" in KERNELS[method].settings else 1
    choice = choose(candidates, folds, every, judged=any(method in methods for methods in BEST.values()))
    if isinstance(choice.labeller, KernelCRF):
        choice.labeller.set_params(tolerance=settings.tolerance)
    chosen = find_method(method, KERNELS, settings.labellers).chosen(choice.labeller)
    trained = train_as_chosen(choice, draw.train)
    test = draw.sets.test
    labels, marginals = trained.answer(test, DECODERS)
    run = _run(draw, choice, trained.labeller, labels)
    run |= {"cpu_seconds": trained.cpu_seconds, "settings": candidate_name(chosen | trained.values)}
    constant: dict[str, Any] = {"dataset": draw.dataset, "method": method, "decoder": DECODER, "draw": draw.seed}
    predictions = prediction_frame(test, labels[DECODER], marginals).assign(**constant)
    return (
        pd.DataFrame([constant | run]),
        predictions,
        pd.DataFrame([{"method": method, "draw": draw.seed, "variance": chosen.get("variance", np.nan)}]),
    )


def _run(
    draw: Draw, choice: ChosenLabeller, labeller: Labeller, labels: Mapping[Decoder, NDArray[np.int16]]
) -> dict[str, Any]:
    """What there is to say of one training."""
    test = draw.sets.test
    kernel: dict[str, Any] = {"objective": np.nan, "gap": np.nan, "form": ""}
    if isinstance(labeller, KernelCRF):
        kernel = {"objective": labeller.objective_, "gap": getattr(labeller, "gap_", np.nan), "form": labeller.form_}
    percent = {decoder: 100 * float((labels[decoder] == test.labels).mean()) for decoder in DECODERS}
    return {
        "held_out_accuracy": 100 * choice.accuracy,
        "accuracy": percent[DECODER],
        "viterbi_accuracy": percent["viterbi"],
        "n_train": draw.train.n_positions,
        "n_test": test.n_positions,
        **kernel,
    }


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    from treecrf_studies.datasets import load

    train, _ = load("hmm", n_train=6, n_test=3)
    settings = KernelsSettings(n_folds=2)
    for method in ("degree_1", "degree_2", "nystroem", "linear_crf", *TREES):
        load_kernels(method, train, (1, 1), settings)


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
    "dataset",
    "degree",
    "solver",
    "iteration",
    "cpu_seconds",
    "objective",
    "excess",
    "gap",
    "converged",
    "accuracy",
]
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
        Columns `SOLVER_NAMES`: CPU seconds of the solver alone, the objective and by which part of the minimum it is
        above it, one row for each iteration (for CRFsuite, which minimizes the same over explicit features, the last
        alone); at its end by which part of the objective lemma 9 says it can be above the minimum, whether the solver
        says that it has converged, and percent of the test positions. The minimum is the lowest objective of all
        solvers and of one that goes on.
    """
    draw, window, settings = _first_draw(job), job.window, job.settings.of(job.dataset)
    load_kernels("degree_1", draw.train, window, settings)
    parts = []
    for degree in settings.solver_degrees:
        runs = [_follow(draw, window, degree, name, settings) for name in (*SOLVERS, CRFSUITE)]
        reference = _fit(
            draw.train, window, degree, settings, max_iterations=10 * settings.solver_steps, tolerance=_EXACT
        )
        lowest = min(reference.objective_, *(steps["objective"].min() for steps in runs))
        parts += [steps.assign(excess=steps["objective"] / lowest - 1) for steps in runs]
    return pd.concat(parts, ignore_index=True).assign(dataset=job.dataset)[SOLVER_NAMES]


def compare_ranks(job: JobContext[KernelsSettings]) -> pd.DataFrame:
    """What a kernel matrix of low rank loses, for each rule of choosing pivots.

    Returns
    -------
    DataFrame
        Columns `RANK_NAMES`: percent of the test positions, the objective, and by which part of the exact model's it is
        above it; CPU seconds of training. The exact model has pivots "exact".
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
    labeller = make_kernel_crf(f"degree_{degree}", window, settings, **values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return labeller.fit(train)


def _follow(draw: Draw, window: Window, degree: int, solver: str, settings: KernelsSettings) -> pd.DataFrame:
    """The iterations of one solver."""
    seconds = [0.0]

    def note(_iteration: int, phases: Mapping[str, float], _log_likelihood: float) -> None:
        seconds.append(phases["gradient"] + phases["update"])

    if solver == CRFSUITE:
        labeller = make_kernel_crf({1: "primal", 2: "conjunctions"}[degree], window, settings).fit(draw.train)
        steps, seconds = {"iteration": [-1]}, [labeller.seconds_["update"]]
    else:
        values = SOLVERS[solver] | {"max_iterations": settings.solver_steps, "tolerance": settings.tolerance}
        labeller = make_kernel_crf(f"degree_{degree}", window, settings, **values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labeller.fit(draw.train, monitor=note)
        steps = {"iteration": list(range(len(labeller.objective_history_)))}
    return pd.DataFrame(steps | {"cpu_seconds": seconds, "objective": labeller.objective_history_}).assign(
        degree=degree,
        solver=solver,
        accuracy=100 * labeller.score(draw.sets.test),
        gap=getattr(labeller, "gap_", np.nan) / labeller.objective_,
        converged=getattr(labeller, "converged_", True),
    )


def _measured(labeller: KernelCRF, test: SequenceSet) -> dict[str, float]:
    seconds = sum(labeller.seconds_.values())
    return {"accuracy": 100 * labeller.score(test), "objective": labeller.objective_, "cpu_seconds": seconds}


def _parts(train: SequenceSet, sizes: list[int]) -> Iterator[SequenceSet]:
    """The first sequences, of at least so many positions together; all of them where there are fewer."""
    ends = {min(int(np.searchsorted(train.offsets, size)), len(train)) for size in sizes}
    for n_sequences in sorted(ends):
        yield train.select(np.arange(n_sequences))
