"""Larger samples beside the papers' test sets: repeated cross-validation, or many draws of training sequences.

They say what the papers' own test sets are too small to say. In each training a method chooses its settings without the
sequences that then test: one hold-out of the training sequences chooses, and all of them train. Of methods for which
that would take too long the settings are fixed in advance.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.missing import Imputer
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import Split, derive_seed, hold_out, repeated_folds, training_draws
from treecrf_studies.framework.jobs import Frames, JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.selection import ChosenLabeller, Fold, Trained, choose, train_as_chosen
from treecrf_studies.methods.catalogue import IN_JAVA, TRAINING
from treecrf_studies.methods.java.machine import java_problem
from treecrf_studies.options import Candidate, candidate_name
from treecrf_studies.training.jobs import shortened
from treecrf_studies.training.settings import LargerSample, TrainingSettings

COUNT_NAMES = ["dataset", "sample", "method", "decoder", "draw", "sequence", "group", "n_positions", "n_correct"]
TRAINING_NAMES = [
    "dataset",
    "sample",
    "population",
    "test",
    "n_folds",
    "method",
    "draw",
    "candidate",
    "iteration",
    "n_train",
    "n_test",
    "cpu_seconds",
]

HELD_OUT = 1 / 3
"""Share of the groups of related training sequences that chooses settings."""


class Larger(NamedTuple):
    """What a method finds on a larger sample; dataset is that of the papers which the sample is larger than.

    Attributes
    ----------
    larger_counts : DataFrame
        Columns `COUNT_NAMES`: correct positions of each sequence that tests, by training and decoder.
    larger_trainings : DataFrame
        Columns `TRAINING_NAMES`, one row each: how the sample is tested (`LargerSample.test`), what was chosen
        (iteration 0: the last one), sequences that train and that test, CPU seconds of the training after the choice.
    """

    larger_counts: pd.DataFrame
    larger_trainings: pd.DataFrame


def score_larger(job: JobContext[TrainingSettings]) -> Larger:
    """One method on one larger sample, `job.dataset`.

    Of draws, the test set alone is the sample: the papers' training sequences take no part. Without rows where the
    method needs Java and there is none, or its program cannot train on the sample.
    """
    if job.method not in IN_JAVA:
        return _score(job)
    nothing = Larger(pd.DataFrame(columns=COUNT_NAMES), pd.DataFrame(columns=TRAINING_NAMES))
    if java_problem():
        return nothing
    try:
        return _score(job)
    except ValueError:  # other people's programs take some data only
        return nothing


def _score(job: JobContext[TrainingSettings]) -> Larger:
    sample = job.settings.larger_samples[job.dataset]
    data, splits = sample_splits(sample, job.train, job.test, derive_seed(job.seed, job.dataset, "larger"))
    if job.method in job.settings.larger_fixed and sample.fixed_trainings is not None:
        splits = splits[: sample.fixed_trainings]
    outcomes = job.cache.all_finished(
        {f"larger_{place}": partial(_test_one, job, data, split, place) for place, split in enumerate(splits)}
    )
    names = {"dataset": sample.of, "sample": job.dataset, "method": job.method}
    of_sample = {"population": sample.population, "test": sample.test, "n_folds": sample.n_folds or len(splits)}
    counts, trainings = (
        pd.concat([frame.assign(draw=place) for place, frame in enumerate(frames)], ignore_index=True)
        for frames in zip(*outcomes, strict=True)
    )
    return Larger(
        counts.assign(**names)[COUNT_NAMES],
        trainings.assign(**names, **of_sample)[TRAINING_NAMES],
    )


def sample_splits(
    sample: LargerSample, train: SequenceSet, test: SequenceSet, seed: int
) -> tuple[SequenceSet, list[Split]]:
    """The sequences that take part, and what trains and tests in turn."""
    if sample.design == "draws":
        return test, training_draws(test.groups, sample.n_train or len(train), sample.n_repeats, seed)
    whole = SequenceSet.concatenate([train, test])
    return whole, repeated_folds(whole.groups, sample.n_folds, sample.n_repeats, seed)


def _test_one(
    job: JobContext[TrainingSettings], data: SequenceSet, split: Split, place: int, _checkpoint: Checkpoint | None
) -> Frames:
    """Choose settings, train and test: correct positions by sequence and decoder, and the training."""
    train, test = _filled(data.select(split.train), data.select(split.test))
    fit, judge = hold_out(train.groups, HELD_OUT, derive_seed(job.seed, job.dataset, "inner", place))
    candidate, chosen = _choose(job, _filled(train.select(fit), train.select(judge)))
    trained = train_as_chosen(chosen, train)
    truth = trained.labeller.align_labels(test)
    of_test = {"sequence": split.test, "group": test.groups, "n_positions": test.lengths}
    counts = [
        pd.DataFrame(
            of_test | {"n_correct": np.add.reduceat((predicted == truth).astype(np.int64), test.offsets[:-1])}
        ).assign(decoder=decoder)
        for decoder, predicted in trained.predict(test, tuple(job.settings.decoders)).items()
    ]
    training = {
        "candidate": candidate_name(candidate),
        "iteration": chosen.stage,
        "n_train": len(train),
        "n_test": len(test),
        "cpu_seconds": _cpu_seconds(trained, job.method),
    }
    return pd.concat(counts), pd.DataFrame([training])


def _cpu_seconds(trained: Trained, method: str) -> float:
    """CPU seconds of a training; of one in Java those that its own process has told."""
    return sum(getattr(trained.labeller, "seconds_", {}).values()) if method in IN_JAVA else trained.cpu_seconds


def _choose(job: JobContext[TrainingSettings], inner: Fold) -> tuple[Candidate, ChosenLabeller]:
    """The candidate and iteration with most correct positions by forward-backward decoding, or what is fixed in
    advance.
    """
    settings = shortened(job.settings) if job.method in IN_JAVA else job.settings
    fixed = settings.larger_fixed.get(job.method)
    method = find_method(job.method, TRAINING, settings.labellers)
    grid = method.candidates(settings) if fixed is None else [fixed]
    dataset = settings.larger_samples[job.dataset].of
    window = settings.network_windows.get(dataset, job.window) if job.method == "neural_network" else job.window
    labellers = [method.build(settings, candidate, window) for candidate in grid]
    if fixed is not None:
        return fixed, ChosenLabeller(labellers[0])
    chosen = choose(labellers, [inner], settings.test_every)
    return grid[labellers.index(chosen.labeller)], chosen


def _filled(train: SequenceSet, test: SequenceSet) -> Fold:
    """Both sets with missing values imputed by the commonest one of the training set."""
    if not (train.has_missing or test.has_missing):
        return train, test
    fill = Imputer().fit(train)
    return fill.transform(train), fill.transform(test)
