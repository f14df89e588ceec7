"""The study of missing values on one table: all methods with its own missing values and with more, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from treecrf.io.files import atomic, write_frame, write_text
from treecrf.missing.mechanisms import resample_missing
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, hold_out
from treecrf_studies.framework.jobs import JobContext, joined
from treecrf_studies.framework.settings import MissingSettings
from treecrf_studies.missing.advice import advice
from treecrf_studies.missing.figures import accuracy_by_rate
from treecrf_studies.missing.jobs import MissingOutcome, evaluate_method
from treecrf_studies.missing.summary import analyse
from treecrf_studies.missing.tables import (
    accuracy_layout,
    costs_layout,
    deviance_layout,
    effects_layout,
    significance_layout,
    variances_layout,
)
from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.rendering.parts import flattened, parts_text

Progress = Callable[[int, str], None]
"""Called with the number of finished jobs and what the last one was."""


def study_table(
    name: str,
    data: SequenceSet,
    window: tuple[int, int],
    settings: MissingSettings,
    *,
    test_fraction: float = 1 / 3,
    seed: int = 0,
    n_threads: int = 1,
    progress: Progress = lambda done, what: None,
) -> dict[str, pd.DataFrame]:
    """Train and test every method at every rate.

    Parameters
    ----------
    name : str
        What the data set is called in the frames; with the seed it decides the missing cells and what is held out.
    data : SequenceSet
        With labels. Its own missing values stay at every rate, so rate 0 tells how the methods handle these.
    window : (int, int)
    settings : MissingSettings
    test_fraction : float
        Share of the sequences that tests; the others train and choose.
    seed : int
    n_threads : int
        Jobs (a method at a rate) at a time. Any number gives the same frames, times aside.
    progress : callable

    Returns
    -------
    dict of DataFrame
        evaluations, comparisons, deviance, variances, costs, choices: what `treecrf_studies.missing.advice` and the
        tables take.

    Raises
    ------
    ValueError
        If there are fewer than three unrelated sequences: some train, some choose, some test.
    """
    n_groups = len(np.unique(data.groups))
    if n_groups < 3:
        what = "sequences" if n_groups == len(data) else "groups of related sequences"
        raise ValueError(
            f"there are {n_groups} {what}, but some train, some choose and some test; give at least three."
        )
    fitted, tested = hold_out(data.groups, test_fraction, derive_seed(seed, name, "test"))
    train, test = data.select(fitted), data.select(tested)
    jobs = list(product(settings.rates, settings.methods))
    outcomes: dict[tuple[float, str], MissingOutcome] = {}
    with ThreadPoolExecutor(n_threads) as pool:
        running = {
            pool.submit(evaluate_method, JobContext(settings, name, method, window, (train, test), seed=seed), rate): (
                rate,
                method,
            )
            for rate, method in jobs
        }
        try:
            for future in as_completed(running):
                rate, method = running[future]
                outcomes[rate, str(method)] = future.result()
                progress(len(outcomes), f"{method} at {rate:.0%}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    ordered = [outcomes[rate, str(method)] for rate, method in jobs]
    counts, choices, costs = joined(ordered)
    frames = {**_analyse(counts, settings), "costs": costs, "choices": choices}
    return {what: frame.assign(stand_in=False) for what, frame in frames.items()}


def study_own_missing(
    name: str,
    data: SequenceSet,
    window: tuple[int, int],
    settings: MissingSettings,
    *,
    test_fraction: float = 1 / 3,
    seed: int = 0,
    progress: Progress = lambda done, what: None,
) -> dict[str, pd.DataFrame]:
    """Train and test every method on missing values like the file's own, beside those that it has.

    Each sequence gets the missing cells of another one (`treecrf.missing.mechanisms.resample_missing`); the sequences
    held out are those of `study_table`. Parameters are those of `study_table`, and so are the frames evaluations,
    comparisons and costs; their rate is 1, which stands for these cells.

    Raises
    ------
    ValueError
        If no cell is missing.
    """
    if not data.has_missing:
        raise ValueError(
            "no cell is missing, so there is no pattern of the file's own to draw; give a file with missing values."
        )
    parts = hold_out(data.groups, test_fraction, derive_seed(seed, name, "test"))
    outcomes = []
    for draw in range(settings.n_training_sets):
        train, test = (
            resample_missing(
                data.select(part), data, np.random.default_rng(derive_seed(seed, name, "own holes", side, draw))
            )
            for side, part in zip(("train", "test"), parts, strict=True)
        )
        for method in settings.methods:
            job = JobContext(settings, name, method, window, (train, test), seed=derive_seed(seed, draw))
            counts, _, costs = evaluate_method(job, 0.0)
            outcomes.append([frame.assign(rate=1.0, draw=draw) for frame in (counts, costs)])
            progress(len(outcomes), f"{method} with missing values like the file's")
    counts, costs = joined(outcomes)
    frames = {**_analyse(counts, settings), "costs": costs}
    return {what: frame.assign(stand_in=False) for what, frame in frames.items()}


def _analyse(counts: pd.DataFrame, settings: MissingSettings) -> dict[str, pd.DataFrame]:
    frames = analyse(counts, settings.papers_sets, settings.equivalence_margin, settings.degrees_of_freedom)
    return {name: frame for name, frame in frames.items() if name != "papers_comparisons"}


def n_jobs(settings: MissingSettings) -> int:
    """Jobs of `study_table`."""
    return len(settings.rates) * len(settings.methods)


ADVICE = "advice.md"


def write_missing_report(frames: Mapping[str, pd.DataFrame], folder: Path, baseline: str) -> Path:
    """Write the advice, its figure, its tables and the frames behind them; return the path of the advice, `ADVICE`.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        From `study_table`.
    folder : Path
    baseline : str
        The method that tables of comparisons measure against.
    """
    for name, frame in frames.items():
        write_frame(frame, folder / f"{name}.csv")
    layouts = {
        "accuracy": accuracy_layout(frames["evaluations"], frames["comparisons"]),
        "cpu_seconds": costs_layout(frames["costs"]),
    }
    if len(frames["comparisons"]):
        layouts["effects"] = effects_layout(frames["comparisons"], baseline)
        layouts["significance"] = significance_layout(frames["comparisons"], frames["comparisons"], baseline)
        layouts["deviance"] = deviance_layout(frames["deviance"])
        layouts["variances"] = variances_layout(frames["variances"])
    for name, layout in layouts.items():
        write_frame(flattened(layout), folder / "tables" / f"{name}.csv")
    figure = accuracy_by_rate(frames["evaluations"])
    for kind in ("svg", "png"):
        with atomic(folder / f"accuracy.{kind}") as temporary:
            save_figure(figure, temporary, kind)
    parts = advice(frames["evaluations"], frames["comparisons"], frames["costs"])
    write_text(f"# Missing values\n\n{parts_text(parts, folder)}", folder / ADVICE)
    return folder / ADVICE
