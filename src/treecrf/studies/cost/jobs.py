"""Cost of training and prediction: by sequence length and window (PhD section 3.5.3, figure 3.3), with sampling.

All seconds are CPU seconds of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf.datasets import synthetic
from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.java.machine import java_problem
from treecrf.models.labellers import CHOSEN_BY, FORWARD_BACKWARD, INDUCTION, LABELLERS, TRAINING
from treecrf.models.loading import load_class
from treecrf.sequences import SequenceSet
from treecrf.studies.cost.settings import CostSettings

SCALING_NAMES = ["axis", "value", "method", "quantity", "seconds", "n_positions"]
WINDOW_NAMES = ["dataset", "window_size", "method", "seconds_per_iteration", "n_iterations", "accuracy"]
SAMPLING_NAMES = [
    "dataset", "option", "value", "cpu_seconds", "tree_seconds", "accuracy", "log_likelihood", "seconds_to_likelihood",
    "plain_seconds_to_likelihood",
]  # fmt: skip

REPEATS = 5
"""Times that an evaluation of F is measured; the median counts."""


def measure_scaling(settings: CostSettings) -> pd.DataFrame:
    """Cost on sequences of a hidden Markov model, by their length and by the window.

    Returns
    -------
    DataFrame
        axis ("length", or "n_features": boolean features of a window), value, method, quantity ("forward_backward": per
        iteration; "induction": of one tree for each label, or one round; "evaluation": of F for all positions of as many
        new sequences), seconds, n_positions. Evaluation is of the trees (treecrf), of the same trees flattened
        (treecrf_flat), and of the dot products of a linear CRF over induced conjunctions (induced_crf).
    """
    rows: list[dict[str, Any]] = []
    for length in settings.lengths:
        train, test = _generated(settings, length)
        for run in _runs(train, (1, 1), settings):
            rows += _rows("length", length, run.method, run.seconds_by_step(), train)
            if run.method in ("treecrf", "induced_crf"):
                spent = {"evaluation": _evaluation_seconds(run.model.potentials, test)}
                rows += _rows("length", length, run.method, spent, test)
            if run.method == "treecrf":
                spent = {"evaluation": _evaluation_seconds(run.model.flattened().potentials, test)}
                rows += _rows("length", length, "treecrf_flat", spent, test)
    n_symbols = len(train.attributes[0].categories) + 1
    for size in settings.window_sizes:
        train, _ = _generated(settings, settings.length)
        for run in _runs(train, window_of_size(size), settings):
            rows += _rows("n_features", size * n_symbols, run.method, run.seconds_by_step(), train)
    return pd.DataFrame(rows)[SCALING_NAMES]


def measure_windows(dataset: str, train: SequenceSet, test: SequenceSet, settings: CostSettings) -> pd.DataFrame:
    """Cost of an iteration by the size of the window (the table of the ICML 2004 paper).

    Parameters
    ----------
    dataset : str
        What the rows call the data set.
    train, test : SequenceSet
    settings : CostSettings

    Returns
    -------
    DataFrame
        dataset, window_size, method, seconds_per_iteration, n_iterations, accuracy (percent, forward-backward, after the
        last iteration).
    """
    rows = []
    for size in settings.real_window_sizes:
        for run in _runs(train, window_of_size(size), settings):
            rows.append(
                {
                    "dataset": dataset,
                    "window_size": size,
                    "method": run.method,
                    "seconds_per_iteration": sum(run.phases.values()) / run.n_iterations,
                    "n_iterations": run.n_iterations,
                    "accuracy": 100 * run.model.score(test),
                }
            )
    return pd.DataFrame(rows)[WINDOW_NAMES]


def measure_sampling(
    dataset: str, train: SequenceSet, test: SequenceSet, window: tuple[int, int], settings: CostSettings
) -> pd.DataFrame:
    """What sampling, influence trimming (PhD sections 3.3 and 6.2) and a start by the pseudo-likelihood cost and gain.

    The pseudo-likelihood for the first iterations: ICML 2004, section 3.

    Parameters
    ----------
    dataset : str
        What the rows call the data set.
    train, test : SequenceSet
    window : (int, int)
        Observations before and after a position that TreeCRF sees.
    settings : CostSettings

    Returns
    -------
    DataFrame
        dataset, option ("none" or a setting of `TreeCRF`), value, cpu_seconds (of training), tree_seconds (of growing
        trees), accuracy (percent, forward-backward), log_likelihood (of the training set, at the end),
        seconds_to_likelihood and plain_seconds_to_likelihood (of this training and of that without the option, until
        the lower of their two final log likelihoods); over several samples medians of seconds, else means.
    """
    plain = _follow(train, window, settings)
    rows = [_sampling_row([plain], plain, test, option="none", value=1.0)]
    for option in ("row_fraction", "feature_fraction"):
        for value in getattr(settings, f"{option}s"):
            samples = [
                _follow(train, window, settings, sampling_seed=seed, **{option: value})
                for seed in range(settings.sampling_repeats)
            ]
            rows.append(_sampling_row(samples, plain, test, option=option, value=value))
    for option, values in (
        ("influence_trimming", settings.influence_trimmings),
        ("pseudo_likelihood_iterations", settings.pseudo_likelihood_iterations),
    ):
        for value in values:
            rows.append(
                _sampling_row(
                    [_follow(train, window, settings, **{option: value})], plain, test, option=option, value=value
                )
            )
    return pd.DataFrame(rows).assign(dataset=dataset)[SAMPLING_NAMES]


def window_of_size(size: int) -> tuple[int, int]:
    """The window of `size` observations around the position; an even one sees one more after it than before."""
    return (size - 1) // 2, size // 2


class _Followed(NamedTuple):
    """A trained TreeCRF, with CPU seconds and log likelihood of the training set after each iteration that follows it."""

    model: TreeCRF
    seconds: list[float]
    log_likelihoods: list[float]

    def seconds_to(self, log_likelihood: float) -> float:
        """CPU seconds until the log likelihood was that high."""
        reached = zip(self.seconds, self.log_likelihoods, strict=True)
        return next(seconds for seconds, value in reached if value >= log_likelihood)


def _follow(train: SequenceSet, window: tuple[int, int], settings: CostSettings, **changed: Any) -> _Followed:
    model = TreeCRF(
        n_iterations=settings.sampling_iterations, l2_regularization=settings.sampling_regularization,
        max_leaves=settings.max_leaves, window=window, **changed,
    )  # fmt: skip
    followed = _Followed(model, [], [])

    def note(iteration: int, by_phase: Mapping[str, float], log_likelihood: float) -> None:
        if iteration >= model.pseudo_likelihood_iterations:
            followed.seconds.append(sum(by_phase.values()))
            followed.log_likelihoods.append(log_likelihood)

    model.fit(train, monitor=note)
    return followed


def _sampling_row(samples: Sequence[_Followed], plain: _Followed, test: SequenceSet, **constant: Any) -> dict[str, Any]:
    """What several trainings that differ by their sample cost and gain."""
    equal = [min(sample.log_likelihoods[-1], plain.log_likelihoods[-1]) for sample in samples]
    return constant | {
        "cpu_seconds": np.median([sum(sample.model.seconds_.values()) for sample in samples]),
        "tree_seconds": np.median([sample.model.seconds_["trees"] for sample in samples]),
        "accuracy": np.mean([100 * sample.model.score(test) for sample in samples]),
        "log_likelihood": np.mean([sample.log_likelihoods[-1] for sample in samples]),
        "seconds_to_likelihood": np.median([s.seconds_to(value) for s, value in zip(samples, equal, strict=True)]),
        "plain_seconds_to_likelihood": np.median([plain.seconds_to(value) for value in equal]),
    }


class _Run(NamedTuple):
    """A trained labeller, its CPU seconds by phase and its number of iterations."""

    method: str
    model: Any
    phases: Mapping[str, float]
    n_iterations: int

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
        if name in CHOSEN_BY and java_problem() is not None:
            continue
        row = TRAINING[name]
        values = {"window": window, **row.fixed, row.chosen: getattr(settings, row.chosen)}
        values |= {own: getattr(settings, shared) for own, shared in row.taken.items() if hasattr(settings, shared)}
        model = load_class(row.class_path or LABELLERS[name].class_path)(**values)
        phases = _fit(model, train)
        yield _Run(name, model, phases[-1], len(phases))


def _fit(model: Labeller, train: SequenceSet) -> list[Mapping[str, float]]:
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
    for _ in range(REPEATS):
        before = time.thread_time()
        evaluate(data)
        spent.append(time.thread_time() - before)
    return float(np.median(spent))


def _rows(
    axis: str, value: int, method: str, seconds: Mapping[str, float], data: SequenceSet
) -> Iterator[dict[str, Any]]:
    for quantity, spent in seconds.items():
        yield {
            "axis": axis, "value": value, "method": method, "quantity": quantity, "seconds": spent,
            "n_positions": data.n_positions,
        }  # fmt: skip
