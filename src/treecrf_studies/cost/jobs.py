"""Cost of training and prediction: by sequence length and window (PhD section 3.5.3, figure 3.3), with sampling.

All seconds are CPU seconds of one thread. Everything is measured `n_repeats` times. The repeats are the outermost loop:
a machine that grows slower is slower for all methods of a repeat, so that what is compared within a repeat is compared
fairly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.sequences import SequenceSet
from treecrf_studies.cost.settings import CostSettings
from treecrf_studies.datasets import synthetic
from treecrf_studies.framework.jobs import Frames, JobContext
from treecrf_studies.methods import load_class
from treecrf_studies.methods.catalogue import FORWARD_BACKWARD, IN_JAVA, INDUCTION, LABELLERS, TRAINING
from treecrf_studies.methods.java.machine import java_problem

SCALING_NAMES = ["repeat", "axis", "value", "method", "quantity", "seconds", "n_positions"]
WINDOW_NAMES = ["dataset", "repeat", "window_size", "method", "seconds_per_iteration", "n_iterations", "accuracy"]
SAMPLING_NAMES = [
    "dataset",
    "repeat",
    "option",
    "value",
    "cpu_seconds",
    "tree_seconds",
    "accuracy",
    "log_likelihood",
    "seconds_to_likelihood",
    "plain_seconds_to_likelihood",
    "iterations_to_likelihood",
    "plain_iterations_to_likelihood",
]

N_EVALUATIONS = 5
"""Evaluations of F that one measurement is the median of: a single one takes less than a millisecond."""


def measure_scaling(job: JobContext[CostSettings]) -> pd.DataFrame:
    """Cost on sequences of a hidden Markov model, by their length and by the window; each repeat is a part of the job.

    Returns
    -------
    DataFrame
        repeat (from 0), axis ("length", or "n_features": boolean features of a window), value, method, quantity
        ("forward_backward": per iteration; "induction": of one tree for each label, or one round; "first_induction" and
        "last_induction": of the first and last of these, by number of features; "evaluation": of F for all positions of
        as many new sequences), seconds, n_positions. Evaluation is of the trees (treecrf), of the same trees flattened
        (treecrf_flat), and of the dot products of a linear CRF over induced conjunctions (induced_crf).
    """
    settings = job.settings
    _warm_up(_generated(settings, settings.lengths[0])[0], (1, 1), settings)

    def repeat(number: int, _checkpoint: Checkpoint | None) -> Frames:
        return (pd.DataFrame(chain(_by_length(settings), _by_features(settings))).assign(repeat=number),)

    repeats = {f"repeat_{number}": partial(repeat, number) for number in range(settings.n_repeats)}
    by_repeat = job.cache.all_finished(repeats)
    return pd.concat([frame for (frame,) in by_repeat], ignore_index=True)[SCALING_NAMES]


def measure_windows(job: JobContext[CostSettings]) -> pd.DataFrame:
    """Cost of an iteration by the size of the window (the table of the ICML 2004 paper).

    Returns
    -------
    DataFrame
        dataset, repeat (from 0), window_size, method, seconds_per_iteration, n_iterations, accuracy (percent,
        forward-backward, after the last iteration).
    """
    train, settings = job.train, job.settings
    _warm_up(train, window_of_size(settings.real_window_sizes[0]), settings)
    rows = [
        {
            "dataset": job.dataset,
            "repeat": repeat,
            "window_size": size,
            "method": run.method,
            "seconds_per_iteration": sum(run.phases.values()) / run.n_iterations,
            "n_iterations": run.n_iterations,
            "accuracy": 100 * run.model.score(job.test),
        }
        for repeat in range(settings.n_repeats)
        for size in settings.real_window_sizes
        for run in _runs(train, window_of_size(size), settings)
    ]
    return pd.DataFrame(rows)[WINDOW_NAMES]


def measure_sampling(job: JobContext[CostSettings]) -> pd.DataFrame:
    """What sampling, influence trimming (PhD sections 3.3 and 6.2) and a start by the pseudo-likelihood cost and gain.

    The pseudo-likelihood for the first iterations: ICML 2004, section 3.

    Returns
    -------
    DataFrame
        dataset, repeat (from 0, also the seed of the samples), option ("none" or a setting of `TreeCRF`), value,
        cpu_seconds (of training), tree_seconds (of growing trees), accuracy (percent, forward-backward), log_likelihood
        (of the training set, at the end), seconds_to_likelihood and plain_seconds_to_likelihood (of this training and
        of that without the option in the same repeat, until the lower of their two final log likelihoods), and the
        iterations of both until then.
    """
    train, settings = job.train, job.settings
    few = settings.model_copy(update={"sampling_iterations": max(settings.pseudo_likelihood_iterations, default=0) + 1})
    list(_follow_short_cuts(train, job.window, few, 0))  # as `_warm_up`
    rows = []
    for repeat in range(settings.n_repeats):
        trainings = list(_follow_short_cuts(train, job.window, settings, repeat))
        plain = trainings[0][-1]
        for option, value, followed in trainings:
            row = {"dataset": job.dataset, "repeat": repeat, "option": option, "value": value}
            rows.append(row | _cost_and_gain(followed, plain, job.test))
    return pd.DataFrame(rows)[SAMPLING_NAMES]


def window_of_size(size: int) -> tuple[int, int]:
    """The window of `size` observations around the position; an even one sees one more after it than before."""
    return (size - 1) // 2, size // 2


class Followed(NamedTuple):
    """A trained TreeCRF, with CPU seconds and log likelihood of the training set after each iteration that follows
    it.
    """

    model: TreeCRF
    seconds: list[float]
    log_likelihoods: list[float]

    def cost_to(self, log_likelihood: float) -> tuple[float, int]:
        """CPU seconds and iterations, with those by the pseudo-likelihood, until the log likelihood was that high."""
        place = next(place for place, value in enumerate(self.log_likelihoods) if value >= log_likelihood)
        return self.seconds[place], self.model.pseudo_likelihood_iterations + place + 1


def follow_training(train: SequenceSet, window: tuple[int, int], settings: CostSettings, **changed: Any) -> Followed:
    """Train, and note CPU seconds and log likelihood after each iteration that needs forward-backward.

    Settings of the labeller that are `changed` differ from the study's.
    """
    model = TreeCRF(
        n_iterations=settings.sampling_iterations,
        l2_regularization=settings.sampling_regularization,
        max_leaves=settings.max_leaves,
        window=window,
        missing="error",
        **changed,
    )
    followed = Followed(model, [], [])

    def note(iteration: int, by_phase: Mapping[str, float], log_likelihood: float) -> None:
        if iteration >= model.pseudo_likelihood_iterations:
            followed.seconds.append(sum(by_phase.values()))
            followed.log_likelihoods.append(log_likelihood)

    model.fit(train, monitor=note)
    return followed


def _follow_short_cuts(
    train: SequenceSet, window: tuple[int, int], settings: CostSettings, seed: int
) -> Iterator[tuple[str, float, Followed]]:
    """Plain training, as the option "none", then every short cut: option, value, training."""
    yield "none", 1.0, follow_training(train, window, settings)
    for option, value in settings.short_cuts:
        yield option, value, follow_training(train, window, settings, sampling_seed=seed, **{option: value})


def _cost_and_gain(followed: Followed, plain: Followed, test: SequenceSet) -> dict[str, float]:
    """What a training costs and gains, beside the plain one of its repeat."""
    equal = min(followed.log_likelihoods[-1], plain.log_likelihoods[-1])
    seconds, iterations = followed.cost_to(equal)
    plain_seconds, plain_iterations = plain.cost_to(equal)
    return {
        "cpu_seconds": sum(followed.model.seconds_.values()),
        "tree_seconds": followed.model.seconds_["trees"],
        "accuracy": 100 * followed.model.score(test),
        "log_likelihood": followed.log_likelihoods[-1],
        "seconds_to_likelihood": seconds,
        "plain_seconds_to_likelihood": plain_seconds,
        "iterations_to_likelihood": iterations,
        "plain_iterations_to_likelihood": plain_iterations,
    }


class _Run(NamedTuple):
    """A trained labeller, and its CPU seconds by phase after each iteration."""

    method: str
    model: Any
    history: list[Mapping[str, float]]

    @property
    def phases(self) -> Mapping[str, float]:
        return self.history[-1]

    @property
    def n_iterations(self) -> int:
        return len(self.history)

    def seconds_by_step(self) -> dict[str, float]:
        """Seconds of one iteration of forward-backward and of one induction."""
        n_inductions = getattr(self.model, "n_inductions_", 0) or self.n_iterations
        spent = {
            "forward_backward": sum(self.phases.get(name, 0.0) for name in FORWARD_BACKWARD) / self.n_iterations,
            "induction": sum(self.phases.get(name, 0.0) for name in INDUCTION) / n_inductions,
        }
        return {name: seconds for name, seconds in spent.items() if seconds > 0}


def _runs(train: SequenceSet, window: tuple[int, int], settings: CostSettings) -> Iterator[_Run]:
    """Every method that can be run, trained."""
    for name in settings.methods:
        if name in IN_JAVA and java_problem() is not None:
            continue
        row, preset = TRAINING[name], LABELLERS[name].preset
        shared = {own: own for own in row.grid if own not in preset} | dict(row.taken)
        values = {"window": window, **preset, **row.fixed}
        values |= {own: getattr(settings, name) for own, name in shared.items() if hasattr(settings, name)}
        model = load_class(row.class_path or LABELLERS[name].class_path)(**values)
        yield _Run(name, model, fit_by_phase(model, train))


def _warm_up(train: SequenceSet, window: tuple[int, int], settings: CostSettings) -> None:
    """Train every method unmeasured: the first training in a process takes longer, since it loads routines and starts
    Java.
    """
    for _ in _runs(train, window, settings):
        pass


def first_and_last_induction(history: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Seconds of the first and of the last induction of a training with several, from seconds by phase at each
    iteration.
    """
    spent = [sum(phases.get(name, 0.0) for name in INDUCTION) for phases in history]
    rounds = [seconds for seconds in np.diff(spent, prepend=0.0) if seconds > 0]
    return {"first_induction": rounds[0], "last_induction": rounds[-1]} if len(rounds) > 1 else {}


def fit_by_phase(model: Labeller, train: SequenceSet) -> list[Mapping[str, float]]:
    """Train; CPU seconds by phase after each iteration."""
    phases: list[Mapping[str, float]] = []
    model.fit(train, monitor=lambda _iteration, by_phase, _log_likelihood: phases.append(by_phase))
    return phases


def _generated(settings: CostSettings, length: int) -> tuple[SequenceSet, SequenceSet]:
    size = settings.n_sequences
    return synthetic.load_hmm(n_train=size, n_test=size, length=length, seed=settings.seed)


def _evaluation_seconds(evaluate: Callable[[SequenceSet], Any], data: SequenceSet) -> float:
    """The median of several evaluations."""
    spent = []
    for _ in range(N_EVALUATIONS):
        before = time.thread_time()
        evaluate(data)
        spent.append(time.thread_time() - before)
    return float(np.median(spent))


def _by_length(settings: CostSettings) -> Iterator[dict[str, Any]]:
    for length in settings.lengths:
        train, test = _generated(settings, length)
        for run in _runs(train, (1, 1), settings):
            yield from _rows("length", length, run.method, run.seconds_by_step(), train)
            if run.method in ("treecrf", "induced_crf"):
                spent = {"evaluation": _evaluation_seconds(run.model.potentials, test)}
                yield from _rows("length", length, run.method, spent, test)
            if run.method == "treecrf":
                spent = {"evaluation": _evaluation_seconds(run.model.flattened().potentials, test)}
                yield from _rows("length", length, "treecrf_flat", spent, test)


def _by_features(settings: CostSettings) -> Iterator[dict[str, Any]]:
    train, _ = _generated(settings, settings.length)
    n_symbols = len(train.attributes[0].categories) + 1
    for size in settings.window_sizes:
        for run in _runs(train, window_of_size(size), settings):
            spent = run.seconds_by_step() | first_and_last_induction(run.history)
            yield from _rows("n_features", size * n_symbols, run.method, spent, train)


def _rows(
    axis: str, value: int, method: str, seconds: Mapping[str, float], data: SequenceSet
) -> Iterator[dict[str, Any]]:
    for quantity, spent in seconds.items():
        yield {
            "axis": axis,
            "value": value,
            "method": method,
            "quantity": quantity,
            "seconds": spent,
            "n_positions": data.n_positions,
        }
