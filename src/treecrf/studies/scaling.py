"""What training and prediction cost: by sequence length and window (PhD section 3.5.3, figure 3.3), with sampling.

All seconds are CPU seconds of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treecrf._scaling_settings import ScalingSettings
from treecrf._training_settings import CHOSEN_BY, TrainingSettings
from treecrf.datasets import synthetic
from treecrf.models._java import java_problem
from treecrf.models.base import Labeller
from treecrf.models.treecrf import TreeCRF
from treecrf.sequences import SequenceSet
from treecrf.studies.methods import FORWARD_BACKWARD, INDUCTION, METHODS

SCALING_NAMES = ["axis", "value", "method", "quantity", "seconds", "n_positions"]
WINDOW_NAMES = ["dataset", "window_size", "method", "seconds_per_iteration", "n_iterations", "accuracy"]
SAMPLING_NAMES = ["dataset", "option", "value", "cpu_seconds", "tree_seconds", "accuracy"]

REPEATS = 5
"""Times that an evaluation of F is measured; the median counts."""


def measure_scaling(settings: ScalingSettings) -> pd.DataFrame:
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


def measure_windows(dataset: str, train: SequenceSet, test: SequenceSet, settings: ScalingSettings) -> pd.DataFrame:
    """Cost of an iteration by the size of the window (the table of the ICML 2004 paper).

    Parameters
    ----------
    dataset : str
        What the rows call the data set.
    train, test : SequenceSet
    settings : ScalingSettings

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
    dataset: str, train: SequenceSet, test: SequenceSet, window: tuple[int, int], settings: ScalingSettings
) -> pd.DataFrame:
    """What row sampling, feature sampling and influence trimming (PhD sections 3.3 and 6.2) cost and gain.

    Parameters
    ----------
    dataset : str
        What the rows call the data set.
    train, test : SequenceSet
    window : (int, int)
        Observations before and after a position that TreeCRF sees.
    settings : ScalingSettings

    Returns
    -------
    DataFrame
        dataset, option ("none" or a setting of `TreeCRF`), value, cpu_seconds (of training), tree_seconds (of growing
        trees), accuracy (percent, forward-backward); over several samples the median of seconds and the mean of accuracies.
    """
    options: list[tuple[str, float]] = [("none", 1.0)]
    for option in ("row_fraction", "feature_fraction", "influence_trimming"):
        options += [(option, value) for value in getattr(settings, f"{option}s")]
    rows = []
    for option, value in options:
        is_random = option in ("row_fraction", "feature_fraction")
        changed: dict[str, Any] = {} if option == "none" else {option: value}
        models = [
            TreeCRF(
                n_iterations=settings.sampling_iterations, l2_regularization=settings.sampling_regularization,
                max_leaves=settings.max_leaves, window=window, sampling_seed=seed, **changed,
            ).fit(train)
            for seed in range(settings.sampling_repeats if is_random else 1)
        ]  # fmt: skip
        rows.append(
            {
                "dataset": dataset,
                "option": option,
                "value": value,
                "cpu_seconds": np.median([sum(model.seconds_.values()) for model in models]),
                "tree_seconds": np.median([model.seconds_["trees"] for model in models]),
                "accuracy": np.mean([100 * model.score(test) for model in models]),
            }
        )
    return pd.DataFrame(rows)[SAMPLING_NAMES]


def window_of_size(size: int) -> tuple[int, int]:
    """The window of so many observations around the position; an even one sees one more after it than before."""
    return (size - 1) // 2, size // 2


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


def _runs(train: SequenceSet, window: tuple[int, int], settings: ScalingSettings) -> Iterator[_Run]:
    """Every method that can be run, trained."""
    shared = TrainingSettings(datasets=[], n_iterations=settings.n_iterations, max_leaves=settings.max_leaves)
    for name in settings.methods:
        if name in CHOSEN_BY and java_problem() is not None:
            continue
        value = settings.l2_regularization if METHODS[name].chosen == "l2_regularization" else settings.variance
        model = METHODS[name].build(shared, {METHODS[name].chosen: value}, window, None)
        phases = _fit(model, train)
        yield _Run(name, model, phases[-1], len(phases))


def _fit(model: Labeller, train: SequenceSet) -> list[Mapping[str, float]]:
    """Train; CPU seconds by phase after each iteration."""
    phases: list[Mapping[str, float]] = []
    model.fit(train, monitor=lambda _iteration, by_phase, _log_likelihood: phases.append(by_phase))
    return phases


def _generated(settings: ScalingSettings, length: int) -> tuple[SequenceSet, SequenceSet]:
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
